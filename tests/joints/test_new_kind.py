"""A kind of joint that the package does not know: an elliptic slot, all of it in this file."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest

import structkin as sk
from structkin.global_methods.methods import FAMILIES
from structkin.joints.entry import JointEntry
from structkin.joints.pair import Pair, Poses
from structkin.joints.registry import JOINT_TYPES
from structkin.joints.row_writer import RowWriter
from structkin.model.draft import Draft
from structkin.model.fields import Name, Radii
from structkin.rows.curves import Curve
from structkin.rows.jet import Jet, Vector
from structkin.show import draw_schematic
from structkin.show.joint_symbols import symbol
from structkin.show.symbols import Sheet

A, B = 3.0, 1.5


def dot(a: Vector, b: Vector) -> Jet:
    """Return the scalar product."""
    return a[0] * b[0] + a[1] * b[1]


@dataclass(frozen=True)
class OnEllipse:
    """A position on an ellipse."""

    def value(self, *vectors: Vector) -> Jet:
        """Return (x / a)^2 + (y / b)^2 - 1 of W = x E + y i E, from vectors E / a and i E / b."""
        W, E, over_a, over_b = vectors
        x, y = dot(W, over_a), dot(W, over_b)
        return x * x + y * y - dot(E, E)


@dataclass(frozen=True, kw_only=True)
class EllipticSlot(Pair):
    """A pin of the slider in a slot along an ellipse about `center`, whose axes are those of the carrier."""

    kind: ClassVar[str] = "S"

    carrier: str
    slider: str
    center: complex
    point: complex
    axes: tuple[float, float]

    @property
    def place(self) -> tuple[complex, str]:
        """The pin."""
        return self.point, self.slider

    def write(self, w: RowWriter) -> None:
        """Write that the pin is on the ellipse."""
        tip, slider = w.tip(self)
        offset = tip - w.point(self.carrier, self.center)
        a, b = self.axes
        E, over_a, over_b = (w.along(self.carrier, axis) for axis in (1.0, 1 / a, 1j / b))
        row = Curve.of(OnEllipse(), offset, E, over_a, over_b)
        w.add(self.id, "elliptic slot", (self.carrier, slider), 1.0, row)

    def gaps(self, poses: Poses) -> tuple[Any]:
        """Return the approximate distance of the pin from the ellipse."""
        offset = poses.at(self.slider, self.point) - poses.at(self.carrier, self.center)
        seen, (a, b) = offset * np.conj(poses.along(self.carrier)), self.axes
        return (np.abs(np.abs(seen.real / a + 1j * seen.imag / b) - 1.0),)


class EllipticSlotEntry(JointEntry):
    """A pin in an elliptic slot."""

    pin: Name
    on: Name
    slot: Name
    center: Name
    axes: Radii

    def make(self, draft: Draft, id: str) -> EllipticSlot | None:
        """Return the slot."""
        key = f"joints.{id}"
        known = [
            draft.has_link(f"{key}.slot", self.slot),
            draft.has_link(f"{key}.on", self.on),
            draft.has_point_on(f"{key}.center", self.slot, self.center),
            draft.has_point_on(f"{key}.pin", self.on, self.pin),
        ]
        if not all(known):
            return None
        carrier, slider = draft.links[self.slot], draft.links[self.on]
        return EllipticSlot(
            id,
            links=(self.on, self.slot),
            carrier=self.slot,
            slider=self.on,
            center=carrier.local[self.center],
            point=slider.local[self.pin],
            axes=self.axes,
        )


def built(monkeypatch: pytest.MonkeyPatch, **driver: Any) -> Any:
    monkeypatch.setitem(JOINT_TYPES, "elliptic-slot", EllipticSlotEntry)
    Q = complex(A * np.cos(0.7), B * np.sin(0.7))
    slot = {"type": "elliptic-slot", "pin": "Q", "on": "rod", "slot": "ground", "center": "M", "axes": [A, B]}
    return sk.Mechanism(
        "Crank, rod, elliptic slot",
        points={"O": (0.5, 0), "P": (0.5, 0.6), "Q": (Q.real, Q.imag), "M": (0, 0)},
        links={
            "ground": ["O", "M"],
            "crank": {"points": ["O", "P"], "mass": 2.0, "center": (0.5, 0.3), "inertia": 0.1},
            "rod": {"points": ["P", "Q"], "mass": 1.0, "center": (1.0, 0.7), "inertia": 0.3},
        },
        joints={"slot": slot},
        drivers={"motor": {"joint": "O", **driver}},
        initial={} if driver else {"motor": {"speed": 1.0}},
    )


def test_its_mistakes_are_listed(monkeypatch):
    """The entry's names are checked like those of every joint: none of them is a traceback."""
    data = built(monkeypatch, speed=1.0).source_dict
    for key, wrong in (("center", "N"), ("pin", "P2"), ("on", "rodd"), ("slot", "grund")):
        slot = {**data["joints"]["slot"], key: wrong}
        with pytest.raises(sk.InputError, match=rf"joints\.slot\.{key}: .*'{wrong}'"):
            sk.Mechanism.from_dict({**data, "joints": {"slot": slot}})


def test_no_file_for_mujoco_without_its_constraint(mechanism, tmp_path):
    with pytest.raises(sk.InputError, match=r"joints\.slot: MuJoCo has no joint of this kind"):
        mechanism.save(tmp_path / "slot.xml")
    assert not list(tmp_path.iterdir())


@pytest.fixture
def mechanism(monkeypatch: pytest.MonkeyPatch) -> Any:
    return built(monkeypatch, speed=1.0)


def test_structure(mechanism):
    assert isinstance(mechanism.joints["slot"], EllipticSlot)
    assert [group.kind for group in mechanism.structure().groups] == ["driven R", "R-S"]


@pytest.mark.parametrize(
    "options",
    [
        {"engine": "python"},
        {"engine": "auto"},
        {"method": "topological-kl"},
        *({"method": "global", "coordinates": family} for family in FAMILIES),
    ],
)
def test_it_moves(mechanism, options):
    motion = mechanism.solve(t=np.linspace(0, 1.5, 31), **options)
    assert motion.ok.all()
    x, y = motion.position("Q").T
    np.testing.assert_allclose((x / A) ** 2 + (y / B) ** 2, 1.0, atol=1e-10)
    reach = np.hypot(*(motion.position("Q") - motion.position("P")).T)
    np.testing.assert_allclose(reach, reach[0], atol=1e-10)
    vx, vy = motion.velocity("Q").T
    np.testing.assert_allclose(x * vx / A**2 + y * vy / B**2, 0.0, atol=1e-9)
    ax, ay = motion.acceleration("Q").T
    np.testing.assert_allclose((x * ax + vx**2) / A**2 + (y * ay + vy**2) / B**2, 0.0, atol=1e-8)
    np.testing.assert_allclose(motion.K("Q")[..., 0], motion.velocity("Q"), atol=1e-9)
    np.testing.assert_allclose(motion.L("Q")[..., 0, 0], motion.acceleration("Q"), atol=1e-8)


def test_its_residual_is_not_taken_from_its_row(mechanism, monkeypatch):
    assert mechanism.solve(t=np.linspace(0, 1.5, 7)).residual().max() < 1e-12

    def write(joint, w, right=EllipticSlot.write):
        a, b = joint.axes
        right(replace(joint, axes=(1.01 * a, 1.01 * b)), w)

    monkeypatch.setattr(EllipticSlot, "write", write)
    wrong = mechanism.solve(t=np.linspace(0, 1.5, 7), method="global", coordinates="fully-cartesian")
    np.testing.assert_allclose(wrong.residual(), 0.01, rtol=1e-9)


def test_its_limits(mechanism):
    """At a limit the rod is along the slot's normal."""
    limits = mechanism.limits("motor")
    for limit, inside in ((limits.lower, 1e-8), (limits.upper, -1e-8)):
        motion = mechanism.solve(t=np.zeros(1), drivers={"motor": limit.value + inside})
        offset = (motion.position("Q") - motion.position("P"))[0]
        normal = motion.position("Q")[0] / [A**2, B**2]
        sine = (offset[0] * normal[1] - offset[1] * normal[0]) / np.hypot(*offset) / np.hypot(*normal)
        assert abs(sine) < 1e-3


def test_its_force(mechanism):
    motion = mechanism.solve(t=np.linspace(0, 1.5, 7))
    forces = motion.forces()
    x, y = motion.position("Q").T
    force = forces.reaction("slot", "rod")
    np.testing.assert_allclose(force[:, 0] * y / B**2, force[:, 1] * x / A**2, atol=1e-9)
    center = complex(mechanism.links["rod"].center)
    np.testing.assert_allclose(force + forces.reaction("P", "rod"), motion.acceleration(center, "rod"), atol=1e-9)
    np.testing.assert_allclose(forces.reaction_place("slot", "rod"), motion.position("Q"))


def test_it_swings_freely(monkeypatch):
    """Nothing brakes the mechanism: its energy is conserved."""
    run = built(monkeypatch).simulate(1.0, samples=5)
    links = run.mechanism.links
    speeds = {link: np.hypot(*run.velocity(complex(links[link].center), link).T) for link in ("crank", "rod")}
    energy = sum(
        links[link].mass * speeds[link] ** 2 + links[link].inertia * run.omega(link) ** 2 for link in ("crank", "rod")
    )
    np.testing.assert_allclose(energy, energy[0], rtol=1e-7)


def test_it_is_drawn(mechanism):
    """A joint without a symbol is left out; with a registered one it is drawn, its pin on it in every pose."""
    assert "slot:slot" not in {artist.get_gid() for artist in draw_schematic(mechanism).findobj()}

    @symbol.register
    def _(joint: EllipticSlot, sheet: Sheet) -> None:
        x = np.linspace(0.0, 2 * np.pi, 91)
        offset = joint.center + joint.axes[0] * np.cos(x) + 1j * joint.axes[1] * np.sin(x)
        sheet.pin_at(joint.slider, joint.point)
        sheet.slot_along(joint.carrier, offset, f"slot:{joint.id}", closed=True)

    motion = mechanism.solve(t=np.linspace(0, 1.5, 7))
    for sample in (0, 6):
        drawn = {
            artist.get_gid(): artist for artist in draw_schematic(mechanism, motion=motion, sample=sample).findobj()
        }
        edges = drawn["edge:slot:slot"].get_xydata()
        x, y = drawn["pin:Q"].center
        assert np.isclose((x / A) ** 2 + (y / B) ** 2, 1.0)
        assert "slot:slot" in drawn and np.nanmax(np.abs(edges)) > A
