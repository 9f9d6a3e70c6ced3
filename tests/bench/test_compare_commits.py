"""The statistics of `compare_commits.py`, on invented times; and its cases run."""

import sys
from pathlib import Path

import numpy as np
import pytest
from cases import few

sys.path.insert(0, str(Path(__file__).parent))
from bench_cases import cases, seconds
from compare_commits import Comparison, compare, sign_interval


@pytest.mark.parametrize("n", [6, 15, 40])
def test_intervals_contain_the_median_as_often_as_promised(n):
    rng = np.random.default_rng(n)
    # Skewed, as times are; the median of exp(normal) is one.
    intervals = [sign_interval(np.exp(sample).tolist()) for sample in rng.normal(size=(2000, n))]
    held = np.mean([low <= 1 <= high for low, high in intervals])
    assert held > 0.94


class Invented:
    """A commit with invented times."""

    def __init__(self, rng, seconds, fault=""):
        self.rng, self.seconds, self.fault, self.asked = rng, seconds, fault, []

    def ask(self, case, repeats):
        self.asked.append(repeats)
        noise = np.exp(0.05 * self.rng.normal())
        return {"error": self.fault} if self.fault else {"seconds": self.seconds * noise}


@pytest.mark.parametrize(("times", "slower"), [(0.8, False), (1.0, False), (1.02, False), (1.15, True)])
def test_slower_cases_are_reported(times, slower):
    rng = np.random.default_rng(1)
    old, new, found = Invented(rng, 0.004), Invented(rng, 0.004 * times), Comparison("solve")
    for rounds in (8, 7):
        compare(found, old, new, rounds)
    assert len(found.ratios) == 15 and found.slower == slower and ("SLOWER" in found.row()) == slower
    # Both time as many calls at once.
    assert old.asked == new.asked and 5 <= max(old.asked) <= 8


def test_a_case_missing_in_a_commit_is_reported_separately():
    rng = np.random.default_rng(1)
    lost, gained = Comparison("solve"), Comparison("solve")
    compare(lost, Invented(rng, 0.004), Invented(rng, 0.004, "KeyError: 'solve'"), 3)
    compare(gained, Invented(rng, 0.004, "KeyError: 'solve'"), Invented(rng, 0.004), 3)
    assert lost.lost and not gained.lost and not lost.slower and not gained.slower
    assert "new: KeyError" in lost.row() and "old: KeyError" in gained.row()


@pytest.mark.parametrize(
    "name",
    few(
        [
            *("solve/crank_rocker/100", "solve/excavator/1", "chain-kl/numpy/17", "group/class IV/100"),
            *("global/crank_rocker", "limits/triple_rocker", "assemblies/crank_rocker", "circuits/watt_six_bar"),
            *("forces/planetary_train", "simulate/multipliers/four-bar"),
        ],
        3,
        3,
    ),
)
def test_cases_run(name):
    assert seconds(dict(cases())[name](), 1) > 0
