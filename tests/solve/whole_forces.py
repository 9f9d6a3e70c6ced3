"""An independent check of joint forces, as a user reads them, from separate geometry and rates.

    every link    the forces and moments on it are those of its inertia and weight (Newton, Euler)
    every joint   its forces balance: those on a pin's links are what a slot or a cylinder puts on the pin
    every joint   it takes no power, whichever driver moves
    pin           the force acts at the pin's position on each link
    P, slot       perpendicular to the line, at the slider's point; a slot and a pin carry no moment
    circular slot along the radius
    gear          along the tangent, at the pitch point; rack: along the line, at the wheel's foot on it
    rolling       at the point of contact

Rates are those of the whole system (`whole_system`), which use no row of the package.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from whole_system import Whole


def cross(a: Any, b: Any) -> Any:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


class ForceCheck:
    """The forces of a motion at some samples, with the whole-system solution there."""

    def __init__(self, whole: Whole, forces: Any, samples: Any) -> None:
        self.whole, self.forces, self.samples = whole, forces, samples
        self.system, self.m = whole.system, whole.system.mechanism
        self.K = whole.system.coefficients(whole.q)[0]
        read = forces.reaction, forces.reaction_place, forces.reaction_moment
        self.on = {
            (joint.id, end): tuple(ask(joint.id, end)[samples] for ask in read)
            for joint in self.m.topology.joints
            for end in joint.links
        }

    # --- geometry -----------------------------------------------------------------------------------------

    def frame(self, link: str, rates: Any) -> Any:
        """The pose or its rate, (n, 2) and (n,), of a link in unknowns or their rates (3 m, n)."""
        n = rates.shape[1]
        if link not in self.system.column:
            return np.zeros((n, 2)), np.zeros(n)
        row = self.system.column[link]
        return rates[row : row + 2].T, rates[row + 2]

    def along(self, link: str, local: complex) -> Any:
        turned = np.exp(1j * self.frame(link, self.whole.q)[1]) * local
        return np.stack((turned.real, turned.imag), axis=1)

    def at(self, link: str, local: complex) -> Any:
        return self.frame(link, self.whole.q)[0] + self.along(link, local)

    def velocity(self, end: str, place: Any, rates: Any) -> Any:
        """The velocity (n, 2) at a position on a link, and the link's angular velocity (n,); a pin does not turn."""
        if end.startswith("@"):
            link = self.m.topology.joint(end[1:]).links[0]
            return self.velocity(link, self.at(link, self.m.links[link].local[end[1:]]), rates)[0], 0.0
        (moved, turning), arm = self.frame(end, rates), place - self.frame(end, self.whole.q)[0]
        return moved + turning[:, None] * np.stack((-arm[:, 1], arm[:, 0]), axis=1), turning

    # --- laws ---------------------------------------------------------------------------------------------

    def gaps(self) -> dict[str, Any]:
        """The error (n,) of each law at each sample, relative to the largest force and the mechanism's size."""
        size, found = self.system.size, {}
        acting = [*self.on.values(), *(second for _, (_, second) in self._efforts())]
        scale = np.max([np.hypot(*F.T) + np.abs(M) / size for F, _, M in acting], axis=0)
        for name, gap in self._laws():
            unit = scale * (1.0 if name.endswith("force") else size)
            found[name] = np.abs(gap) / np.maximum(unit, 1e-3 * np.max(unit))
        return found

    def _laws(self) -> Any:
        for link in self.system.moving:
            force, moment = self._missing(link)
            yield f"{link}, force", np.hypot(*force.T)
            yield f"{link}, moment", moment
        for joint in self.m.topology.joints:
            yield from self._of_joint(joint)

    def _missing(self, link: str) -> Any:
        """The forces on a link and the moment about its origin that inertia and weight do not explain."""
        body, (q, qdd) = self.m.links[link], (self.whole.q, self.whole.qdd)
        arm, (a, alpha) = self.along(link, body.center or 0j), self.frame(link, qdd)
        omega = self.frame(link, self.whole.qd)[1]
        a = a + alpha[:, None] * np.stack((-arm[:, 1], arm[:, 0]), axis=1) - omega[:, None] ** 2 * arm
        weight = np.array([self.m.forces.gravity.real, self.m.forces.gravity.imag])
        force = -(body.mass or 0.0) * (a - weight)
        moment = cross(arm, force) - (body.inertia or 0.0) * alpha
        origin = self.frame(link, q)[0]
        for (_, end), (F, place, M) in self.on.items():
            if end == link:
                force, moment = force + F, moment + cross(place - origin, F) + M
        for ends, pushes in self._efforts():
            for end, (F, place, M) in zip(ends, pushes, strict=True):
                if end == link:
                    force, moment = force + F, moment + cross(place - origin, F) + M
        return force, moment

    def _efforts(self) -> Any:
        """The two ends that each driver acts on, and its force and moment on them."""
        for driver in self.m.topology.drivers:
            drive, effort = self.m.drivers[driver.id], self.forces.driver(driver.id)[self.samples]
            none, ends = np.zeros((len(effort), 2)), driver.links
            if drive.kind == "angle":
                yield ends, ((none, none, -effort), (none, none, effort))
                continue
            if drive.kind == "slide":
                guide = self.m.joints[drive.joint]
                ends, point, link = (guide.carrier, guide.slider), guide.point, guide.slider
                if getattr(guide, "on_slider", False):  # the line is the rod's: it is pushed at its bush
                    point, link = guide.bearing_place(self.m.links)
                first = self.at(link, point)
                second, span = first, self.along(guide.carrier, guide.direction)
            else:
                first, second = (self.at(link, self.m.links[link].local[point]) for link, point in drive.ends)
                span = second - first
            push = (effort / np.hypot(*span.T))[:, None] * span
            yield ends, ((-push, first, 0.0), (push, second, 0.0))

    def _of_joint(self, joint: Any) -> Any:
        pair, on = self.m.joints[joint.id], {end: self.on[joint.id, end] for end in joint.links}
        passed = [push for (_, end), push in self.on.items() if end == f"@{joint.id}"]
        passed += [one for ends, two in self._efforts() for end, one in zip(ends, two, strict=True)
                   if end == f"@{joint.id}"]  # fmt: skip
        sides = [*on.values(), *((-F, place, -M) for F, place, M in passed)]
        yield f"{joint.id} balances, force", np.hypot(*sum(F for F, _, _ in sides).T)
        yield f"{joint.id} balances", sum(cross(place, F) + M for F, place, M in sides)
        for rates in self.K:
            fast = np.maximum(np.max(np.abs(rates), axis=0), 1e-300)
            power = 0.0
            for end, (F, place, M) in [*on.items(), *((f"@{joint.id}", (-F, x, -M)) for F, x, M in passed)]:
                v, turning = self.velocity(end, place, rates / fast)
                power = power + np.sum(F * v, axis=1) + M * turning
            yield f"{joint.id} without power", power / max(1.0, 1.0 / self.system.size)
        F, place, M = on[joint.links[-1]]
        if joint.kind == "R":
            for link, (_, at, _M) in on.items():
                yield f"{joint.id} at its pin", scaled(at - self.at(link, self.m.links[link].local[joint.id]), F)
        if joint.kind not in "PF" and getattr(pair, "type", "") != "belt":
            yield f"{joint.id} has no moment", M
        if hasattr(pair, "lever"):
            yield from self._of_wheels(pair, F, place)
        elif hasattr(pair, "turn"):
            along = self.along(pair.carrier, pair.direction)
            yield f"{joint.id} square to its line, force", np.sum(F * along, axis=1)
            yield f"{joint.id} at its point", scaled(place - self.at(pair.slider, pair.point), F)
        elif hasattr(pair, "center"):
            arm = self.at(pair.slider, pair.point) - self.at(pair.carrier, pair.center)
            yield f"{joint.id} along its radius", cross(arm, F)

    def _of_wheels(self, pair: Any, F: Any, place: Any) -> Any:
        first = self.at(pair.links[0], pair.centers[0])
        if pair.guide is not None:
            guide = self.m.joints[pair.guide]
            along = self.along(guide.carrier, guide.direction)
            yield f"{pair.id} at the foot", scaled(np.sum((place - first) * along, axis=1)[:, None], F)
            yield f"{pair.id} at its radius", scaled((np.hypot(*(place - first).T) - abs(pair.lever))[:, None], F)
            if pair.type == "rack":
                yield f"{pair.id} along its line, force", cross(along, F)
            return
        span = self.at(pair.links[1], pair.centers[1]) - first
        if pair.type != "rolling":
            yield f"{pair.id} along its tangent", np.sum(span * F, axis=1)
        if pair.type != "belt":
            yield f"{pair.id} in its pitch point", scaled(place - first - span / (1 - pair.ratio), F)


def scaled(gap: Any, force: Any) -> Any:
    """A position error (n, ...) as the moment of a force (n, 2)."""
    return np.max(np.abs(gap), axis=1) * np.hypot(*force.T)
