"""The version of the package, for all its parts; it is also in `pyproject.toml` and `CITATION.cff`."""

__version__ = "0.1.0"
