"""The arrays of a mechanism's equations by their names, all of them laid out in two.

What a compiled function takes in is short then, and so is the time to compile it: `I` holds integers, `D` numbers. A
part lies where the head of `I` says, its beginning and its length. In the compiled text `mem.part` is written as that
slice (`flattened`), and `mem` itself as both arrays; in Python it is a view.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Numbers at the head of the integers, before the places of the parts: the lengths of both arrays.
HEAD = 2


class Part:
    """One named part, in the integers or the numbers: a scalar without a shape, else an array."""

    def __init__(self, array: str, *shape: int) -> None:
        """Keep which of the two arrays holds it, and its shape."""
        self.array, self.shape, self.name, self.place = array, shape, "", 0

    def __set_name__(self, owner: type[Memory], name: str) -> None:
        """Take the next place in the head."""
        self.name, self.place = name, HEAD + 2 * len(owner.PARTS)
        owner.PARTS[name] = self

    def __get__(self, mem: Memory | None, owner: type[Memory]) -> Any:
        """Return the view, or the scalar."""
        if mem is None:
            return self
        begin, length = mem.I[self.place : self.place + 2]
        array = getattr(mem, self.array)
        return array[begin : begin + length].reshape(self.shape) if self.shape else array[begin]

    def __set__(self, mem: Memory, value: Any) -> None:
        """Write the scalar, or fill the array."""
        if self.shape:
            self.__get__(mem, type(mem))[...] = value
        else:
            getattr(mem, self.array)[mem.I[self.place]] = value

    @property
    def text(self) -> str:
        """What stands for it in the compiled text."""
        begin = f"I[{self.place}]"
        if not self.shape:
            return f"{self.array}[{begin}]"
        text = f"{self.array}[{begin}:{begin} + I[{self.place + 1}]]"
        return text if self.shape == (-1,) else f"{text}.reshape{self.shape}"


def _integers(*shape: int) -> Any:
    return Part("I", *shape)


def _numbers(*shape: int) -> Any:
    return Part("D", *shape)


class Memory:
    """All arrays of a mechanism's equations.

    S steps, n rows of slots, f coordinates (the free ones first, then the prescribed ones), e expressions of slots.
    """

    PARTS: ClassVar[dict[str, Part]] = {}

    # Steps: the address of each one's function, its mode in the sketch (S,), first rows of its operands (S * .) and its
    # constants (S * .); the coordinates that move step s, moved[ptr[s] : ptr[s + 1]], increasing.
    step, mode, rows, constants = _integers(-1), _integers(-1), _integers(-1), _numbers(-1)
    moved_ptr, moved = _integers(-1), _integers(-1)
    # The rows that a coordinate moves, likewise; drivers' slots: row, coordinate, whether it is an angle, sign.
    reached_ptr, reached, drivers = _integers(-1), _integers(-1), _integers(-1, 4)
    # The mass matrix W in compressed rows, weights (n,), and the largest rate of a row that is not steep.
    mass_ptr, mass_row, mass, weight, steep = _integers(-1), _integers(-1), _numbers(-1), _numbers(-1), _numbers()
    # Laws: form, first line, factor, lines of five numbers; the stack that formulas are computed on; the law of each
    # coordinate's motion and effort (f,), -1 for none.
    law_form, law_ptr, law_scale, law_data = _integers(-1), _integers(-1), _numbers(-1), _numbers(-1, 5)
    stack, motion, effort = _numbers(-1, 3), _integers(-1), _integers(-1)
    # Expressions: terms, the row and factor of each, constants; their places, rates, and forces on them (3, e, 2).
    term_ptr, term_row, factor, const = _integers(-1), _integers(-1), _numbers(-1, 2), _numbers(-1, 2)
    places = _numbers(3, -1, 2)
    # Loads as indices of expressions and laws, and their sizes, see `forces`; the speeds at which bodies met, and of
    # each contact depth and rate (2, c).
    springs, torsions, pushes = _integers(-1, 3), _integers(-1, 3), _integers(-1, 4)
    moments, frictions, contacts = _integers(-1, 3), _integers(-1, 3), _integers(-1, 5)
    spring_sizes, torsion_sizes, friction_sizes = _numbers(-1, 3), _numbers(-1, 3), _numbers(-1, 3)
    friction_limits, contact_sizes, met, touches = _numbers(-1), _numbers(-1, 9), _numbers(-1), _numbers(2, -1)
    # Joints' coordinates: kind and two expressions, their terms, and the unit of each; see `conditioning`.
    joints, joint_ptr, joint_row = _integers(-1, 3), _integers(-1), _integers(-1)
    joint_const, joint_factor, joint_unit = _numbers(-1, 2), _numbers(-1, 2), _numbers(-1)
    # Links whose turns are counted: terms of their directions, angles in the sketch; torsion springs: terms of their
    # turns, of each what it is (0 a driver's value, 1 a row of the slots, 2 a counted turn), its index and factor.
    counted_ptr, counted_row, counted_factor = _integers(-1), _integers(-1), _numbers(-1, 2)
    counted_const, drawn = _numbers(-1, 2), _numbers(-1)
    turn_ptr, turn_term, turn_factor = _integers(-1), _integers(-1, 2), _numbers(-1)
    # Evaluations so far, the number of free coordinates, and what makes coordinates comparable (f,).
    count, free, measures = _integers(), _integers(), _numbers(-1)
    # Steps with two modes; whether the pose is from a series; whether modes or general groups are followed, or turns
    # are counted; whether nothing is known here.
    two, smooth, followed, aside = _integers(-1), _integers(), _integers(), _integers()
    # Drivers' values, rates, second rates (3, f); slots' places, rates, second rates at z_f'' = 0 (3, n); K (f * n).
    z, x, K = _numbers(3, -1), _numbers(3, -1), _numbers(-1)
    # Of the last evaluation: signed roots of the steps' margins and their rates (2, S), its time, turns of the links
    # counted (k,), places of the slots, coordinates; roots and turns of the evaluation that goes on.
    roots, clock, turned, kept, last = _numbers(2, -1), _numbers(), _numbers(-1), _numbers(-1), _numbers(-1)
    new_roots, new_turned = _numbers(2, -1), _numbers(-1)
    # Forces on rows and W K of a coordinate (2, n); K_f^T W K_f and then its factor (free * free), its right-hand side;
    # second rates of the free coordinates (free,), efforts (f,).
    load, matrix, right, second, efforts = _numbers(2, -1), _numbers(-1), _numbers(-1), _numbers(-1), _numbers(-1)
    # Kinetic energy, power, and the largest kinetic energy so far.
    kinetic, power, largest = _numbers(), _numbers(), _numbers()
    # What a step of an integrator works with (8, 2 free), see `integrators.steps`.
    stages, past, known, pace, until = _numbers(8, -1), _numbers(8, -1), _integers(), _numbers(), _numbers()
    # Series of one coordinate: for each its place, way, radius, and the powers of its slots' rows and the roots of
    # `two`; weights of the powers (3, .).
    series, powers = _numbers(4, -1), _numbers(3, -1)
    # Below these sizes roots that go to zero are looked at (S,); from this rate of a joint on others are looked at.
    look, uneven = _numbers(-1), _numbers()

    def __init__(self, parts: Mapping[str, Any]) -> None:
        """Lay out all parts; a whole number for an array is its length, filled with zeros. Scalars begin as zero."""
        arrays: dict[str, list[Any]] = {"I": [], "D": []}
        places = {"I": HEAD + 2 * len(self.PARTS), "D": 0}
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
        head = [places["I"], places["D"], *head]
        self.I: Ints = np.concatenate([head, *arrays["I"]]).astype(np.int64)
        self.D: Floats = np.concatenate(arrays["D"]).astype(np.float64)


def flattened(source: str) -> str:
    """Return a function whose first argument is `mem`, and those that it calls with it, as written for two arrays.

    >>> print(flattened("def kinetic(mem: Memory, out):\\n    out[0] = half(mem, mem.kinetic)"))  # doctest: +ELLIPSIS
    def kinetic(I, D, out):
        out[0] = half(I, D, D[I[...]])
    """
    return ast.unparse(_Flattened().visit(ast.parse(source)))


class _Flattened(ast.NodeTransformer):
    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id == "mem":
            text = node.attr if node.attr in ("I", "D") else Memory.PARTS[node.attr].text
            found = ast.parse(text, mode="eval").body
            if isinstance(found, ast.Subscript | ast.Name):
                found.ctx = node.ctx
            return found
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        node.args = [name for one in node.args for name in self._both(one)]
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if node.args.args and node.args.args[0].arg == "mem":
            node.args.args[:1] = [ast.arg("I"), ast.arg("D")]
        return self.generic_visit(node)

    def _both(self, node: ast.expr) -> list[ast.expr]:
        if isinstance(node, ast.Name) and node.id == "mem":
            return [ast.Name("I", ast.Load()), ast.Name("D", ast.Load())]
        return [node]
