"""Change points: poses in which a group is singular and the motion continues in another assembly mode.

From a plan and a schedule come the lanes of the smooth motion: `search` finds where modes change (`mode_changes`), and
`smoothing` takes the samples nearby from contours of complex poses around them (`contours`). All motions that cross at
a change point are listed by `structkin.branches.classify`.
"""
