"""A motion in space as numbers: a table for the terminal, CSV, plain data, and its sensors over time; all in SI."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from structkin.multibody.model import Sensor, SpatialModel
from structkin.multibody.readings import Readings
from structkin.show.columns import Column, plain_values
from structkin.show.files import write_table
from structkin.show.style import NORMAL, SMALL, dress, group_colour, new_figure, plain
from structkin.show.terminal import text_table
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from rich.table import Table

UNITS = {
    "position": "m", "velocity": "m/s", "acceleration": "m/s^2", "distance": "m", "force": "N", "moment": "N m",
    "kinetic_energy": "J", "potential_energy": "J",
}  # fmt: skip


def sensor_columns(motion: Readings) -> Iterator[Column]:
    """Yield a column for every number that a sensor records."""
    for name, values in motion.sensors.items():
        sensor = motion.model.sensors[name]
        if values.ndim == 1:
            yield Column(name, sensor.quantity, _unit(motion.model, sensor, 0), values)
            continue
        heads = "xyz" if sensor.quantity in UNITS else [str(k + 1) for k in range(values.shape[1])]
        for k, head in enumerate(heads):
            yield Column(name, f"{sensor.quantity} {head}", _unit(motion.model, sensor, k), values[:, k])


def shown_columns(motion: Readings) -> Iterator[Column]:
    """Yield the columns of the sensors; without sensors, the centres of mass of the bodies."""
    if motion.model.sensors:
        yield from sensor_columns(motion)
        return
    for body in motion.model.bodies:
        for axis, values in zip("xyz", motion.position(body).T, strict=True):
            yield Column(body, f"position {axis}", "m", values)


def _unit(model: SpatialModel, sensor: Sensor, number: int) -> str:
    if sensor.quantity in UNITS:
        return UNITS[sensor.quantity]
    if sensor.quantity == "multipliers":
        return "N, N m"
    motion = model.joints[sensor.of[0]].motions[number]
    return ("rad" if motion.rotation.any() else "m") + ("/s" if sensor.quantity == "rate" else "")


def space_columns(motion: Readings) -> list[Column]:
    """Return time, sensors, then of every body its centre of mass, points, orientation, velocities; energy, closure."""
    columns = [Column("", "t", "s", motion.t), *sensor_columns(motion)]
    for body, held in motion.model.bodies.items():
        for of in (body, *(f"{body}.{point}" for point in held.points)):
            three = (motion.position(of), motion.velocity(of), motion.acceleration(of))
            for head, unit, values in zip(("", "v", "a"), ("m", "m/s", "m/s^2"), three, strict=True):
                columns += [Column(of, head + axis, unit, values[:, k]) for k, axis in enumerate("xyz")]
        for k, axis in enumerate("wxyz"):
            columns.append(Column(body, f"q{axis}", "", quaternions(motion.rotation(body))[:, k]))
        spin = motion.angular_velocity(body)
        columns += [Column(body, f"omega {axis}", "rad/s", spin[:, k]) for k, axis in enumerate("xyz")]
    return [*columns, Column("", "energy", "J", motion.energy), Column("", "closure", "m", motion.closure)]


def quaternions(rotations: Floats) -> Floats:
    """Return unit quaternions (n, 4), real part first, without jumps of sign.

    >>> quaternions(np.eye(3)[None]).tolist()
    [[1.0, 0.0, 0.0, 0.0]]
    """
    from scipy.spatial.transform import Rotation

    found = Rotation.from_matrix(rotations).as_quat()[:, [3, 0, 1, 2]]
    flips = np.sign(np.einsum("ij,ij->i", found[1:], found[:-1]))
    found[1:] *= np.cumprod(np.where(flips < 0, -1.0, 1.0))[:, None]
    return np.asarray(found * (1.0 if found[0, 0] >= 0 else -1.0))


def write_space_csv(motion: Readings, target: str | Path | IO[str]) -> None:
    """Write a line a sample: time, sensors, bodies, energy and the opening of joints; units are in the head."""
    columns = space_columns(motion)
    heads = [f"{c.name} [{c.unit}]" if c.unit else c.name for c in columns]
    write_table(target, heads, zip(*(c.values.tolist() for c in columns), strict=True))


def space_to_dict(motion: Readings) -> dict[str, Any]:
    """Return the same as plain data; None stands for what is not finite."""
    return {
        "name": motion.model.name,
        "columns": [{"name": c.name, "unit": c.unit, "values": plain_values(c.values)} for c in space_columns(motion)],
    }


def space_table(motion: Readings) -> Table:
    """Return a table of the sensors, or of the bodies if there are none: first, last, least, largest value; energy."""
    rows = []
    for c in [*shown_columns(motion), Column("", "energy", "J", motion.energy)]:
        known = c.values[np.isfinite(c.values)] if np.isfinite(c.values).any() else c.values
        numbers = (c.values[0], c.values[-1], known.min(), known.max())
        rows.append((c.name, c.unit, *(f"{x:.6g}" for x in numbers)))
    lost = motion.energy[-1] - motion.energy[0]
    count = len(motion.t)
    caption = f"{count} sample{'' if count == 1 else 's'}, t to {motion.t[-1]:g} s; energy changed by {lost:.3g} J"
    if motion.closure.any():
        caption += f"; joints open by {motion.closure.max():.2g} m at most"
    heads = ("quantity", "unit", "first", "last", "least", "largest")
    return text_table(motion.model.name or "Model", caption, heads, rows, heads[2:])


def plot_space(motion: Readings) -> Figure:
    """Return a figure over time: sensors, or bodies without them, change of energy, and how far joints open."""
    groups: dict[tuple[str, str], list[Column]] = {}
    for column in shown_columns(motion):
        groups.setdefault((column.part, column.unit), []).append(column)
    extra = [("change\nof energy", "J", motion.energy - motion.energy[0])]
    if motion.closure.any():
        extra.append(("largest opening\nof a joint", "m", motion.closure))
    count = len(groups) + len(extra)
    figure = new_figure(7.0, 0.9 + 1.5 * count)
    axes = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
    look = {"linewidth": 1.2, "marker": "." if len(motion.t) == 1 else ""}  # a line needs two points
    for ax, ((part, unit), columns) in zip(axes, groups.items(), strict=False):
        for k, column in enumerate(columns):
            ax.plot(motion.t, column.values, color=group_colour(k), label=plain(column.quantity), **look)
        dress(ax, y=f"{plain(part)} [{unit}]")
        ax.legend(fontsize=SMALL, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    for ax, (name, unit, values) in zip(axes[len(groups) :], extra, strict=True):
        ax.plot(motion.t, values, color=group_colour(7), **look)
        dress(ax, y=f"{name} [{unit}]")
    axes[-1].set_xlabel("t [s]", fontsize=NORMAL)
    figure.suptitle(plain(motion.model.name or "Model"), x=0.02, ha="left")
    figure.align_ylabels(axes)
    return figure
