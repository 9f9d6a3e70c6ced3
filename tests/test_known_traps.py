"""Cases that programs of this kind are known to get wrong silently; each is reported, or right."""

from __future__ import annotations

import math
import re
import time

import numpy as np
import pytest

import structkin as sk

TURN = 2 * math.pi


def four_bar(ground=4.0, crank=1.0, coupler=3.5, rocker=3.0, **more):
    """An open four-bar, drawn at a crank angle of 90 degrees."""
    reach = math.hypot(ground, crank)
    along = (coupler**2 - rocker**2 + reach**2) / (2 * reach)
    place = complex(0, crank) + complex(ground, -crank) / reach * complex(along, math.sqrt(coupler**2 - along**2))
    data = {
        "points": {"A": (0, 0), "B": (0, crank), "C": (place.real, place.imag), "D": (ground, 0)},
        "links": {"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        "drivers": {"motor": {"joint": "A", "speed": 1.0}},
    }
    for section, entries in more.items():
        data[section] = {**data.get(section, {}), **entries}
    return sk.Mechanism(**data)


def test_a_grashof_crank_turns_the_full_circle_in_one_mode():
    motion = four_bar().solve(samples=361)
    assert motion.ok.all() and motion.residual().max() < 1e-13
    B, C, D = (motion.position(point) @ (1, 1j) for point in "BCD")
    np.testing.assert_allclose(abs(C - B), 3.5, rtol=1e-13)
    np.testing.assert_allclose(abs(C - D), 3.0, rtol=1e-13)
    # Always on one side of the line B-D: no clipped and no crossed pose.
    side = ((C - B) * np.conj(D - B)).imag
    assert (side > 0).all()
    assert motion.angle("crank")[-1] - motion.angle("crank")[0] == pytest.approx(TURN)
    np.testing.assert_allclose(motion.position("C")[-1], motion.position("C")[0], atol=1e-13)


@pytest.mark.parametrize("lengths", [(4.0, 2.0, 1.5, 2.5), (4.0, 3.0, 1.5, 2.9), (2.0, 4.5, 3.0, 3.0)])
def test_a_crank_that_cannot_turn_has_its_reachable_poses_and_no_others(lengths):
    ground, crank, coupler, rocker = lengths
    turned = sk.Mechanism(
        points={"A": (0, 0), "B": (crank, 0), "C": (ground, rocker), "D": (ground, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        lengths={"B-C": coupler, "D-C": rocker},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    angles = np.linspace(0, TURN, 3601)
    motion = turned.solve(drivers={"motor": angles})
    span = abs(crank * np.exp(1j * angles) - ground)
    reachable = (span <= coupler + rocker) & (span >= abs(coupler - rocker))
    edge = np.minimum(abs(span - coupler - rocker), abs(span - abs(coupler - rocker))) < 1e-9
    assert 0 < reachable.sum() < len(angles)
    assert (motion.ok == reachable)[~edge].all()
    # Without a pose there are no numbers, and the crank is at its prescribed angle.
    assert np.isnan(motion.position("C")[~motion.ok]).all()
    np.testing.assert_allclose(motion.position("B") @ (1, 1j), crank * np.exp(1j * angles), atol=1e-13)
    np.testing.assert_allclose(
        np.hypot(*(motion.position("C") - motion.position("B"))[motion.ok].T), coupler, rtol=1e-12
    )
    with pytest.raises(sk.PoseError):
        turned.solve(drivers={"motor": angles}, strict=True)


def test_an_extra_bar_is_not_dropped():
    extra = {"links": {"bar": ["M", "N"]}, "points": {"M": (2, -1), "N": (2, 2)}}
    m = four_bar(**extra)
    assert m.structure().under == ("bar",)
    with pytest.raises(sk.StructureError, match="bar"):
        m.solve(samples=5)


def test_a_bar_that_stiffens_the_loop_is_reported():
    """A diagonal makes the four-bar a truss: its driver has nothing left to drive."""
    motor = {"joint": "A", "links": ["ground", "crank"], "speed": 1.0}
    m = four_bar(links={"diagonal": ["A", "C"]}, drivers={"motor": motor})
    structure = m.structure()
    assert structure.mobility == 0 and structure.over
    with pytest.raises(sk.StructureError, match=r"too many|over|driver"):
        m.solve(samples=5)


def test_a_brace_is_named_and_not_the_motor():
    """With A, B and D in a triangle the crank is fixed; without the brace it is a four-bar of mobility 1."""
    braced = four_bar(links={"brace": ["B", "D"]})
    (problem,) = braced.structure().diagnostics
    assert (problem.key, problem.hint) == ("links.brace", "remove it")
    assert problem.message.startswith("link brace makes the mechanism rigid: driver motor repeats what A, B, D")
    assert four_bar().structure().is_solvable


def test_links_of_which_each_may_be_the_brace_are_all_named():
    """Without any of the three links at C, the rest moves with the crank."""
    motor = {"joint": "A", "links": ["ground", "crank"], "speed": 1.0}
    m = four_bar(links={"diagonal": ["A", "C"]}, drivers={"motor": motor})
    (problem,) = m.structure().diagnostics
    assert problem.key == "drivers.motor" and "or without one of the links" in problem.hint
    named = problem.hint.rpartition("links ")[2].split(", ")
    assert sorted(named) == ["coupler", "diagonal", "rocker"]
    for link in named:
        data = m.source_dict
        del data["links"][link]
        assert sk.Mechanism.from_dict(data).structure().is_solvable


@pytest.mark.parametrize(
    ("ends", "key", "hint"),
    [
        (["A", "D"], "links.brace", "remove it"),  # a triangle: the right crank is fixed whatever drives the left one
        (["B", "D"], "drivers.other", "remove driver other, .*, or without link brace"),
        (["A", "C"], "drivers.other", "remove driver other, .*, or without link brace"),
        (None, "drivers.third", "remove driver third, or drive something that can still move"),
    ],
)
def test_a_brace_over_a_mechanism_of_two_drivers_is_named(ends, key, hint):
    """Without it the five-bar has both inputs again; without `up` or `down` a link would hang loose."""
    data = five_bar(other={"joint": "E", "links": ["ground", "right"], "speed": 0.1}).source_dict
    data["drivers"]["motor"]["links"] = ["ground", "left"]
    assert sk.Mechanism.from_dict(data).structure().is_solvable
    if ends:
        data["links"]["brace"] = ends
    else:
        data["drivers"]["third"] = {"joint": "B", "speed": 0.1}
    (problem,) = sk.Mechanism.from_dict(data).structure().diagnostics
    assert problem.key == key and re.fullmatch(hint, problem.hint)


def five_bar(**more):
    return sk.Mechanism(
        points={"A": (0, 0), "B": (-1, 2), "C": (1.5, 4), "D": (4, 2), "E": (3, 0)},
        links={"ground": ["A", "E"], "left": ["A", "B"], "up": ["B", "C"], "down": ["C", "D"], "right": ["E", "D"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}, **more},
    )


def test_a_five_bar_with_one_input_has_no_pose():
    m = five_bar()
    assert m.structure().mobility == 2
    with pytest.raises(sk.StructureError, match="driver") as error:
        m.solve(samples=5)
    assert any(link in str(error.value) for link in ("up", "down", "right"))
    assert five_bar(other={"joint": "E", "speed": 0.0}).solve(samples=5, duration=1.0).ok.any()


def test_three_equal_cranks_move():
    """Too many constraints by counting; the cranks are parallel and equally long, so it still moves."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0.6, 0.8), "D": (2, 0), "E": (2.6, 0.8), "F": (5, 0), "G": (5.6, 0.8)},
        links={"ground": ["A", "D", "F"], "first": ["A", "B"], "second": ["D", "E"], "third": ["F", "G"],
               "bar": ["B", "E", "G"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
    motion = m.solve(samples=181)
    assert motion.ok.all() and motion.residual().max() < 1e-9
    for crank in ("second", "third"):
        np.testing.assert_allclose(motion.angle(crank), motion.angle("first"), atol=1e-9)


@pytest.mark.parametrize("samples", [181, 361, 7])
def test_a_parallelogram_stays_one_through_its_flat_poses(samples):
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (3, 1), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["D", "C"]},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )
    motion = m.solve(samples=samples)
    assert motion.ok.all()
    np.testing.assert_allclose(motion.angle("coupler"), 0, atol=1e-12)
    np.testing.assert_allclose(motion.omega("rocker"), 1, atol=1e-9)


@pytest.mark.parametrize("dyads", [17, 71, 200])
def test_a_long_row_of_four_bars_does_not_drift(dyads):
    """All lengths 6, pivots 6 apart: the motion of the crank of 2 is passed on as in a parallelogram, dyad by dyad."""
    points, links = {"D0": (0, 0), "C0": (0, 2)}, {"ground": ["D0"], "link0": ["D0", "C0"]}
    place = 2j
    for k in range(1, dyads + 1):
        span = 6.0 * k - place
        place += 0.5 * span + 1j * span / abs(span) * math.sqrt(36 - abs(span) ** 2 / 4)
        points |= {f"D{k}": (6 * k, 0), f"C{k}": (place.real, place.imag)}
        links |= {f"bar{k}": [f"C{k - 1}", f"C{k}"], f"link{k}": [f"D{k}", f"C{k}"]}
        links["ground"].append(f"D{k}")
    m = sk.Mechanism(points=points, links=links, drivers={"motor": {"joint": "D0", "speed": 1.0}})
    motion = m.solve(samples=91)
    assert motion.ok.all() and motion.residual().max() < 1e-12
    place = motion.position("C0") @ (1, 1j)
    for k in range(1, dyads + 1):
        span = 6.0 * k - place
        place = place + 0.5 * span + 1j * span / abs(span) * np.sqrt(36 - abs(span) ** 2 / 4)
    np.testing.assert_allclose(motion.position(f"C{dyads}") @ (1, 1j), place, atol=1e-9)


def test_many_floating_links_are_reported_at_once():
    """Links without joints: their structure takes no longer than others, and all are named."""
    points, links = {"A": (0, 0), "B": (1, 0)}, {"ground": ["A"], "crank": ["A", "B"]}
    for k in range(300):
        points |= {f"P{k}": (k, 5), f"Q{k}": (k, 6)}
        links[f"loose{k}"] = [f"P{k}", f"Q{k}"]
    began = time.process_time()
    structure = sk.Mechanism(points=points, links=links, drivers={"motor": {"joint": "A", "speed": 1}}).structure()
    assert structure.mobility == 901 and len(structure.under) == 300
    assert time.process_time() - began < 60  # not exponential: that would be years
