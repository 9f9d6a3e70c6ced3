"""The matrices of the reduced equations at any state, for a user's own integrator: M z'' = Q - h.

All drivers are coordinates z here, whether they have a law or not. With the velocity coefficients K of the centre of
mass and the angle of each link, (v, omega) = K z', and their accelerations K z'' + b, b = z'^T L z', the principle of
virtual power gives (Saura et al., eqs. 8 and 9)

    M = sum K^T m K      h = sum K^T m b      Q = sum K^T f + efforts      m = diag(mass, mass, inertia)

where f are weight and loads of a link as a force and a moment about its centre of mass.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from structkin.checked import checked
from structkin.dynamics.bodies import Body, mass_table
from structkin.dynamics.friction import pressed
from structkin.dynamics.initial import consistent_start
from structkin.dynamics.loads import wrenches
from structkin.dynamics.reduced.pose import NoPoseError
from structkin.dynamics.slot_map import SlotMap
from structkin.dynamics.start import freed, initial_state, start, why, with_coordinates
from structkin.dynamics.user_loads import UserLoad, functions_of
from structkin.errors import PoseError, Problem, problems_of, raise_problems
from structkin.kernels.choice import check_engine
from structkin.model.mechanism import Mechanism
from structkin.solve.motion.moving_frames import cross
from structkin.types import Floats


@dataclass(frozen=True)
class LinkTerms:
    """The terms of one link, which structural group `group` (from 0) solves.

    The rows of `K` (3, f) are x and y of the centre of mass, and the angle of the link; `bias` (3,) is z'^T L z' of
    them, `mass` (3,) is (mass, mass, inertia) [kg, kg m^2], `force` (3,) weight and loads [N, N m about the centre].
    """

    link: str
    group: int
    mass: Floats
    K: Floats
    bias: Floats
    force: Floats


@checked
class ReducedEquations:
    """M(z) z'' = Q(z, z', t) - h(z, z') of a mechanism, one state at a time; see `Mechanism.reduced`.

    Each pose continues the branch of the last one, from the sketch on: the way there is the straight line of the
    coordinates.
    """

    @checked
    def __init__(self, mechanism: Mechanism, loads: Iterable[UserLoad] = (), engine: str = "auto") -> None:
        """Prepare the equations; raises `InputError` and `StructureError` as `simulate` does."""
        problems = pressed(mechanism)
        users = functions_of(loads, problems)
        problems += problems_of(check_engine, engine)
        raise_problems(problems, mechanism.title or "mechanism")
        whole, _ = consistent_start(with_coordinates(mechanism), 0.0)
        whole = freed(whole, [id for id, drive in whole.drivers.items() if drive.law is not None], 0.0)
        #: The mechanism, all drivers of which are free.
        self.mechanism = whole
        self._equations = start(whole, 0.0, users, engine=engine)
        #: The drivers, in the order of z.
        self.coordinates = self._equations.order

    def __repr__(self) -> str:
        """Return the title and the coordinates."""
        return f"<ReducedEquations of {self.mechanism.title or 'a mechanism'!r} in {', '.join(self.coordinates)}>"

    @cached_property
    def start(self) -> tuple[Floats, Floats]:
        """The values and rates (f,) at which `simulate` begins; of a driver with a law, those of its law at 0 s."""
        values, rates = np.array(initial_state(self.mechanism, self._equations)).reshape(2, -1)
        return values, rates

    def __call__(self, z: ArrayLike, dz: ArrayLike, t: float = 0.0) -> tuple[Floats, Floats, Floats]:
        """Return M (f, f), h (f,) and Q (f,) at coordinates and rates (f,) [rad, m, 1/s]; loads have their values at t.

        Raises `PoseError` where the coordinates have no regular pose, or the way there none; `InputError` where a load
        has no value.
        """
        y = self._state(z, dz)
        try:
            return self._equations.terms(t, y)
        except NoPoseError as error:
            raise PoseError(why(self._equations, error), 0) from None

    def parts(self, z: ArrayLike, dz: ArrayLike, t: float = 0.0) -> tuple[LinkTerms, ...]:
        """Return what the moving links add to M, h and Q; the efforts of the drivers are the rest of Q.

        Raises what a call raises.

        >>> import structkin as sk
        >>> rod = sk.Mechanism(
        ...     points={"A": (0, 0), "B": (1, 0)}, forces={"gravity": (0, -10)}, drivers={"swing": {"joint": "A"}},
        ...     links={"ground": ["A"], "rod": {"points": ["A", "B"], "shape": "rod", "mass": 3}})
        >>> [part] = rod.reduced().parts([0.0], [2.0])
        >>> (part.K.T @ (part.mass * part.bias)).round(12) + 0.0, (part.K.T @ part.force).round(12)
        (array([0.]), array([-15.]))
        """
        self(z, dz, t)
        x, columns, state = self._equations.pose
        loads = wrenches(state, self._bodies, self._equations.users)
        centers, turning, places = self._maps
        K = np.empty((len(self._bodies), 3, len(self.coordinates)))
        bias, force = np.empty((2, len(self._bodies), 3))
        U = turning.value(x[0])
        across = np.stack((-U[:, 1], U[:, 0]), axis=1)
        K[:, :2], K[:, 2] = centers.rate(columns.T), np.einsum("bi,bif->bf", across, turning.rate(columns.T))
        bias[:, :2], bias[:, 2] = centers.rate(x[2]), np.sum(across * turning.rate(x[2]), axis=1)
        force[:, :2] = [loads.force[body.link][0] for body in self._bodies]
        about_origin = [loads.moment[body.link][0] for body in self._bodies]
        force[:, 2] = about_origin - cross(centers.value(x[0]) - places.value(x[0]), force[:, :2])
        group = {link: k for k, one in enumerate(self._equations.plan.structure.groups) for link in one.links}
        masses = [np.array((body.mass, body.mass, body.inertia)) for body in self._bodies]
        return tuple(
            LinkTerms(body.link, group[body.link], *terms)
            for body, *terms in zip(self._bodies, masses, K, bias, force, strict=True)
        )

    def _state(self, z: ArrayLike, dz: ArrayLike) -> Floats:
        """Return coordinates and rates as one array (2 f,)."""
        f, state, problems = len(self.coordinates), [], list[Problem]()
        for name, given in (("z", z), ("dz", dz)):
            values = np.asarray(given)
            if values.shape != (f,) or values.dtype.kind not in "biuf" or not np.isfinite(values).all():
                problems.append(Problem(name, f"expected {f} finite numbers", f"one for each of {self.coordinates}"))
            state.append(values)
        raise_problems(problems, self.mechanism.title or "mechanism")
        return np.concatenate(state, dtype=np.float64)

    @cached_property
    def _bodies(self) -> tuple[Body, ...]:
        return mass_table(self.mechanism)

    @cached_property
    def _maps(self) -> tuple[SlotMap, SlotMap, SlotMap]:
        """The centres of mass, the directions and the origins of the links from the slots."""
        plan = self._equations.plan
        frames = [plan.frames[body.link] for body in self._bodies]
        centers = [frame.point(body.center) for frame, body in zip(frames, self._bodies, strict=True)]
        turning, places = [frame.direction for frame in frames], [frame.origin for frame in frames]
        return SlotMap(plan.offsets, centers), SlotMap(plan.offsets, turning), SlotMap(plan.offsets, places)
