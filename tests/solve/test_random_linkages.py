"""Linkages drawn at random: with guides, that turn fully, and none nearly the same as another."""

import numpy as np
import pytest

import structkin as sk


def test_random_sliders_turn_fully_if_asked_and_seeds_repeat():
    """Without sliders a seed draws what it drew before there were any."""
    linkages = sk.Linkages.random(300, 9, seed=4, turning=True, sliders=0.4)
    assert np.isfinite(linkages.slides[..., 0]).any(axis=1).mean() > 0.7
    assert sk.solve_batch(linkages.take(slice(12)), angles=np.linspace(0, 2 * np.pi, 60)).ok.all()
    kinds = {group.kind for k in range(10) for group in linkages.mechanism(k).structure().groups}
    assert kinds == {"driven R", "RRR", "RRP"}
    again = sk.Linkages.random(300, 9, seed=4, turning=True, sliders=0.4)
    np.testing.assert_array_equal(again.points, linkages.points)
    assert sk.Linkages.random(3, 5, seed=3).slides is None


def distances(linkages):
    """Return all distances of pairs of one topology, each aligned and scaled by itself: the second road."""
    found = []
    for k in range(len(linkages)):
        for other in range(k):
            if not (linkages.adjacency[k] == linkages.adjacency[other]).all():
                continue
            if not (linkages.fixed[k] == linkages.fixed[other]).all():
                continue
            pair = []
            for points in (linkages.points[k], linkages.points[other]):
                angle = np.arctan2(*(points[2] - points[0])[::-1])
                turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
                moved = (points - points.mean(axis=0)) @ turn.T
                pair.append(moved / np.sqrt((moved**2).sum(axis=1).mean()))
            found.append(np.sqrt(((pair[0] - pair[1]) ** 2).sum(axis=1).mean()))
    return np.array(found)


def test_random_linkages_are_apart_if_asked():
    near, far = (distances(sk.Linkages.random(60, 4, seed=2, apart=apart)) for apart in (0.0, 0.15))
    assert near.min() < 0.15 and far.min() >= 0.15
    with pytest.raises(sk.InputError, match="are so far apart"):
        sk.Linkages.random(200, 4, apart=0.5)
    with pytest.raises(sk.InputError, match="2 errors"):
        sk.Linkages.random(2, 5, apart=1.5, sliders=-1.0)


def test_a_guide_is_the_same_either_way_along_it():
    """One drawn at 0.1 was far from one at 0.1 less half a turn: two that were apart were nearly the same."""
    made = sk.Linkages.random(400, 4, seed=1, sliders=1.0, apart=0.15)
    z, ground = made.places, made.places[:, 2] - made.places[:, 0]
    z = (z - z.mean(axis=1)[:, None]) / (ground / abs(ground))[:, None]
    z /= np.sqrt(np.mean(abs(z) ** 2, axis=1))[:, None]
    along = made.slides[:, 3, 0] - np.angle(ground)
    turned = abs((along[:, None] - along + np.pi / 2) % np.pi - np.pi / 2)
    distance = np.sqrt(np.mean(abs(z[:, None] - z) ** 2, axis=2) + turned**2 / 4)
    same = (made.adjacency[:, None] == made.adjacency).all(axis=(2, 3))
    assert distance[same & ~np.eye(400, dtype=bool)].min() > 0.15
