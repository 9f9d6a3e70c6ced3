"""A leg or an arm alone, from its own markers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from test_cli_studies import run
from test_gait import write

from structkin.errors import InputError
from structkin.studies.gait import ARM, BODY, MASS, fit
from structkin.studies.limb import ARM_MARKERS, chain_from, chain_of, limb
from structkin.studies.markers import Markers, low_pass, read_markers
from structkin.studies.synthetic_gait import synthetic_markers


def swinging() -> tuple[Markers, np.ndarray, np.ndarray]:
    """A straight arm of 0.28 and 0.26 m that swings about a shoulder at rest; its angle and angular acceleration."""
    t, w = np.linspace(0, 1.5, 301), 4.0
    angle = -np.pi / 2 + 0.4 * np.sin(w * t)
    along = np.column_stack((np.cos(angle), np.sin(angle)))
    shoulder = np.tile([0.3, 1.4], (len(t), 1))
    places = {"shoulder": shoulder, "elbow": shoulder + 0.28 * along, "wrist": shoulder + 0.54 * along}
    return Markers(t, places), angle, -0.4 * w**2 * np.sin(w * t)


def test_an_arm_that_swings_as_one_body_is_a_pendulum() -> None:
    """Shoulder: I a'' + m g r cos a of the whole arm; elbow: the same of the forearm, with the elbow's acceleration."""
    markers, angle, alpha = swinging()
    found = limb(markers, ARM_MARKERS, fit(ARM, markers, 80.0))
    assert found.joints == ["shoulder", "elbow"]
    upper, fore = (0.028 * 80, 0.436 * 0.28), (0.022 * 80, 0.28 + 0.682 * 0.26)
    inertia = [0.028 * 80 * (0.322 * 0.28) ** 2, 0.022 * 80 * (0.468 * 0.26) ** 2]
    whole = inertia[0] + inertia[1] + sum(mass * r**2 for mass, r in (upper, fore))
    weight = sum(mass * r for mass, r in (upper, fore)) * 9.81 * np.cos(angle)
    inside = slice(5, -5)  # a spline has no neighbours at its ends
    np.testing.assert_allclose(-found.moments()["shoulder"][inside], (whole * alpha + weight)[inside], atol=2e-3)
    mass, r = fore
    elbow = inertia[1] * alpha + mass * (r - 0.28) * (r * alpha + 9.81 * np.cos(angle))
    np.testing.assert_allclose(-found.moments()["elbow"][inside], elbow[inside], atol=2e-3)


def test_a_leg_on_a_force_plate_by_hand() -> None:
    """Moments about the knee of shank, foot and the plate's force; without the plate, without that force."""
    made = low_pass(synthetic_markers(noise=0.0))
    push = np.tile([40.0, 500.0], (len(made.t), 1))
    cop = made.places["ankle"][:, 0] + 0.08
    plated = Markers(made.t, made.places, push, cop * push[:, 1])
    found, bare = (limb(one, ("knee", "ankle", "mt5"), fit(BODY, one)) for one in (plated, made))
    motion, k = found.motion, 70
    knee = motion.position("knee marker")[k]

    def cross(a: np.ndarray, b: np.ndarray) -> float:
        return float(a[0] * b[1] - a[1] * b[0])

    needed = 0.0
    for name in ("shank", "foot"):
        link = found.mechanism.links[name]
        arm = motion.position(link.center, name)[k] - knee
        force = link.mass * (motion.acceleration(link.center, name)[k] + [0, 9.81])
        needed += cross(arm, force) + link.inertia * motion.alpha(name)[k]
    np.testing.assert_allclose(motion.position("knee marker"), made.places["knee"], atol=1e-12)
    assert bare.moments()["knee"][k] == pytest.approx(needed, rel=1e-9)
    ground = cross(np.array([cop[k], 0.0]) - knee, push[k])
    assert found.moments()["knee"][k] == pytest.approx(needed - ground, rel=1e-9)


def test_the_forearm_alone_has_the_elbow_of_the_whole_arm() -> None:
    markers, _, _ = swinging()
    whole, part = (limb(markers, chain_from(first), fit(ARM, markers, 2 * MASS)) for first in ("shoulder", "elbow"))
    assert part.joints == ["elbow"]
    one, other = (found.moments()["elbow"][5:-5] for found in (whole, part))
    np.testing.assert_allclose(one, other, atol=2e-3)


def test_the_chain_begins_with_the_first_marker_and_needs_all_below() -> None:
    assert chain_of(["t", "hip_x", "hip_y", "mt5_x"]) == ("hip", "knee", "ankle", "mt5")
    assert chain_of(["t", "ribcage_y"]) == ("ribcage", "hip", "knee", "ankle", "mt5") == chain_of(["t"])
    assert chain_of(["wrist_x"])[0] == "ribcage" and chain_from("elbow") == ("elbow", "wrist")
    with pytest.raises(InputError, match="'hop' is no upper end; did you mean 'hip'"):
        chain_from("hop")


def test_missing_markers_of_a_limb_are_named(tmp_path: Path) -> None:
    made = synthetic_markers()
    leg = Markers(made.t, {name: made.places[name] for name in ("hip", "knee", "mt5")})
    with pytest.raises(InputError) as caught:
        read_markers(write(tmp_path / "leg.csv", leg), chain_of)
    assert [problem.key for problem in caught.value.problems] == ["ankle_x", "ankle_y"]


def test_the_command_takes_a_leg_or_an_arm(monkeypatch, capsys, tmp_path: Path) -> None:
    made = synthetic_markers()
    leg = Markers(made.t, {name: made.places[name] for name in ("hip", "knee", "ankle", "mt5")})
    file, out = str(write(tmp_path / "leg.csv", leg)), tmp_path / "drawn"
    code, text, _ = run(monkeypatch, capsys, "gait", "--markers", file, "--to", str(out))
    assert code == 0 and "without ribcage: nothing is found above the hip" in text and "foot is in the air" in text
    assert {path.name for path in out.iterdir()} == {"limb.png", "limb_moments.csv"}
    assert (out / "limb_moments.csv").read_text().splitlines()[0] == "t [s],hip,knee,ankle"
    arm = str(write(tmp_path / "arm.csv", swinging()[0]))
    code, text, _ = run(monkeypatch, capsys, "gait", "--markers", arm, "--mass", "80")
    assert code == 0 and "shoulder to wrist over 1.500 s" in text and "ground force" not in text
    # the person's markers hold a leg; the synthetic ones no arm
    whole = str(write(tmp_path / "whole.csv", made))
    code, text, _ = run(monkeypatch, capsys, "gait", "--markers", whole, "--from", "knee")
    assert code == 0 and "knee to mt5" in text and "without ribcage, hip: nothing is found above the knee" in text
    code, _, err = run(monkeypatch, capsys, "gait", "--from", "shoulder")
    assert code == 2 and "the synthetic gait has no shoulder" in err
    # the drift is that of the whole person
    code, _, err = run(monkeypatch, capsys, "gait-drift", "--quick", "--markers", file)
    assert code == 2 and "ribcage_x: there is no such column" in err
