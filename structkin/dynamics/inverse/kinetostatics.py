"""Inverse dynamics: the efforts of drivers and the reactions of joints that a motion needs.

By virtual work the efforts need no joint forces, so they exist where joints cannot carry the load. The loads of joints
and drivers on the links, F at the origins of their frames and M, do the same work as the drivers in every motion that
the joints allow. With the velocity coefficients K of origins and angles

    effort = sum K_O^T F + K_theta^T M

over the links (Saura et al., eq. 7, transposed). At a flat pose, where the forces of joints grow without bound, K of
the smooth motion through it is finite.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from structkin.checked import checked
from structkin.dynamics.bodies import Body, mass_table
from structkin.dynamics.friction import moment_notes, shared_notes, with_friction
from structkin.dynamics.inverse.columns import (
    Column,
    Columns,
    OnBodies,
    make_columns,
    moment_about,
    on_end,
    unit_wrenches,
)
from structkin.dynamics.inverse.pair_forces import place_of
from structkin.dynamics.inverse.reverse import Layout, ReverseSweep
from structkin.dynamics.loads import aimless, wrenches
from structkin.dynamics.user_loads import UserLoad, functions_of
from structkin.dynamics.wrench_sums import Wrenches
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.frozen import Frozen, read_only
from structkin.model.mechanism import GROUND
from structkin.model.topology import pin_of, suggest
from structkin.numerical_tolerances import HALF_DIGITS, NEGLIGIBLE, VISIBLE
from structkin.solve import Motion
from structkin.solve.coefficients import Coefficients
from structkin.solve.many.together import Together
from structkin.solve.motion.moving_frames import cross
from structkin.types import Flags, Floats, Indices

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from structkin.dynamics.inverse.duty import Duty
    from structkin.dynamics.inverse.equilibrium import Equilibrium


# --- efforts by virtual work ---------------------------------------------------------------------------------------


def efforts(motion: Motion, needed: Mapping[str, Floats]) -> dict[str, Floats]:
    """Return the effort (n,) [N m or N] of each driver, for the wrenches (n, 3) that the links need."""
    of = Coefficients(motion.plan, motion.lanes)
    result = {}
    for id in motion.mechanism.drivers:
        total = np.zeros(len(motion))
        for link, wrench in needed.items():
            frame = motion.plan.frames[link]
            origin, turning = of.along(frame.origin, id), of.along(frame.direction, id)
            ahead = (motion.position(1 + 0j, link) - motion.position(0j, link)).T
            angle = ahead[0] * turning[1] - ahead[1] * turning[0]
            total += wrench[:, 0] * origin[0] + wrench[:, 1] * origin[1] + wrench[:, 2] * angle
        result[id] = total
    return result


# --- inverse dynamics ----------------------------------------------------------------------------------------------

#: The parts of forces that press two links together.
PRESSING = ("normal", "contact")
#: Equations times samples that are solved at a time.
BLOCK = 200_000


@checked
@dataclass(frozen=True)
class Kinetostatics(Frozen):
    """The forces of a motion at n samples, in N and N m; see `Motion.forces`.

    They are NaN where a sample has no regular pose or no rates. At a flat pose reactions are NaN, and the efforts of
    drivers come from virtual work. `locked` (n,) tells the samples at which friction locks the mechanism: no forces
    balance there, all are NaN.

    `motion` is the motion of these forces: the given one, or for a static analysis the same poses at rest.
    `unknowns` (n, columns) are in the order of `columns`; read them by `driver`, `reaction` and `reaction_moment`.
    """

    motion: Motion
    bodies: tuple[Body, ...]
    columns: Columns = field(repr=False)
    unknowns: Floats = field(repr=False)
    determined: Flags = field(repr=False)
    applied: Wrenches = field(repr=False)
    locked: Flags = field(repr=False)

    @property
    def t(self) -> Floats:
        """The times (n,) [s]."""
        return self.motion.t

    def __repr__(self) -> str:
        """Return title and samples, and the notes."""
        words = "; ".join([f"{len(self.motion)} samples", *self.notes])
        return f"<Kinetostatics of {self.motion.mechanism.title or 'a mechanism'!r}: {words}>"

    # --- the unknowns --------------------------------------------------------------------------------------

    def driver(self, id: str) -> Floats:
        """Return the torque [N m] or force [N] (n,) of a driver, positive along its coordinate.

        It acts on the second link of an angle, on the slider, or pushes the ends of a distance apart; its opposite acts
        on the other one. Raises `InputError` where there is no such driver.
        """
        drives = self.motion.mechanism.drivers
        if id not in drives:
            raise self._unknown(id, "a driver", drives)
        ((_, _, values),) = self._of(id)
        return np.array(values)

    def reaction(self, joint: str, link: str) -> Floats:
        """Return the force (n, 2) [N] that a joint exerts on one of its links, in global axes.

        `link` is one of the joint's links; of a slot on a shared pin the pin itself, "@B", or any link on it: the force
        is that on the pin. The forces on the links of a pin sum to the force of a slot or a cylinder on it. Torques and
        forces of drivers and friction are not included. Raises `InputError`.
        """
        return self._wrench(joint, self._end(joint, link))[:2].T

    def reaction_moment(self, joint: str, link: str) -> Floats:
        """Return the moment (n,) [N m] that a joint exerts on one of its links, about the point of action of its force.

        Only prismatic joints, fastened links and belts have one.
        """
        end = self._end(joint, link)
        if not self.motion.mechanism.joints[joint].has_moment:
            return np.zeros(len(self.motion))
        return moment_about(self.motion, self._wrench(joint, end), end, self.reaction_place(joint, end))

    def reaction_place(self, joint: str, link: str) -> Floats:
        """Return the point (n, 2) [m] at which the reaction force of a joint acts on one of its links.

        That is the pin, the slider's point that runs along the guide or slot, the point of contact of a higher pair (of
        gears the pitch point), for a belt the centre of the pulley, and for fastened links the place `at` of
        their joint. Raises `InputError`.
        """
        return place_of(self.motion, joint, self._end(joint, link))

    def contact_force(self, joint: str) -> Floats:
        """Return the normal force (n,) [N] of a cam or a rolling contact: positive where the two press together.

        Where it is negative they would separate, unless something else holds them together. Raises `InputError` where
        the joint is neither.
        """
        if joint not in self.pressing:
            raise self._unknown(joint, "a cam or a rolling contact", self.pressing)
        return np.array(next(values for column, _, values in self._of(joint) if column.part in PRESSING))

    @property
    def pressing(self) -> tuple[str, ...]:
        """The cams and rolling contacts: joints that can only push."""
        return tuple(id for id, joint in self.motion.mechanism.joints.items() if joint.presses)

    def unique(self, id: str) -> bool:
        """Return whether the motion alone determines the forces and moments of a joint, or the effort of a driver.

        Where joints are redundant, some forces depend on the elasticity of the links and on how the mechanism was
        assembled; then the smallest possible ones are given: those with the least sum of |F|^2 + (M / s)^2 over all
        joints, see `structkin.dynamics.inverse.reverse`.
        """
        if not any(column.id == id for column in self.columns.columns):
            raise self._unknown(id, "a joint or driver", [column.id for column in self.columns.columns])
        return all(
            bool(good) for column, good in zip(self.columns.columns, self.determined, strict=True) if column.id == id
        )

    def unique_force(self, joint: str, link: str) -> bool:
        """Return whether the motion alone determines `reaction(joint, link)`; raises `InputError`.

        It may do so where it does not determine the moment, as for three guides that share a moment.
        """
        loads = self._undetermined(joint, self._end(joint, link))
        return not any((np.hypot(*wrench[:2]) > HALF_DIGITS).any() for wrench in loads)

    def unique_moment(self, joint: str, link: str) -> bool:
        """Return whether the motion alone determines `reaction_moment(joint, link)`; raises `InputError`."""
        end, place = self._end(joint, link), self.reaction_place(joint, link)
        moments = [moment_about(self.motion, wrench, end, place) for wrench in self._undetermined(joint, end)]
        return not any((np.abs(moment) > HALF_DIGITS * self.motion.size).any() for moment in moments)

    def _undetermined(self, joint: str, end: str) -> list[Floats]:
        """Return the loads (3, n) on an end of units of the joint's unknowns that the motion does not determine."""
        each = zip(self.columns.columns, self._units, self.determined, strict=True)
        return [on_end(self.motion, acting, end) for one, acting, good in each if one.id == joint and not good]

    @cached_property
    def not_unique(self) -> tuple[str, ...]:
        """The joints whose forces or moments depend on the elasticity of the links, because joints are redundant."""
        return tuple(joint.id for joint in self.motion.mechanism.topology.joints if not self.unique(joint.id))

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What these forces leave out, and where they contradict the motion.

        Left out are moments of guides that rub, where the length of the bearing is not given, and samples at which the
        force of a spring has no direction. Joints that rub by a force of their own may be redundant. Contacts that
        would have to pull do not hold their links together: the motion is not what would happen.
        """
        return (*moment_notes(self), *shared_notes(self), *_pulling_notes(self), *_aimless_notes(self))

    # --- the frame ----------------------------------------------------------------------------------------

    @property
    def shaking_force(self) -> Floats:
        """The force (n, 2) [N] on the ground: of all joints, drivers and loads attached to it."""
        return np.asarray(self._frame[:, :2])

    @property
    def shaking_moment(self) -> Floats:
        """The moment (n,) [N m] on the ground about the origin of the global axes."""
        return np.asarray(self._frame[:, 2])

    @cached_property
    def _frame(self) -> Floats:
        ground = self.motion.mechanism.topology.ground
        total = np.column_stack((self.applied.force[ground], self.applied.moment[ground]))
        for acting, values in zip(self._units, self.unknowns.T, strict=True):
            total += (on_end(self.motion, acting, ground) * values).T
        return read_only(total)

    # --- energy -------------------------------------------------------------------------------------------

    def driver_power(self, id: str) -> Floats:
        """Return the power (n,) [W] supplied by a driver."""
        return np.asarray(self.driver(id) * self.motion.drivers[id][1])

    def duty(self, driver: str) -> Duty:
        """Return what a driver has to deliver: peak and root mean square, speed and power, and its flywheel.

        Raises `InputError` where there is no such driver, or it has no effort at any sample.

        >>> import structkin as sk
        >>> from structkin.examples import path
        >>> sk.load(path("one_cylinder_engine")).solve().forces().duty("motor").flywheel(0.02)
        <Flywheel: 0.220062 kg m^2, for 434.385 J>
        """
        from structkin.dynamics.inverse.duty import duty

        return duty(self, driver)

    @cached_property
    def applied_power(self) -> Floats:
        """The power (n,) [W] of gravity, springs, friction and all other loads."""
        return read_only(self.applied.power())

    @cached_property
    def kinetic_energy(self) -> Floats:
        """The kinetic energy (n,) [J]."""
        return read_only(kinetic_energy(self.motion, self.bodies))

    @cached_property
    def kinetic_power(self) -> Floats:
        """The rate (n,) [W] of the kinetic energy: the power of all drivers and loads."""
        total = np.zeros(len(self.motion))
        for body in self.bodies:
            if body.mass:
                v, a = (f(body.center, body.link) for f in (self.motion.velocity, self.motion.acceleration))
                total += body.mass * np.sum(v * a, axis=1)
            if body.inertia:
                total += body.inertia * self.motion.omega(body.link) * self.motion.alpha(body.link)
        return read_only(total)

    # --- written out ----------------------------------------------------------------------------------------

    def equilibrium(self, sample: int = 0) -> Equilibrium:
        """Return the equations of equilibrium of all links at a sample, with symbols and numbers, group by group.

        Raises `InputError` where there is no such sample, or it has no forces.

        >>> import structkin as sk
        >>> from structkin.examples import path
        >>> found = sk.load(path("slider_crank_offset")).solve(samples=5).forces().equilibrium(1)
        >>> [str(unknown) for unknown in found.unknowns][:4], len(found.equations)
        (['B_x', 'B_y', 'C_x', 'C_y'], 9)
        """
        from structkin.dynamics.inverse.equilibrium import equilibrium

        n = len(self.motion)
        if not -n <= sample < n:
            problem = Problem("sample", f"there is no sample {sample}", f"there are {n}, the first is 0")
        elif np.isnan(self.unknowns[sample]).any():
            problem = Problem("sample", f"sample {sample} has no forces", "choose one where the status is ok")
        else:
            return equilibrium(self, sample % n)
        raise InputError([problem], self.motion.mechanism.title or "mechanism")

    def worksheet(self, path: str | Path, sample: int = 0, *, solved: bool = True) -> None:
        """Write a worksheet: each link cut free at a sample, its equations, and the system group by group.

        A path that ends in .html becomes a page that opens from disk; .tex a LaTeX document, with its figure as a PDF
        beside it. One that is not `solved` has lines to write on in the place of equations and results. Raises
        `InputError` as `equilibrium` does, for other endings, and where nothing can be written.
        """
        from structkin.report.worksheet import write_worksheet

        write_worksheet(self.equilibrium(sample), path, solved=solved)

    # --- pictures and tables ------------------------------------------------------------------------------

    def plot(self) -> Figure:
        """Return a figure of driver efforts, joint reactions and the shaking force."""
        from structkin import show

        return show.plot_forces(self)

    def _repr_html_(self) -> str:
        from structkin import show

        return show.html_table(show.forces_table(self))

    def to_dataframe(self, units: str = "SI") -> pd.DataFrame:
        """Return driver efforts and joint reactions as columns, in N and N m (needs pandas).

        The drivers' values are in SI, or with `units="file"` in the units of the file.
        """
        from structkin import show

        return show.forces_to_dataframe(self, self.motion._units(units))

    # --- inside -------------------------------------------------------------------------------------------

    @cached_property
    def _units(self) -> Sequence[OnBodies]:
        return unit_wrenches(self.motion, self.columns)

    def _of(self, id: str) -> list[tuple[Column, OnBodies, Floats]]:
        each = zip(self.columns.columns, self._units, self.unknowns.T, strict=True)
        return [one for one in each if one[0].id == id]

    def _wrench(self, joint: str, end: str) -> Floats:
        """Return the force and moment (3, n) that a joint exerts on a link or pin, as `on_end` does."""
        total = np.zeros((3, len(self.motion)))
        for _, acting, values in self._of(joint):
            total += on_end(self.motion, acting, end) * values
        return total

    def _end(self, joint: str, link: str) -> str:
        """Return the end of a joint that a link is: itself, or the pin on it to which the joint is attached."""
        joints = {item.id: item for item in self.motion.mechanism.topology.joints}
        if joint not in joints:
            raise self._unknown(joint, "a joint", joints)
        ends = {end: end for end in joints[joint].links}
        for pin in [id for end in ends if (id := pin_of(end)) is not None]:
            ends.update((name, f"@{pin}") for name in joints[pin].links if name not in ends)
        if link not in ends:
            raise self._unknown(link, f"a link of the joint '{joint}'", ends)
        return ends[link]

    def _unknown(self, name: str, what: str, known: Iterable[str]) -> InputError:
        hint = suggest(str(name), dict.fromkeys(known))
        return InputError([Problem(str(name), f"is not {what}", hint)], self.motion.mechanism.title or "mechanism")


def kinetic_energy(motion: Motion, bodies: Iterable[Body]) -> Floats:
    """Return the kinetic energy (n,) [J] of bodies along a motion."""
    total = np.zeros(len(motion))
    for body in bodies:
        if body.mass:
            total += 0.5 * body.mass * np.sum(motion.velocity(body.center, body.link) ** 2, axis=1)
        if body.inertia:
            total += 0.5 * body.inertia * motion.omega(body.link) ** 2
    return total


def pulls(found: Kinetostatics, joint: str) -> Flags:
    """Return the samples (n,) at which a cam or a rolling contact would have to pull, beyond rounding."""
    force = found.contact_force(joint)
    return np.asarray(force < -NEGLIGIBLE * np.nanmax(np.abs(force), initial=0.0))


def _pulling_notes(found: Kinetostatics) -> list[str]:
    counts = {joint: int(pulls(found, joint).sum()) for joint in found.pressing}
    return [
        f"{joint}: the contact force pulls at {n} sample{'s' * (n > 1)}; the links would separate there"
        for joint, n in counts.items()
        if n
    ]


def _aimless_notes(found: Kinetostatics) -> list[str]:
    counts = {id: int(meet.sum()) for id, meet in aimless(found.motion).items()}
    return [
        f"{id}: its ends meet at {n} sample{'s' * (n > 1)}, where its force has no direction; forces are NaN there"
        for id, n in counts.items()
    ]


def kinetostatics(
    motion: Motion, *, static: bool, loads: Sequence[UserLoad], known: Mapping[str, Floats] | None = None
) -> Kinetostatics:
    """Return the forces that a motion needs; see `Motion.forces`. The efforts (n,) of all drivers may be `known`."""
    mechanism = motion.mechanism
    problems: list[Problem] = []
    users = functions_of(loads, problems)
    raise_problems(problems, mechanism.title or "mechanism")
    bodies, columns = mass_table(mechanism), make_columns(mechanism, motion.structure)
    if static:
        motion = _at_rest(motion)
    elif unknown := [id for id, z in motion.drivers.items() if np.isnan(z[1:]).all()]:
        hint = "pass (values, rates, accelerations) to solve, or static=True"
        problems += [Problem(f"drivers.{id}", "its rates are not known; forces need them", hint) for id in unknown]
        raise InputError(problems, mechanism.title or "mechanism")
    found = _solved(motion, bodies, columns, wrenches(motion, bodies, users), known)
    return with_friction(
        found, lambda normals: _solved(motion, bodies, columns, wrenches(motion, bodies, users, normals=normals), known)
    )


def _solved(
    motion: Motion, bodies: tuple[Body, ...], columns: Columns, applied: Wrenches, known: Mapping[str, Floats] | None
) -> Kinetostatics:
    """Return the forces for given loads of the links."""
    with np.errstate(invalid="ignore"):
        needed = {body.link: _needed(motion, body, applied) for body in bodies}
    wanted = np.array([*needed.values()]).reshape(-1, len(motion), 3)
    good = np.flatnonzero(motion.regular & np.isfinite(wanted).all(axis=(0, 2)))
    unknowns = np.full((len(motion), len(columns.columns)), np.nan)
    layout = Layout(columns)
    right = np.zeros((len(motion), layout.count))
    for link, wrench in needed.items():
        right[:, layout.of([link])] = wrench
    for part in np.array_split(good, 1 + len(good) * layout.count // BLOCK):
        if len(part):
            unknowns[part] = ReverseSweep(at_samples(motion, part), columns).solve(right[part])
    lost = good[np.isnan(unknowns[good]).any(axis=1)]
    if len(lost):
        there = at_samples(motion, lost)
        place = {column.id: k for k, column in enumerate(columns.columns) if column.id in motion.mechanism.drivers}
        if known is None:
            for id, effort in efforts(there, {link: wrench[lost] for link, wrench in needed.items()}).items():
                unknowns[lost, place[id]] = effort
        else:
            given = {place[id]: effort[lost] for id, effort in known.items()}
            unknowns[lost] = ReverseSweep(there, columns).with_known(right[lost], given)
    determined = ReverseSweep(at_samples(motion, good[:: len(good) // 4 + 1]), columns).unique
    return Kinetostatics(motion, bodies, columns, unknowns, determined, applied, np.zeros(len(motion), bool))


def at_samples(motion: Motion, samples: Indices) -> Motion:
    """Return a motion at some of its samples."""
    drivers = {id: z[:, samples] for id, z in motion.drivers.items()}
    counted = {link: turn[samples] for link, turn in motion.counted.items()}
    return replace(motion, t=motion.t[samples], drivers=drivers, lanes=motion.lanes.take(samples), counted=counted)


def _needed(motion: Motion, body: Body, applied: Wrenches) -> Floats:
    """Return the wrench (n, 3) that joints and drivers must exert on a link, about the origin of its frame."""
    force, moment = -applied.force[body.link], -applied.moment[body.link]
    if body.mass:
        push = body.mass * motion.acceleration(body.center, body.link)
        arm = motion.position(body.center, body.link) - motion.position(0j, body.link)
        force, moment = force + push, moment + cross(arm, push)
    if body.inertia:
        moment = moment + body.inertia * motion.alpha(body.link)
    return np.column_stack((force, moment))


def _at_rest(motion: Motion) -> Motion:
    """Return the same poses with zero rates; also samples at a limit position, where only the rates were missing."""
    x = np.zeros_like(motion.lanes.x)
    x[0] = motion.lanes.x[0]
    lanes = replace(motion.lanes, x=x)
    drivers = {id: np.stack((z[0], np.zeros_like(z[0]), np.zeros_like(z[0]))) for id, z in motion.drivers.items()}
    return replace(motion, lanes=lanes, drivers=drivers)


# --- the effort of many variants at once ------------------------------------------------------------------------------


def effort_of_variants(together: Together) -> Floats | None:
    """Return the torque or force (v, n) [N m or N] of the only driver, by the power that it supplies.

    That of all links is sum m (a - g) . v + I alpha omega, the driver's its effort times its rate. None where there are
    other loads or drivers, where masses differ in other ways than by dimensions, or where the driver rests at a sample.
    """
    m, plan = together.mechanism, together.many.plan
    if len(m.drivers) != 1 or m.forces.loads or not together.same_masses:
        return None
    mass_table(m)
    x, g = together.lanes.x, np.array([m.forces.gravity.real, m.forces.gravity.imag])
    item = next((item for item in plan.drivers if item.angular == (m.drivers[item.driver].kind == "angle")), None)
    if item is None:
        return None
    rows = plan.rows(item.register)
    if item.angular:
        (c, s), (dc, ds) = x[0, rows], x[1, rows]
        rate = item.sign * (c * ds - s * dc)
    else:
        rate = x[1, rows.start]
    rate = rate.reshape(together.count, -1)
    if not (np.abs(rate) > VISIBLE * np.abs(rate).max()).all():
        return None
    power = np.zeros(rate.shape)
    for name, link in together.many.links.items():
        if name == GROUND:
            continue
        if link.mass is not None and link.center is not None:
            v, a = together.rates(name, link.center)
            power += together.column(link.mass) * ((a - g) * v).sum(axis=-1)
        if link.inertia is not None:
            power += together.column(link.inertia) * (together.omega(name) * together.alpha(name))
    return np.asarray(power / rate)
