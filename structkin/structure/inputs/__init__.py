"""Which joint to drive: candidate inputs, ranked by the structure each produces."""

from structkin.structure.inputs.result import InputChoice, InputRanking

__all__ = ["InputChoice", "InputRanking"]
