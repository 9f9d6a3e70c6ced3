"""Joint reactions from the multipliers of a simulation.

A row of Phi between two links puts -lambda dPhi/dq on the coordinates of each. Where q holds the place and the
orientation of every link, that is a force and a moment: in reference-point coordinates as it stands, in fully
Cartesian ones the moment is U x (force on U). In natural coordinates a shared pin has no row, and in relative ones no
joint of the tree has; there, the multipliers of the fully Cartesian rows follow from the balance of each link.

Redundant rows leave combinations n of multipliers open that put nothing on any coordinate, Phi_q^T n = 0. As many of
them are added as make the sum of |F|^2 + (M / s)^2 over the joints least, as in `Kinetostatics`: s is the mechanism's
size, and the links of a joint count half each.

The row of a gear or of a cam with a law is a relation of three turns: its multiplier is a moment on each link, not the
force between teeth. With such pairs the reactions are those of the links' balance (`Kinetostatics`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from structkin.dynamics.inverse.kinetostatics import Kinetostatics, kinetostatics
from structkin.errors import InputError, Problem
from structkin.global_methods.families import Coordinates
from structkin.global_methods.families.rows import solve_places
from structkin.joints.cam import Cam
from structkin.joints.fastened import Fastened
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.mechanism import Mechanism
from structkin.model.topology import pin_of, suggest

if TYPE_CHECKING:
    from structkin.dynamics.simulation import Simulation

Floats = NDArray[np.float64]

#: What a unit of a free combination of multipliers must move a force by, to make it not unique.
FREE = 1e-7


def has_higher_pairs(mechanism: Mechanism) -> bool:
    """Return whether there are gears, belts, racks, rolling contacts, cams or Geneva wheels."""
    return bool(mechanism.joints.of(TurnCoupling) or mechanism.joints.of(Cam) or mechanism.joints.of(Geneva))


@dataclass(frozen=True)
class _Lanes:
    """Multipliers (m, n) at the entries of Phi_q (entries, n) and the coordinates (n_q, n) of some samples."""

    multipliers: Floats
    entries: Floats
    q: Floats
    samples: slice
    pushes: dict[tuple[str, str], Floats]

    @property
    def none(self) -> Floats:
        return np.zeros((3, self.q.shape[1]))


@dataclass(frozen=True)
class JointForces:
    """The forces of joints at n samples, from the multipliers (m, n) of `rows` in reference-point or Cartesian q.

    `pushes` are forces (2, n) that free drivers put on a link at a pin, by (pin, link).
    """

    motion: Simulation = field(repr=False)
    coordinates: Coordinates = field(repr=False)
    q: Floats = field(repr=False)
    z: Floats = field(repr=False)
    multipliers: Floats = field(repr=False)
    redundant: int
    pushes: dict[tuple[str, str], Floats] = field(default_factory=dict, repr=False)

    def reaction(self, joint: str, link: str) -> Floats:
        """Return the force (n, 2) [N] that a joint puts on one of its links, in global axes; see `Kinetostatics`."""
        self._check(joint, link)
        if self._balance is not None:
            return self._balance.reaction(joint, link)
        return np.array(self._force(joint, link, self._all)[:2].T)

    def reaction_moment(self, joint: str, link: str) -> Floats:
        """Return the moment (n,) [N m] that a joint puts on a link, about the place where its force acts.

        That is the slider's point of a prismatic joint, and the place of links that are fastened; else it is zero.
        """
        self._check(joint, link)
        if self._balance is not None:
            return self._balance.reaction_moment(joint, link)
        return np.array(self._moment(joint, link, self._all))

    def unique(self, joint: str) -> bool:
        """Return whether the motion alone determines the forces of a joint."""
        held = {item.id: item for item in self.motion.mechanism.topology.joints}
        if joint not in held:
            raise self._unknown(joint, "a joint", held)
        if self._balance is not None:
            return self._balance.unique(joint)
        return not self.redundant or joint not in self._moved

    @cached_property
    def not_unique(self) -> tuple[str, ...]:
        """The joints whose forces depend on the elasticity of the links: where they are redundant."""
        return tuple(joint.id for joint in self.motion.mechanism.topology.joints if not self.unique(joint.id))

    # --- inside -------------------------------------------------------------------------------------------

    @cached_property
    def _balance(self) -> Kinetostatics | None:
        """The forces by the balance of each link, for mechanisms whose multipliers are not forces of joints."""
        motion = self.motion
        return kinetostatics(motion, loads=motion.loads) if has_higher_pairs(motion.mechanism) else None

    @cached_property
    def _all(self) -> _Lanes:
        """The multipliers whose reactions are returned."""
        return self._smallest(self._given) if self.redundant else self._given

    @cached_property
    def _given(self) -> _Lanes:
        entries = np.asarray(self.coordinates.jacobian(self.q, self.z))
        return _Lanes(self.multipliers, entries, self.q, slice(None), self.pushes)

    def _smallest(self, lanes: _Lanes) -> _Lanes:
        """Return the multipliers with those free combinations that make the forces of joints least."""
        good = np.flatnonzero(np.isfinite(lanes.multipliers).all(axis=0) & np.isfinite(lanes.q).all(axis=0))
        free = np.zeros((self.redundant, *lanes.multipliers.shape))
        for k in good.tolist():
            free[:, :, k] = self._free(k)
        bearing = self._measured(lanes)[:, :, None]
        ways = np.stack([self._measured(replace(lanes, multipliers=way, pushes={})) for way in free], axis=2)
        sizes = np.zeros((self.redundant, lanes.multipliers.shape[1]))
        sizes[:, good] = -(np.linalg.pinv(ways[good]) @ bearing[good])[:, :, 0].T
        return replace(lanes, multipliers=lanes.multipliers + np.einsum("kmn,kn->mn", free, sizes))

    def _measured(self, lanes: _Lanes) -> Floats:
        """Return the forces and moments (n, joints' links and parts) whose squares sum to what is least."""
        joints = self.motion.mechanism.topology.joints
        parts = [self._wrench(joint.id, link, lanes) for joint in joints for link in joint.links]
        return np.asarray(np.sqrt(0.5) * np.concatenate(parts).T)

    def _wrench(self, joint: str, link: str, lanes: _Lanes) -> Floats:
        """Return force and moment over the mechanism's size (3, n) [N] that a joint puts on a link, at its place."""
        moment = self._moment(joint, link, lanes) / self.motion.size
        return np.concatenate((self._force(joint, link, lanes)[:2], moment[None]))

    def _free(self, sample: int) -> Floats:
        """Return the combinations (redundant, m) of multipliers that put nothing on any coordinate, at a sample."""
        c = self.coordinates
        matrix = np.zeros((c.m, c.n))
        matrix[c.pattern] = self._given.entries[:, sample]
        matrix *= c.column_units / c.row_units[:, None]
        return np.asarray(np.linalg.svd(matrix)[0][:, c.m - self.redundant :].T / c.row_units)

    @cached_property
    def _moved(self) -> set[str]:
        """The joints whose forces move with combinations of multipliers that put nothing on any coordinate."""
        moved = set()
        samples = np.flatnonzero(np.isfinite(self.q).all(axis=0))
        for k in samples[:: len(samples) // 4 + 1].tolist():
            here = slice(k, k + 1)
            for free in self._free(k):
                lanes = _Lanes(free[:, None], self._given.entries[:, here], self.q[:, here], here, {})
                for joint in self.motion.mechanism.topology.joints:
                    wrenches = [self._wrench(joint.id, link, lanes) for link in joint.links]
                    if np.max(np.abs(wrenches)) * self.motion.size > FREE:
                        moved.add(joint.id)
        return moved

    def _earliest(self, pin: str) -> str:
        """Return the link that stands for a pin where something is attached to it: the first that is solved."""
        held = self.motion.mechanism.topology.joint(pin).links
        return min(held, key=self._order.__getitem__)

    @cached_property
    def _order(self) -> dict[str, int]:
        return solve_places(self.motion.mechanism, self.motion.structure)

    def _attached(self, joint: str) -> list[str]:
        """Return the slots and drivers that act on a pin itself."""
        topology = self.motion.mechanism.topology
        found = [item.id for item in topology.joints if any(pin_of(end) == joint for end in item.links)]
        return found + [item.id for item in topology.drivers if any(pin_of(end) == joint for end in item.links)]

    def _force(self, joint: str, link: str, lanes: _Lanes) -> Floats:
        """Return force and moment about the link's origin (3, n) that a joint puts on a link."""
        pin = pin_of(link)
        if pin is not None:
            link = self._earliest(pin)
        total = self._of_rows(joint, link, lanes)
        kind = self.motion.mechanism.topology.joint(joint).kind
        if kind == "R":
            # What a slot or a cylinder puts on a pin has its rows on one of the pin's links: the pin passes it on.
            if link == self._earliest(joint):
                for id in self._attached(joint):
                    total = total + self._of_rows(id, link, lanes)
            if (joint, link) in lanes.pushes:
                total[:2] += lanes.pushes[joint, link]
        return total

    def _of_rows(self, of: str, link: str, lanes: _Lanes) -> Floats:
        """Return force and moment (3, n) that the rows of a joint or driver put on a link."""
        c = self.coordinates
        if link == self.motion.mechanism.topology.ground:
            # Forces alone: the moments of moving links are about their own origins.
            return -sum((self._of_rows(of, x, lanes) for x in c.links), lanes.none)
        rows, columns = c.pattern
        width = 4 if c.family == "fully-cartesian" else 3
        first = width * c.links.index(link)
        mine = np.array([row.of == of for row in c.rows])[rows] & (columns >= first) & (columns < first + width)
        g = np.zeros((width, lanes.q.shape[1]))
        np.add.at(g, columns[mine] - first, -lanes.entries[mine] * lanes.multipliers[rows[mine]])
        if width == 3:
            return np.asarray(g[[1, 2, 0]])
        Ux, Uy = lanes.q[first + 2 : first + 4]
        return np.stack((g[0], g[1], Ux * g[3] - Uy * g[2]))

    def _moment(self, joint: str, link: str, lanes: _Lanes) -> Floats:
        pair = self.motion.mechanism.joints[joint]
        if isinstance(pair, Fastened):
            place = self.motion.position(pair.place_on(link), link)
        elif isinstance(pair, Guide) and pair.turn is not None:
            place = self.motion.position(pair.point, pair.slider)
        else:
            return np.asarray(lanes.none[0])
        if link == self.motion.mechanism.topology.ground:
            return -sum((self._moment(joint, other, lanes) for other in pair.links if other != link), lanes.none[0])
        x, y, moment = self._force(joint, link, lanes)
        arm = (place - self.motion.position(0j, link))[lanes.samples]
        return np.asarray(moment - arm[:, 0] * y + arm[:, 1] * x)

    def _check(self, joint: str, link: str) -> None:
        joints = {item.id: item for item in self.motion.mechanism.topology.joints}
        if joint not in joints:
            raise self._unknown(joint, "a joint", joints)
        if link not in joints[joint].links:
            raise self._unknown(link, f"a link of the joint '{joint}'", dict.fromkeys(joints[joint].links))

    def _unknown(self, name: str, what: str, known: Iterable[str]) -> InputError:
        hint = suggest(str(name), known)
        return InputError([Problem(str(name), f"is not {what}", hint)], self.motion.mechanism.title or "mechanism")
