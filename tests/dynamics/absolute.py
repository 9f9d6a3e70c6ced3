"""Joint forces computed from scratch: a KKT system with three absolute coordinates per link, and its least forces.

It takes nothing from the package except the poses, the speeds and the local dimensions of the links. The
constraints Phi(q, t) are plain functions of q = (x, y, theta) of every moving link; their Jacobian is found by complex
steps, and gamma = -d^2 Phi(q + s q') / ds^2 by a contour integral, so that no derivative is written by hand. A row
between two links is the component of one force, or one moment about the slider's point, that the joint puts on the
second link; a pin of more than two links, or with something on it, is a massless point with a force on each link.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import structkin as sk


@dataclass
class Row:
    """A constraint: its residual, and the force or moment that its multiplier represents."""

    of: str
    to: str  # the link that it acts on, "" for an effort
    part: str
    value: Callable[[Any], Any]
    weight: float  # of the square of the multiplier in the sum that is minimised
    direction: Callable[[Any], Any] = field(default=lambda q: np.zeros(2))


class JointForceSystem:
    """All links of a mechanism at one sample of a motion."""

    def __init__(self, motion: sk.Motion, sample: int) -> None:
        self.m, self.motion, self.k = motion.mechanism, motion, sample
        self.links = [name for name in self.m.links if name != "ground"]
        topology = self.m.topology
        ends = [end for item in (*topology.joints, *topology.drivers) for end in item.links]
        attached = {end[1:] for end in ends if end.startswith("@")}
        self.pins = [j.id for j in topology.joints if j.kind == "R" and (j.id in attached or len(j.links) > 2)]
        self.size = float(sum(np.ptp([[z.real, z.imag] for z in self.m.places.values()], axis=0)))
        self.free = {id for id, drive in self.m.drivers.items() if drive.law is None and hasattr(motion, "free")}
        self.rows: list[Row] = []
        for joint in topology.joints:
            getattr(self, f"_{joint.kind}")(joint)
        for driver in topology.drivers:
            if driver.id not in self.free:
                self._drive(driver)

    # --- constraints, as functions of q (links, 3) and the pins' positions (pins, 2), all in one vector ------------

    def at(self, q: Any, link: str, local: complex) -> Any:
        """A point of a link, or a pin."""
        if link.startswith("@"):
            place = 3 * len(self.links) + 2 * self.pins.index(link[1:])
            return q[place : place + 2]
        if link == "ground":
            return np.array([local.real, local.imag])
        x, y, a = q[3 * self.links.index(link) :][:3]
        c, s = np.cos(a), np.sin(a)
        return np.array([x + c * local.real - s * local.imag, y + s * local.real + c * local.imag])

    def along(self, q: Any, link: str, local: complex) -> Any:
        return self.at(q, link, local) - self.at(q, link, 0j)

    def turn(self, q: Any, link: str) -> Any:
        return 0.0 if link == "ground" else q[3 * self.links.index(link) + 2]

    def _R(self, joint: Any) -> None:
        massless = joint.id in self.pins
        base, others = (f"@{joint.id}", joint.links) if massless else (joint.links[0], joint.links[1:])
        for link in others:
            for part in (0, 1):

                def gap(q: Any, link: str = link, part: int = part) -> Any:
                    held = 0j if massless else self.m.links[base].local[joint.id]
                    return (self.at(q, link, self.m.links[link].local[joint.id]) - self.at(q, base, held))[part]

                unit = np.eye(2)[part]
                self.rows.append(Row(joint.id, link, "force", gap, 0.5 if massless else 1.0, lambda q, u=unit: u))

    def _guided(self, joint: Any) -> Row:
        guide = self.m.joints[joint.id]
        end = next((end for end in joint.links if end.startswith("@")), guide.slider)

        def gap(q: Any) -> Any:
            u = self.along(q, guide.carrier, guide.direction)
            span = self.at(q, end, guide.point) - self.at(q, guide.carrier, guide.origin)
            return u[0] * span[1] - u[1] * span[0] - guide.offset

        def normal(q: Any) -> Any:
            u = self.along(q, guide.carrier, guide.direction)
            return np.array([-u[1], u[0]])

        return Row(joint.id, end, "force", gap, 1.0, normal)

    def _S(self, joint: Any) -> None:
        self.rows.append(self._guided(joint))

    def _P(self, joint: Any) -> None:
        guide = self.m.joints[joint.id]
        self.rows.append(self._guided(joint))
        turn = lambda q: self.turn(q, guide.slider) - self.turn(q, guide.carrier)  # noqa: E731 - passed on
        self.rows.append(Row(joint.id, guide.slider, "moment", turn, 1.0 / self.size**2))

    def _drive(self, driver: Any) -> None:
        drive = self.m.drivers[driver.id]
        if drive.kind == "angle":
            value = lambda q: self.turn(q, drive.links[1]) - self.turn(q, drive.links[0])  # noqa: E731 - passed on
        elif drive.kind == "slide":
            guide = self.m.joints[drive.joint]

            def value(q: Any) -> Any:
                span = self.at(q, guide.slider, guide.point) - self.at(q, guide.carrier, guide.origin)
                return self.along(q, guide.carrier, guide.direction) @ span
        else:
            off, to = driver.links

            def value(q: Any) -> Any:
                places = [self.m.links[link].local[point] for link, point in drive.ends]
                span = self.at(q, to, places[1]) - self.at(q, off, places[0])
                return np.sqrt(span @ span)

        self.rows.append(Row(driver.id, "", "effort", value, 1.0))

    # --- numbers ----------------------------------------------------------------------------------------------

    def coordinates(self) -> Any:
        q = []
        for link in self.links:
            origin, ahead = (self.motion.position(z, link)[self.k] for z in (0j, 1 + 0j))
            q += [*origin, np.arctan2(*(ahead - origin)[::-1])]
        return np.array([*q, *(x for pin in self.pins for x in self.motion.position(pin)[self.k])])

    def phi(self, q: Any) -> Any:
        return np.array([row.value(q) for row in self.rows])

    def solve(self) -> dict[Any, Any]:
        """Forces (2,) by (joint, link), moments by (joint, "moment"), efforts by driver.

        Redundant joints share the load so that the sum of |F|^2 + (M / s)^2 is least.
        """
        q, n = self.coordinates(), 3 * len(self.links) + 2 * len(self.pins)
        A = np.stack([self.phi(q + 1e-30j * unit).imag / 1e-30 for unit in np.eye(n)], axis=1)
        z = np.array([self.motion.drivers[row.of][1:, self.k] if not row.to else (0.0, 0.0) for row in self.rows])
        # The rows alone do not determine the speeds where a coordinate is free.
        v = self._speeds() if self.free else np.linalg.lstsq(A, z[:, 0], rcond=1e-13)[0]
        assert np.max(np.abs(A @ v - z[:, 0])) < 1e-7 * max(1.0, np.max(np.abs(v)))
        # gamma is the second Taylor coefficient along the speeds.
        nodes = 0.3 / max(1.0, np.max(np.abs(v))) * np.exp(2j * np.pi * np.arange(32) / 32)
        circle = np.array([self.phi(q + s * v) for s in nodes])
        gamma = z[:, 1] - 2 * np.mean(circle / nodes[:, None] ** 2, axis=0).real
        M, Q = self._masses(q, v)
        size, m = np.trace(M) or 1.0, len(A)
        kkt = np.block([[M / size, A.T], [A, np.zeros((m, m))]])
        a = np.linalg.lstsq(kkt, np.concatenate((Q / size, gamma)), rcond=1e-13)[0][:n]
        root = 1 / np.sqrt([row.weight for row in self.rows])
        B = A.T * root
        found = root * (np.linalg.pinv(B, rcond=1e-13) @ (M @ a - Q))
        assert np.max(np.abs(B @ (found / root) - (M @ a - Q))) < 1e-7 * max(1.0, np.max(np.abs(found)))
        result: dict[Any, Any] = {}
        for row, size in zip(self.rows, found, strict=True):
            if row.part == "effort":
                result[row.of] = size
            elif row.part == "moment":
                result[row.of, "moment"] = size
            else:
                key = row.of, row.to
                result[key] = result.get(key, 0.0) + size * row.direction(q)
        return result

    def _speeds(self) -> Any:
        v = [
            x for link in self.links for x in (*self.motion.velocity(0j, link)[self.k], self.motion.omega(link)[self.k])
        ]
        return np.array([*v, *(x for pin in self.pins for x in self.motion.velocity(pin)[self.k])])

    def _masses(self, q: Any, v: Any) -> tuple[Any, Any]:
        """M, and weight minus the velocity terms, for links whose centre of mass is not their origin."""
        M, Q = np.zeros((len(q), len(q))), np.zeros(len(q))
        gravity = np.array([self.m.forces.gravity.real, self.m.forces.gravity.imag])
        for k, name in enumerate(self.links):
            link = self.m.links[name]
            mass, J = link.mass or 0.0, link.inertia or 0.0
            c = self.along(q, name, link.center or 0j)
            across, at = np.array([-c[1], c[0]]), slice(3 * k, 3 * k + 3)
            T = np.column_stack((np.eye(2), across))  # the centre's velocity by (x', y', theta')
            M[at, at] = mass * T.T @ T + np.diag([0, 0, J])
            Q[at] = mass * T.T @ (gravity + v[3 * k + 2] ** 2 * c)
        return M, Q
