"""DXF and SVG read back: the coordinates in the drawing are those of the motion."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from cases import few

import structkin as sk
from structkin.examples import path

NAMES = ["crank_rocker", "whitworth_shaper", "jansen_leg", "elliptic_trammel", "excavator"]


def moved(name: str) -> tuple[sk.Motion, dict[str, np.ndarray]]:
    """Return a motion, and the places of points (n,) in the unit of the file."""
    motion = sk.load(path(name)).solve(73)
    assert motion.ok.all()
    unit = motion.mechanism.units.length_scale
    return motion, {point: motion.position(point) @ [1, 1j] / unit for point in motion.mechanism.points}


def farthest(found: np.ndarray, known: np.ndarray) -> float:
    """Return how far the farthest of the places found is from the nearest known one."""
    return float(np.abs(found[:, None] - known).min(axis=1).max())


@pytest.mark.parametrize("name", few(NAMES, 2))
def test_paths_and_points_of_a_dxf(name: str, tmp_path: Path) -> None:
    ezdxf = pytest.importorskip("ezdxf")
    motion, places = moved(name)
    motion.save(tmp_path / "x.dxf")
    page = ezdxf.readfile(tmp_path / "x.dxf").modelspace()
    size = max(np.ptp(place.real) + np.ptp(place.imag) for place in places.values())
    paths = [np.array([p[:2] for p in one.get_points()]) @ [1, 1j] for one in page.query('LWPOLYLINE[layer=="PATHS"]')]
    moving = [place for place in places.values() if np.ptp(place.real) + np.ptp(place.imag) > 1e-9 * size]
    assert len(paths) > 1
    for drawn in paths:
        assert len(drawn) in (72, 73)  # a closed one has no last sample
        assert min(np.abs(drawn - place[: len(drawn)]).max() for place in moving) < 1e-9 * size
    points = {complex(*one.dxf.location.vec2) for one in page.query("POINT")}
    first = np.array([place[0] for place in places.values()])
    assert len(points) > 2 and farthest(np.array(sorted(points, key=abs)), first) < 1e-9 * size


def drawn(file: Path) -> dict[str, np.ndarray]:
    """Return the corners (n,) of all shapes of an SVG that have a name, y upwards."""
    found = {}
    for group in ElementTree.parse(file).iter("{http://www.w3.org/2000/svg}g"):
        shape = group.find("{http://www.w3.org/2000/svg}path")
        if shape is not None and ":" in group.get("id", ""):
            numbers = np.array(re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", shape.get("d", "")), float)
            found[group.get("id", "")] = numbers[::2] - 1j * numbers[1::2]
    return found


@pytest.mark.parametrize("name", few(NAMES, 2))
def test_pins_links_and_paths_of_an_svg(name: str, tmp_path: Path) -> None:
    """From its pins follow where the origin is and how long a unit; then all else has to lie where the motion is.

    A unit may be 0.5 % longer along one axis than along the other: matplotlib leaves equal scales at that.
    """
    motion, places = moved(name)
    motion.save(tmp_path / "x.svg")
    shapes = drawn(tmp_path / "x.svg")
    pins = {id.partition(":")[2]: z for id, z in shapes.items() if id.startswith("pin:")}
    here, units = np.array([places[pin][0] for pin in pins]), {}
    for axis in ("real", "imag"):
        there = np.array([0.5 * (getattr(z, axis).min() + getattr(z, axis).max()) for z in pins.values()])
        units[axis] = np.polyfit(getattr(here, axis), there, 1)
        np.testing.assert_allclose(np.polyval(units[axis], getattr(here, axis)), there, atol=1e-4)
    assert len(pins) > 1 and units["real"][0] == pytest.approx(units["imag"][0], rel=5e-3)
    paths = {id.partition(":")[2]: z for id, z in shapes.items() if id.startswith("path:")}
    assert paths
    for point, z in paths.items():
        known = np.polyval(units["real"], places[point].real) + 1j * np.polyval(units["imag"], places[point].imag)
        assert len(z) > 9 and farthest(z, known) < 1e-4
    for link, points in motion.mechanism.links.items():
        z = shapes.get(f"link:{link}")
        if z is not None and len(points.local) == 2 and len(z) == 2:
            ends = np.array([places[point][0] for point in points.local])
            known = np.polyval(units["real"], ends.real) + 1j * np.polyval(units["imag"], ends.imag)
            along = (z[1] - z[0]) / abs(z[1] - z[0])
            assert np.abs(((known - z[0]) * along.conj()).imag).max() < 1e-4  # a slot may go on beyond its pins
