"""Change points: poses in which a group is singular and the motion goes on, in another assembly mode.

From a plan and a schedule come the lanes of the smooth motion: `search` finds where modes change (`mode_changes`),
`smoothing` takes the samples near by from contours of complex poses around them (`contours`), and `branches` lists all
motions that cross there.
"""
