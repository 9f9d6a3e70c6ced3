"""Kernels: the group functions, traced once and written out, for NumPy or for Numba to run over blocks of lanes."""
