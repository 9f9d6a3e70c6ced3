"""The public results: motions, simulations and forces, with their methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING

from structkin import dynamics, files, model, show, solve
from structkin.api.verb import public, verb
from structkin.branches.classify import classify
from structkin.branches.limits.passages import Passage, passages, report, require_ok
from structkin.branches.limits.transmission import mechanical_advantage, transmission_angle
from structkin.dynamics import UserLoad, kinetostatics
from structkin.errors import InputError, Problem
from structkin.global_methods import Statistics
from structkin.model.units import Units
from structkin.solve.motion import cam as cam_motion
from structkin.solve.motion.geneva import geneva_motion
from structkin.solve.motion.profile import ProfileMotion
from structkin.solve.motion.residual import residual
from structkin.solve.motion.swing import swing

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from anywidget import AnyWidget
    from matplotlib.figure import Figure

    from structkin.api.mechanism import Mechanism
    from structkin.show.animation import Animation


def _units(mechanism: model.Mechanism, units: str) -> Units:
    """Return SI or the units of a file; `InputError` for anything else."""
    if units not in ("SI", "file"):
        raise InputError([Problem("units", f"'{units}' is unknown", "known: SI, file")], mechanism.title)
    return Units() if units == "SI" else mechanism.units


class CamMotion(cam_motion.CamMotion):
    """A cam at the n samples of a motion; see `Motion.cam`. Lengths in m, angles in rad, NaN without a pose."""

    def plot(self) -> Figure:
        """Return a figure of the lift, its first three derivatives and the pressure angle over the cam angle."""
        return show.plot_cam(self.cam, self.motion.mechanism.units)


class Kinetostatics(dynamics.Kinetostatics):
    """The forces of a motion at n samples, in N and N m; see `Motion.forces`."""

    motion: Motion

    def plot(self) -> Figure:
        """Return a figure of driver efforts, joint reactions and the shaking force."""
        return show.plot_forces(self)

    def _repr_html_(self) -> str:
        return show.html_table(show.forces_table(self))

    def to_dataframe(self, units: str = "SI") -> pd.DataFrame:
        """Return driver efforts and joint reactions as columns, in N and N m (needs pandas).

        The drivers' values are in SI, or with `units="file"` in the units of the file.
        """
        return show.forces_to_dataframe(self, _units(self.motion.mechanism, units))


class Motion(solve.Motion):
    """Position, velocity and acceleration of every point and link at n samples, in SI and radians.

    `t` (n,) holds the times [s], NaN where the drivers were given as values; `drivers[id]` (3, n) value, rate and
    second rate of each driver. Values are NaN where a sample has no pose; rates are also NaN where the pose is singular
    or the drivers' rates are unknown.
    """

    mechanism: Mechanism
    statistics: Statistics | None

    classify = classify
    forces = verb(kinetostatics, Kinetostatics)
    geneva = geneva_motion
    mechanical_advantage = mechanical_advantage
    require_ok = require_ok
    residual = residual
    swing = swing
    transmission_angle = transmission_angle

    @cached_property
    def report(self) -> str:
        """How many samples are ok; for each run of the others: which samples, why, and at which group.

        Where the motion leaves or enters the reachable range is located between the samples, to seven digits.
        """
        return report(self, self._passages)

    @property
    def limits(self) -> tuple[Passage, ...]:
        """Where the motion meets limits between the samples, in order: place, time, drivers' values, group and reason.

        If the motion has many gaps, only those of the first twenty are located.
        """
        return tuple(passage for run in self._passages.values() for passage in run)

    @cached_property
    def _passages(self) -> dict[int, tuple[Passage, ...]]:
        return passages(self)

    def cam(self, joint: str) -> CamMotion | ProfileMotion:
        """Return the state of a cam at the samples: angle, lift, pressure angle, curvature and point of contact.

        A `CamMotion` where the cam has a law, a `ProfileMotion` where it has a profile.

        Raises `InputError` if there is no such cam.
        """
        found = cam_motion.cam_motion(self, joint)
        return found if isinstance(found, ProfileMotion) else public(CamMotion, found)

    def to_dataframe(self, units: str = "SI") -> pd.DataFrame:
        """Return all points and links as columns, in SI or with `units="file"` in those of the file (needs pandas)."""
        return show.to_dataframe(self, _units(self.mechanism, units))

    def to_csv(self, target: str | Path | IO[str], units: str = "SI", *, kl: bool = False) -> None:
        """Write the columns of `to_dataframe`, with `kl` also K and L, to a .csv path or an open file."""
        show.write_csv(self, target, _units(self.mechanism, units), kl=kl)

    def _repr_html_(self) -> str:
        return show.html_table(show.summary_table(self))

    def animate(
        self, *, fps: float = 25.0, seconds: float | None = None, speed: float | None = None,
        trace: Sequence[str] = (), width: int = 800, repeat: bool = True,
    ) -> Animation:  # fmt: skip
        """Return an animation of the motion: `save` writes a GIF, WebP or MP4; a notebook shows it.

        It plays in real time, but a motion shorter than two seconds is slowed down and one longer than thirty is sped
        up. To choose, give its length in `seconds`, or the `speed` in seconds of motion per second. Each frame shows
        the sample nearest to its time. The paths of the points `trace` are drawn (default: the points of interest, at
        most four); `width` is the width of a frame [px].

        Raises `InputError` for numbers out of range and for unknown points.
        """
        return show.animate(self, fps=fps, seconds=seconds, speed=speed, trace=trace, width=width, repeat=repeat)

    def widget(self, *, trace: Sequence[str] = ()) -> AnyWidget:
        """Return the motion for a notebook: the drawing, which can be played (needs anywidget).

        The points `trace` leave their path (default: the points of interest, at most four). Raises `InputError` where
        anywidget is missing, and for points that are not there.
        """
        return show.widget(self.mechanism, self, trace=trace)

    def schematic(self, sample: int | None = None, *, trace: Sequence[str] = ()) -> Figure:
        """Return a kinematic diagram at a sample (default: the first that is ok), with the paths of the points `trace`.

        Raises `InputError` for a sample that does not exist and for unknown points.
        """
        return show.draw_schematic(self.mechanism, motion=self, sample=sample, trace=trace)

    def to_xarray(self, units: str = "SI") -> xr.Dataset:
        """Return the motion, K and L as an xarray dataset, in SI or with `units="file"` in the units of the file.

        Its dimensions are sample, point, link, driver and xy. Raises `InputError` if xarray is not installed.
        """
        return show.to_xarray(self, _units(self.mechanism, units))

    def save(self, path: str | Path) -> None:
        """Write the motion with its mechanism; the suffix selects the format, see `Mechanism.save`.

        Raises `InputError` if the format cannot hold a motion, or not this one; a file is written whole or not at all.
        """
        files.write(self.mechanism, path, motion=self)

    def plot(self, *names: str, kl: bool = False) -> Figure:
        """Return a figure of stacked motion plots of these points and links (default: those of interest).

        With `kl` the velocity coefficients K and their derivatives L are added below.
        """
        return show.plot_motion(self, *names, kl=kl)


class Simulation(dynamics.Simulation, Motion):
    """The motion caused by forces, at the requested times or until it stopped; see `Mechanism.simulate`."""

    mechanism: Mechanism
    statistics: Statistics | None

    def _repr_html_(self) -> str:
        return show.html_table(show.simulation_table(self))

    def forces(self, *, static: bool = False, loads: Sequence[UserLoad] | None = None) -> Kinetostatics:
        """Return the forces of the motion, under the loads of the simulation or under other `loads`."""
        return super().forces(static=static, loads=self.loads if loads is None else loads)


class Motions(solve.Motions):
    """The motions of variants of a mechanism over n samples, in SI and radians; see `Mechanism.solve_many`."""

    mechanism: Mechanism

    @property
    def motions(self) -> Mapping[int, Motion]:
        """The motions of the variants that were solved individually, by the variant's number."""
        return {k: public(Motion, one) for k, one in vars(self)["motions"].items()}
