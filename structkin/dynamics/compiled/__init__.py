"""The reduced equations of motion at one instant, and whole runs at a fixed step, compiled by Numba.

A mechanism is written into named arrays (`memory`, `packing`). The functions that work on them are compiled once for
all mechanisms (`laws_at`, `forces`, `series_at`, `equations`, `integrators.steps`, `runs`: their text makes up one
module), and the formulas of each kind of group once (`source`), when they first occur on a machine; then they are
cached. Mechanisms of any size share them.
"""
