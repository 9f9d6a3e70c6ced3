"""Newton's method where it converges and where it fails, against roots and limits known in closed form."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from structkin.global_methods.diagnosis import Outcome
from structkin.studies.newton import CURVES, basins, double_rocker, four_bar, iterates, newton_rows, run, slider_crank


def test_functions_end_as_in_the_notes():
    ends = {(row[0], row[2]): row[4] for row in newton_rows()[1:]}
    assert ends["40", "2.6"] == ends["42b", "1.9"] == "at 1" and ends["42b", "-1.9"] == "at -1"
    assert ends["42a", "1.45"] == ends["42c", "0"] == ends["42d", "0"] == "fails"


@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.figure)
def test_derivatives_are_those_of_the_functions(curve):
    x = np.linspace(*curve.extent, 7)
    step = 1e-6
    assert curve.slope(x) == pytest.approx((curve.value(x + step) - curve.value(x - step)) / (2 * step), abs=1e-8)


def test_the_convergence_is_quadratic():
    errors = [abs(x - 1) for x in iterates(CURVES[0], 2.6)]
    assert all(late <= 0.51 * early**2 for early, late in pairwise(errors[1:5]))


def test_the_double_rocker_ends_where_coupler_and_right_rocker_are_in_line():
    """The law of cosines gives the largest and the least angle of the driven rocker."""
    bars = {id: abs(a - b) for id, a, b in (("left", 0, -0.4 + 2.4j), ("far", -0.4 + 2.4j, 1.2 + 2.6j),
                                            ("right", 1.2 + 2.6j, 2.4), ("base", 0, 2.4))}  # fmt: skip
    reach = (bars["far"] + bars["right"]) ** 2
    nearest = (bars["far"] - bars["right"]) ** 2
    least, most = (
        math.acos((bars["left"] ** 2 + bars["base"] ** 2 - d) / (2 * bars["left"] * bars["base"]))
        for d in (nearest, reach)
    )
    assert run(double_rocker(), least + 0.05).converged and run(double_rocker(), most - 0.02).converged
    for z in (least - 0.05, most + 0.02):
        assert run(double_rocker(), z).outcome is Outcome.NO_SOLUTION


def test_equal_rods_converge_slowly_where_they_coincide():
    slow = run(slider_crank(), math.pi / 2)
    assert slow.outcome is Outcome.SINGULAR_POSE and slow.iterations == 20
    # A double root: the error is halved, the residual quartered in each iteration.
    assert np.array(slow.residuals[5:15]) / slow.residuals[4:14] == pytest.approx(0.25, rel=0.02)
    assert run(slider_crank(), 1.2).iterations <= 4


def test_estimates_lead_to_both_configurations():
    _, _, leads = basins(four_bar(), 1.0, 9)
    assert {-1.0, 1.0} <= set(leads[np.isfinite(leads)].tolist())
