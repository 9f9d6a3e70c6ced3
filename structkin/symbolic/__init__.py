"""Minimal coordinates (S4): equations of motion of trees in space, explicit or recursive, with loops in closed form."""

import lazy_loader

# Loaded when first used: SymPy, Numba and SciPy's integrators take a while to import.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
