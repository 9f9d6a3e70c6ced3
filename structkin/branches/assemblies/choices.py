"""The choices at one step of a plan: all real solutions of one relation or general group at known inputs."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from structkin.branches.homotopy.bilinear import CERTIFIED, ROUNDINGS
from structkin.branches.homotopy.modes import certificate_of, modes_of
from structkin.branches.homotopy.solutions import NotEnumeratedError
from structkin.groups import RPR, General, Relation, Turn
from structkin.groups.cam import Lift
from structkin.groups.profile_follower import ProfileFollower
from structkin.numerical_tolerances import CLOSED, LIMIT, ROUNDING_OF_ONE, SAME_POSE, SINGULAR
from structkin.plan.plan import Step
from structkin.plan.relations import HalfSquareOfLength
from structkin.rows.affine import Affine
from structkin.rows.curves import Curve
from structkin.rows.periodic import TURN
from structkin.rows.relations import DrivenAngle
from structkin.rows.row import Row
from structkin.types import Flags, Floats

#: Random starts, and how far around the sketch they lie: origins in sizes, angles, and those of wheels [rad].
STARTS, AROUND, TURNS = 600, 2.0, 4 * np.pi

#: The two modes of a dyad coincide where its links turn by less from one to the other [rad]. Where its discriminant is
#: zero and they turn by more than the second, its outer pins coincide.
COINCIDE, FREE = 1e-4, 0.1

#: Said of a group whose modes are only searched for.
SEARCHED = f"those found by Newton's method from {STARTS} starts are listed, there may be more"

#: Said of a vector whose whole turns move wheels: its direction leaves them open.
NEAREST = "the link that drives its wheels is taken within half a turn of the sketch; whole turns more are not listed"

#: Said of a follower on the outline of a cam, which it may touch elsewhere too, such as from the other side.
TOUCHING = "its follower is taken where it touches the cam in the sketch; other places of contact are not searched for"


@dataclass(frozen=True)
class Choice:
    """One solution of a step: its outputs, each a vector (2,) or scalar (1,), and its properties.

    `mode` is None where there is no choice, +1 or -1 for a dyad, else the number of the mode or of the turn from 1.
    `alpha` is Smale's certificate, NaN where the solution is singular, infinite where there is none; `multiplicity` is
    how many solutions coincide in it. `listed` is False for modes of a group that is not enumerated.
    """

    outputs: tuple[Floats, ...]
    mode: int | None = None
    alpha: float = 0.0
    multiplicity: int = 1
    listed: bool = True


@dataclass(frozen=True)
class Choices:
    """All choices of a step.

    `gap` is the distance of the nearest complex solution from being real, relative to the group's size; `endless`:
    infinitely many poses solve the step; `note`: anything else to report. `unlisted`: the solutions are not enumerated,
    with the reason as note.
    """

    items: tuple[Choice, ...]
    gap: float = math.inf
    endless: bool = False
    note: str = ""
    unlisted: bool = False


def choices_of(step: Step, h: tuple[Any, ...], turns: int | None = 1) -> Choices:
    """Return all choices of a step at inputs `h` of one lane.

    A step that counts turns has one choice for each of `turns` (see `structkin.branches.assemblies.wheels`), or the
    nearest one.
    """
    if not step.kind.closed_form:
        return _general(step, step.kind, h)
    with np.errstate(all="ignore"):
        if step.has_root:
            return _two(step.kind, h)
        return _one(step, step.kind, h, turns)


def with_followed(found: Choices, step: Step, h: tuple[Any, ...], outputs: tuple[Floats, ...]) -> Choices:
    """Return choices with one more: the pose that a motion from the sketch reaches at these inputs."""
    alpha = 0.0 if step.kind.closed_form else _alpha_of(step.kind, h, outputs)
    own = Choice(outputs, len(found.items) + 1 if found.unlisted else None, alpha, listed=not found.unlisted)
    return replace(found, items=(*found.items, own) if found.unlisted else (own,))


def _alpha_of(form: General, h: tuple[Any, ...], outputs: tuple[Floats, ...]) -> float:
    """Return Smale's alpha of a pose of a general group, infinite where its equations are not known here."""
    z, u = (np.array([complex(*x) for x in outputs[k : 2 * form.rows.links : 2]]) for k in (0, 1))
    alpha = certificate_of(form, h, z, u)
    return alpha if math.isfinite(alpha) else math.inf


def _general(step: Step, form: General, h: tuple[Any, ...]) -> Choices:
    try:
        modes = modes_of(form, h)
    except NotEnumeratedError as error:
        found = searched(form, h, step.start)
        some = tuple(
            Choice(phi, k + 1, math.nan if found.singular[k] else _alpha_of(form, h, phi), listed=False)
            for k, phi in enumerate(found.unknowns)
        )
        return Choices(some, note=f"{error}; {SEARCHED}", unlisted=True)
    items = []
    for k in range(len(modes)):
        pairs = zip(modes.origins[k], modes.directions[k], strict=True)
        outputs = tuple(np.array((z.real, z.imag)) for pair in pairs for z in pair)
        items.append(
            Choice(outputs, None if modes.complex == 1 else k + 1, float(modes.alpha[k]), int(modes.multiplicity[k]))
        )
    note = f"{modes.lost} of {modes.total} solutions are at infinity" if modes.lost and modes.total else ""
    return Choices(tuple(items), modes.gap, modes.endless, note)


def _one(step: Step, kind: Relation, h: tuple[Any, ...], turns: int | None) -> Choices:
    note = NEAREST if isinstance(kind, Turn) and turns is None else ""
    discriminant = kind.discriminant(h)
    if discriminant is not None:
        value = float(np.ravel(discriminant)[0])
        # A linear relation has one solution on either side of its singular position; a length must be positive.
        signed = value * step.mode
        if isinstance(kind, HalfSquareOfLength):
            if signed < -LIMIT:
                return Choices((), abs(value), note="a driven distance is not positive")
        elif abs(value) <= LIMIT:
            return Choices((), 0.0, note="its guides are parallel: no pose, or infinitely many")
    phi = kind.position(h, 0.0 if discriminant is None else np.sqrt(np.abs(discriminant)))
    if not all(np.isfinite(x).all() for x in phi):
        return Choices((), 0.0, note="its two pins coincide: its direction is not determined")
    if turns is not None and turns > 1:
        # The nearest turn first, then further ones.
        return Choices(tuple(Choice((_outputs(phi)[0] + TURN * k,), k + 1) for k in range(turns)))
    if isinstance(kind, Lift) and isinstance(kind.function, ProfileFollower):
        return Choices((Choice(_outputs(phi), listed=False),), note=TOUCHING, unlisted=True)
    return Choices((Choice(_outputs(phi)),), note=note)


def _two(kind: Relation, h: tuple[Any, ...]) -> Choices:
    found = kind.discriminant(h)
    assert found is not None
    discriminant = float(np.ravel(found)[0])
    if discriminant < -LIMIT:
        return Choices((), math.sqrt(-discriminant))
    turn = _turn_between(kind, h, discriminant) if discriminant <= LIMIT else math.inf
    if discriminant <= LIMIT and not turn < FREE and discriminant > -(ROUNDING_OF_ONE**2):
        return Choices((), 0.0, endless=True)
    if discriminant < 0 and not turn < COINCIDE:
        return Choices((), math.sqrt(-discriminant))
    signs = (1,) if turn < COINCIDE else (1, -1)
    items = []
    for sign in signs:
        phi = kind.position(h, sign * math.sqrt(max(discriminant, 0.0)))
        alpha = math.nan if len(signs) == 1 else _certificate(kind, h, phi)
        items.append(Choice(_outputs(phi), sign, alpha, 3 - len(signs)))
    return Choices(tuple(items))


def _turn_between(kind: Relation, h: tuple[Any, ...], discriminant: float) -> float:
    """Return how far a dyad's first link turns from one mode to the other, not finite where its pins coincide."""
    root = max(math.sqrt(abs(discriminant)), ROUNDING_OF_ONE)
    pin = 0.0 if isinstance(kind, RPR) else h[0]
    first, second = (kind.position(h, sign * root)[0] - pin for sign in (1, -1))
    return float(np.linalg.norm(first - second) / np.linalg.norm(first))


def _outputs(phi: tuple[Any, ...]) -> tuple[Floats, ...]:
    return tuple(np.ravel(np.asarray(x, float))[:2] for x in phi)


def _certificate(kind: Relation, h: tuple[Any, ...], phi: tuple[Any, ...]) -> float:
    """Return Smale's alpha of a closed form with one vector of unknowns and two equations, from its own derivatives."""
    zero = tuple(np.zeros_like(np.asarray(x, float)) for x in h)
    units = [(np.array([[1.0], [0.0]]),), (np.array([[0.0], [1.0]]),)]

    def solved(g: Floats) -> Floats:
        return np.ravel(kind.linear(h, phi, zero, (np.array([g[0]]), np.array([g[1]])))[0])

    inverse = np.stack([solved(np.array((1.0, 0.0))), solved(np.array((0.0, 1.0)))], axis=1)
    left = np.array([float(np.ravel(x)[0]) for x in kind.residual(h, phi)])
    size = max(float(np.max(np.abs(x))) for x in (*h, *phi))
    beta = np.linalg.norm(inverse @ left) + np.linalg.norm(np.abs(inverse) @ np.full(2, ROUNDINGS * size**2))
    second = np.zeros((2, 2, 2))
    for p in range(2):
        for q in range(2):
            bent = kind.convective(h, phi, zero, units[p], zero, units[q])
            second[:, p, q] = [-float(np.ravel(x)[0]) for x in bent]
    gamma = 0.5 * np.linalg.norm((inverse @ second.reshape(2, 4)).ravel())
    return float(beta * gamma)


def is_certified(alpha: float) -> bool:
    """Return whether Smale's alpha proves a regular solution; that of a step without a choice is 0."""
    return alpha < CERTIFIED


# --- groups with gears, racks, cams or rolling contacts -----------------------------------------------------

# Their equations contain an angle as well as its sine and cosine, so the number of solutions is not known and no
# homotopy reaches them all. From the pose of the sketch and some hundreds of random ones Newton's method finds the
# modes with a large basin of attraction; there may be more.


@dataclass(frozen=True)
class Found:
    """Modes that were found: the unknowns of each, the nearest to the sketch first; and which are `singular` (n,)."""

    unknowns: tuple[tuple[Floats, ...], ...]
    singular: Flags


def searched(form: General, h: tuple[Any, ...], start: tuple[complex, ...]) -> Found:
    """Return the modes that are found at inputs `h` of one lane; `start` are origins and directions in the sketch."""
    m, size = form.rows.links, form.rows.size
    rng = np.random.default_rng(0)
    places, directions = np.array(start[0 : 2 * m : 2]), np.array(start[1 : 2 * m : 2])
    at, sketch = np.stack((places.real, places.imag), axis=1)[:, :, None], np.angle(directions)[:, None]
    O = at + AROUND * size * rng.normal(size=(m, 2, STARTS)) * (np.arange(STARTS) > 0)
    wide = np.full((m, 1), np.pi)
    wide[list(form.rows.angles)] = TURNS
    theta = sketch + wide * rng.uniform(-1, 1, size=(m, STARTS)) * (np.arange(STARTS) > 0)
    lanes = tuple(np.broadcast_to(x, (*np.shape(x)[:-1], STARTS)) for x in map(np.atleast_1d, h))
    with np.errstate(all="ignore"):
        O, theta, step = form.newton(lanes, O, theta, iterations=60)
        good = np.flatnonzero((step < CLOSED) & _same_way(form, lanes, O, theta))
    pose = np.concatenate((((O - at) / size).reshape(2 * m, -1), np.cos(theta), np.sin(theta)))
    # Of poses that differ by whole turns of wheels, the least turned one.
    near = np.max(np.abs(theta - sketch), axis=0)
    kept: list[int] = []
    for k in good[np.argsort(near[good])].tolist():
        if all(np.abs(pose[:, k] - pose[:, other]).max() > SAME_POSE for other in kept):
            kept.append(k)
    away = np.concatenate((pose[: 2 * m], np.exp(1j * theta) - np.exp(1j * sketch)))
    kept.sort(key=lambda k: float(np.linalg.norm(away[:, k])))
    unknowns = form.unknowns(O[:, :, kept], theta[:, kept])
    sigma = form.smallest_singular_value(tuple(x[..., : len(kept)] for x in lanes), unknowns) if kept else np.empty(0)
    each = tuple(tuple(np.atleast_1d(x[..., k]) for x in unknowns) for k in range(len(kept)))
    return Found(each, np.asarray(sigma < SINGULAR))


def _same_way(form: General, h: tuple[Any, ...], O: Floats, theta: Floats) -> Flags:
    """Return which poses (n,) have all held and driven angles as given: their rows are also zero half a turn away."""
    pairs = zip(O, np.exp(1j * theta), strict=True)
    slots = [x for (a, b), U in pairs for x in (a + 1j * b, U)] + [x[0] + 1j * x[1] for x in h[: form.rows.vectors]]
    good = np.ones(theta.shape[1], bool)
    for row in form.rows.forms:
        if isinstance(row, Row) and row.is_aligned:
            _, first, second = row.products[0]
            good &= (np.conj(first.at(slots)) * second.at(slots)).real > 0
        elif isinstance(row, Curve) and isinstance(row.relation, DrivenAngle):
            A, T, B = (vector.at(slots) for vector in row.vectors if isinstance(vector, Affine))
            good &= (np.conj(A * T) * B).real > 0
    return good
