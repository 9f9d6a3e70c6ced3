"""Tracers of many linkages at once: against the law of cosines, `Mechanism.solve` and differences."""

from __future__ import annotations

import numpy as np
import pytest
from known import drawn

from structkin.design.loops import KINDS, FourBars, SliderCranks, jacobian, traced


def some(kind, count=200):
    """Return linkages that are closed at five crank angles each, away from dead centres."""
    rng = np.random.default_rng(7)
    x, theta, mode = (
        kind.drawn(rng.uniform(size=(6, count))),
        rng.uniform(0, 6, (5, count)),
        rng.choice([-1.0, 1], count),
    )
    x = kind.moved(x, rng.uniform(0.5, 2, count) * np.exp(6j * rng.uniform(size=count)), rng.normal(size=count) + 0.3j)
    kept = traced(kind, x, mode, theta)[1].min(axis=0) > 0.1
    return x[:, kept], mode[kept], theta[:, kept]


def test_a_tracer_is_where_the_law_of_cosines_says():
    x, mode, theta = some(FourBars)
    points, _ = traced(FourBars, x, mode, theta)
    assert points.shape[2] > 20
    for k in range(points.shape[2]):
        A, D = complex(*x[:2, k]), complex(*x[2:4, k])
        ground, turned = abs(D - A), np.angle(D - A)
        crank, coupler, rocker = np.exp(x[4:7, k])
        z = drawn(theta[:, k] - turned, ground, crank, coupler, rocker, complex(*x[7:, k]), mode[k])
        np.testing.assert_allclose(points[0, :, k] + 1j * points[1, :, k], A + z * np.exp(1j * turned), atol=1e-12)


def test_the_pin_of_a_slider_crank_is_on_its_guide():
    x, mode, theta = some(SliderCranks)
    tracer = x.copy()
    tracer[-2:] = np.exp(x[5]), 0 * x[5]  # C itself
    C, _ = traced(SliderCranks, tracer, mode, theta)
    B, _ = traced(SliderCranks, np.concatenate((x[:-2], 0 * x[-2:])), mode, theta)
    across = np.cos(x[2]) * (C[1] - x[1]) - np.sin(x[2]) * (C[0] - x[0])
    np.testing.assert_allclose(across, np.broadcast_to(x[3], across.shape), atol=1e-12)
    np.testing.assert_allclose(np.hypot(*(C - B)), np.broadcast_to(np.exp(x[5]), across.shape), rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_derivatives_are_those_of_differences(kind):
    x, mode, theta = some(kind)
    _, _, J = jacobian(kind, x, mode, theta)
    h = 1e-6
    for row in range(kind.size + 1):
        places = []
        for step in (h, -h):
            y, angle = x.copy(), theta + step * (row == kind.size)
            y[row : row + 1] += step
            places.append(traced(kind, y, mode, angle)[0])
        np.testing.assert_allclose(J[:, row], (places[0] - places[1]) / (2 * h), atol=2e-7)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_a_similarity_and_a_mirror_move_the_tracer_with_the_linkage(kind):
    x, mode, theta = some(kind)
    points, _ = traced(kind, x, mode, theta)
    z, by = points[0] + 1j * points[1], 1.7 * np.exp(0.4j)
    turned, _ = traced(kind, kind.moved(x, np.full(len(mode), by), np.full(len(mode), 2 - 1j)), mode, theta + 0.4)
    np.testing.assert_allclose(turned[0] + 1j * turned[1], by * z + 2 - 1j, atol=1e-12)
    flat, _ = traced(kind, kind.mirrored(x, np.ones(len(mode), bool)), kind.mirror * mode, -theta)
    np.testing.assert_allclose(flat[0] - 1j * flat[1], z, atol=1e-12)
