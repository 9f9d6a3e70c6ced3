"""The reduced equations of motion at one instant, and whole runs at a fixed step, compiled by Numba.

A mechanism is written into named arrays (`memory`, `packing`). The functions that work on them are compiled once for
all (`laws_at`, `forces`, `series_at`, `equations`, `integrators.steps`, `runs`: their text makes one module), the
formulas of each kind of group once (`source`), when they are first met on a machine; then they are kept. Mechanisms of
any size share them.
"""
