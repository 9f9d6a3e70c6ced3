"""The equations of motion of a model as SymPy expressions, to read and to run.

By the explicit scheme of S4, M_red = J^T M J, h_red = J^T (M J' qd + h), f_red = J^T f (equations 8 and 9, corrected).
The generalised forces are those of gravity, forces, torques, springs, dampers and loads on joints. Equation 8 as
printed multiplies M_red by qd; it belongs to qdd. J' qd is computed as the convective acceleration of each body, so
that nothing is differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import scipy.linalg
import sympy as sp

from structkin.errors import InputError, Problem, raise_problems
from structkin.model.arguments import is_number
from structkin.model.harmless import plain
from structkin.model.parts import Law
from structkin.multibody.model import Force, JointLoad, Load, SpatialModel, Spring, Stop, Torque
from structkin.numerical_tolerances import NO_MASS
from structkin.symbolic.explicit import closures
from structkin.symbolic.explicit.forms import Form, GroundForm, PlaneForm, SpaceForm, Steps
from structkin.symbolic.explicit.geometry import Geometry, plane_of, size_of
from structkin.symbolic.explicit.kinematics import ZERO, Kinematics, Point
from structkin.symbolic.explicit.own import ExplicitLoop
from structkin.symbolic.explicit.parameters import Parameter, Symbols, collected, expression_of, tidy
from structkin.symbolic.explicit.reduction import Drive, Partition, Reduction
from structkin.symbolic.tree import Tree, tree_of
from structkin.types import Floats

#: force on each entry at its centre of mass, and moment about it
Wrenches = Mapping[int, tuple[Any, Any]]


@dataclass
class Masses:
    """The bodies with mass: their symbols and centres of mass."""

    kinematics: Kinematics
    mass: dict[int, sp.Expr]
    center: dict[int, Point]
    arms: dict[int, Any]

    def mass_matrix(self) -> sp.Matrix:
        """Return J^T M J, column by column."""
        kin, form = self.kinematics, self.kinematics.form
        size = len(kin.q)
        matrix = sp.zeros(size, size)
        for j in range(size):
            wrenches = {}
            for n, m in self.mass.items():
                translation = self.center[n].columns.get(j, None)
                turn = kin.turns[n].get(j, None)
                if translation is not None or turn is not None:
                    none = form.none
                    force = none if translation is None else translation * m
                    wrenches[n] = (force, none if turn is None else form.inertia(n, turn))
            for i, value in self.project(wrenches, f"{kin.q[j]}", j).items():
                matrix[i, j] = matrix[j, i] = value
        return matrix

    def convective(self) -> sp.Matrix:
        """Return J^T (M J' qd + h), with h = omega x I omega."""
        kin, form = self.kinematics, self.kinematics.form
        wrenches = {}
        for n, m in self.mass.items():
            omega = kin.omega[n]
            spin = form.inertia(n, omega)
            wrenches[n] = (self.center[n].convective * m, form.inertia(n, kin.alpha[n]) + omega.cross(spin))
        return self._column(self.project(wrenches, "h", 0))

    def weight(self, gravity: Any) -> sp.Matrix:
        """Return J^T of the weights."""
        none = self.kinematics.form.none
        return self._column(self.project({n: (gravity * m, none) for n, m in self.mass.items()}, "f", 0))

    def _column(self, values: dict[int, sp.Expr]) -> sp.Matrix:
        return sp.Matrix(len(self.kinematics.q), 1, lambda i, _: values.get(i, ZERO))

    def project(self, wrenches: Wrenches, label: str, first: int) -> dict[int, sp.Expr]:
        """Return J^T of forces and moments on the bodies, for the coordinates from `first` on."""
        if self.kinematics.form.shares:
            return self._from_the_tips(wrenches, label, first)
        values: dict[int, sp.Expr] = {}
        for n, (force, moment) in wrenches.items():
            for i, column in self.center[n].columns.items():
                if i >= first:
                    values[i] = values.get(i, ZERO) + column.dot(force)
            for i, turn in self.kinematics.turns[n].items():
                if i >= first:
                    values[i] = values.get(i, ZERO) + turn.dot(moment)
        return values

    def _from_the_tips(self, wrenches: Wrenches, label: str, first: int) -> dict[int, sp.Expr]:
        """Sum forces and moments from the tips inwards: each joint passes on what its outer bodies carry."""
        kin, form = self.kinematics, self.kinematics.form
        carried: dict[int, tuple[Any, Any]] = {}
        values: dict[int, sp.Expr] = {}
        for n in reversed(range(len(kin.tree.bodies))):
            body = kin.tree.bodies[n]
            k = None if body.coordinate is None else kin.number[body.coordinate]
            force, moment = carried.pop(n, (None, None))
            if n in wrenches:
                own, spin = wrenches[n]
                about = spin + self.arms[n].cross(own)
                force, moment = (own, about) if force is None else (force + own, moment + about)
            if force is None or (k is not None and k < first):
                continue
            force = form.name(f"F_{body.name}_{label}", force, body.name)
            moment = form.name(f"L_{body.name}_{label}", moment, body.name)
            if k is not None:
                # the axes of a joint are the same in both of its bodies
                values[k] = kin.turns[n][k].dot(moment) if k in kin.turns[n] else ZERO
                if body.translation.any():
                    values[k] += kin.joints[n].columns[k].dot(force)
            passed = moment + kin.arms[n].cross(force)
            if body.parent in carried:
                other, about = carried[body.parent]
                force, passed = other + force, about + passed
            carried[body.parent] = (force, passed)
        return values


def masses_of(kinematics: Kinematics) -> Masses:
    """Return the bodies with mass, their centres as points."""
    masses = Masses(kinematics, {}, {}, {})
    form = kinematics.form
    for n, body in enumerate(kinematics.tree.bodies):
        if body.mass == 0 and not body.inertia.any():
            continue
        symbols = form.geometry.symbols
        masses.mass[n] = symbols.constant(f"m_{body.name}", body.mass, "kg", f"mass of {body.name}", positive=True)
        arm = form.name(f"s_{body.name}", kinematics.center(n), body.name)
        masses.arms[n] = arm
        moved = kinematics.moved(n, arm, body.name)
        columns = {k: form.name(f"JS_{body.name}_{kinematics.q[k]}", c, body.name) for k, c in moved.columns.items()}
        convective = form.name(f"aS_{body.name}", moved.convective, body.name)
        masses.center[n] = Point(moved.position, columns, convective)
    return masses


# --- generalised forces --------------------------------------------------------------------------------------------


def check_loads(model: SpatialModel, tree: Tree) -> None:
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
    raise_problems(problems, model.name)


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


# --- equations -----------------------------------------------------------------------------------------------------

#: Coordinates up to which the equations are written out: S4 recommends the explicit scheme for up to four.
WRITTEN_OUT = {True: 4, False: 3}


@dataclass(frozen=True, eq=False)
class Equations:
    """Equations of motion M qdd + h = f + W lambda, with Phi(q) = 0 and W^T qdd = gamma where loops are left.

    `M` (n, n), `h`, `f` (n, 1), `W` (n, r), `Phi`, `gamma` (r, 1) are expressions of `q`, `qd`, `t`, the symbols of
    `parameters`, and the intermediate quantities of `steps`: (symbol, expression, body) in the order of computation.
    `coordinates` names the joint of each coordinate, and its number there, counted from 0; `start` (2, n) holds them
    and their rates at time 0.
    """

    name: str
    coordinates: tuple[tuple[str, int], ...]
    q: sp.Matrix
    qd: sp.Matrix
    M: sp.Matrix
    h: sp.Matrix
    f: sp.Matrix
    W: sp.Matrix
    Phi: sp.Matrix
    gamma: sp.Matrix
    steps: tuple[tuple[sp.Symbol, sp.Expr, str], ...]
    parameters: dict[str, Parameter]
    start: Floats

    @property
    def outputs(self) -> dict[str, sp.Matrix]:
        """The matrices that a generated function returns, in its order; those of closure only if loops are left."""
        closed = {"W": self.W, "Phi": self.Phi, "gamma": self.gamma} if self.W.cols else {}
        return {"M": self.M, "h": self.h, "f": self.f, **closed}

    def latex(self, *, document: bool = True) -> str:
        """Return the equations as a LaTeX document, or as a fragment for one."""
        from structkin.symbolic.explicit.latex import latex

        return latex(self, document=document)

    def python(self) -> str:
        """Return a Python module with `equations(t, q, qd)`, which needs NumPy only."""
        from structkin.symbolic.explicit.code import python

        return python(self)

    def c(self) -> str:
        """Return a C99 file with `equations`."""
        from structkin.symbolic.explicit.code import c

        return c(self)

    def function(self) -> Callable[..., tuple[Any, ...]]:
        """Return `equations` of the generated Python module: (t, q, qd, **parameters) -> M, h, f (, W, Phi, gamma)."""
        space: dict[str, Any] = {}
        exec(compile(self.python(), f"<equations of {plain(self.name)}>", "exec"), space)
        function: Callable[..., tuple[Any, ...]] = space["equations"]
        return function


def equations(
    model: SpatialModel,
    *,
    numbers: bool = False,
    shared: bool | None = None,
    loops: str = "multipliers",
    independent: Sequence[str] = (),
    ratios: Mapping[str, tuple[str, float]] | None = None,
    solved: Sequence[ExplicitLoop] = (),
    drives: Mapping[str, Drive] = MappingProxyType({}),
) -> Equations:
    """Return the equations of motion of a model by the explicit scheme of S4 (equations 2 to 9).

    Masses, lengths, moments of inertia and stiffnesses are symbols with the model's values, or those values if
    `numbers`. Equations of few coordinates are written out; with `shared` (the default above four coordinates in a
    plane or three in space, and with oblique axes) they are chains of named intermediate quantities, body by body,
    and nothing is expanded. Loops stay with multipliers, or are solved for their dependent coordinates with
    `loops="explicit"` (equations 10 and 11), or with "auto" where they have a closed form. `independent` names the
    joints of the coordinates that remain, and `ratios={"B": ("A", 2.5)}` makes the coordinate of joint B 2.5 times
    that of A (S4's transmission). `solved` are loops with formulas of one's own (`ExplicitLoop`), `drives` the drivers
    of a planar mechanism. Raises `InputError` for loads, cut joints and loops without such expressions, and where
    coordinates move no mass.

    >>> from structkin.multibody.joint import SpatialJoint
    >>> from structkin.multibody.model import Body
    >>> down = np.array([0.0, -0.5, 0.0])
    >>> rod = Body("rod", 2.0, down, np.zeros((3, 3)))
    >>> pin = SpatialJoint("A", "revolute", ("ground", "rod"), np.zeros(3), np.eye(3)[2], np.eye(3)[0])
    >>> pendulum = equations(SpatialModel("pendulum", {"rod": rod}, {"A": pin}, gravity=np.array([0, -9.81, 0])))
    >>> pendulum.M[0], pendulum.h[0], pendulum.f[0]
    (l_rod**2*m_rod, 0, -g*l_rod*m_rod*sin(q_A))
    """
    tree = tree_of(model)
    if not any(body.mass or body.inertia.any() for body in model.bodies.values()):
        hint = "give a mass to the bodies that move"
        raise InputError([Problem("bodies", "none has a mass: there is nothing to accelerate", hint)], model.name)
    ratios = {} if ratios is None else ratios
    check_options(model.name, [joint for joint, _ in tree.coordinates], loops, independent, ratios, solved)
    closures.check(model, tree)
    check_loads(model, tree)
    coordinates = list(tree.coordinates)
    if not coordinates:
        raise InputError(
            [Problem("joints", "nothing can move: every body is fixed to the ground", "add a joint that moves")],
            model.name,
        )
    symbols = Symbols(numbers)
    plane = plane_of(tree)
    geometry = Geometry(symbols, plane, size_of(tree))
    steps = Steps(symbols)
    if shared is None:
        oblique = plane is None and any(np.count_nonzero(b.rotation) > 1 for b in tree.bodies)
        shared = oblique or len(coordinates) > WRITTEN_OUT[plane is not None]
    kind: type[Form] = GroundForm if shared else PlaneForm if plane is not None else SpaceForm
    q, qd = names_of(symbols, coordinates)
    reduction = None
    if any(drive.law for drive in drives.values()) or (loops != "multipliers" and (tree.cut or ratios)):
        partition = Partition(model, tree, geometry, q, qd, independent, ratios, drives, solved, loops)
        reduction = Reduction(partition)
        if not reduction.u:
            hint = "remove a joint, or draw the mechanism where it can move"
            raise InputError([Problem("joints", "nothing can move: the loops hold every coordinate", hint)], model.name)
    kinematics = Kinematics(model, tree, kind(tree, geometry, steps), q, qd)
    masses = masses_of(kinematics)
    M, h = masses.mass_matrix(), masses.convective()
    f = Loads(kinematics, masses, steps).f
    left = reduction.left if reduction else tree.cut
    rows = [row for joint in left for row in closures.rows_of(kinematics, joint)]
    W = sp.Matrix(len(q), len(rows), lambda i, j: rows[j].slopes.get(i, 0))
    Phi, gamma = sp.Matrix(len(rows), 1, [row.value for row in rows]), sp.Matrix(len(rows), 1, [r.gamma for r in rows])
    if not shared:
        M, h, f, W, Phi, gamma = (m.applyfunc(lambda e: collected(e, qd)) for m in (M, h, f, W, Phi, gamma))
    done = steps.done
    if reduction:
        M, h, f, done = reduction.reduced(M, h, f, done)
        W, gamma = reduction.closed(W, gamma)
        coordinates, q, qd = ([part[k] for k in reduction.u] for part in (coordinates, q, qd))
    needed = _needed(done, (M, h, f, W, Phi, gamma))
    used = set().union(
        *(m.free_symbols for m in (M, h, f, W, Phi, gamma)), *(value.free_symbols for _, value, _ in needed)
    )
    parameters = {name: p for name, p in symbols.parameters.items() if p.symbol in used}
    found = Equations(
        model.name, tuple(coordinates), sp.Matrix(q), sp.Matrix(qd), M, h, f, W, Phi, gamma, needed, parameters,
        _start(model, coordinates),
    )  # fmt: skip
    if any(not body.mass or np.linalg.det(body.inertia) == 0.0 for body in model.bodies.values()):
        _check_masses(found)
    return found


def _check_masses(found: Equations) -> None:
    """Raise `InputError` where coordinates can move at the start, and move no mass."""
    M, _, _, *closed = found.function()(0.0, *found.start)
    free = scipy.linalg.null_space(closed[0].T) if closed else np.eye(len(M))
    if not np.isfinite(M).all():
        return
    M = free.T @ M @ free
    scale = np.sqrt(np.maximum(np.diag(M), 0.0))
    sizes, motions = np.linalg.eigh(M / np.outer(np.where(scale > 0, scale, 1.0), np.where(scale > 0, scale, 1.0)))
    if sizes[0] <= NO_MASS:
        joint, _ = found.coordinates[int(np.argmax(np.abs(free @ motions[:, 0])))]
        problem = Problem(f"joints.{joint}", "its coordinate moves no mass", "give a mass to the bodies that it moves")
        raise InputError([problem], found.name)


def _start(model: SpatialModel, coordinates: Sequence[tuple[str, int]]) -> Floats:
    """Return the coordinates and their rates (2, n) at time 0; a body that floats is at rest."""
    found = np.zeros((2, len(coordinates)))
    for column, (name, k) in enumerate(coordinates):
        if joint := model.joints.get(name):
            found[:, column] = joint.start[k], joint.rates[k]
    return found


def names_of(symbols: Symbols, coordinates: list[tuple[str, int]]) -> tuple[list[sp.Symbol], list[sp.Symbol]]:
    """Return symbols of the coordinates and their rates, named after their joints."""
    joints = [joint for joint, _ in coordinates]
    names = [f"{joint}_{n + 1}" if joints.count(joint) > 1 else joint for joint, n in coordinates]
    q = [symbols.new(f"q_{name}") for name in names]
    return q, [symbols.new(f"qd_{s.name[2:]}") for s in q]


def _needed(
    steps: list[tuple[sp.Symbol, sp.Expr, str]], matrices: tuple[sp.Matrix, ...]
) -> tuple[tuple[sp.Symbol, sp.Expr, str], ...]:
    """Return the steps on which the matrices depend."""
    wanted: set[sp.Symbol] = set().union(*(m.free_symbols for m in matrices))
    kept = []
    for step in reversed(steps):
        if step[0] in wanted:
            wanted |= step[1].free_symbols
            kept.append(step)
    return tuple(reversed(kept))


# --- the options that say how loops are solved ------------------------------------------------------------------------

SAMPLE = 'such as {"B": ("A", 2.5)}'


LOOPS = ("multipliers", "explicit", "auto")


def check_options(
    source: str, joints: Collection[str], loops: object, independent: Any, ratios: Any, solved: Any = ()
) -> None:
    """Raise one `InputError` with everything that is wrong with the options; `joints` are those of the tree."""
    problems = []
    if loops not in LOOPS:
        problems.append(Problem("loops", f"{loops!r} is unknown", "multipliers, explicit or auto"))
    elif loops == "multipliers":
        problems = [
            Problem(name, "needs dependent coordinates", 'add loops="explicit"')
            for name, given in (("independent", independent), ("ratios", ratios), ("solved", solved))
            if given
        ]
    listed = isinstance(independent, Collection) and not isinstance(independent, str)
    if not listed or not all(isinstance(name, str) for name in independent):
        problems.append(Problem("independent", f"expected a list of joints, found {independent!r}", 'such as ["A"]'))
    if isinstance(ratios, Mapping):
        problems += [p for joint, value in ratios.items() for p in _ratio(joint, value, ratios)]
    else:
        problems.append(Problem("ratios", f"expected ratios by joint, found {ratios!r}", SAMPLE))
    if not isinstance(solved, Sequence) or not all(isinstance(loop, ExplicitLoop) for loop in solved):
        hint = "see structkin.symbolic.ExplicitLoop"
        problems.append(Problem("solved", f"expected a list of explicit loops, found {solved!r}", hint))
    if not problems:
        named = [*independent, *ratios, *(of for of, _ in ratios.values())]
        if strange := [str(name) for name in named if name not in joints]:
            hint = f"joints: {', '.join(dict.fromkeys(joints))}"
            problems.append(Problem("independent", f"{', '.join(strange)}: no joint of the tree", hint))
        if both := [name for name in independent if name in ratios]:
            message = f"{', '.join(both)}: depends on another joint by its ratio"
            problems.append(Problem("independent", message, "leave it out here, or its ratio"))
    raise_problems(problems, source)


def _ratio(joint: object, value: Any, ratios: Mapping[Any, Any]) -> list[Problem]:
    """Return what is wrong with one entry of the ratios."""
    key = f"ratios.{joint}"
    if not isinstance(value, tuple | list) or len(value) != 2 or not isinstance(value[0], str):
        return [Problem(key, f"expected a joint and a number, found {value!r}", SAMPLE)]
    of, number = value
    problems = []
    if not is_number(number):
        problems.append(Problem(key, f"the ratio {number!r} is not a finite number", SAMPLE))
    if of in ratios:
        hint = "give its ratio to a joint that has none itself"
        problems.append(Problem(key, f"depends on '{of}', which has a ratio too", hint))
    return problems
