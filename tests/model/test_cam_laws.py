"""Laws of cam followers against textbook formulas, and the messages about bad ones."""

import numpy as np
import pytest

from structkin import InputError
from structkin.joints.cam_laws import MOTIONS, CamLaw, Segment

TURN = 2 * np.pi

#: Norton, Design of Machinery, tab. 8-3 and eqs. 8.13 to 8.18: displacement of a rise 1 over u = 0 ... 1.
FORMULAS = {
    "uniform": lambda u: u,
    "harmonic": lambda u: (1 - np.cos(np.pi * u)) / 2,
    "cycloidal": lambda u: u - np.sin(TURN * u) / TURN,
    "3-4-5": lambda u: 10 * u**3 - 15 * u**4 + 6 * u**5,
    "4-5-6-7": lambda u: 35 * u**4 - 84 * u**5 + 70 * u**6 - 20 * u**7,
    "modified sine": lambda u: np.piecewise(
        u,
        [u < 1 / 8, (u >= 1 / 8) & (u < 7 / 8), u >= 7 / 8],
        [
            lambda u: 0.43990085 * u - 0.0350062 * np.sin(4 * np.pi * u),
            lambda u: 0.28004957 + 0.43990085 * u - 0.31505577 * np.cos(4 * np.pi * u / 3 - np.pi / 6),
            lambda u: 0.56009915 + 0.43990085 * u - 0.0350062 * np.sin(2 * np.pi * (2 * u - 1)),
        ],
    ),
    "modified trapezoid": lambda u: np.piecewise(
        u,
        [u < 1 / 8, (u >= 1 / 8) & (u < 3 / 8), (u >= 3 / 8) & (u < 5 / 8), (u >= 5 / 8) & (u < 7 / 8), u >= 7 / 8],
        [
            lambda u: 0.38898448 * u - 0.0309544 * np.sin(4 * np.pi * u),
            lambda u: 2.44406184 * u**2 - 0.22203097 * u + 0.00723407,
            lambda u: 1.6110154 * u - 0.0309544 * np.sin(4 * np.pi * u - np.pi) - 0.3055077,
            lambda u: -2.44406184 * u**2 + 4.6660917 * u - 1.2292648,
            lambda u: 0.6110154 + 0.38898448 * u + 0.0309544 * np.sin(4 * np.pi * u - 3 * np.pi),
        ],
    ),
}

#: Peaks of velocity, acceleration and jerk (same table; jerk of the modified motions from their formulas).
PEAKS = {
    "harmonic": (np.pi / 2, np.pi**2 / 2, np.pi**3 / 2),
    "cycloidal": (2.0, TURN, 4 * np.pi**2),
    "3-4-5": (15 / 8, 10 / np.sqrt(3), 60.0),
    "4-5-6-7": (35 / 16, 84 / (5 * np.sqrt(5)), 52.5),
    "modified sine": (4 * np.pi / (4 + np.pi), 4 * np.pi**2 / (4 + np.pi), 16 * np.pi**3 / (4 + np.pi)),
    "modified trapezoid": (2.0, 8 * np.pi / (2 + np.pi), 32 * np.pi**2 / (2 + np.pi)),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_displacement_agrees_with_the_textbook(name):
    law, u = CamLaw([(name, 2.0, 0.03), (name, TURN - 2.0, 0.0)]), np.linspace(0, 1, 97)
    # the printed constants have seven digits, and their sums six
    np.testing.assert_allclose(law(2.0 * u[:-1]), 0.03 * FORMULAS[name](u)[:-1], atol=0.03 * 1e-6)
    np.testing.assert_allclose(law(2.0 + (TURN - 2.0) * u), 0.03 * (1 - FORMULAS[name](u)), atol=0.03 * 1e-6)


@pytest.mark.parametrize("name", PEAKS)
def test_peaks_agree_with_the_textbook(name):
    over, rise = 1.3, 0.02
    law = CamLaw([(name, over, rise), ("dwell", 1.0), (name, TURN - over - 1.0, 0.0)])
    x = np.linspace(0, over, 100_001)[:-1]
    for order, peak in enumerate(PEAKS[name], 1):
        assert np.max(np.abs(law(x, order))) == pytest.approx(peak * rise / over**order, rel=1e-8)


@pytest.mark.parametrize("name", [name for name in MOTIONS if name != "dwell"])
def test_each_derivative_is_that_of_the_previous_one(name):
    law = CamLaw([(name, 2.0, 1.0), ("dwell", 1.0), (name, TURN - 3.0, 0.0)])
    x = np.random.default_rng(1).uniform(0, TURN, 200)
    tiny = 1e-30
    for order in range(3):
        np.testing.assert_allclose(law(x, order + 1), law(x + 1j * tiny, order).imag / tiny, rtol=1e-12, atol=1e-12)


def test_a_law_is_periodic_and_rests_at_its_dwells():
    law = CamLaw([("cycloidal", 1.0, 0.01), ("dwell", 2.0), ("4-5-6-7", TURN - 3.5, 0.0), ("dwell", 0.5)])
    x = np.linspace(-20, 20, 999)
    np.testing.assert_allclose(law(x), law(x + TURN), atol=1e-15)
    assert law(2.0) == 0.01 and law(-0.1) == 0.0
    assert law.remarks == ()
    assert repr(law) == "<CamLaw: cycloidal, dwell, 4-5-6-7, dwell>"


def test_within_rounding_of_a_jump_the_next_segment_applies():
    """Poses have rounding: on which side of a border a cam's angle comes out must not decide on its acceleration."""
    law = CamLaw([("harmonic", 2.0, 0.3), ("dwell", 1.0), ("harmonic", 2 * np.pi - 3.0, 0.0)])
    for at, second in ((0.0, 0.15 * (np.pi / 2.0) ** 2), (2.0, 0.0), (3.0, -0.15 * (np.pi / (2 * np.pi - 3.0)) ** 2)):
        for turn in (-1, 0, 1, 7):
            near = at + 2 * np.pi * turn + np.array([-1e-13, -1e-15, 0.0, 1e-15, 1e-13])
            np.testing.assert_allclose(law(near, 2), second, rtol=1e-11, atol=1e-11)
            np.testing.assert_allclose(law(near), law(at), atol=1e-12)
        assert abs(law(at - 1e-9, 2) - second) > 0.05


def test_jumps_give_remarks():
    uniform = CamLaw([("uniform", np.pi, 1.0), ("uniform", np.pi / 2, 0.0), ("dwell", np.pi / 2)])
    assert [remark.split(" the ")[0] for remark in uniform.remarks] == ["at 0 deg", "at 180 deg", "at 270 deg"]
    assert all("velocity" in remark for remark in uniform.remarks)
    harmonic = CamLaw([("harmonic", np.pi, 1.0), ("dwell", np.pi / 2), ("cycloidal", np.pi / 2, 0.0)])
    assert harmonic.remarks == tuple(f"at {at} deg the acceleration of the law jumps: infinite jerk" for at in (0, 180))
    # a rise and a return of the same harmonic motion join smoothly
    assert CamLaw([("harmonic", np.pi, 1.0), ("harmonic", np.pi, 0.0)]).remarks == ()


def test_a_bad_law_lists_all_problems():
    with pytest.raises(InputError) as error:
        CamLaw([("cyclodal", 1.0, 1.0), ("dwell", 1.0, 2.0), ("harmonic", 1.0), ("uniform", 0.0, 1.0)])
    text = str(error.value)
    assert "4 errors" in text and "did you mean 'cycloidal'?" in text
    assert "a dwell has a lift" in text and "needs its final lift 'to'" in text and "not greater than zero" in text
    with pytest.raises(InputError, match=r"cover 180 deg.* 180 deg missing") as error:
        CamLaw([("harmonic", np.pi, 1.0)])
    assert "do not end at lift 0" in str(error.value)
    with pytest.raises(InputError, match="segments: are missing"):
        CamLaw([])
    assert Segment("dwell", 1.0).to is None


@pytest.mark.parametrize(
    ("segments", "words"),
    [
        (None, ["expected a list of segments, found nothing"]),
        ("dwell", ["expected a list of segments, found the text 'dwell'"]),
        ([5, ("dwell",)], ["segment 1: expected (motion, angle, lift)", "segment 2: expected (motion, angle, lift)"]),
        ([("cycloidal", np.nan, np.inf), (3, "x")], ["angle of a cycloidal: expected a finite number, found nan",
         "lift of a cycloidal: expected a finite number, found inf", "name of a motion", "found the text 'x'"]),
    ],
)  # fmt: skip
def test_bad_segments_are_described_in_words(segments, words):
    with pytest.raises(InputError) as error:
        CamLaw(segments)
    assert len(error.value.problems) == len(words)
    for part in words:
        assert part in str(error.value)
