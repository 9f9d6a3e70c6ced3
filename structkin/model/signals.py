"""Sizes of forces and moments: constants, formulas of t, tables."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from structkin.model.drivers import check_rows, table_rows
from structkin.model.expression import Expression
from structkin.model.flaw import Flaw, number
from structkin.model.laws import ConstantSpeed, ExpressionLaw, TableLaw
from structkin.model.parts import Law
from structkin.model.tables import read_table
from structkin.model.units import Units

WAYS = ("value", "law", "table", "csv")


class Sized(Protocol):
    """An entry that says how large it is in one of four ways."""

    value: Any
    law: Any
    table: Any
    csv: str | None


def constant(value: float) -> Law:
    """Return the law of a constant.

    >>> import numpy as np
    >>> constant(3.0)(np.zeros(2))[0].tolist()
    [3.0, 3.0]
    """
    return ConstantSpeed(value, 0.0)


def formula(value: Any) -> Law:
    """Return the law of a formula of t, in SI; raise `Flaw`."""
    return ExpressionLaw(Expression(value if isinstance(value, str) else repr(number(value))))


def signal(value: Any, kind: str, units: Units, folder: Path | None = None) -> Law:
    """Return the law of a number, a quantity with its unit, a formula of t, a table or a CSV file; raise `Flaw`.

    >>> import numpy as np
    >>> [float(signal(x, "force", Units())(np.array([2.0]))[0][0]) for x in (5, "5 kN", "5*t")]
    [5.0, 5000.0, 10.0]
    """
    if isinstance(value, str) and value.endswith(".csv"):
        return TableLaw(*check_rows(read_table(value, folder)))
    if isinstance(value, list | tuple | np.ndarray):
        return TableLaw(*check_rows(table_rows(value)))
    if isinstance(value, str) and not re.fullmatch(r"\s*[+-]?[\d.]+(?:[eE][+-]?\d+)?\s*[A-Za-zµ°].*", value):
        return formula(value)
    return constant(units.quantity(value, kind))


def sized(entry: Sized, kind: str, units: Units, folder: Path | None) -> Law:
    """Return how large an entry is: its value, law, table or csv; raise `Flaw` unless it has one of them."""
    given = one_way(entry)
    value = getattr(entry, given)
    if given == "value":
        return constant(units.quantity(value, kind))
    if given == "law":
        return formula(value)
    return TableLaw(*check_rows(read_table(value, folder) if given == "csv" else table_rows(value)))


def one_way(entry: Sized) -> str:
    """Return which of the four ways an entry uses; raise `Flaw` unless it is one."""
    given = [name for name in WAYS if getattr(entry, name) is not None]
    if len(given) != 1:
        found = f"has {' and '.join(given)}" if given else "has no size"
        raise Flaw(found, "give one of value, law, table, csv")
    return given[0]
