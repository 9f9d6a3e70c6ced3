"""Agreement of two methods, against the papers that define it."""

from __future__ import annotations

import numpy as np
import pytest

from structkin.errors import InputError
from structkin.studies.agreement import bland_altman, intraclass_correlation

#: Shrout and Fleiss (1979), Tab. 2: four judges on six targets.
JUDGES = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
#: Bland and Altman (1986): peak expiratory flow [l/min] of 17 subjects, by two meters.
WRIGHT = [494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427]
MINI = [512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451]


def test_the_ratings_of_shrout_and_fleiss() -> None:
    """Their Tab. 4: ICC(2,1) = 0.29, ICC(3,1) = 0.71."""
    found = intraclass_correlation(JUDGES)
    assert round(found.agreement, 2) == 0.29
    assert round(found.consistency, 2) == 0.71


def test_the_flow_meters_of_bland_and_altman() -> None:
    """Their result: mean difference -2.1, standard deviation 38.8 l/min, limits -79.7 and 75.5 (two deviations)."""
    found = bland_altman(WRIGHT, MINI)
    assert round(found.bias, 1) == -2.1
    assert round(found.deviation, 1) == 38.8
    assert found.limits == pytest.approx((-2.118 - 1.96 * 38.765, -2.118 + 1.96 * 38.765), abs=1e-2)
    assert found.outside == pytest.approx(1 / 17)


def test_invariance() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(50, 3)) + rng.normal(size=(50, 1))
    found = intraclass_correlation(x)
    assert intraclass_correlation(1e6 + 3 * x).agreement == pytest.approx(found.agreement, abs=1e-8)
    shifted = intraclass_correlation(x + np.array([0, 5, -5]))
    assert shifted.consistency == pytest.approx(found.consistency, abs=1e-12)
    assert shifted.agreement < found.agreement


@pytest.mark.parametrize("bad", [[[1, 2]], [1, 2, 3], [[1.0, np.nan], [2, 3]], [[2, 2], [2, 2]]])
def test_bad_ratings(bad: list[object]) -> None:
    with pytest.raises(InputError):
        intraclass_correlation(bad)


@pytest.mark.parametrize("bad", [([1, 2], [1, 2, 3]), ([1.0], [1.0]), ([1, np.inf], [1, 2])])
def test_bad_pairs(bad: tuple[list[float], list[float]]) -> None:
    with pytest.raises(InputError):
        bland_altman(*bad)
