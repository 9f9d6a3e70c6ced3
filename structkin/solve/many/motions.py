"""The motions of all variants, solved together or individually."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from operator import methodcaller
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from structkin.checked import checked
from structkin.errors import InputError, Problem
from structkin.model.arguments import index as whole_index
from structkin.model.frozen import freeze, read_only
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.plan.status import Status
from structkin.solve.many.kept import Kept
from structkin.solve.many.together import Together
from structkin.solve.motion import Motion
from structkin.solve.special_geometry import compile_plan
from structkin.types import Flags, Floats

T = TypeVar("T", bound=np.generic)

#: Most invalid variants that a report lists.
LISTED = 10
#: Results that are kept, so that a loop over variants can ask for them again: together a third of the lanes.
KEPT = 6


@checked
@dataclass(frozen=True, repr=False)
class Motions:
    """The motions of v variants of a mechanism over n samples, in SI and radians; see `Mechanism.solve_many`.

    Numbers are NaN as in a `Motion`.

    `t` (n,) holds the times [s], NaN where the drivers were given as values. `motions` holds the `Motion` of each
    variant that was solved individually, `faults` the errors of each that cannot be solved, by their numbers; the
    others are lanes of `together`. `alone` solves one of these individually too, where samples do not tell the whole
    turns of a link: it turns fast, there or towards a gap; `of` builds its mechanism. An invalid variant has the status
    `BAD_INPUT` at all samples, and no numbers. `measures` (v, ...) holds the measures that were asked for, by name.

    Where only some points and links were kept, those of others raise `InputError`.

    `position("P")[k]` is that of variant k. The arrays are read-only; those asked for last are kept.
    """

    mechanism: Mechanism
    t: Floats
    count: int
    together: Together | Kept | None
    motions: Mapping[int, Motion]
    faults: Mapping[int, InputError]
    alone: Callable[[int], Motion]
    of: Callable[[int], Mechanism]
    measures: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    _recent: dict[tuple[str, str | int], Floats] = field(default_factory=dict, init=False, compare=False)

    def __len__(self) -> int:
        """Return the number of variants."""
        return self.count

    def __repr__(self) -> str:
        """Return title, variants and samples."""
        name = repr(self.mechanism.title or "a mechanism")
        return f"<Motions of {name}: {self.count} variants, {len(self.t)} samples, {self.ok.sum()} ok>"

    def __post_init__(self) -> None:
        """Make all arrays read-only."""
        freeze(self)
        if isinstance(self.together, Together):
            freeze(self.together.lanes)

    @cached_property
    def status(self) -> NDArray[np.int8]:
        """A `Status` for each variant and sample (v, n), as its integer."""
        return read_only(self._all(lambda of: of.status, np.int8(Status.BAD_INPUT)))

    @cached_property
    def failed_group(self) -> NDArray[np.int32]:
        """The index of the group at which a sample stopped (v, n), -1 where it is ok or the variant is invalid."""
        return read_only(self._all(lambda of: of.failed_group, np.int32(-1)))

    @cached_property
    def ok(self) -> Flags:
        """Which samples are ok (v, n)."""
        return read_only(np.asarray(self.status == Status.OK))

    @property
    def report(self) -> str:
        """How many variants are ok at all samples, how many are not by status, and the errors of invalid ones.

        Of many invalid variants the first ten are listed.
        """
        status = self.status
        lines = [f"{int((status == Status.OK).all(axis=1).sum())} of {self.count} variants ok at all samples"]
        for outcome in Status:
            count = int((status == outcome).any(axis=1).sum())
            if count and outcome != Status.OK:
                lines.append(f"{outcome.words}: {count} variant{'s' if count > 1 else ''}")
        for k in sorted(self.faults)[:LISTED]:
            lines += [f"variant {k}: {problem}" for problem in self.faults[k].problems]
        if len(self.faults) > LISTED:
            lines.append(f"... and {len(self.faults) - LISTED} more invalid variants")
        return "\n".join(lines)

    def variant(self, k: int) -> Mechanism:
        """Return variant k as a mechanism of its own; `InputError` where it is invalid, or there is none.

        Solved at the times `t`, or at the values of its drivers, it gives the same numbers to the last digit.
        """
        return self.of(whole_index(k, self.count, "variant", self.mechanism.title))

    def motion(self, k: int) -> Motion:
        """Return the whole `Motion` of variant k, solved individually unless it was; `InputError` as in `variant`."""
        k = whole_index(k, self.count, "variant", self.mechanism.title)
        return self.motions[k] if k in self.motions else self.alone(k)

    def position(self, point: str) -> Floats:
        """Return the paths (v, n, 2) [m] of a named point; `InputError` where there is none."""
        return self._of_point("position", point)

    def velocity(self, point: str) -> Floats:
        """Return the velocities (v, n, 2) [m/s] of a point."""
        return self._of_point("velocity", point)

    def acceleration(self, point: str) -> Floats:
        """Return the accelerations (v, n, 2) [m/s^2] of a point."""
        return self._of_point("acceleration", point)

    def angle(self, link: str) -> Floats:
        """Return the angles (v, n) [rad] of a link, without jumps of a turn along the samples of a variant."""
        return self._of_link("angle", link)

    def omega(self, link: str) -> Floats:
        """Return the angular velocities (v, n) [rad/s] of a link."""
        return self._of_link("omega", link)

    def alpha(self, link: str) -> Floats:
        """Return the angular accelerations (v, n) [rad/s^2] of a link."""
        return self._of_link("alpha", link)

    def transmission_angle(self, at: str | int) -> Floats:
        """Return the transmission angles (v, n) [rad] of a dyad, named as in `Motion.transmission_angle`."""
        from structkin.branches.limits.transmission import dyad_of

        dyad_of(self.mechanism, compile_plan(self.mechanism), at)  # a wrong name is an error even without variants
        return self._kept("transmission_angle", at)

    def _of_point(self, quantity: str, point: str) -> Floats:
        self.mechanism.link_of(point)  # an unknown name is an error even if no variant was solved
        return self._kept(quantity, point, 2)

    def _of_link(self, quantity: str, link: str) -> Floats:
        links = self.mechanism.links
        if link not in links:
            raise InputError([Problem(str(link), "is not a link", suggest(str(link), links))], self.mechanism.title)
        return self._kept(quantity, link)

    def _kept(self, quantity: str, name: str | int, *shape: int) -> Floats:
        """Return a quantity of all variants (v, n, ...), read-only; it is computed once while it is among the last."""
        if isinstance(self.together, Kept):
            return read_only(self.together.of(quantity, str(name)))
        recent = self._recent
        values = recent.get((quantity, name))
        if values is None:
            if quantity == "angle":
                values = angles_of(self, str(name), np.ones(self.count, bool))
            else:
                values = self._all(lambda of: getattr(of, quantity)(name), np.float64(np.nan), *shape)
            values = read_only(values)
            recent[quantity, name] = values
            for old in list(recent)[:-KEPT]:
                recent.pop(old, None)
        return values

    def _all(self, read: Callable[[Together | Kept | Motion], NDArray[T]], missing: T, *shape: int) -> NDArray[T]:
        """Return what is read of all variants (v, n, ...), `missing` where one is invalid."""
        if isinstance(self.together, Kept):
            return read(self.together)
        if self.together is None:
            values = np.full((self.count, len(self.t), *shape), missing)
        else:
            values = read(self.together)
            if self.motions or self.faults:
                values = values.copy()
        for k, motion in self.motions.items():
            values[k] = read(motion)
        if self.faults:
            values[list(self.faults)] = missing
        return values


def angles_of(motions: Motions, link: str, which: Flags) -> Floats:
    """Return the angles (v, n) [rad] of a link as `Motions.angle`, but complete only in the variants `which` (v,)."""
    values = motions._all(methodcaller("angle", link), np.float64(np.nan))
    lost = set(np.flatnonzero((np.isnan(values) & motions.ok).any(axis=1) & which).tolist())
    for k in lost - motions.motions.keys():
        values[k] = motions.alone(k).angle(link)
    return values
