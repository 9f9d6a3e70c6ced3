"""Which joint to drive: candidate inputs, ranked by the structure each produces."""
