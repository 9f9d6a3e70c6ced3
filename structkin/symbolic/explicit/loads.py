"""Generalised forces f_red = J^T f of gravity, forces, torques, springs, dampers and loads on joints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from structkin.errors import InputError, Problem
from structkin.model.parts import Law
from structkin.multibody.model import Force, JointLoad, Load, SpatialModel, Spring, Stop, Torque
from structkin.symbolic.explicit.forms import Steps
from structkin.symbolic.explicit.kinematics import Kinematics
from structkin.symbolic.explicit.laws import expression_of
from structkin.symbolic.explicit.scheme import Masses
from structkin.symbolic.explicit.tidy import tidy
from structkin.symbolic.tree import Tree


def check(model: SpatialModel, tree: Tree) -> None:
    """Raise one `InputError` with every load that has no expression in q, qd and t, and why."""
    coordinates = {b.coordinate for b in tree.bodies}
    problems = []
    for name, load in model.loads.items():
        if isinstance(load, Spring) and load.breaks_at is not None:
            hint = "leave out breaks_at, or use structkin.spatial"
            problems.append(Problem(f"loads.{name}", "whether it is broken depends on the past, not on q and qd", hint))
        if isinstance(load, JointLoad | Stop) and (load.joint, load.coordinate) not in coordinates:
            what = f"coordinate {load.coordinate} of joint {load.joint} is none of the tree's"
            problems.append(Problem(f"loads.{name}", what, "cut another joint of its loop"))
    if problems:
        raise InputError(problems, model.name)


class Loads:
    """Adds the loads of a model to f, coordinate by coordinate."""

    def __init__(self, kinematics: Kinematics, masses: Masses, steps: Steps) -> None:
        """Begin with the weights."""
        self.kin, self.form, self.steps = kinematics, kinematics.form, steps
        self.constant = self.form.geometry.symbols.constant
        model, plane = kinematics.model, self.form.geometry.plane
        gravity = model.gravity if plane is None else model.gravity - (model.gravity @ plane.n) * plane.n
        size = float(np.linalg.norm(gravity))
        self.f = sp.zeros(len(kinematics.q), 1)
        if size:
            g = self.constant("g", size, "m/s^2", "gravity", positive=True)
            self.f = masses.weight(self.form.unit(-1, gravity / size) * g)
        for load in model.loads.values():
            self._add(load)

    def _add(self, load: Load) -> None:
        match load:
            case Force(body=body, point=point, components=components, follows=follows):
                entry = self._entry(body)
                vector = self._vector(f"F_{load.name}", components, entry if follows else -1, "N")
                place = self.kin.point(entry, f"l_{body}_{load.name}", point, f"{body} to {load.name}")
                self._project(place.columns, vector)
            case Torque(body=body, components=components, follows=follows):
                entry = self._entry(body)
                vector = self._vector(f"T_{load.name}", components, entry if follows else -1, "N m")
                self._project(self.kin.turns[entry], vector)
            case Spring():
                self._spring(load)
            case JointLoad():
                self._joint_load(load)
            case Stop():
                self._stop(load)

    def _entry(self, body: str) -> int:
        return self.kin.tree.of.get(body, -1)

    def _project(self, columns: Mapping[int, Any], vector: Any) -> None:
        for k, column in columns.items():
            self.f[k] += column.dot(vector)

    def _vector(self, name: str, laws: tuple[Law, Law, Law], entry: int, unit: str) -> Any:
        """Return a force or torque: constants are symbols, laws expressions of t."""
        vector = self.form.none
        for law, axis, direction in zip(laws, "xyz", np.eye(3), strict=True):
            value = expression_of(law, f"loads.{name}")
            if value.is_number:
                value = self.constant(f"{name}_{axis}", float(value), unit, f"{name}, {axis}")
            if value != 0:
                vector = vector + self.form.unit(entry, direction) * value
        return vector

    def _spring(self, spring: Spring) -> None:
        name = spring.name
        ends = [
            self.kin.point(self._entry(body), f"l_{body}_{name}", point, f"{body} to {name}")
            for body, point in zip(spring.bodies, spring.points, strict=True)
        ]
        k = self.constant(f"k_{name}", spring.stiffness, "N/m", f"stiffness of {name}")
        d = self.constant(f"d_{name}", spring.damping, "N s/m", f"damping of {name}")
        rest = self.constant(f"l0_{name}", spring.length, "m", f"free length of {name}")
        gap = self.form.name(f"e_{name}", ends[1].position - ends[0].position, name)
        length = self.steps.define(f"l_{name}", sp.sqrt(self._tidy(gap.dot(gap))), name)
        slopes = {}
        for j in range(len(self.kin.q)):
            columns = [end.columns[j] for end in ends[::-1] if j in end.columns]
            if columns:
                sign = 1 if j in ends[1].columns else -1
                relative = (
                    columns[0] * sp.Integer(sign) - columns[1] if len(columns) == 2 else columns[0] * sp.Integer(sign)
                )
                slopes[j] = self._tidy(gap.dot(relative)) / length
        rate = sum((slope * self.kin.qd[j] for j, slope in slopes.items()), sp.Integer(0))
        pull = self.steps.define(f"N_{name}", k * (length - rest) + d * rate, name)
        for j, slope in slopes.items():
            self.f[j] -= pull * slope

    def _tidy(self, value: sp.Expr) -> sp.Expr:
        return value if self.form.shares else sp.factor_terms(tidy(value))

    def _joint_load(self, load: JointLoad) -> None:
        j, units = self._coordinate(load)
        k = self.constant(f"k_{load.name}", load.stiffness, units[0], f"stiffness of {load.name}")
        d = self.constant(f"d_{load.name}", load.damping, units[1], f"damping of {load.name}")
        rest = self.constant(f"q0_{load.name}", load.rest, units[2], f"rest of {load.name}")
        self.f[j] -= k * (self.kin.q[j] - rest) + d * self.kin.qd[j]
        if load.effort is not None:
            effort = expression_of(load.effort, f"loads.{load.name}")
            if effort.is_number:
                effort = self.constant(f"T_{load.name}", float(effort), units[3], f"effort of {load.name}")
            self.f[j] += effort

    def _stop(self, stop: Stop) -> None:
        j, units = self._coordinate(stop)
        q, qd = self.kin.q[j], self.kin.qd[j]
        k = self.constant(f"k_{stop.name}", stop.stiffness, units[0], f"stiffness of {stop.name}")
        d = self.constant(f"d_{stop.name}", stop.damping, units[1], f"damping of {stop.name}")
        pieces = []
        if np.isfinite(stop.upper):
            upper = self.constant(f"upper_{stop.name}", stop.upper, units[2], f"upper end of {stop.name}")
            pieces.append((-sp.Max(0, k * (q - upper) + d * qd), q > upper))
        if np.isfinite(stop.lower):
            lower = self.constant(f"lower_{stop.name}", stop.lower, units[2], f"lower end of {stop.name}")
            pieces.append((sp.Max(0, k * (lower - q) - d * qd), q < lower))
        if pieces:
            self.f[j] += self.steps.define(f"N_{stop.name}", sp.Piecewise(*pieces, (0, True)), stop.name)

    def _coordinate(self, load: JointLoad | Stop) -> tuple[int, tuple[str, str, str, str]]:
        """Return the number of a load's coordinate, and the units of stiffness, damping, coordinate and effort."""
        j = self.kin.number[load.joint, load.coordinate]
        turns = any(b.rotation.any() for b in self.kin.tree.bodies if b.coordinate == (load.joint, load.coordinate))
        return j, ("N m/rad", "N m s/rad", "rad", "N m") if turns else ("N/m", "N s/m", "m", "N")
