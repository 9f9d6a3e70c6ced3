"""C code of equations, compiled with warnings as errors."""

import ctypes
import itertools
import shutil
import subprocess
import sys

import numpy as np
import pytest

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None or sys.platform == "win32", reason="needs gcc")
_NUMBER = itertools.count()


def compiled(found, folder):
    """Compile the C code of equations, and return it as a function of (t, q, qd)."""
    name = f"equations{next(_NUMBER)}"
    (folder / f"{name}.c").write_text(found.c(), encoding="utf-8")
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1", "-shared", "-fPIC"]
    subprocess.run(["gcc", *flags, f"{name}.c", "-o", f"{name}.so", "-lm"], check=True, cwd=folder)
    library, double = ctypes.CDLL(str(folder / f"{name}.so")), ctypes.POINTER(ctypes.c_double)
    library.equations.argtypes = [ctypes.c_double, double, double, ctypes.c_void_p, *[double] * len(found.outputs)]

    def call(t, q, qd):
        q, qd = (np.ascontiguousarray(x, dtype=float) for x in (q, qd))
        results = [np.empty(np.shape(m) if n in "MW" else m.rows) for n, m in found.outputs.items()]
        pointers = [a.ctypes.data_as(double) for a in (q, qd, *results)]
        defaults = ctypes.addressof(ctypes.c_char.in_dll(library, "defaults"))
        library.equations(t, *pointers[:2], defaults, *pointers[2:])
        return results

    return call
