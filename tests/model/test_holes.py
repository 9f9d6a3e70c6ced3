"""Holes of a link beside their points: as if the link had another length, in every method; the errors."""

from __future__ import annotations

import numpy as np
import pytest

import structkin as sk

POINTS = {"A": (0, 0), "B": (0.03, 0.04), "C": (0.18, 0.01), "P": (0.1, 0.05)}
LINKS = {"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C", "P"], "ram": ["C"]}


def slider_crank(holes=None, more=(), **sections):
    links = {**LINKS, "crank": {"points": ["A", "B"], **({} if holes is None else {"holes": holes})}}
    return sk.Mechanism(
        points={**POINTS, **dict(more)}, links=links,
        joints={"guide": {"type": "prismatic", "links": ["ram", "ground"], "at": "C", "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}}, **sections,
    )  # fmt: skip


@pytest.mark.parametrize("method", ["topological", "global", "global-sparse"])
def test_a_hole_beside_its_point_moves_the_pin_in_the_frame_of_its_link(method):
    """The pin turns with the crank, by the same angle: x = |b| cos(q + q0) + sqrt(l^2 - (|b| sin(q + q0) - e)^2)."""
    hole = np.array([0.0312, 0.0397])
    m = slider_crank({"B": "B1"}, {"B1": hole})
    q = np.linspace(0, 2 * np.pi, 37)
    motion = m.solve(drivers={"motor": q}, method=method)
    along = np.arctan2(0.04, 0.03)
    pin = (hole[0] + 1j * hole[1]) * np.exp(1j * (q - along))
    np.testing.assert_allclose(motion.position("B"), np.stack((pin.real, pin.imag), axis=1), atol=1e-13)
    l_squared = 0.15**2 + 0.03**2
    x = pin.real + np.sqrt(l_squared - (pin.imag - 0.01) ** 2)
    np.testing.assert_allclose(motion.position("C")[:, 0], x, atol=1e-13)


def test_frame_lengths_and_masses_are_those_of_the_points():
    m = slider_crank({"B": "B1"}, {"B1": (0.0312, 0.0397)}, lengths={"A-B": 0.06})
    local = m.links["crank"].local
    assert local["A"] == 0
    turned = complex(0.0012, -0.0003) * np.exp(-1j * np.arctan2(0.04, 0.03))
    np.testing.assert_allclose(local["B"], 0.06 + turned, atol=1e-15)
    with_mass = sk.Mechanism(
        points={**POINTS, "B1": (0.04, 0.04)}, drivers={"motor": {"joint": "A", "speed": 1.0}},
        links={"ground": ["A"], "crank": {"points": ["A", "B"], "shape": "rod", "mass": 2, "holes": {"B": "B1"}},
               "rod": ["B", "C", "P"], "ram": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["ram", "ground"], "at": "C", "axis": [1, 0]}},
    )  # fmt: skip
    np.testing.assert_allclose(with_mass.links["crank"].center, 0.025, rtol=1e-13)


def test_many_variants_and_derivatives_by_the_place_of_a_hole():
    m = slider_crank({"B": "B1"}, {"B1": POINTS["B"]})
    t = np.linspace(0, 6, 7)
    names, h = ["points.B1.x", "points.B1.y"], 1e-6
    found = m.solve_many(t=t, parameters={names[0]: [0.03 + h, 0.03 - h, 0.03, 0.03],
                                          names[1]: [0.04, 0.04, 0.04 + h, 0.04 - h]})  # fmt: skip
    assert not found.motions
    P = found.position("P")
    slopes = np.stack((P[0] - P[1], P[2] - P[3]), axis=-1) / (2 * h)
    np.testing.assert_allclose(m.solve(t=t).sensitivity("P", to=names), slopes, atol=1e-8)


def test_every_mistake_is_listed():
    with pytest.raises(sk.InputError) as caught:
        slider_crank({"Q": "B1", "B": 3, "A": "B2"}, {"B1": (0, 0)})
    assert [problem.key for problem in caught.value.problems] == [
        "points.B1", "links.crank.holes.Q", "links.crank.holes.B", "links.crank.holes.A"
    ]  # fmt: skip
    with pytest.raises(sk.InputError, match=r"links.crank.holes: expected a table of points"):
        slider_crank(["B"])


def test_a_point_of_a_hole_is_renamed_and_deleted_with_what_names_it():
    from structkin.studio import references

    data = slider_crank({"B": "B1"}, {"B1": POINTS["B"]}).source_dict
    references.rename(data, "points", "B1", "hole")
    references.rename(data, "points", "B", "pin")
    assert data["links"]["crank"]["holes"] == {"pin": "hole"} and "hole" in data["points"]
    references.delete(data, "points", "hole")
    assert data["links"]["crank"]["holes"] == {}
    sk.Mechanism.from_dict(data)
    data = slider_crank({"B": "B1"}, {"B1": POINTS["B"]}).source_dict
    references.delete(data, "links", "crank")
    assert "B1" not in data["points"]
