"""The reduced equations at one instant, and whole runs at a fixed step: one text, run as plain Python or compiled.

A mechanism is written into named arrays (`memory`, `packing`). The functions that work on them (`loads_at`,
`load_formulas`, `reduced_at`, `integrators.steps`) make up one module for all mechanisms, and the formulas of
each kind of group another (`source`). `Machine` runs them as plain Python, on lists, or compiled by Numba,
which happens once on a machine; then they are cached.
"""
