"""The arrays of a mechanism's equations by their names, all of them laid out in two.

Compiled functions then have few arguments and compile quickly: `I` holds integers, `D` numbers. The head of `I` gives
the beginning and length of each part; `mem.part` is a view, in compiled code too (`native_memory`). The same text runs
as plain Python on `Lists`: Python reads a number of a list several times as fast as one of an array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from structkin.types import Floats, Ints


class Part:
    """One named part, in the integers or the numbers: a scalar without a shape, else an array."""

    def __init__(self, array: str, *shape: int | str, given: bool) -> None:
        """Keep which of the two arrays holds it, its shape, in which a word stands for the scalar of that name.

        A part that is `given` does not change.
        """
        self.array, self.shape, self.given, self.name, self.place = array, shape, given, "", 0

    def __set_name__(self, owner: type[Arrays], name: str) -> None:
        """Take the next place in the head, after the parts that the class inherits."""
        if "PARTS" not in vars(owner):
            owner.PARTS = dict(owner.PARTS)
        self.name, self.place = name, 2 * len(owner.PARTS)
        owner.PARTS[name] = self

    def __get__(self, mem: Arrays | None, owner: type[Arrays]) -> Any:
        """Return the view, or the scalar."""
        if mem is None:
            return self
        begin, length = mem.I[self.place : self.place + 2]
        array = getattr(mem, self.array)
        if not self.shape:
            return array[begin]
        shape = [getattr(mem, size) if isinstance(size, str) else size for size in self.shape]
        return array[begin : begin + length].reshape(shape if length else [max(size, 0) for size in shape])

    def __set__(self, mem: Arrays, value: Any) -> None:
        """Write the scalar, or fill the array."""
        if self.shape:
            self.__get__(mem, type(mem)).reshape(-1)[:] = np.ravel(value)
        else:
            getattr(mem, self.array)[mem.I[self.place]] = value


def integers(*shape: int | str) -> Any:
    """Return a part of whole numbers; arrays of them are given."""
    return Part("I", *shape, given=bool(shape))


def given(*shape: int | str) -> Any:
    """Return a part of numbers that do not change."""
    return Part("D", *shape, given=True)


def numbers(*shape: int | str) -> Any:
    """Return a part of numbers."""
    return Part("D", *shape, given=False)


class Arrays:
    """Named parts in two arrays; parts that a class adds follow those of its base."""

    PARTS: ClassVar[dict[str, Part]] = {}

    def __init__(self, parts: Mapping[str, Any]) -> None:
        """Lay out all parts; a whole number for an array is its length, filled with zeros. Scalars begin as zero."""
        arrays: dict[str, list[Any]] = {"I": [], "D": []}
        places = {"I": 2 * len(self.PARTS), "D": 0}
        head = []
        for name, part in self.PARTS.items():
            value = parts.get(name, 0)
            if not part.shape:
                flat = np.array([value])
            else:
                flat = np.zeros(value) if isinstance(value, int) else np.asarray(value).ravel()
            head += [places[part.array], len(flat)]
            arrays[part.array].append(flat)
            places[part.array] += len(flat)
        self.I: Ints = np.concatenate([head, *arrays["I"]]).astype(np.int64)
        self.D: Floats = np.concatenate(arrays["D"]).astype(np.float64)

    @property
    def passed(self) -> tuple[Ints, Floats]:
        """What compiled functions of the text take for it."""
        return self.I, self.D

    @classmethod
    def changing(cls) -> tuple[str, ...]:
        """Return the names of all parts that are not given."""
        return tuple(name for name, part in cls.PARTS.items() if not part.given)

    def put(self, **parts: Any) -> None:
        """Write scalars, and fill arrays."""
        for name, value in parts.items():
            setattr(self, name, value)

    def copy(self) -> Self:
        """Return a copy that shares nothing."""
        made = copy(self)
        made.I, made.D = self.I.copy(), self.D.copy()
        return made


class LoadMemory(Arrays):
    """Masses, laws and loads on n rows, which are components of vectors in pairs; e expressions are affine in them."""

    # The sums of rows that have a mass or an inertia: the former sum that each adds to (-1: none), its own terms, row
    # and factor of each, its mass and its number; and weights (n,).
    mass_former, mass_ptr, mass_row, mass_factor = integers(-1), integers(-1), integers(-1), given(-1, 2)
    mass, mass_sums, weight = given(-1), numbers(-1, 2), given(-1)
    # Laws: form, first line, factor, lines of five numbers; the stack that formulas are computed on; the law of each
    # coordinate's motion and effort (f,), -1 for none; what is added to the second rates of motions.
    law_form, law_ptr, law_scale, law_data = integers(-1), integers(-1), given(-1), given(-1, 5)
    stack, motion, effort, jolt = numbers(-1, 4), integers(-1), integers(-1), numbers(-1)
    # Expressions: terms, the row and factor of each, constants; their places, rates, and forces on them (3, e, 2).
    term_ptr, term_row = integers(-1), integers(-1)
    term_factor, term_const = given(-1, 2), given(-1, 2)
    places = numbers(3, -1, 2)
    # Loads as indices of expressions and laws, and their sizes, see `load_formulas`; the impact speeds, and depth and
    # rate of each contact (2, c); the rates of frictions in parts of their transitions.
    springs, torsions, pushes = integers(-1, 3), integers(-1, 3), integers(-1, 4)
    moments, frictions, contacts = integers(-1, 3), integers(-1, 4), integers(-1, 5)
    spring_sizes, torsion_sizes, friction_sizes = given(-1, 3), given(-1, 3), given(-1, 3)
    friction_limits, contact_sizes, met, touches = given(-1), given(-1, 9), numbers(-1), numbers(2, -1)
    slips = numbers(-1)
    # Curves: first and last piece, whether it is closed, first and last point of its table; of each piece its start,
    # the waves of x and y, and as many coefficients of both as `curve_degree`; points (u, x, y); the foot of each
    # curve's pin at the last pose, and at the present one. Those of frictions come first.
    curves, curve_degree, curve_width = integers(-1, 5), integers(), integers()
    curve_data, curve_table, feet, new_feet = given(-1, "curve_width"), given(-1, 3), numbers(-1), numbers(-1)


class Memory(LoadMemory):
    """All arrays of a mechanism's reduced equations.

    S steps, n rows of slots, f coordinates (the free ones first, then the prescribed ones), e expressions of slots.
    """

    # Steps: the address of each one's function, its mode in the sketch (S,), first rows of its operands (S, .) and its
    # constants (S, .), how many these are, and how many rows there are; the coordinates that move step s,
    # moved[ptr[s] : ptr[s + 1]], increasing.
    operands, fixed, height = integers(), integers(), integers()
    step, mode, rows, constants = integers(-1), integers(-1), integers(-1, "operands"), given(-1, "fixed")
    moved_ptr, moved = integers(-1), integers(-1)
    # The rows that a coordinate moves, likewise; drivers' slots: row, coordinate, whether it is an angle, sign.
    reached_ptr, reached, drivers = integers(-1), integers(-1), integers(-1, 4)
    # The largest rate of a row that is not too fast.
    rate_limit = given()
    # Joints' coordinates: kind and two expressions, their terms, and the unit of each; see `reduced_at`.
    joints, joint_ptr, joint_row = integers(-1, 3), integers(-1), integers(-1)
    joint_const, joint_factor, joint_unit = given(-1, 2), given(-1, 2), given(-1)
    # Links whose turns are counted: terms of their directions, angles in the sketch; torsion springs: terms of their
    # turns, of each what it is (0 a driver's value, 1 a row of the slots, 2 a counted turn), its index and factor.
    counted_ptr, counted_row, counted_factor = integers(-1), integers(-1), given(-1, 2)
    counted_const, drawn = given(-1, 2), given(-1)
    turn_ptr, turn_term, turn_factor = integers(-1), integers(-1, 2), given(-1)
    # Evaluations so far, the number of free coordinates, the scales of coordinates and whether they are distances (f,).
    count, free, measures, distance = integers(), integers(), given(-1), integers(-1)
    # Steps with two modes; whether the pose is from a series; whether modes or general groups are followed, or turns
    # are counted; whether the compiled equations must stand aside.
    two, smooth, followed, aside = integers(-1), integers(), integers(), integers()
    # Drivers' values, rates, second rates (3, f); slots' places, rates, second rates at z_f'' = 0 (3, n); K (f, n).
    z, x, K = numbers(3, -1), numbers(3, -1), numbers(-1, "height")
    # Of the last evaluation: signed roots of the steps' discriminants, or determinants of general groups (zero if not
    # known), and their rates (2, S), its time, turns of the links counted (k,), places of the slots, coordinates; roots
    # and turns of the present evaluation.
    roots, clock, turned, kept, last = numbers(2, -1), numbers(), numbers(-1), numbers(-1), numbers(-1)
    new_roots, new_turned = numbers(2, -1), numbers(-1)
    # What a pose is followed by, kept while a path is tried; its beginning and step (2, f).
    old_roots, old_turned, old_kept, old_last = numbers(2, -1), numbers(-1), numbers(-1), numbers(-1)
    path = numbers(2, -1)
    # Forces on rows and W K of a coordinate (2, n), W K of four coordinates (n, 4); K_f^T W K_f and then its factor
    # (free, free), its right-hand side; second rates of the free coordinates (free,), efforts (f,).
    load, four, matrix, right = numbers(2, -1), numbers(-1, 4), numbers(-1, "free"), numbers(-1)
    second, efforts = numbers(-1), numbers(-1)
    # Kinetic energy, power, and the largest kinetic energy so far.
    kinetic, power, largest = numbers(), numbers(), numbers()
    # Work arrays of an integrator's step (8, 2 free), see `integrators.steps`.
    stages, past, known, pace, until = numbers(8, -1), numbers(8, -1), integers(), numbers(), numbers()
    # Series of one coordinate: for each its place, direction, radius, and the powers of its slots' rows and the roots
    # of `two`; weights of the powers (3, .).
    series, powers = numbers(4, -1), numbers(3, -1)
    # Roots that approach zero are checked below these sizes (S,); other coordinates from this rate of a joint upwards.
    look, uneven = numbers(-1), numbers()


class Lists:
    """The parts of arrays as numbers and nested lists; those that integrators compute with as wholes stay arrays."""

    def __init__(self, mem: Arrays, whole: Sequence[str] = (), **others: Any) -> None:
        """Take the values of all parts, those that stay arrays, and what else plain Python works with."""
        self._changing, self._whole = mem.changing(), whole
        for name, value in others.items():
            setattr(self, name, value)
        self.put(**{name: getattr(mem, name) for name in mem.PARTS})

    @property
    def passed(self) -> tuple[Self]:
        """What functions of the text take in plain Python."""
        return (self,)

    def put(self, **parts: Any) -> None:
        """Write parts."""
        for name, value in parts.items():
            setattr(self, name, np.array(value) if name in self._whole else np.asarray(value).tolist())

    def copy(self) -> Self:
        """Return a copy that shares nothing but what is given."""
        made = copy(self)
        for name in self._changing:
            setattr(made, name, _copied(getattr(self, name)))
        return made


#: Parts on which the formulas of integrators work as wholes.
WHOLE = ("stages", "past")


def _copied(value: Any) -> Any:
    if isinstance(value, list):
        return [_copied(one) for one in value] if value and isinstance(value[0], list) else value.copy()
    return value.copy() if isinstance(value, np.ndarray) else value
