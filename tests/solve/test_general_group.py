"""The general group against the closed forms, and its derivatives against complex steps."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from cases import few
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from random_mechanisms import DRIVEN, DYADS, GEARED, OTHERS, Case, build, slotted_p, slotted_r
from whole_system import WholeSystem, unknowns_of

import structkin as sk
from structkin.examples import path
from structkin.groups import General
from structkin.plan import closed_forms
from structkin.plan import compile as compiling
from structkin.plan.plan import Register, Step
from structkin.plan.status import Status
from structkin.solve import Motion, compile_plan
from structkin.solve.tracking import track, unpacked
from structkin.solve.tracking.group_solvers import group_solver_of

seeds = st.integers(0, 2**31 - 1)
quiet = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "phases": [Phase.generate],
    "suppress_health_check": [HealthCheck.too_slow],
}


def without_closed_forms(mechanism: Any, **options: Any) -> Motion:
    """Solve every group by the general solver."""
    # a new mechanism, as a mechanism keeps its plan
    mechanism = sk.Mechanism.from_dict(mechanism.source_dict)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiling, "solve_closed", lambda *arguments: None)
        motion = mechanism.solve(**options)
    kinds = [step.kind for step in motion.plan.steps]
    # steps that only prepare the inputs of a group do not count
    assert all(isinstance(kind, General) or type(kind).__module__.endswith("relations") for kind in kinds)
    return motion


def check_both_solvers(case: Case) -> Counter[str]:
    """Closed forms and the general solver give the same motion."""
    mechanism = case.mechanism()
    t = np.linspace(0, case.duration, 9)
    closed, general = mechanism.solve(t=t), without_closed_forms(mechanism, t=t)
    assert not closed.plan.tracked
    system = WholeSystem(mechanism)
    both = closed.ok & general.ok
    seen = Counter(mechanisms=1, samples=len(t), common=int(both.sum()), not_ok=int((~closed.ok).sum()))
    if both.any():
        q = unknowns_of(system, closed, 0)[:, both]
        clarity = np.linalg.svd(system.jacobian(q), compute_uv=False)[:, -1]
        near = np.maximum(1.0, 3e-3 / clarity)
        unit = np.tile([system.size, system.size, 1.0], len(system.moving))[:, None]
        for order in range(3):
            a, b = (unknowns_of(system, motion, order)[:, both] / unit for motion in (closed, general))
            gap = a - b
            if order == 0:
                gap[2::3] = np.remainder(gap[2::3] + np.pi, 2 * np.pi) - np.pi
            scale = np.maximum(np.max(np.abs(a), axis=0), 1.0)
            assert np.all(np.max(np.abs(gap), axis=0) <= 1e-10 * scale * near ** (1 + order)), order
    # beyond a gap a dyad keeps its mode; continuation has to find a path, and may fail
    assert not np.any(general.ok & ~closed.ok), (closed.report, general.report)
    upto = int(np.argmin(np.append(closed.ok, False))) + 1
    assert np.array_equal(closed.failed_group[:upto], general.failed_group[:upto]), (closed.report, general.report)
    seen["not found again behind a gap"] += int(np.sum(closed.ok & ~general.ok))
    return seen


@settings(max_examples=6, **quiet)
@given(seed=seeds)
def test_closed_forms_agree_with_the_general_solver(seed):
    check_both_solvers(build(seed, 2, menu=(*DRIVEN, *DYADS)))


@settings(max_examples=5, **quiet)
@given(seed=seeds, elements=st.integers(1, 2))
def test_pins_in_straight_slots_have_closed_forms(seed, elements):
    """A pinned or guided link whose pin runs in a known slot, or whose slot takes a known pin."""
    assert check_both_solvers(build(seed, elements, menu=(slotted_r, slotted_p)))["mechanisms"] == 1


@pytest.mark.slow
def test_many_closed_forms_agree_with_the_general_solver(record_property):
    seen = Counter()
    for seed in range(200):
        case = build(30_000_000 + seed, seed % 4, menu=(*DRIVEN, *DYADS))
        try:
            seen += check_both_solvers(case)
        except Exception as error:
            raise AssertionError(f"build({case.seed}, {seed % 4}, menu=(*DRIVEN, *DYADS)): {error}") from error
    for name, count in sorted(seen.items()):
        record_property(name, count)


# --- derivatives ----------------------------------------------------------------------------------------------

TINY = 1e-30


def general_steps(motion: Motion) -> list[tuple[Step, tuple[Any, ...], tuple[Any, ...]]]:
    """The general steps of a motion with their inputs and unknowns at its ok samples."""
    x = motion.lanes.x[0][:, motion.ok]

    def value(operand: Any) -> Any:
        if isinstance(operand, Register):
            rows = x[motion.plan.rows(operand.index)]
            return rows if len(rows) == 2 else rows[0]
        return operand if isinstance(operand, float) else np.array([[operand.real], [operand.imag]])

    out = []
    for step in motion.plan.steps:
        if isinstance(step.kind, General):
            phi = tuple(value(Register(slot)) for slot in step.outputs)
            out.append((step, tuple(map(value, step.inputs)), phi))
    return out


def along(base: Any, direction: Any, amount: Any) -> Any:
    return tuple(a + amount * b for a, b in zip(base, direction, strict=True))


def first(form: Any, h: Any, phi: Any, dh: Any, dphi: Any) -> Any:
    """The derivative of the residual along a direction, by a complex step."""
    return [np.imag(row) / TINY for row in form.residual(along(h, dh, 1j * TINY), along(phi, dphi, 1j * TINY))]


def check_derivatives(form: Any, h: Any, phi: Any, rng: np.random.Generator, size: float) -> None:
    n = phi[0].shape[-1]

    def draw(values: Any) -> Any:
        return tuple(rng.uniform(-1, 1, np.broadcast_shapes(np.shape(x), (n,))) * size for x in values)

    assert all(np.max(np.abs(row)) <= 1e-12 * max(1.0, size**2) for row in form.residual(h, phi))
    count = form.rows.count + form.rows.links
    dh, g = draw(h), tuple(rng.uniform(-1, 1, (count, n)))
    dphi = form.linear(h, phi, dh, g)
    found = np.array([np.broadcast_to(row, (n,)) for row in first(form, h, phi, dh, dphi)])
    largest = max(1.0, *(np.max(np.abs(x)) for x in (*dh, *dphi)))
    np.testing.assert_allclose(found, g, rtol=0, atol=1e-12 * largest * max(1.0, size))
    v, w = ((draw(h), draw(phi)) for _ in range(2))
    # the rows are cubic at most: along v the first derivative is quadratic, and its central difference is exact
    up, down = (first(form, along(h, v[0], s), along(phi, v[1], s), *w) for s in (1.0, -1.0))
    exact = -0.5 * (np.array(np.broadcast_arrays(*up)) - np.array(np.broadcast_arrays(*down)))
    scale = max(1.0, np.max(np.abs(up)), np.max(np.abs(down)))
    for one, two in ((v, w), (w, v)):
        convective = np.array(np.broadcast_arrays(*form.convective(h, phi, *one, *two), np.zeros(n)))[:-1]
        np.testing.assert_allclose(convective, exact, rtol=0, atol=1e-13 * scale)


@pytest.mark.full
@settings(max_examples=25, **quiet)
@given(seed=seeds)
def test_derivatives_of_the_general_group(seed):
    case = build(seed, 2, menu=(*DRIVEN, *DYADS, *OTHERS, *OTHERS))
    mechanism = case.mechanism()
    motion = without_closed_forms(mechanism, t=np.linspace(0, 0.1 * case.duration, 3))
    rng = np.random.default_rng(seed)
    size = WholeSystem(mechanism).size
    steps = general_steps(motion)
    assert len(steps) == len(case.groups)
    if motion.ok.any():
        for step, h, phi in steps:
            check_derivatives(step.kind, h, phi, rng, size)


def test_general_tracks_through_the_plan_of_closed_forms():
    """Forcing the general solver changes the steps, not the structure."""
    mechanism = build(5, 2, menu=DYADS).mechanism()
    plan = compile_plan(mechanism)
    general = without_closed_forms(mechanism, t=[0.0]).plan
    assert not plan.tracked
    assert general.tracked
    assert [group.links for group in plan.structure.groups] == [group.links for group in general.structure.groups]


def far_from_its_sketch(scale):
    """A platform on three legs whose exact lengths differ much from the sketch."""
    points = {
        "A": (0, 0), "B": (0, 1.2), "P": (0.6, 3.0), "F": (5, -0.5), "Q": (3.4, 3.2), "G": (2, 7), "R": (2.0, 4.8),
    }  # fmt: skip
    size = {a: complex(*place) for a, place in points.items()}
    return sk.Mechanism(
        points=points,
        links={"ground": ["A", "F", "G"], "crank": ["A", "B"], "leg1": ["B", "P"], "leg2": ["F", "Q"],
               "leg3": ["G", "R"], "platform": ["P", "Q", "R"]},
        lengths={f"{a}-{b}": scale[k] * abs(size[a] - size[b]) for k, (a, b) in enumerate(("BP", "FQ", "GR"))},
        drivers={"motor": {"joint": "A", "law": f"{np.pi / 2!r} + 0.2*sin(t)"}},
        duration=6.0,
    )  # fmt: skip


@pytest.mark.parametrize("scale", [(1.3, 1.1, 0.9), (0.8, 1.25, 1.2), (1.0, 1.0, 1.3)])
def test_lengths_that_differ_from_the_sketch_are_reached_gradually(scale):
    """The pose does not depend on the sampling, and is the one reached by gradual change of the lengths."""
    m = far_from_its_sketch(scale)
    coarse, fine = m.solve(13), m.solve(121)
    assert coarse.ok.all() and fine.ok.all()
    np.testing.assert_allclose(coarse.position("R"), fine.position("R")[::10], atol=1e-10)
    place = None
    for part in np.linspace(0, 1, 9)[1:]:
        grown = far_from_its_sketch(tuple(1 + part * (x - 1) for x in scale)).solve(1)
        assert grown.ok.all()
        if place is not None:
            assert np.max(np.abs(grown.position("R") - place)) < 0.6
        place = grown.position("R")
    np.testing.assert_allclose(place, coarse.position("R")[:1], atol=1e-9)


def test_a_group_is_tracked_over_one_lane_or_none():
    """An earlier group is out of reach in all other lanes."""
    ((step, h, phi),) = general_steps(far_from_its_sketch((1.0, 1.0, 1.0)).solve(5))
    O, theta = (x[..., :1] for x in unpacked(step.kind, phi))
    moving = [row[:1] for x, value in zip(h, step.known, strict=True) if value is None for row in np.atleast_2d(x)]
    solver, found = group_solver_of(step.kind, step.known), np.empty((sum(map(len, map(np.atleast_2d, phi))), 1))
    assert track(solver, moving, O, theta, found)[0].tolist() == [Status.OK]
    np.testing.assert_allclose(found[:, 0], np.concatenate(phi)[:, 0], atol=1e-12)
    assert track(solver, [np.nan * row for row in moving], O, theta, found)[0].tolist() == [Status.OUT_OF_REACH]
    assert np.isnan(found).all()


def test_a_run_whose_first_samples_are_out_of_reach_finds_its_branch_later(monkeypatch):
    """The dyad before the group is out of reach at first: there is a gap between the sketch and the later samples."""
    monkeypatch.setattr(closed_forms, "solve_higher", lambda *_: None)  # its slot has a closed form
    case = build(64245, 3)
    motion = case.mechanism().solve(25, duration=case.duration)
    groups = motion.failed_group
    assert motion.plan.tracked and groups[0] == 1 and motion.ok[1:14].all() and (groups[14:] == 1).all()
    assert motion.residual()[motion.ok].max() < 1e-13
    later = case.mechanism().solve(t=motion.t[5:14])
    np.testing.assert_allclose(later.lanes.x[0], motion.lanes.x[0][:, 5:14], atol=1e-12)


@pytest.mark.parametrize(("seed", "elements"), [(321, 2), (2640, 3)])
def test_a_ram_at_the_pin_of_a_rod(seed, elements):
    """The ram names a link that is found later; in its group only a rod of two pins has this pin."""
    menu = (*GEARED, *GEARED, *DYADS, *DRIVEN) if seed == 321 else None
    motion = build(seed, elements, **({"menu": menu} if menu else {})).mechanism().solve(5)
    assert motion.residual()[motion.ok].max(initial=0.0) < 1e-11


@pytest.mark.parametrize("away", few([1e-5, 1e-6, 1e-8, 1e-10]))
def test_poses_near_a_limit_are_reached(away):
    """A group keeps its mode up to the limit position itself, where its pose is singular."""
    m = sk.load(path("platform_3rrr"))
    limit = m.limits("motor1").upper.value
    others = {id: np.full(3, drive.start) for id, drive in m.drivers.items() if id != "motor1"}
    motion = m.solve(drivers={"motor1": np.array([limit - away, limit, limit + away]), **others})
    assert motion.status.tolist() == [sk.Status.OK, sk.Status.SINGULAR, sk.Status.OUT_OF_REACH]
    assert motion.residual()[0] < 1e-14
    assert motion.classify(1).kind == "dead point"
    # Near a fold the links move with the square root of the driver's step.
    assert np.max(np.abs(motion.position("C1")[0] - motion.position("C1")[1])) < 10 * np.sqrt(away)


def crossed_arms(**on: str) -> sk.Mechanism:
    """Two arms whose slots cross at the pin of a rod and a wheel, which slides in a third slot of the ground."""
    slots = {"ground": (1, 0.9), "left": (1, 0.8), "right": (-1, 0.8)}
    joints = {
        f"in {link}": {"type": "pin-in-slot", "pin": "P", "slot": link, "axis": axis, **on}
        for link, axis in slots.items()
    }
    joints["end"] = {"type": "pin-in-slot", "pin": "Q", "slot": "ground", "axis": (1, 0)}
    return sk.Mechanism(
        points={"O": (0, 0), "U": (2, 0), "P": (1, 0.8), "Q": (2, 1.5)},
        links={"ground": ["O", "U"], "left": ["O"], "right": ["U"], "rod": ["P", "Q"], "wheel": ["P"]},
        joints=joints,
        drivers={"open": {"links": ["left", "right"], "law": "0.1*sin(t)"}, "turn": {"joint": "P", "speed": 1}},
    )


def test_a_pin_that_only_slots_place_is_named():
    """No link of the group is on the pin; where the slots act on one of its links, this is solved with the arms."""
    with pytest.raises(sk.InputError, match=r"points\.P: slots and cylinders .* with left and right;.*on = \"rod\""):
        crossed_arms().solve(5, duration=3)
    motion = crossed_arms(on="rod").solve(5, duration=3)
    left, right, pin = motion.angle("left"), motion.angle("right"), motion.position("P") @ (1, 1j)
    np.testing.assert_allclose(right - left, 0.1 * np.sin(motion.t), atol=1e-12)
    lines = ((0, 1 + 0.9j, 1 + 0.8j - pin), (left, 1 + 0.8j, pin), (right, -1 + 0.8j, pin - 2))
    for angle, axis, arm in lines:
        np.testing.assert_allclose((np.conj(axis * np.exp(1j * np.asarray(angle))) * arm).imag, 0, atol=1e-12)


@pytest.mark.parametrize("third", ["slot", "cylinder"])
def test_a_third_slot_at_one_point_does_not_hold_the_turn_of_a_link(third):
    """Three lines through one point fix no turn in any pose: the structure says so, and `solve` the same."""
    slots = {"first": ("ground", (1, 0)), "second": ("crank", (0, 1)), "slot": ("ground", (1, 1))}
    joints = {
        id: {"type": "pin-in-slot", "pin": "P", "slot": link, "axis": axis}
        for id, (link, axis) in slots.items()
        if id in ("first", "second", third)
    }
    drivers = {"motor": {"joint": "A", "law": "0.78 + 0.2*t"}, "cylinder": {"between": ["A", "P"], "law": "2 + 0.1*t"}}
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 1), "P": (2, 0.5), "Q": (3, 1)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["P", "Q"]},
        joints=joints,
        drivers={id: driver for id, driver in drivers.items() if id in ("motor", third)},
    )
    structure = m.structure()
    assert structure.under == ("rod",)
    (repeated,) = structure.over
    assert repeated.id == {"slot": "motor", "cylinder": "cylinder"}[third]
    assert {"first", "second", third} <= set(repeated.loop)
    with pytest.raises(sk.InputError) as error:
        m.solve(5, duration=1)
    assert error.value.problems == structure.diagnostics


def test_a_pin_that_slots_and_a_cylinder_place_is_named():
    """It ended with a `RuntimeError`."""
    data = crossed_arms().source_dict
    del data["joints"]["in ground"]
    data["points"]["X"] = (0, 2)
    data["links"]["ground"] = ["O", "U", "X"]
    data["drivers"]["ram"] = {"between": ["X", "P"], "law": "1.6 + 0.1*t"}
    with pytest.raises(sk.InputError, match=r"points\.P: slots and cylinders place this pin"):
        sk.Mechanism.from_dict(data).solve(5, duration=1)
