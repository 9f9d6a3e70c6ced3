"""The view: its positions, read from JSON by a separate reader, are those of the motion."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from show_samples import crank_rocker, loose, part_turn

import structkin as sk
from structkin.examples import path
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.show.animation import animate
from structkin.show.schematic import draw_schematic
from structkin.show.view import samples, view

EXAMPLES = sorted(file.stem for file in Path(path("crank_rocker")).parent.glob("*.toml"))


def read(mechanism: sk.Mechanism, motion: sk.Motion | None = None) -> dict[str, Any]:
    """Return the view after a round trip through JSON, which has no NaN."""
    return dict(json.loads(json.dumps(view(mechanism, motion), allow_nan=False)))


def numbers(values: list[float | None]) -> Any:
    return np.array([np.nan if value is None else value for value in values])


def on_link(data: dict[str, Any], link: str, x: Any, y: Any) -> Any:
    """Return the positions (n,) of a point of a link."""
    frame = {key: numbers(values) for key, values in data["samples"]["frames"][link].items()}
    return frame["x"] + 1j * frame["y"] + np.exp(1j * frame["angle"]) * (x + 1j * y)


def placed(data: dict[str, Any], frame: dict[str, Any], x: float, y: float) -> Any:
    """Return the positions (n,) of a point of a shape's frame."""
    if "link" in frame:
        return on_link(data, frame["link"], x, y)
    origin = on_link(data, *frame["at"])
    if "along" in frame:
        link, dx, dy = frame["along"]
        return origin + (on_link(data, link, dx, dy) - on_link(data, link, 0, 0)) * (x + 1j * y)
    axis = on_link(data, *frame["toward"]) - origin
    long = np.abs(axis) / frame["stretch"] if frame["stretch"] else 1.0
    return origin + axis / np.abs(axis) * (long * x + 1j * y)


@pytest.mark.parametrize("name", EXAMPLES)
def test_shapes_and_points_are_where_the_motion_puts_them(name):
    m = sk.load(path(name))
    motion = m.solve(samples=13)
    data = read(m, motion)
    unit = m.units.scale("length")
    size = max(np.ptp(data["box"][::2]), np.ptp(data["box"][1::2]))

    def check(found: Any, point: str | complex, link: str | None = None) -> None:
        np.testing.assert_allclose(found, motion.position(point, link) @ [1, 1j] / unit, atol=2e-5 * size, rtol=0)

    for point in data["points"]:
        check(on_link(data, point["link"], *point["at"]), point["name"])
    shapes = {shape["id"]: shape for shape in data["shapes"]}
    assert len(shapes) == len(data["shapes"])
    for id, shape in shapes.items():
        kind, _, what = id.partition(":")
        frame, places = shape["frame"], shape["points"]
        if kind in ("pin", "point"):
            check(placed(data, frame, *shape["circle"][:2]), what)
        elif kind == "pivot":
            check(placed(data, frame, *places[0]), what)
        elif kind == "block":
            guide = m.joints.of(Guide)[what]
            check(np.mean([placed(data, frame, *place) for place in places], axis=0), guide.point, guide.slider)
        elif kind == "wheel" and shape["circle"]:
            mesh, _, link = what.partition(":")
            found = m.joints.of(TurnCoupling)[mesh]
            check(placed(data, frame, *shape["circle"][:2]), found.centers[found.links.index(link)], link)
        elif kind == "spring":
            for place, (link, point) in zip((places[0], places[-1]), m.forces.springs[what].ends, strict=True):
                check(placed(data, frame, *place), point, link)
        elif kind == "rod":
            link, point = m.drivers[what.removeprefix("driver:")].ends[1]
            check(placed(data, frame, *places[0]), point, link)
        elif kind == "base":
            link, point = m.drivers[what.removeprefix("driver:")].ends[0]
            check(placed(data, frame, *places[0]), point, link)
        elif kind == "link" and not shape["closed"]:
            local = m.links[what].local
            for x, y in places:
                near = min(local, key=lambda point: abs(local[point] / unit - x - 1j * y))
                if abs(local[near] / unit - x - 1j * y) < 1e-5 * size:
                    check(placed(data, frame, x, y), near, what)
    for driver in data["drivers"]:
        size_of = m.units.scale(driver["quantity"])
        np.testing.assert_allclose(
            data["samples"]["drivers"][driver["id"]], motion.drivers[driver["id"]][0] / size_of, atol=1e-8
        )


def test_a_piston_stays_in_its_barrel():
    m = sk.load(path("excavator"))
    data = read(m, m.solve(samples=37))
    shapes = {shape["id"]: shape for shape in data["shapes"]}
    for id in (id.removeprefix("piston:") for id in shapes if id.startswith("piston:")):
        piston, barrel = shapes[f"piston:{id}"], shapes[id]
        assert piston["frame"]["stretch"] is None
        base, middle = on_link(data, *barrel["frame"]["at"]), np.mean(piston["points"], axis=0)
        along = np.abs(placed(data, piston["frame"], *middle) - base)
        near, far = min(x for x, _ in barrel["points"]), max(x for x, _ in barrel["points"])
        assert near <= along.min() and along.max() <= far


def test_a_motion_of_a_six_bar_is_small():
    m = sk.load(path("watt_six_bar"))
    assert len(json.dumps(view(m, m.solve(samples=361)), separators=(",", ":"))) < 80_000


def test_what_has_no_pose_is_null():
    m = part_turn()
    motion = m.solve(samples=31)
    found = samples(m, motion)
    missing = [x is None for x in found["frames"]["coupler"]["x"]]
    assert missing == (~motion.ok).tolist() and None not in found["frames"]["left"]["x"]
    words = {word: group for _, _, word, group in found["status"]}
    assert words == {"ok": None, "out of reach": 1}
    assert [first for first, *_ in found["status"][1:]] == [last + 1 for _, last, *_ in found["status"][:-1]]


def test_a_mechanism_without_a_motion_is_shown_as_sketched():
    m = loose()
    data = read(m)
    assert data["samples"]["n"] == 1 and data["samples"]["t"] is None
    for point in data["points"]:
        assert on_link(data, point["link"], *point["at"]) == pytest.approx(complex(*m.points[point["name"]]), abs=1e-4)
    groups = {link["name"]: link["group"] for link in data["links"]}
    assert groups == {"ground": None, "left": 0, "l2": None, "r2": None, "right": None}


def test_groups_state_how_they_are_solved():
    m = crank_rocker()
    words = [group["words"] for group in read(m)["groups"]]
    assert words == ["crank: driven R at A by motor", "coupler + rocker: RRR dyad from B (group 1) and D (ground)"]


@pytest.mark.parametrize("trace", [np.array(["B", "P"]), np.array([])])
def test_the_points_of_a_trace_may_be_an_array(trace):
    """Asked for its truth, an array raised a ValueError."""
    m = crank_rocker()
    motion = m.solve(samples=3)
    assert view(m, motion, trace=trace) == view(m, motion, trace=list(trace))
    assert animate(motion, trace=trace).trace == animate(motion, trace=list(trace)).trace
    draw_schematic(m, paths=motion, trace=trace)
