"""Tracers of many linkages at once: against the law of cosines, `Mechanism.solve` and differences."""

from __future__ import annotations

import numpy as np
import pytest
from cases import few
from known import drawn
from known_six_bars import mechanism

import structkin as sk
from structkin.design.any_topology import AnyLinkage
from structkin.design.loops import KINDS, FourBars, SliderCranks

#: A shaper: a crank with a block in a slotted lever, which drives a ram along a guide.
SHAPER = sk.Mechanism(
    "Shaper",
    points={"A": (0, 50), "B": (0, 150), "C": (0, 0), "E": (0, -80), "F": (150, 0)},
    links={"ground": ["A", "C"], "crank": ["A", "B"], "lever": ["C", "E"], "rod": ["E", "F"], "ram": ["F"]},
    joints={
        "slot": {"type": "pin-in-slot", "pin": "B", "slot": "lever", "along": ["C", "E"]},
        "guide": {"type": "prismatic", "links": ["ram", "ground"], "at": "F", "axis": [1, 0]},
    },
    drivers={"motor": {"joint": "A", "speed": 1.0}},
)
EVERY = {
    **KINDS,
    "Watt I": AnyLinkage(mechanism("Watt I"), "P"),
    "Stephenson I": AnyLinkage(mechanism("Stephenson I"), "P"),
    "shaper": AnyLinkage(SHAPER, "F"),
    "swing": AnyLinkage(sk.load(sk.examples.path("watt_six_bar")), "F"),  # its own pose closes in one mode only
    "geared five-bar": AnyLinkage(sk.load(sk.examples.path("geared_five_bar")), "P"),
    "triad": AnyLinkage(sk.load(sk.examples.path("stephenson_iii_triad")), "M"),
    "double triad": AnyLinkage(sk.load(sk.examples.path("eight_bar_double_triad")), "C"),
}


def some(kind, count=200):
    """Return linkages that are closed at five crank angles each, away from dead centres."""
    rng = np.random.default_rng(7)
    x, drawn_mode = kind.drawn(rng.uniform(size=(kind.numbers, count)))
    theta, mode = rng.uniform(0, 6, (5, count)), rng.choice([-1.0, 1], drawn_mode.shape)
    x = kind.moved(x, rng.uniform(0.5, 2, count) * np.exp(6j * rng.uniform(size=count)), rng.normal(size=count) + 0.3j)
    kept = kind.traced(x, mode, theta)[1].min(axis=0) > 0.1
    return x[:, kept], mode[..., kept], theta[:, kept]


def test_a_tracer_is_where_the_law_of_cosines_says():
    x, mode, theta = some(FourBars)
    points, _ = FourBars.traced(x, mode, theta)
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
    C, _ = SliderCranks.traced(tracer, mode, theta)
    B, _ = SliderCranks.traced(np.concatenate((x[:-2], 0 * x[-2:])), mode, theta)
    across = np.cos(x[2]) * (C[1] - x[1]) - np.sin(x[2]) * (C[0] - x[0])
    np.testing.assert_allclose(across, np.broadcast_to(x[3], across.shape), atol=1e-12)
    np.testing.assert_allclose(np.hypot(*(C - B)), np.broadcast_to(np.exp(x[5]), across.shape), rtol=1e-12)


@pytest.mark.parametrize("kind", few(EVERY.values(), 4), ids=EVERY)
def test_derivatives_are_those_of_differences(kind):
    x, mode, theta = some(kind)
    _, _, J = kind.jacobian(x, mode, theta)
    h = 1e-6
    for row in range(kind.size + 1):
        places = []
        for step in (h, -h, 2 * h, -2 * h):  # triads may be close to a fold, where differences of two are too coarse
            y, angle = x.copy(), theta + step * (row == kind.size)
            y[row : row + 1] += step
            places.append(kind.traced(y, mode, angle)[0])
        slope = (8 * (places[0] - places[1]) - (places[2] - places[3])) / (12 * h)
        np.testing.assert_allclose(J[:, row], slope, atol=2e-7)


@pytest.mark.parametrize("kind", EVERY.values(), ids=EVERY)
def test_a_similarity_and_a_mirror_move_the_tracer_with_the_linkage(kind):
    x, mode, theta = some(kind)
    points, _ = kind.traced(x, mode, theta)
    z, by = points[0] + 1j * points[1], 1.7 * np.exp(0.4j)
    turned, _ = kind.traced(kind.moved(x, np.full(x.shape[1], by), np.full(x.shape[1], 2 - 1j)), mode, theta + 0.4)
    _assert_alike(kind, turned[0] + 1j * turned[1], by * z + 2 - 1j)
    flat, _ = kind.traced(kind.mirrored(x, np.ones(x.shape[1], bool)), kind.mirror * mode, -theta)
    _assert_alike(kind, flat[0] - 1j * flat[1], z)


def _assert_alike(kind, one, other):
    """Assert that places are the same. A pose that is followed, and almost lost, may be lost in one of both."""
    both = np.isfinite(one) & np.isfinite(other)
    np.testing.assert_allclose(one[both], other[both], atol=1e-12)
    assert both.all() or (kind in (EVERY["triad"], EVERY["double triad"]) and both.mean() > 0.95)


@pytest.mark.parametrize("name", ["Watt I", "Stephenson I", "shaper", "geared five-bar"])
def test_in_every_pose_the_links_have_the_lengths_of_the_drawing(name):
    """The crank has the direction of its angle, too: both follow from places alone."""
    kind = EVERY[name]
    x, mode, theta = some(kind)
    places, lengths = dict(zip(kind.points, kind.placed(x, mode, theta), strict=True)), kind.lengths(x)[0]
    own = kind.named_lengths(EVERY[name].built(x[:, :1], mode[:, :1], theta[:, :1], 1.0, 1.0))
    for k, (pair, length) in enumerate(own.items()):
        one, other = pair.split("-")
        np.testing.assert_allclose(np.log(np.abs(places[other] - places[one])), np.tile(lengths[k], (5, 1)), atol=1e-9)
        assert np.log(length) == pytest.approx(lengths[k, 0])
    crank = places["B"] - places["A"]
    np.testing.assert_allclose(crank / np.abs(crank), np.exp(1j * theta), atol=1e-12)
    points, _ = kind.traced(x, mode, theta)
    np.testing.assert_array_equal(points[0] + 1j * points[1], places[kind.point])


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "Watt I", "Stephenson I"])
def test_lengths_reach_to_the_tracer_and_their_derivatives_are_those_of_differences(name):
    kind = EVERY[name]
    x, mode, theta = some(kind)
    lengths, J = kind.lengths(x)
    if name in KINDS:
        pins, tracer = kind.pins(x, mode, theta), kind.traced(x, mode, theta)[0]
        apart = [np.log(np.hypot(*(tracer - pin)[:, 0])) for pin in pins]
    else:
        places = dict(zip(kind.points, kind.placed(x, mode, theta)[:, 0], strict=True))
        (link,) = (link for link in kind.sections["links"].values() if kind.point in link)
        apart = [np.log(np.abs(places[kind.point] - places[pin])) for pin in link if pin != kind.point]
    for one in apart:
        assert np.abs(lengths - one).max(axis=1).min() < 1e-9
    for row in range(kind.size):
        h = 1e-6 * (np.arange(kind.size) == row)[:, None]
        np.testing.assert_allclose(J[:, row], (kind.lengths(x + h)[0] - kind.lengths(x - h)[0]) / 2e-6, atol=1e-6)


@pytest.mark.parametrize("name", ["Watt I", "Stephenson I", "shaper", "geared five-bar"])
def test_the_least_discriminant_and_its_derivatives_are_those_of_differences(name):
    kind = EVERY[name]
    x, mode, theta = some(kind)
    closing, J = kind.closing_rates(x, mode, theta)
    np.testing.assert_allclose(closing, kind.traced(x, mode, theta)[1], rtol=1e-12)
    h = 1e-7
    for row in range(kind.size):
        step = h * (np.arange(kind.size) == row)[:, None]
        ends = [kind.closing_rates(x + sign * step, mode, theta)[0] for sign in (1, -1)]
        np.testing.assert_allclose(J[:, row], (ends[0] - ends[1]) / (2 * h), rtol=1e-4, atol=1e-4)
