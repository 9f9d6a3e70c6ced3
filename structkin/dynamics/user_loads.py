"""Forces and moments as plain user functions, and the check of what they return.

They see the state of a simulation at one time as a motion of one sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structkin.dynamics.wrench_sums import Wrenches
from structkin.errors import InputError, Problem
from structkin.model.mechanism import GROUND
from structkin.model.topology import suggest
from structkin.solve import Motion
from structkin.solve.motion.turning import wrapped
from structkin.types import Flags, Floats


@dataclass(frozen=True, repr=False)
class State(Motion):
    """One sample of a simulation; `begun` are the turns of the links at its start [rad]."""

    begun: Mapping[str, float] = field(default_factory=dict)

    def angle(self, link: str) -> Floats:
        """Return the angle (1,) [rad] of a link, continuous since the start of the simulation.

        There it is in (-pi, pi].
        """
        angle, begun = self._direction_angle(link), self.begun.get(link, 0.0)
        first = wrapped(np.array(np.angle(self.mechanism.links[link].direction) + begun))
        whole = first + self.turn(link) - begun - angle
        return np.asarray(angle + 2 * np.pi * np.round(whole / (2 * np.pi)))


#: Loads beyond this [N or N m] are refused.
HUGE = 1e100


@dataclass(frozen=True, slots=True)
class Force:
    """A force that a user function returns: vector (2,) or (n, 2) [N] in global axes at a point.

    `point` is a name, or a place x + yj [m] in the frame of `link`. Without `link` it acts on the first moving link
    that has the point.
    """

    point: str | complex
    vector: Any
    link: str | None = None


@dataclass(frozen=True, slots=True)
class Moment:
    """A moment that a user function returns: size [N m], a number or (n,), counter-clockwise on `link`.

    Its opposite acts on `against`.
    """

    link: str
    size: Any
    against: str = GROUND


#: Forces as a plain function of the times (n,) [s] and the state: a `Motion` of n samples whose positions and
#: velocities are known (`position`, `velocity`, `angle`, `omega`, `travel`, `drivers`); in a simulation its
#: accelerations, which the loads cause, are NaN.
UserLoad = Callable[[Floats, Motion], Iterable[Force | Moment]]


def add_user_load(total: Wrenches, user: UserLoad) -> None:
    """Add the loads of a user function; `InputError` names the function, the time and the error."""
    motion = total.motion
    try:
        found: Any = user(motion.t, motion)  # whatever it is
        items = list(found) if isinstance(found, Iterable) else None
    except Exception as error:
        words = "; ".join(map(str, error.problems)) if isinstance(error, InputError) else str(error)
        name = type(error).__name__
        raise refused(motion, user, f"raised {name}: {words}" if words else f"raised {name}", "") from error
    if items is None:
        hint = "return a list of Force and Moment, empty where nothing acts"
        raise refused(motion, user, f"returned {type(found).__name__}", hint)
    for item in items:
        if isinstance(item, Moment):
            _add_moment(total, user, item)
        elif isinstance(item, Force):
            _add_force(total, user, item)
        else:
            message = f"expected Force or Moment, found {type(item).__name__}"
            raise refused(motion, user, message, "return a list of them")


def _add_moment(total: Wrenches, user: UserLoad, item: Moment) -> None:
    links = total.motion.mechanism.links
    for name in (item.link, item.against):
        if not isinstance(name, str) or name not in links:
            raise refused(total.motion, user, f"'{name}' is not a link", suggest(str(name), links))
    size = _values(total.motion, user, item.size, (), f"Moment on '{item.link}'")
    total.turn(item.link, size)
    total.turn(item.against, -size)


def _add_force(total: Wrenches, user: UserLoad, item: Force) -> None:
    links, link, place = total.motion.mechanism.links, item.link, item.point
    if link is None and not isinstance(place, str):
        raise refused(total.motion, user, "Force at a place does not say on which link", "name the link, or a point")
    if not isinstance(link, str | None) or (link is not None and link not in links):
        raise refused(total.motion, user, f"'{link}' is not a link", suggest(str(link), links))
    if isinstance(place, str):
        held = [name for name, one in links.items() if place in one.local]
        if not held or (link is not None and link not in held):
            known = total.motion.mechanism.places if link is None else links[link].local
            raise refused(total.motion, user, f"'{place}' is not a point of {link or 'a link'}", suggest(place, known))
        link = link or next((name for name in held if name != GROUND), GROUND)
        place = links[link].local[place]
    try:
        place = complex(place)
    except (TypeError, ValueError):
        message = f"the point of a Force is of type {type(place).__name__}"
        raise refused(total.motion, user, message, "give a point's name, or a place x + yj on a link") from None
    assert link is not None  # a name of a point has found one
    total.push(link, place, _values(total.motion, user, item.vector, (2,), f"Force on '{link}'"))


def _values(motion: Motion, user: UserLoad, value: Any, shape: tuple[int, ...], what: str) -> Floats:
    """Return the sizes (n, *shape) of a load, checked."""
    wanted = (len(motion), *shape)
    expected = "a number or (n,)" if not shape else "(2,) or (n, 2)"
    try:
        numbers = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        message = f"the {what} has a size that is not a number: {type(value).__name__}"
        raise refused(motion, user, message, f"give {expected} in N or N m") from None
    if numbers.shape not in (shape, wanted):
        message = f"the {what} has a size of shape {numbers.shape}"
        raise refused(motion, user, message, f"expected {expected}, here with n = {len(motion)}")
    full = np.broadcast_to(numbers, wanted)
    # Written so that NaN is refused as well.
    beyond = ~(np.abs(full) < HUGE)
    if (bad := np.flatnonzero((beyond.any(axis=1) if shape else beyond) & known_state(motion))).size:
        sample = int(bad[0])
        size = "NaN" if np.isnan(full[sample]).any() else f"{full[sample][beyond[sample]][0]:g}"
        raise refused(motion, user, f"the {what} is {size}", no_times(motion), sample)
    return full


def known_state(motion: Motion) -> Flags:
    """Return which samples (n,) have positions and velocities: there every load must have a value."""
    return np.asarray(motion.regular & np.isfinite(motion.lanes.x[:2]).all(axis=(0, 1)))


def when(motion: Motion, sample: int) -> str:
    """Return the time or sample at which something is missing, in words."""
    t = float(motion.t[sample])
    return f"at t = {t:.6g} s" if np.isfinite(t) else f"at sample {sample}"


def no_times(motion: Motion) -> str:
    """Return the hint that a motion has no times, where that may be why a value is missing."""
    return "the motion has no times: solve with t=" if np.isnan(motion.t).any() else ""


def refused(motion: Motion, user: UserLoad, message: str, hint: str, sample: int | None = None) -> InputError:
    """Return the error of a function, with its name and the time: that of a sample, or all its times."""
    where = when(motion, 0 if sample is None else sample)
    if sample is None and len(motion) > 1:
        where = f"from {where.removeprefix('at ')} to {when(motion, len(motion) - 1).removeprefix('at ')}"
    problem = Problem(f"loads, {name_of(user)}", f"{message} {where}", hint)
    return InputError([problem], motion.mechanism.title or "loads")


def name_of(user: Any) -> str:
    """Return the name of a function."""
    return str(getattr(user, "__name__", type(user).__name__))


def functions_of(loads: Any, problems: list[Problem]) -> tuple[UserLoad, ...]:
    """Return `loads` as an argument, any iterable of functions; what is wrong is added to `problems`."""
    hint = "give a list of functions of (t, state), such as loads=[wind]"
    if not isinstance(loads, Iterable) or isinstance(loads, str):
        problems.append(Problem("loads", f"expected a list, found {name_of(loads)}", hint))
        return ()
    found = tuple(loads)
    problems += [Problem("loads", f"{name_of(one)} is not a function", hint) for one in found if not callable(one)]
    return found
