"""The equations with multipliers: one text, from a family's rows and frames to accelerations and projections.

The input is the arrays of a mechanism in one family of coordinates (laid out by `memory`). The modules whose names end
in `_at` are the text: frames and rows, loads on the frames, the factors of the system, the equations. `source` fills
the arrays, and makes the text plain Python, with the factors of `multipliers.kkt`, or one compiled module;
`Multipliers` calls it.
"""
