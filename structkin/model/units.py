"""Units of a file, and quantities written as text with their unit ("60 rpm", "3 N/mm").

A table of factors and a parser of products and quotients. Angle is a separate dimension, so that "10 mm/s" on an
angle driver is an error and not 0.01 rad/s.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from structkin.model.flaw import Flaw, decimal_comma, describe, indefinite, number, short
from structkin.model.topology import suggest

Dimension = tuple[int, int, int, int]  # powers of length, mass, time, angle

_DEG = math.pi / 180
_LENGTH: Dimension = (1, 0, 0, 0)
_MASS: Dimension = (0, 1, 0, 0)
_TIME: Dimension = (0, 0, 1, 0)
_ANGLE: Dimension = (0, 0, 0, 1)
_FORCE: Dimension = (1, 1, -2, 0)

#: The units a file may choose for lengths, angles and masses, with their size in SI.
FILE_UNITS: Mapping[str, Mapping[str, float]] = {
    "length": {  # a micrometre is a millionth of a metre
        "m": 1.0, "mm": 1e-3, "cm": 1e-2, "dm": 0.1, "km": 1e3, "um": 1e-6,
        "in": 0.0254, "ft": 0.3048,
    },
    "angle": {"rad": 1.0, "deg": _DEG, "mrad": 1e-3, "rev": 2 * math.pi},
    "mass": {"kg": 1.0, "g": 1e-3, "t": 1e3, "lb": 0.45359237},
}  # fmt: skip


def decimal(value: float, digits: int) -> str:
    """Return a number with so many significant digits; without a power of ten from 1e-4 to 1e15.

    >>> decimal(0.012345678, 4), decimal(123456.0, 4), decimal(-2.0, 4)
    ('0.01235', '123500', '-2')
    """
    return f"{float(f'{value:.{digits}g}'):.15g}"


_MICRO = FILE_UNITS["length"]["um"]
_TABLE: dict[str, tuple[float, Dimension]] = {
    **{name: (size, _LENGTH) for name, size in FILE_UNITS["length"].items()},
    **{name: (size, _ANGLE) for name, size in FILE_UNITS["angle"].items()},
    **{name: (size, _MASS) for name, size in FILE_UNITS["mass"].items()},
    "µm": (_MICRO, _LENGTH),
    "°": (_DEG, _ANGLE),
    "turn": (2 * math.pi, _ANGLE),
    "s": (1.0, _TIME),
    "sec": (1.0, _TIME),
    "ms": (1e-3, _TIME),
    "us": (_MICRO, _TIME),
    "µs": (_MICRO, _TIME),
    "min": (60.0, _TIME),
    "h": (3600.0, _TIME),
    "rpm": (2 * math.pi / 60, (0, 0, -1, 1)),
    "N": (1.0, _FORCE),
    "kN": (1e3, _FORCE),
    "mN": (1e-3, _FORCE),
    "lbf": (4.4482216152605, _FORCE),
    "kgf": (9.80665, _FORCE),
    "Nm": (1.0, (2, 1, -2, 0)),
    "kNm": (1e3, (2, 1, -2, 0)),
    "Nmm": (1e-3, (2, 1, -2, 0)),
}

#: The dimension of each quantity, and an example for messages.
QUANTITIES: Mapping[str, tuple[Dimension, str]] = {
    "length": (_LENGTH, "15 mm"),
    "angle": (_ANGLE, "30 deg"),
    "mass": (_MASS, "250 g"),
    "time": (_TIME, "2 s"),
    "angular speed": ((0, 0, -1, 1), "60 rpm"),
    "speed": ((1, 0, -1, 0), "10 mm/s"),
    "acceleration": ((1, 0, -2, 0), "9.81 m/s^2"),
    "inertia": ((2, 1, 0, 0), "4e-4 kg m^2"),
    "stiffness": ((0, 1, -2, 0), "3 N/mm"),
    "damping": ((0, 1, -1, 0), "2 N s/m"),
    "force": (_FORCE, "250 N"),
    "moment": ((2, 1, -2, 0), "5 N m"),
    "torsional stiffness": ((2, 1, -2, -1), "3 N m/rad"),
    "torsional damping": ((2, 1, -1, -1), "0.1 N m s/rad"),
    "mass per length": ((-1, 1, 0, 0), "2.5 kg/m"),
    "mass per area": ((-2, 1, 0, 0), "40 kg/m^2"),
    "density": ((-3, 1, 0, 0), "7850 kg/m^3"),
}

#: Quantities without enough units of their own, and products that are usual for them.
_PRODUCTS: Mapping[str, tuple[str, ...]] = {"angular speed": ("rev/s", "deg/s", "rad/s")}

_NUMBER = re.compile(r"\s*([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)", re.DOTALL)
_FACTOR = re.compile(r"\s*(?:([*/·])\s*)?(1|[A-Za-zµ°]+)(?:(?:\^|\*\*)?([+-]?\d))?\s*")


@lru_cache(maxsize=256)
def unit(text: str, kind: str = "") -> tuple[float, Dimension]:
    """Return the SI size and the dimension of a unit; raise `Flaw` if the text is not a unit.

    The hint then names the units of `kind`, a key of `QUANTITIES`.

    >>> unit("N/mm")
    (1000.0, (0, 1, -2, 0))
    """
    rest = text.replace("²", "^2").replace("³", "^3").replace("μ", "µ").strip()
    size, dimension = 1.0, (0, 0, 0, 0)
    position = 0
    while position < len(rest):
        match = _FACTOR.match(rest, position)
        if match is None or (position == 0 and match[1]):
            raise Flaw(f"'{text}' is not a unit", "write products and quotients, such as 'N s/m' or 'm/s^2'")
        sign, name, power = match[1], match[2], int(match[3] or 1) * (-1 if match[1] == "/" else 1)
        if name == "1" and sign in (None, "/"):
            factor, powers = 1.0, (0, 0, 0, 0)
        elif name in _TABLE:
            factor, powers = _TABLE[name]
        else:
            raise Flaw(f"the unit '{name}' is unknown", _suggest_unit(name, kind, is_whole=name == rest))
        size *= factor**power
        a, b, c, d = (old + power * new for old, new in zip(dimension, powers, strict=True))
        dimension = (a, b, c, d)
        position = match.end()
    return size, dimension


def _suggest_unit(name: str, kind: str, *, is_whole: bool) -> str:
    """Return a hint with the closest unit, or those of a kind of quantity.

    A unit that is the whole text can only be one of that kind; a factor of a product can be any.
    """
    if kind not in QUANTITIES:
        return suggest(name, _TABLE)
    dimension, example = QUANTITIES[kind]
    known = [known for known, (_, found) in _TABLE.items() if found == dimension]
    hint = suggest(name, known if is_whole else _TABLE)
    # 'rps' is no 'rpm': where products are usual, one of the few units of the same kind is no guess.
    other = kind in _PRODUCTS and any(f"'{one}'" in hint and one.casefold() != name.casefold() for one in known)
    if hint.startswith("did") and not other:
        return hint
    known += _PRODUCTS.get(kind, ())
    return f"known for {kind}: {', '.join(known)}" if known else f'such as "{example}"'


class Noted(float):
    """A number that notes as which quantity, a key of `QUANTITIES`, a description is read."""

    quantity = ""


def si_unit(kind: str) -> str:
    """Return the unit of a quantity in SI.

    >>> si_unit("stiffness"), si_unit("angular speed")
    ('kg/s^2', 'rad/s')
    """
    powers = list(zip(("kg", "m", "rad", "s"), (QUANTITIES[kind][0][k] for k in (1, 0, 3, 2)), strict=True))
    above = [name if power == 1 else f"{name}^{power}" for name, power in powers if power > 0]
    below = [f"/{name}" if power == -1 else f"/{name}^{-power}" for name, power in powers if power < 0]
    return " ".join(above) + "".join(below)


def unit_of(text: str) -> str:
    """Return which quantity a number with a unit is; raise `Flaw` if it is none.

    >>> unit_of("3 N/mm")
    'stiffness'
    """
    match = _NUMBER.fullmatch(text)
    found = unit(match[2])[1] if match and match[2] else None
    for kind, (dimension, _) in QUANTITIES.items():
        if dimension == found:
            return kind
    raise Flaw(f"'{short(text)}' is not a number with a unit")


@dataclass(frozen=True, slots=True)
class Units:
    """The units of a file for lengths, angles and masses; every other quantity is in SI.

    Places [m] are read as those from the `origin`, at which the file itself has [0, 0].

    >>> mm = Units(length="mm", angle="deg")
    >>> mm.length_scale, mm.quantity(15, "length"), mm.quantity("1 in", "length")
    (0.001, 0.015, 0.0254)
    """

    length: str = "m"
    angle: str = "rad"
    mass: str = "kg"
    origin: complex = field(default=0j, repr=False)

    def __post_init__(self) -> None:
        """Refuse unknown units."""
        for kind in FILE_UNITS:
            check_file_unit(kind, getattr(self, kind))

    @property
    def length_scale(self) -> float:
        """Metres in the file's unit of length."""
        return FILE_UNITS["length"][self.length]

    @property
    def angle_scale(self) -> float:
        """Radians in the file's unit of angle."""
        return FILE_UNITS["angle"][self.angle]

    def scale(self, kind: str) -> float:
        """Return the SI size of the file's unit for a kind of quantity; 1 except for length, angle and mass."""
        return FILE_UNITS[kind][getattr(self, kind)] if kind in FILE_UNITS else 1.0

    def name(self, kind: str) -> str:
        """Return the name of the unit whose size is `scale`: the file's, or that of SI; empty for a plain number.

        >>> Units(length="mm").name("length"), Units().name("stiffness"), Units().name("")
        ('mm', 'kg/s^2', '')
        """
        return str(getattr(self, kind)) if kind in FILE_UNITS else si_unit(kind) if kind else ""

    def quantity(self, value: Any, kind: str, sign: str = "") -> float:
        """Return a quantity in SI, from a number in the file's unit or from text with a unit.

        `kind` is a key of `QUANTITIES`; `sign` is "positive", "not negative" or empty. Raises `Flaw`.
        """
        size = self._quantity(value, kind)
        if (sign == "positive" and size <= 0) or (sign == "not negative" and size < 0):
            wanted = "greater than zero" if sign == "positive" else "that is not negative"
            raise Flaw(f"expected {indefinite(kind)} {wanted}, found {value}", f'such as "{QUANTITIES[kind][1]}"')
        return size

    def _quantity(self, value: Any, kind: str) -> float:
        dimension, example = QUANTITIES[kind]
        if isinstance(value, list | tuple | Mapping):
            raise Flaw(f"expected a number or a number with a unit, found {describe(value)}", f'such as "{example}"')
        if isinstance(value, Noted):
            value.quantity = kind
        if not isinstance(value, str):
            try:
                return number(number(value) * self.scale(kind))
            except Flaw as flaw:
                raise Flaw(flaw.message, f'such as "{example}"') from None
        match = _NUMBER.fullmatch(value)
        if match is None:
            raise Flaw(f"expected a number or a number with a unit, found {describe(value)}", f'such as "{example}"')
        if not match[2]:
            raise Flaw(f"'{value}' has no unit", f'write it without quotes, or with a unit: "{example}"')
        if hint := decimal_comma(value):
            raise Flaw(f"'{short(value)}' is not a number with a unit", hint)
        size, found = unit(match[2], kind)
        if found != dimension:
            raise Flaw(f"'{value}' is not {indefinite(kind)}", f'such as "{example}"')
        return number(float(match[1]) * size)


def check_file_unit(kind: str, name: Any) -> str:
    """Return the name if it is a unit of that kind ("length", "angle" or "mass"); raise `Flaw` otherwise.

    >>> check_file_unit("length", "inch")
    Traceback (most recent call last):
    structkin.model.flaw.Flaw: 'inch' is not a unit of length; did you mean 'in'?
    """
    known = FILE_UNITS[kind]
    if not isinstance(name, str):
        raise Flaw(f"expected the name of a unit of {kind}, found {describe(name)}", suggest("", known))
    if name not in known:
        # German Grad is a degree, and not like rad
        hint = f"known: {', '.join(known)}" if name.casefold() == "grad" else suggest(name, known)
        raise Flaw(f"'{name}' is not a unit of {kind}", hint)
    return name
