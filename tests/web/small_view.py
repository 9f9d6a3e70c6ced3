"""A view of a motion of pins and bars, built here as simply as possible: each link a line through its points."""

from __future__ import annotations

from typing import Any

import numpy as np

import structkin as sk


def numbers(values: Any) -> list[float | None]:
    return [float(f"{value:.9g}") if np.isfinite(value) else None for value in values]


def small_view(motion: sk.Motion) -> dict[str, Any]:
    m = motion.mechanism
    unit, ground = m.units.scale("length"), m.topology.ground
    frames = {}
    for link in m.links:
        x, y = motion.position(0j, link).T / unit
        dx, dy = (motion.position(1 + 0j, link) - motion.position(0j, link)).T
        frames[link] = {"x": numbers(x), "y": numbers(y), "angle": numbers(np.arctan2(dy, dx))}
    shapes, points = [], []
    style = {"fill": None, "stroke": "#0072B2", "width": 2.5, "dash": None, "opacity": 1}
    for name, link in m.links.items():
        at = [[place.real / unit, place.imag / unit] for place in link.local.values()]
        shape = {"id": f"link:{name}", "part": f"link:{name}", "points": at, "circle": None, "closed": len(at) > 2}
        if name != ground:
            shapes.append({**shape, "frame": {"link": name}, **style, "layer": 1})
        for point, place in zip(link.local, at, strict=True):
            if point not in [known["name"] for known in points]:
                circle = {"id": f"pin:{point}", "part": f"point:{point}", "points": None, "circle": [*place, 0.8]}
                shapes.append({**circle, "closed": True, "frame": {"link": name}, **style, "fill": "#fff", "layer": 2})
                points.append({"name": point, "link": name, "at": place, "pivot": name == ground, "joint": True,
                               "trace": False, "colour": "#0072B2"})  # fmt: skip
    drivers = {id: numbers(np.degrees(values[0])) for id, values in motion.drivers.items()}
    return {
        "format": 1,
        "title": m.title,
        "language": "en",
        "units": {"length": "mm", "angle": "deg", "time": "s"},
        "symbol": 1.0,
        "links": [{"name": name, "group": None, "colour": "#0072B2", "ground": name == ground} for name in m.links],
        "shapes": shapes,
        "points": points,
        "drivers": [{"id": id, "name": id, "quantity": "angle", "unit": "deg", "at": [ground, 0, 0]} for id in drivers],
        "groups": [],
        "samples": {
            "n": len(motion),
            "t": numbers(motion.t),
            "status": [[0, len(motion) - 1, "ok", None]],
            "drivers": drivers,
            "frames": frames,
        },
    }
