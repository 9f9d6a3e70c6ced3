"""The explicit scheme of S4 with SymPy: M qdd + h = f + W lambda as equations to read, and as Python and C."""
