"""Cams: motion by their law, profiles against envelopes, angles and radii against textbook formulas."""

from __future__ import annotations

import json

import numpy as np
import pytest
from cam_samples import KINDS, cam_file, eccentric
from cases import few
from hypothesis import given, settings
from hypothesis import strategies as st

import structkin as sk
import structkin.plan.compile as compile_module
from structkin.global_methods.methods import FAMILIES
from structkin.groups.cam import Lift

seeds = st.integers(0, 2**32 - 1)
every_kind = pytest.mark.parametrize(("kind", "contact"), KINDS)
some_kinds = pytest.mark.parametrize(("kind", "contact"), few(KINDS, 1))
TURN, TINY = 2 * np.pi, 1e-30


def places(motion, point, order="position"):
    return getattr(motion, order)(point) @ np.array([1, 1j])


@every_kind
@settings(max_examples=12, deadline=None)
@given(seed=seeds)
def test_follower_and_cam_touch_over_the_whole_turn(kind, contact, seed):
    rng = np.random.default_rng(seed)
    data = cam_file(kind, contact, rng)
    m = sk.Mechanism.from_dict(data)
    cam, motion = m.joints["cam"], m.solve(samples=73)
    assert motion.ok.all() and motion.residual().max() < 1e-12
    on = motion.cam("cam")
    np.testing.assert_allclose(np.diff(on.angle), cam.sense * np.diff(motion.t), atol=1e-12)
    assert np.max(on.gap) < 1e-12
    # the contact lies on the roller or on the face, and on the profile
    q, c = places(motion, "Q"), on.contact @ np.array([1, 1j])
    if contact == "flat":
        f = places(motion, "F") - q
        assert np.max(np.abs(((c - q) / f).imag)) < 1e-12
    else:
        np.testing.assert_allclose(np.abs(c - q), cam.radius, atol=1e-12)
    if "base" in data["joints"]["cam"]:
        assert cam.base_radius == pytest.approx(data["joints"]["cam"]["base"], rel=1e-12)


@some_kinds
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_the_profile_is_the_envelope(kind, contact, seed):
    """Carve the cam from a plate: along each ray from the shaft, up to the nearest pose of the follower."""
    rng = np.random.default_rng(seed)
    m = sk.Mechanism.from_dict(cam_file(kind, contact, rng))
    cam, motion = m.joints["cam"], m.solve(samples=20_001)
    q, f, a, turn = (places(motion, point) for point in ("Q", "F", "A", "M"))
    turn = (turn - a) / np.abs(turn - a)  # A, M: the x axis of the disc
    q, f = (q - a) / turn, (f - a) / turn
    ray = np.exp(1j * np.linspace(0, TURN, 40))[:, None]
    if contact == "roller":
        along = q / ray
        hits = np.abs(along.imag) < cam.radius
        cut = np.where(
            hits & (along.real > 0), along.real - np.sqrt(np.maximum(cam.radius**2 - along.imag**2, 0)), np.inf
        )
        carved = cut.min(axis=1)
    elif contact == "flat":
        normal = -1j * (f - q)
        normal = normal / np.abs(normal)
        normal = normal * np.sign((q / normal).real)
        distance, facing = (q / normal).real, (ray / normal).real
        carved = np.where(facing > 1e-6, distance / np.maximum(facing, 1e-6), np.inf).min(axis=1)
    else:
        order = np.argsort(np.angle(q))
        carved = np.interp(np.angle(ray[:, 0]), np.angle(q)[order], np.abs(q)[order], period=TURN)
    outline = cam.profile(np.linspace(0, TURN, 40_001)) @ np.array([1, 1j])
    order = np.argsort(np.angle(outline))
    found = np.interp(np.angle(ray[:, 0]), np.angle(outline)[order], np.abs(outline)[order], period=TURN)
    if not any("undercut" in remark for remark in cam.remarks):
        np.testing.assert_allclose(found, carved, atol=2e-6)


@every_kind
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_curvature_is_that_of_the_drawn_curve(kind, contact, seed):
    to = 0.3 if kind == "translating" else 9.0
    law = [{"motion": "cycloidal", "over": 180, "to": to}, {"motion": "cycloidal", "over": 180, "to": 0}]
    m = sk.Mechanism.from_dict(cam_file(kind, contact, np.random.default_rng(seed), law=law))
    cam, step = m.joints["cam"], 1e-3
    x = np.concatenate((np.linspace(0.1, 3.0, 60), np.linspace(3.3, 6.2, 60)))
    c = np.stack([cam.profile(x + k * step) @ np.array([1, 1j]) for k in range(-3, 4)])
    first = np.tensordot([-1, 9, -45, 0, 45, -9, 1], c, 1) / (60 * step)
    second = np.tensordot([2, -27, 270, -490, 270, -27, 2], c, 1) / (180 * step**2)
    radius, pitch = cam.curvature_radius(x), cam.pitch_radius(x)
    # the curve runs backwards where it is undercut
    sign = np.where((radius < 0) & ((pitch > 0) | (contact == "flat")), -1, 1)
    np.testing.assert_allclose(
        -cam.sense * sign * (np.conj(first) * second).imag / np.abs(first) ** 3, 1 / radius, rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("direction", ["clockwise", "counter-clockwise"])
@pytest.mark.parametrize("offset", [-0.2, 0.0, 0.3])
def test_pressure_angle_of_a_translating_roller(direction, offset):
    """Norton, eq. 8.31d: tan phi = (s' - e) / (s + sqrt(R^2 - e^2))."""
    m = translating(offset, radius=0.15, direction=direction)
    cam, x = m.joints["cam"], np.linspace(0, TURN, 361)
    assert cam.offset == pytest.approx(-offset)
    sense = 1 if direction == "counter-clockwise" else -1
    prime = cam.base_radius + cam.radius
    y = cam.lift(x) + np.sqrt(prime**2 - offset**2)
    np.testing.assert_allclose(np.tan(cam.pressure_angle(x)), (sense * cam.lift(x, 1) - offset) / y, atol=1e-13)
    assert np.allclose(np.tan(cam.pressure_angle(0.0)), -offset / np.sqrt(prime**2 - offset**2))


def translating(offset=0.0, reach=1.0, title="cam", law=None, **cam):
    law = law or [
        {"motion": "cycloidal", "over": 2.0, "to": 0.3},
        {"motion": "dwell", "over": 1.0},
        {"motion": "3-4-5", "over": TURN - 3.0, "to": 0.0},
    ]
    return sk.Mechanism(
        title,
        points={"A": (0, 0), "Q": (offset, reach), "T": (offset, 2)},
        links={"ground": ["A"], "disc": ["A"], "follower": ["Q", "T"]},
        joints={
            "guide": {"type": "prismatic", "links": ["follower", "ground"], "axis": [0, 1]},
            "cam": {"type": "cam", "cam": "disc", "follower": "follower", "at": "Q", "law": law, **cam},
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )


def test_flat_face_by_its_formulas():
    """Norton, eqs. 8.32 and 8.35: rho = r_b + s + s'', the contact is at the distance s' from the stem."""
    m = translating(contact="flat")
    cam, x = m.joints["cam"], np.linspace(0, TURN, 721)
    np.testing.assert_allclose(cam.curvature_radius(x), 1.0 + cam.lift(x) + cam.lift(x, 2), rtol=1e-13)
    np.testing.assert_allclose(cam.pressure_angle(x), 0.0, atol=1e-15)
    motion = m.solve(samples=181)
    on = motion.cam("cam")
    # the disc turns counter-clockwise: a rising follower is touched on the side where the disc moves up
    np.testing.assert_allclose(on.contact[:, 0], cam.lift(on.angle, 1), atol=1e-13)
    np.testing.assert_allclose(on.contact[:, 1], motion.position("Q")[:, 1], rtol=1e-13)
    smallest = -float(np.min(cam.lift(x) + cam.lift(x, 2)))
    too_small = translating(contact="flat", base=0.98 * smallest)
    assert any("undercut" in remark for remark in too_small.joints["cam"].remarks)
    assert not translating(contact="flat", base=1.02 * smallest).joints["cam"].remarks


def test_undercut_and_pressure_angle_give_remarks():
    fine = translating(radius=0.1)
    assert fine.joints["cam"].remarks == ()
    steep = translating(reach=0.25, radius=0.1)
    assert any("pressure angle reaches" in remark for remark in steep.joints["cam"].remarks)
    narrow = float(np.min(np.where(fine.joints["cam"].pitch_radius() > 0, fine.joints["cam"].pitch_radius(), np.inf)))
    big = translating(radius=1.01 * narrow)
    assert [remark for remark in big.joints["cam"].remarks if "undercut around" in remark]
    # a roller up to the smallest radius of the pitch curve leaves the profile complete
    assert not translating(radius=0.99 * narrow).joints["cam"].remarks


@some_kinds
def test_the_general_group_agrees(kind, contact, monkeypatch):
    data = cam_file(kind, contact, np.random.default_rng(8))
    closed = sk.Mechanism.from_dict(data).solve(samples=30)
    monkeypatch.setattr(compile_module, "solve_closed", lambda scene, group, index: None)
    general = sk.Mechanism.from_dict(data).solve(samples=30)
    assert all(type(step.kind).__name__ == "General" for step in general.plan.steps)
    assert general.ok.all()
    for order, tolerance in (("position", 1e-12), ("velocity", 1e-11), ("acceleration", 1e-9)):
        assert np.max(np.abs(getattr(general, order)("Q") - getattr(closed, order)("Q"))) < tolerance
    np.testing.assert_allclose(general.K("Q"), closed.K("Q"), atol=1e-11)
    np.testing.assert_allclose(general.L("Q"), closed.L("Q"), atol=1e-9)


@pytest.mark.parametrize("contact", ["roller", "flat"])
def test_third_derivatives_of_the_general_group(contact, monkeypatch):
    """Rows of cams, by law and by profile: the cubic term equals the complex step of the convective one."""
    monkeypatch.setattr(compile_module, "solve_closed", lambda scene, group, index: None)
    rng, tiny = np.random.default_rng(4), 1e-30
    for m in (sk.Mechanism.from_dict(cam_file("oscillating", contact, rng)), eccentric(contact)):
        motion = m.solve(t=np.linspace(0.1, 0.2, 3))
        step = motion.plan.steps[-1]
        form, x = step.kind, motion.lanes.x

        def values(operands, order, x=x, plan=motion.plan):
            parts = []
            for operand in operands:
                if hasattr(operand, "index"):
                    parts.append(x[order, plan.rows(operand.index)])
                else:
                    parts.append((1 - order) * np.array([[operand.real], [operand.imag]]) + np.zeros((2, 3)))
            return tuple(parts)

        h, vh = (values(step.inputs, order) for order in (0, 1))
        phi, vphi = (tuple(x[order, motion.plan.rows(slot)] for slot in step.outputs) for order in (0, 1))
        moved = [tuple(a + 1j * tiny * b for a, b in zip(*both, strict=True)) for both in ((h, vh), (phi, vphi))]
        expected = form.convective(*moved, vh, vphi, vh, vphi)
        for a, b in zip(form.cubic(h, phi, vh, vphi), expected, strict=True):
            np.testing.assert_allclose(a, np.imag(b) / tiny, rtol=1e-9, atol=1e-9)


def test_rates_are_those_of_the_law_at_any_speed():
    m = translating(radius=0.1)
    t = np.linspace(0, 1, 50)
    z = 4 * t**2, 8 * t, np.full_like(t, 8.0)
    motion = m.solve(drivers={"motor": z})
    s = [m.joints["cam"].lift(z[0], order) for order in range(3)]
    np.testing.assert_allclose(motion.position("Q")[:, 1], 1.0 + s[0], rtol=1e-14)
    np.testing.assert_allclose(motion.velocity("Q")[:, 1], s[1] * z[1], atol=1e-13)
    np.testing.assert_allclose(motion.acceleration("Q")[:, 1], s[2] * z[1] ** 2 + s[1] * z[2], atol=1e-12)
    np.testing.assert_allclose(motion.K("Q")[:, 1, 0], s[1], atol=1e-14)
    np.testing.assert_allclose(motion.L("Q")[:, 1, 0, 0], s[2], atol=1e-13)


# --- in linkages --------------------------------------------------------------------------------------------


def rocker_cam(driver, **sections):
    """A cam lifts a lever that drives a four-bar: shaft A, lever B-Q-C, coupler C-D, rocker D-E."""
    return sk.Mechanism(
        "cam and four-bar",
        points={
            "A": (0, 0), "M": (0.3, 0), "B": (2, 0), "Q": (0.2, 1.2), "C": (1.2, 1.6), "D": (2.9, 2.4), "E": (3.6, 0.7),
        },
        links={
            "ground": ["A", "B", "E"], "disc": ["A", "M"], "lever": ["B", "Q", "C"], "coupler": ["C", "D"],
            "rocker": ["E", "D"],
        },
        joints={
            "cam": {
                "type": "cam", "cam": "disc", "follower": "lever", "at": "Q", "radius": 0.2,
                "law": [
                    {"motion": "cycloidal", "over": np.pi, "to": 0.25},
                    {"motion": "harmonic", "over": np.pi, "to": 0.0},
                ],
            }
        },
        drivers={"motor": driver},
        **sections,
    )  # fmt: skip


def test_a_cam_drives_a_linkage():
    motion = rocker_cam({"joint": "A", "speed": 2.0}).solve(samples=121)
    assert [group.kind for group in motion.structure.groups] == ["driven R", "R-C", "RRR"]
    assert motion.ok.all() and motion.residual().max() < 1e-14
    lever = motion.angle("lever")
    cam = motion.mechanism.joints["cam"]
    np.testing.assert_allclose(lever - lever[0], -cam.lift(2.0 * motion.t), atol=1e-14)
    # L by differences of K, away from the joints between pieces of the law
    h = 1e-5
    z = 2.0 * motion.t
    up, down = (motion.mechanism.solve(drivers={"motor": z + step}).K("D") for step in (h, -h))
    away = np.abs(np.abs(z % np.pi) - np.pi / 2) < 1.4
    np.testing.assert_allclose(((up - down) / (2 * h))[away, :, 0], motion.L("D")[away, :, 0, 0], atol=1e-8)


def test_a_linkage_drives_a_cam():
    """Drive the rocker; the cam's shaft follows, between the limits of the lift."""
    forward = rocker_cam({"joint": "A", "law": "1 + 0.8*sin(t)"}, duration=6.0).solve(samples=61)
    # the sketch is at lift 0, where the cam cannot be driven: draw it with the lever raised
    data = json.loads(json.dumps(forward.mechanism.source_dict))
    for point in data["points"]:
        data["points"][point] = forward.position(point)[0].tolist()
    data["joints"]["cam"]["start"] = 1.0
    data["drivers"] = {"motor": {"joint": "E"}}
    data.pop("duration")
    m = sk.Mechanism.from_dict(data)
    assert [group.kind for group in m.structure().groups] == ["driven R", "RRR", "R-C"]
    back = m.solve(drivers={"motor": (forward.angle("rocker"), forward.omega("rocker"), forward.alpha("rocker"))})
    assert back.ok.all()
    np.testing.assert_allclose(back.angle("disc"), forward.angle("disc"), atol=1e-9)
    np.testing.assert_allclose(back.omega("disc"), forward.omega("disc"), atol=1e-9)
    np.testing.assert_allclose(back.alpha("disc"), forward.alpha("disc"), atol=1e-7)
    # beyond the top of the lift there is no pose
    top = m.solve(drivers={"motor": forward.angle("rocker")[0] + np.linspace(0, -1.5, 100)})
    assert not top.ok.all() and set(top.status[~top.ok].tolist()) <= {1, 2}


@pytest.mark.parametrize("speeds", [(1.0, 0.0), (1.0, 2.0), (0.0, 1.5)])
def test_a_cam_on_a_moving_carrier(speeds):
    """Relative to its carrier, an arm, the cam moves as it does on the ground."""
    arm_speed, cam_speed = speeds
    still = translating(0.1, radius=0.1)
    data = still.source_dict
    data["points"]["O"] = [-1.0, -0.5]
    data["links"] = {"ground": ["O"], "arm": ["O", "A"], "disc": ["A"], "follower": ["Q", "T"]}
    data["joints"]["guide"]["links"] = ["follower", "arm"]
    data["drivers"] = {"swing": {"joint": "O", "speed": arm_speed}, "motor": {"joint": "A", "speed": cam_speed}}
    motion = sk.Mechanism.from_dict(data).solve(duration=3.0, samples=40)
    assert motion.ok.all() and motion.residual().max() < 1e-13
    arm = np.exp(1j * arm_speed * motion.t)
    seen = (places(motion, "Q") - (-1 - 0.5j)) / arm + (-1 - 0.5j)
    np.testing.assert_allclose(seen, 0.1 + 1j + 1j * still.joints["cam"].lift(cam_speed * motion.t), atol=1e-13)


def test_a_fixed_cam_with_a_carrier_that_turns():
    data = translating(0.1, radius=0.1).source_dict
    data["links"] = {"ground": ["A", "G"], "arm": ["A"], "follower": ["Q", "T"]}
    data["points"]["G"] = [0.5, 0.0]
    data["joints"]["guide"]["links"] = ["follower", "arm"]
    data["joints"]["cam"] |= {"cam": "ground", "direction": "clockwise"}
    m = sk.Mechanism.from_dict(data)
    motion = m.solve(samples=50)
    assert motion.ok.all() and motion.residual().max() < 1e-14
    seen = places(motion, "Q") / np.exp(1j * motion.t)
    np.testing.assert_allclose(seen, 0.1 + 1j + 1j * m.joints["cam"].lift(motion.t), atol=1e-13)


# --- by a profile -------------------------------------------------------------------------------------------


@every_kind
def test_an_eccentric_is_a_linkage(kind, contact):
    """The distance of the roller's centre, or of the face, from the circle's centre is constant."""
    motion = eccentric(contact, kind=kind).solve(samples=49, duration=2.4)
    assert motion.ok.all() and motion.residual().max() < 1e-12
    centre = 0.3 * np.exp(1j * motion.t)
    q, f = places(motion, "Q"), places(motion, "F")
    if contact == "flat":
        np.testing.assert_allclose(np.abs(((q - centre) * np.conj(f - q)).imag) / np.abs(f - q), 1.0, rtol=2e-7)
    else:
        radius = 1.0 + motion.mechanism.joints["cam"].radius
        np.testing.assert_allclose(np.abs(q - centre), radius, rtol=2e-7)
        # rates: (q - c) . (q' - c') = 0, and its derivative; the spline's second derivatives are good to 1e-4
        dq, dc = places(motion, "Q", "velocity"), 1j * centre
        ddq = places(motion, "Q", "acceleration")
        np.testing.assert_allclose((np.conj(q - centre) * (dq - dc)).real, 0, atol=1e-5)
        np.testing.assert_allclose((np.conj(q - centre) * (ddq + centre)).real + np.abs(dq - dc) ** 2, 0, atol=2e-3)
    on = motion.cam("cam")
    np.testing.assert_allclose(on.curvature_radius, 1.0, rtol=2e-3)
    touch = on.contact @ np.array([1, 1j])
    np.testing.assert_allclose(np.abs(touch - centre), 1.0, rtol=2e-7)
    assert np.max(on.gap) < 1e-12
    if kind == "translating":
        normal = (touch - centre) / np.abs(touch - centre)
        np.testing.assert_allclose(np.sin(on.pressure_angle), np.sin(np.angle(normal / 1j)), atol=1e-5)


@some_kinds
def test_a_follower_is_a_function_of_the_cams_angle(kind, contact, monkeypatch):
    """The same follower by Newton's method on all rows of its group: every order, and derivatives by complex steps."""
    case = eccentric(contact, kind=kind).source_dict
    z = np.linspace(-3, 9, 61)
    given = {"motor": (z, 1.0 + 0 * z, 0.3 + 0 * z, 0 * z)}
    found = sk.Mechanism.from_dict(case).solve(drivers=given)
    monkeypatch.setattr("structkin.plan.higher_pairs._on_profile", lambda *_: None)
    general = sk.Mechanism.from_dict(case).solve(drivers=given)
    assert general.plan.tracked and not found.plan.tracked and found.ok.all() and general.ok.all()
    # The third derivative of the spline jumps at its knots.
    for read, accuracy in (
        ("position", 1e-12),
        ("velocity", 1e-12),
        ("acceleration", 1e-10),
        ("K", 1e-12),
        ("L", 1e-10),
    ):
        np.testing.assert_allclose(getattr(found, read)("Q"), getattr(general, read)("Q"), rtol=0, atol=accuracy)
    (function,) = (step.kind.function for step in found.plan.steps if isinstance(step.kind, Lift))
    for order in (1, 2, 3):
        slope = function(z + 1j * TINY, order - 1).imag / TINY
        np.testing.assert_allclose(function(z, order), slope, rtol=1e-12, atol=1e-12)


@pytest.mark.full
def test_a_follower_that_the_profile_cannot_carry_round_is_tracked():
    """The roller hangs far to one side of the eccentric: the motion ends at their last contact."""
    motion = eccentric("roller", offset=1.2).solve(samples=90)
    assert motion.plan.tracked and 10 < motion.ok.sum() < 90


def test_a_profile_may_be_an_outline_or_a_file(tmp_path):
    u = np.linspace(0, TURN, 181)
    radii = 0.3 * np.cos(u) + np.sqrt(1 - (0.3 * np.sin(u)) ** 2)
    t = np.linspace(0, 0.5, 5)
    table = eccentric("roller").solve(t=t)
    # positions in the sketch, in either sense of rotation
    z = radii * np.exp(1j * u)
    for order in (slice(None, -1), slice(None, 0, -1)):
        outline = np.stack((z.real, z.imag), axis=1)[order]
        found = eccentric("roller", outline=outline.tolist()).solve(t=t)
        np.testing.assert_allclose(found.position("Q"), table.position("Q"), atol=1e-9)
    (tmp_path / "cam.csv").write_text("angle, radius\n" + "\n".join(f"{a}, {r}" for a, r in zip(u, radii, strict=True)))
    data = eccentric("roller").source_dict
    data["joints"]["cam"].pop("profile")
    data["joints"]["cam"]["csv"] = "cam.csv"
    found = sk.Mechanism.from_dict(data, folder=tmp_path).solve(t=t)
    np.testing.assert_allclose(found.position("Q"), table.position("Q"), atol=1e-9)


@pytest.mark.parametrize("contact", ["roller", "knife-edge"])
def test_from_a_law_to_its_profile_and_back(contact):
    """The profile that a law generates moves the follower by that law."""
    by_law = translating(0.1, **({"radius": 0.15} if contact == "roller" else {"contact": contact}))
    outline = by_law.joints["cam"].profile(np.linspace(0, TURN, 720, endpoint=False))
    data = by_law.source_dict
    data["joints"]["cam"].pop("law")
    data["joints"]["cam"]["outline"] = outline.tolist()
    t = np.linspace(0, 2.5, 30)
    motion, expected = sk.Mechanism.from_dict(data).solve(t=t), by_law.solve(t=t)
    assert motion.ok.all()
    np.testing.assert_allclose(motion.position("Q"), expected.position("Q"), atol=2e-7)
    np.testing.assert_allclose(motion.velocity("Q"), expected.velocity("Q"), atol=1e-4)
    found, wanted = motion.cam("cam"), expected.cam("cam")
    np.testing.assert_allclose(found.pressure_angle, wanted.pressure_angle, atol=1e-4)


@pytest.mark.parametrize("by", ["law", "profile"])
def test_samples_without_a_pose_stay_empty(by):
    """The cam depends on a crank that its rod cannot turn fully."""
    data = (translating(0.1, radius=0.1) if by == "law" else eccentric("roller")).source_dict
    data["points"].pop("M", None)
    data["points"] |= {"R": [-1.0, 0.3], "S": [-2.0, 0.0], "A2": [-0.3, 0.4]}
    data["links"] |= {"ground": ["A", "S"], "disc": ["A", "A2"], "rod": ["A2", "R"], "crank": ["S", "R"]}
    if by == "profile":
        data["joints"]["cam"]["center"] = "A"
    data["drivers"] = {"motor": {"joint": "S", "speed": 1.0}}
    motion = sk.Mechanism.from_dict(data).solve(samples=90)
    assert 10 < motion.ok.sum() < 80
    on = motion.cam("cam")
    for values in (on.pressure_angle, on.curvature_radius, on.contact[:, 0], on.gap, motion.position("Q")[:, 1]):
        assert np.array_equal(np.isfinite(values), motion.ok)
    assert np.nanmax(on.gap) < 1e-12


@pytest.mark.full
@pytest.mark.parametrize("family", few(FAMILIES, 1, 0))
def test_a_profile_where_no_sample_has_a_value_of_the_driver(family):
    """The rows of a profile (and of a curved slot) took apart an array without samples: "cannot reshape"."""
    m = eccentric("roller")
    for law, solved in (("sqrt(-1 - t)", 0), ("0.1*t + 0*sqrt(0.5 - t)", 1)):
        led = m.with_drivers({"motor": {"joint": "A", "law": law}})
        want = [sk.Status.OK] * solved + [sk.Status.NO_INPUT] * (4 - solved)
        for options in ({}, {"method": "global", "coordinates": family}):
            assert led.solve(4, duration=2, **options).status.tolist() == want
    stopped = led.simulate(2, samples=5, formulation="multipliers", coordinates=family)
    assert stopped.t.tolist() == [0.0]
