"""Planar mechanisms by small steps against the reduced equations, and jumps: small versions of the studies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from structkin.bench import spatial
from structkin.studies import jumps, small_steps


@pytest.mark.parametrize("case", [small_steps.four_bar, small_steps.andrews])
def test_stiffer_joints_converge_to_the_reduced_motion_at_first_order(case):
    case = case()
    few = replace(case, frequencies=case.frequencies[1:3])
    soft, stiff = small_steps.convergence(few, case.duration / 15e3 if case.name == "Andrews" else 4e-6, 21)
    assert np.log2(soft.error / stiff.error) / 2 == pytest.approx(1, abs=0.2)
    assert stiff.stepping < stiff.error / 10


@pytest.mark.slow
@pytest.mark.parametrize("case", [small_steps.four_bar, small_steps.slider_crank, small_steps.andrews])
def test_the_whole_study(case):
    found = small_steps.convergence(case())
    orders = [np.log2(a.error / b.error) / 2 for a, b in zip(found[-3:-1], found[-2:], strict=True)]
    assert orders == pytest.approx([1, 1], abs=0.06)
    assert all(one.stepping < one.error / 10 for one in found)


@pytest.mark.parametrize("jump", jumps.JUMPS)
def test_jumps_do_not_change_the_order_of_small_steps(jump):
    found = jumps.runs(jump, (1e-3, 1e-5), (1e-6,))
    coarse, fine, *others = found
    assert fine.error < coarse.error / 30 and fine.error < 3e-4
    located = next(one for one in others if "located" in one.method)
    assert located.error < 1e-5
    if jump == jumps.JUMPS[0]:  # rejected trial steps break the spring
        assert min(one.error for one in others if one is not located) > 1e-3


def test_the_bench_counts_operations_and_measures():
    found = spatial.measure(spatial.chain(3), work=3000, runs=1)
    assert found.pace > 1e4
    free = spatial.operations(spatial.packed_of(replace(spatial.chain(1), joints={})))
    one = spatial.operations(spatial.packed_of(spatial.chain(1)))
    two = spatial.operations(spatial.packed_of(spatial.chain(2)))
    assert two == 2 * one and 100 < free < 250 < one < 600
