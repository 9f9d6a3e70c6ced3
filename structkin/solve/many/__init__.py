"""Many dimension sets of one mechanism, solved in one call."""
