"""Derivatives of forces near a limit position, where forces bend and variants are out of reach."""

from __future__ import annotations

import copy

import pytest
from cases import few

import structkin as sk
from structkin import design

#: A boom on a cylinder, whose tip slides in a slot: it reaches its limit at 179.86 mm.
BOOM = {
    "units": {"length": "mm", "angle": "deg"}, "duration": 2,
    "points": {"A": [0, 0], "B": [100, 30], "C": [400, 120], "D": [40, -150], "G": [60, 260]},
    "links": {"ground": ["A", "D"],
              "boom": {"points": ["A", "B", "C"], "mass": 20, "center": [180, 60], "inertia": 0.5},
              "tip": {"points": ["C", "G"], "mass": 4, "center": [250, 200], "inertia": 0.1}},
    "lengths": {"C-G": 367.6955262170047},
    "joints": {"s": {"type": "pin-in-slot", "pin": "G", "slot": "ground", "axis": [0.1, 1]}},
    "drivers": {"cyl": {"between": ["D", "B"], "law": "190 + 15*sin(pi*t)"}}, "forces": {"gravity": [0, -9.81]},
}  # fmt: skip


def boom(length: float = 367.6955262170047) -> sk.Mechanism:
    data = copy.deepcopy(BOOM)
    data["lengths"]["C-G"] = length
    return sk.Mechanism.from_dict(data)


@pytest.mark.parametrize("cylinder", few([181.0, 190.0, 182.0, 180.0, 180.5]))
def test_slopes_of_efforts_are_those_of_near_variants(cylinder):
    """Variants out of reach counted as no force: at 180.5 mm the slope had the wrong sign."""
    measure, at = design.effort("cyl", static=True), {"cyl": [1e-3 * cylinder]}
    found = measure.jacobian(boom().solve(drivers=at), ["lengths.C-G"])[0, 0]
    h = 1e-4  # [mm]
    values = [measure.values(boom(367.6955262170047 + k * h).solve(drivers=at))[0] for k in (-2, -1, 1, 2)]
    wanted = (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h * 1e-3)
    assert found == pytest.approx(wanted, rel=1e-5)


@pytest.mark.full
def test_the_best_length_beside_a_limit_is_found():
    best = boom().optimise(
        {"lengths.C-G": (0.3637, 0.3717)}, design.effort("cyl", static=True), drivers={"cyl": [0.1805]}
    )
    assert best.value < 0.62 * best.start
