"""The equations with multipliers as compiled code: from a family's rows and frames to accelerations and projections.

The input is the arrays of a mechanism in one family of coordinates (`packing`, laid out by `memory`). The modules whose
names end in `_at` are the text that is compiled: frames, rows, loads on the frames, the factors of the system, the
equations. The result is `CompiledMultipliers` (`choice`), which replaces `Multipliers` in a run and calls it where a
pose is not regular.
"""
