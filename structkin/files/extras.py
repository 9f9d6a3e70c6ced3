"""Optional packages that one format needs, and the error if one is not installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from structkin.errors import InputError, Problem


@contextmanager
def needs(package: str, extra: str, what: str) -> Iterator[None]:
    """Turn a failed import of a package into an `InputError` that names the extra to install.

    >>> with needs("no_such_package", "xlsx", ".xlsx"):
    ...     import no_such_package
    Traceback (most recent call last):
    structkin.errors.InputError: output: 1 error
      - .xlsx: needs no_such_package, which is not installed; pip install "structkin[xlsx]"
    """
    try:
        yield
    except ImportError:
        problem = Problem(what, f"needs {package}, which is not installed", f'pip install "structkin[{extra}]"')
        raise InputError([problem], "output") from None
