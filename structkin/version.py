"""The version of structkin."""

__version__ = "0.1.0"
