"""The numbers of a report: those of the motion, to six digits, and nothing where the mechanism stands still."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import few
from pages import open_file

import structkin as sk
from structkin.examples import path
from structkin.report import content
from structkin.show.view import motion_of

SAMPLES = 61


def inversor() -> sk.Mechanism:
    """Return Peaucellier's linkage, whose Q runs along x = 5 cm, with Q at the far ends of its links."""
    data = sk.load(path("peaucellier")).source_dict
    return sk.Mechanism.from_dict({**data, "links": {**data["links"], "far_up": ["B", "Q"], "far_lo": ["D", "Q"]}})


def follower(x: float) -> sk.Mechanism:
    """Return a cam whose follower, 82 mm long, moves along y at this x."""
    data = sk.load(path("cam_roller_follower")).source_dict
    data["points"] |= {"Q": [x, (50**2 - x**2) ** 0.5], "T": [x, (50**2 - x**2) ** 0.5 + 82]}
    return sk.Mechanism.from_dict(data)


def table_of(browser: Any, m: sk.Mechanism, folder: Path) -> dict[str, np.ndarray]:
    """Return the columns of the motion's CSV file on the page."""
    file = folder / "report.html"
    m.report(file, samples=SAMPLES, without=["limits", "steps"])
    page = open_file(browser, file).page
    with page.expect_download() as download:
        page.get_by_role("button", name="Motion as CSV").click()
    rows = csv.reader(io.StringIO(Path(download.value.path()).read_text(encoding="utf-8")))
    return {head: np.array(values, float) for head, _, *values in zip(*rows, strict=True) if head != "status"}


@pytest.mark.parametrize(
    ("m", "still"),
    few(
        [
            (inversor(), {"Q.x": 5.0}),
            (follower(0), {"Q.x": 0.0, "T.x": 0.0}),
            (follower(6), {"Q.x": 6.0, "T.x": 6.0}),
        ],
        1,
    ),
    ids=["inversor", "follower at 0", "follower at 6"],
)
def test_a_point_on_a_straight_line_stays_on_it_in_the_csv(
    m: sk.Mechanism, still: dict[str, float], browser: Any, tmp_path: Path
):
    table, motion = table_of(browser, m, tmp_path), m.solve(samples=SAMPLES)
    for head, value in still.items():
        assert set(table[head]) == {value}
    for point in m.points:
        for k, axis in enumerate("xy"):
            exact = motion.position(point)[:, k] / m.units.scale("length")
            span = max(np.ptp(exact), 1e-3 * motion.size / m.units.scale("length"))
            assert np.abs(table[f"{point}.{axis}"] - exact).max() < 6e-6 * span


def test_places_far_from_the_origin_have_six_digits_of_their_range():
    data = sk.load(path("crank_rocker")).source_dict
    data["points"] = {name: [x + 2e5, y - 3e5] for name, (x, y) in data["points"].items()}
    m = sk.Mechanism.from_dict(data)
    motion = motion_of(m, SAMPLES)
    assert motion is not None
    shown = content(m, motion, without=["limits"])["plots"]["places"]
    for point in ("P", "B", "C"):
        exact = 1e3 * motion.position(point).T
        assert np.abs(np.array(shown[point]) - exact).max() < 6e-6 * np.ptp(exact, axis=1).max()
    assert shown["A"] == [pytest.approx(1e3 * value, rel=1e-12) for value in motion.position("A")[0]]


def curves(data: Any) -> Any:
    """Yield all lists of a number for each sample."""
    if isinstance(data, dict):
        for part in data.values():
            yield from curves(part)
    elif isinstance(data, list):
        if len(data) == SAMPLES and all(value is None or isinstance(value, float) for value in data):
            yield np.array(data, float)
        else:
            for part in data:
                yield from curves(part)


def parallelogram() -> sk.Mechanism:
    """Return a four-bar whose coupler keeps its angle."""
    return sk.Mechanism.from_dict(
        {
            "title": "Parallelogram",
            "points": {"A": [0, 0], "B": [0.1, 0.25], "C": [0.8, 0.25], "D": [0.7, 0]},
            "links": {"ground": ["A", "D"], "left": ["A", "B"], "coupler": ["B", "C"], "right": ["C", "D"]},
            "drivers": {"motor": {"joint": "A", "law": "0.3*sin(t)"}},
            "duration": 6.0,
        }
    )


@pytest.mark.parametrize(
    "m",
    [parallelogram(), *(sk.load(path(name)) for name in ("excavator", "one_cylinder_engine", "rack_and_pinion"))],
    ids=["parallelogram", "excavator", "engine", "rack"],
)
def test_rounding_errors_are_no_curves(m: sk.Mechanism):
    data = content(m, motion_of(m, SAMPLES), without=["limits", "steps"])
    sections = ("plots", "rates", "coefficients", "centres", "forces")
    found = list(curves([data.get(section) for section in sections]))
    assert len(found) > 20
    for values in found:
        largest = np.nanmax(np.abs(values), initial=0.0)
        assert largest == 0.0 or largest > 1e-9


def test_curves_of_a_short_stroke_have_no_steps():
    m = sk.Mechanism.from_dict(
        {
            "title": "Short stroke",
            "units": {"length": "mm"},
            "duration": 1.0,
            "points": {"A": [0, 0], "B": [700, -900], "C": [1500, 700]},
            "links": {"ground": ["A", "B"], "boom": ["A", "C"]},
            "drivers": {"cylinder": {"between": ["B", "C"], "law": "1800 + 0.02*sin(6.283*t)"}},
        }
    )
    motion = motion_of(m, SAMPLES)
    assert motion is not None
    [[shown]] = content(m, motion, without=["limits"])["coefficients"]["links"]["boom"]["K"]
    exact = motion.K("boom")[:, 0] / 1e3
    assert np.abs(np.array(shown) - exact).max() < 1e-3 * np.ptp(exact)
