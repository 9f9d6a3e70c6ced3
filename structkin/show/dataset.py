"""A motion as an xarray dataset: arrays with named dimensions and units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.units import Units
from structkin.show.columns import failed_groups, status_words
from structkin.show.quantities import OF_LINK, OF_POINT, measures_of
from structkin.solve import Motion
from structkin.solve.motion.moving_frames import PartKind

if TYPE_CHECKING:
    import xarray as xr


def to_xarray(motion: Motion, units: Units | None = None) -> xr.Dataset:
    """Return positions, angles, their rates, drivers, K and L, with dimensions sample, point, link, driver and xy.

    Units are those of the file or those given; `attrs["units"]` of each array names them. The units of K and L differ
    from driver to driver: the coordinate `driver_unit` names the driver's part. Raises `InputError` if xarray is not
    installed.
    """
    try:
        import xarray as xr
    except ImportError:
        problem = Problem("to_xarray", "needs xarray, which is not installed", 'pip install "structkin[xarray]"')
        raise InputError([problem], motion.mechanism.title) from None
    m, measures = motion.mechanism, measures_of(motion.mechanism, units)
    held = {point for link in m.links.values() for point in link.local}
    points, links, drivers = [p for p in m.places if p in held], list(m.topology.moving_links), list(m.drivers)
    quantity = {id: m.drivers[id].quantity for id in drivers}
    driver_size = np.array([measures.size(quantity[id]) for id in drivers])
    arrays: dict[str, Any] = {}

    def add(name: str, axes: tuple[str, ...], values: Any, unit: str) -> None:
        arrays[name] = (("sample", *axes), values, {"units": unit})

    n = len(motion)
    for name, what in zip(("position", "velocity", "acceleration"), OF_POINT, strict=True):
        values = [getattr(motion, name)(point) / measures.size(what) for point in points]
        add(name, ("point", "xy"), np.reshape(values, (len(points), n, 2)).transpose(1, 0, 2), measures.unit(what))
    for name, what in zip(("angle", "omega", "alpha"), OF_LINK, strict=True):
        values = [getattr(motion, name)(link) / measures.size(what) for link in links]
        add(name, ("link",), np.reshape(values, (len(links), n)).T, measures.unit(what))
    for order, name in enumerate(("drive", "drive_rate", "drive_acceleration")):
        values = [motion.drivers[id][order] / size for id, size in zip(drivers, driver_size, strict=True)]
        add(name, ("driver",), np.reshape(values, (len(drivers), n)).T, "driver_unit" + ("", "/s", "/s^2")[order])
    if drivers:
        parts: tuple[tuple[str, list[str], PartKind, str], ...] = (
            ("", points, "point", "length"),
            ("_angle", links, "link", "angle"),
        )
        for suffix, names, axis, what in parts:
            tail = ("xy",) if axis == "point" else ()
            size, unit = measures.size(what), measures.unit(what)
            by = driver_size / size
            K = np.stack([motion.K(name, kind=axis) for name in names], axis=1) * by
            L = np.stack([motion.L(name, kind=axis) for name in names], axis=1) * by[:, None] * driver_size
            add(f"K{suffix}", (axis, *tail, "driver"), K, f"{unit}/driver_unit")
            add(f"L{suffix}", (axis, *tail, "driver", "driver_2"), L, f"{unit}/driver_unit/driver_unit")
    coordinates = {
        "t": ("sample", motion.t, {"units": "s"}),
        "status": ("sample", status_words(motion)),
        "failed_group": ("sample", failed_groups(motion)),
        "point": points,
        "link": links,
        "xy": ["x", "y"],
        "driver": drivers,
        "driver_2": drivers,
        "driver_unit": ("driver", [measures.unit(quantity[id]) for id in drivers]),
    }
    return xr.Dataset(arrays, coords=coordinates, attrs={"title": m.title})
