"""Positions, Jacobians and convective accelerations of a tree (S4, equations 5 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from structkin.multibody.model import SpatialModel
from structkin.symbolic.explicit.forms import Form
from structkin.symbolic.tree import Tree
from structkin.types import Floats

ZERO = sp.Integer(0)


@dataclass(frozen=True)
class Point:
    """A point of a body: position, columns of J_T by number of the coordinate, and J_T' qd."""

    position: Any
    columns: dict[int, Any]
    convective: Any


class Kinematics:
    """The motion of all entries of a tree as functions of q and qd.

    `coordinates` lists (joint, number) in the order of q; `turns[n]` are the columns of J_R of entry n by number of
    the coordinate, `omega` and `alpha` its angular velocity and J_R' qd, `joints` the points of the joints, `arms`
    the vectors from the parent's joint to each.
    """

    def __init__(self, model: SpatialModel, tree: Tree, form: Form, q: list[sp.Symbol], qd: list[sp.Symbol]) -> None:
        """Go through the tree from the ground outwards."""
        self.model, self.tree, self.form, self.q, self.qd = model, tree, form, q, qd
        none = form.none
        self.coordinates = [b.coordinate for b in tree.bodies if b.coordinate is not None]
        self.number = {c: k for k, c in enumerate(self.coordinates)}
        self.joints: dict[int, Point] = {-1: Point(none, {}, none)}
        self.turns: dict[int, dict[int, Any]] = {-1: {}}
        self.omega, self.alpha = {-1: none}, {-1: none}
        self.arms: dict[int, Any] = {}
        # A body with several joints on it has a length named after each, one with a single joint just its own name.
        self.several = {n for n in range(-1, len(tree.bodies)) if self._joints_on(n) > 1}
        self.leaves = {n for n in range(len(tree.bodies)) if self._joints_on(n) == 0}
        for n in range(len(tree.bodies)):
            self._carry(n)

    def _joints_on(self, entry: int) -> int:
        """Count the joints at a distance from the one that carries the body."""
        inner = sum(b.parent == entry and bool(b.offset.any()) for b in self.tree.bodies)
        name = self.form.owners[entry]
        at = self.tree.joints[entry] if entry >= 0 else np.zeros(3)
        last = self.tree.of.get(name, -1) == entry
        return inner + sum(last and name in j.bodies and bool((j.at != at).any()) for j in self.tree.cut)

    def _carry(self, n: int) -> None:
        """Set the motion of entry n from its parent's."""
        form, body = self.form, self.tree.bodies[n]
        h, k = body.parent, None if body.coordinate is None else self.number[body.coordinate]
        label = body.name
        q, qd = (ZERO, ZERO) if k is None else (self.q[k], self.qd[k])
        form.turn(n, q)
        phi, psi = form.name(f"u_{label}", form.unit(h, body.rotation), label), self._shift(n)
        arm = form.name(f"p_{label}", self._offset(n) + psi * q, label)
        before = self.joints[h]
        self.arms[n] = arm
        outer = self.moved(h, arm, label)
        columns = dict(outer.columns)
        convective = outer.convective
        self.turns[n] = dict(self.turns[h])
        self.omega[n], self.alpha[n] = self.omega[h], self.alpha[h]
        if k is not None:
            if not psi.is_zero():
                columns[k] = psi
                convective += self.omega[h].cross(psi) * (2 * qd)
            if body.rotation.any():
                self.turns[n][k] = phi
                self.omega[n] = form.seen_from(n, self.omega[h] + phi * qd)
                self.alpha[n] = form.seen_from(n, self.alpha[h] + self.omega[h].cross(phi) * qd)
        self.omega[n] = form.name(f"omega_{label}", self.omega[n], label)
        self.alpha[n] = form.name(f"alpha_{label}", self.alpha[n], label)
        position = form.name(f"r_{label}", before.position + arm, label)
        convective = form.name(f"a_{label}", convective, label)
        columns = {j: form.name(f"JT_{label}_{self.q[j]}", c, label) for j, c in columns.items()}
        self.joints[n] = Point(position, columns, convective)

    def _shift(self, n: int) -> Any:
        """Return the axis of translation Psi; a screw's is its pitch along its axis of rotation."""
        form, body = self.form, self.tree.bodies[n]
        if not (body.rotation.any() and body.translation.any()):
            return form.unit(body.parent, body.translation)
        assert body.coordinate is not None
        name = body.coordinate[0]
        pitch = float(body.translation @ body.rotation)
        symbol = form.geometry.moment(name, f"p_{name}", pitch, f"pitch of {name}", unit="m/rad")
        return form.unit(body.parent, body.rotation) * symbol

    def _offset(self, n: int) -> Any:
        """Return the vector from the parent's joint to this one in the drawn pose."""
        body = self.tree.bodies[n]
        owner = self.form.owners[body.parent]
        if not body.offset.any():
            return self.form.none
        joint = body.coordinate[0] if body.coordinate is not None else body.name
        return self.form.fixed(body.parent, self.label(body.parent, joint), body.offset, f"{owner} to {joint}")

    def label(self, entry: int, joint: str) -> str:
        """Return what the length on a body to a joint is named after."""
        owner = self.form.owners[entry]
        return f"l_{owner}_{joint}" if entry in self.several else f"l_{owner}"

    def moved(self, n: int, arm: Any, label: str) -> Point:
        """Return the point of entry n that lies at `arm` from its joint, as a point of the body."""
        form, at = self.form, self.joints[n]
        columns = dict(at.columns)
        for k, turn in self.turns[n].items():
            column = turn.cross(arm)
            columns[k] = columns[k] + column if k in columns else column
        omega = self.omega[n]
        convective = at.convective + self.alpha[n].cross(arm) + omega.cross(form.seen_from(n, omega.cross(arm)))
        return Point(at.position + arm, columns, convective)

    def point(self, entry: int, label: str, at: Floats, meaning: str) -> Point:
        """Return a point (3,) of a body given in the drawn pose."""
        place = self.tree.joints[entry] if entry >= 0 else np.zeros(3)
        arm = self.form.fixed(entry, label, at - place, meaning)
        body, label = self.form.owners[entry], label[2:]
        moved = self.moved(entry, self.form.name(f"p_{label}", arm, body), body)
        columns = {k: self.form.name(f"JT_{label}_{self.q[k]}", c, body) for k, c in moved.columns.items()}
        position = self.form.name(f"r_{label}", moved.position, body)
        return Point(position, columns, self.form.name(f"a_{label}", moved.convective, body))

    def center(self, n: int) -> Any:
        """Return the vector from the joint of entry n to its centre of mass."""
        body = self.tree.bodies[n]
        letter = "l" if n in self.leaves else "s"
        return self.form.fixed(n, f"{letter}_{body.name}", body.center, f"{body.name} to its centre of mass")
