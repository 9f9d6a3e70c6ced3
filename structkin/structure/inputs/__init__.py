"""Which joint to drive: candidate inputs, ranked by the structure each produces."""

from structkin.structure.inputs.ranked_inputs import InputChoice, InputRanking

__all__ = ["InputChoice", "InputRanking"]
