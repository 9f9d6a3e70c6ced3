"""The reduced equations of motion at one instant, and whole runs at a fixed step, compiled by Numba.

A mechanism is written into arrays (`tables`), the formulas of its kinds of groups into the source of a module
(`source`), together with the text of the modules that work on the arrays (`equations`, `forces`, `laws_at`,
`runs`). The compiled module depends on the kinds of groups alone: mechanisms that differ in their size, lengths, masses
and loads share it.
"""
