"""The explicit scheme of S4 with SymPy: M qdd + h = f + W lambda as equations to read, and as Python and C."""

from importlib.util import find_spec

from structkin.errors import InputError, Problem

# Every road to these modules leads through here, so that none ends in a traceback without SymPy.
if find_spec("sympy") is None:
    raise InputError([Problem("", "SymPy is not installed", 'pip install "structkin[symbolic]"')], "equations")
