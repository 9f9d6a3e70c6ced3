"""Free bodies and their equations: they are those of the forces, and what is printed gives the same again."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import structkin as sk
from structkin import examples
from structkin.dynamics.inverse.equilibrium import Equilibrium
from structkin.model.topology import pin_of
from structkin.report.worksheet import document, numeric, page, symbolic

#: Every kind of joint, pins of several links, cylinders, redundant joints.
NAMES = [
    "andrews_squeezer", "cam_lever_press", "cam_roller_follower", "crank_rocker", "eight_bar_double_triad",
    "elliptic_trammel", "excavator", "five_bar_two_drivers", "garage_door", "geared_five_bar", "geneva", "jansen_leg",
    "oldham_coupling", "one_cylinder_engine", "peaucellier", "planetary_train", "platform_3rpr", "rack_and_pinion",
    "rapson_slide", "rolling_lift_bridge", "toggle_press", "v_engine", "wafer_arm", "whitworth_shaper",
]  # fmt: skip


def loaded(name: str) -> sk.Mechanism:
    """An example in which every link has a mass."""
    data = tomllib.loads(examples.path(name).read_text(encoding="utf-8"))
    for k, (link, entry) in enumerate(data["links"].items()):
        table = entry if isinstance(entry, dict) else {"points": entry}
        if link != "ground" and "mass" not in table:
            at = [data["points"][table["points"][0]][0] + k, 2.0] if table.get("points") else [k, 2.0]
            data["links"][link] = {**table, "mass": k + 1, "center": at, "inertia": 0.1 * k + 0.1}
    return sk.Mechanism.from_dict({**data, "forces": {"gravity": [1, -9.81], **data.get("forces", {})}})


def equilibrium(name: str) -> Equilibrium:
    forces = loaded(name).solve(11).forces()
    return forces.equilibrium(int(np.flatnonzero(np.isfinite(forces.unknowns).all(axis=1))[3]))


@pytest.mark.parametrize("name", NAMES)
def test_the_equations_are_those_of_the_forces(name: str) -> None:
    """Their values are those of `Kinetostatics`, bit by bit, and satisfy the equations, which fall apart in order."""
    found = equilibrium(name)
    k, forces = found.sample, found.forces
    size = np.abs(found.matrix) @ np.abs(found.values) + np.abs(found.right)
    assert (np.abs(found.matrix @ found.values - found.right) <= 1e-11 * (1 + size)).all()
    assert np.abs(found.values).max() > 1
    for unknown in found.unknowns:
        if unknown.id in forces.motion.mechanism.drivers:
            assert unknown.value == forces.driver(unknown.id)[k]
        elif unknown.part in ("pin, x", "pin, y") and pin_of(unknown.on) is None:
            force = forces.reaction(unknown.id, unknown.on)[k]
            assert unknown.value == force["xy".index(unknown.part[-1])]
    done: set[int] = set()
    for part in found.parts:
        done |= set(part.unknowns)
        assert not found.matrix[np.ix_(part.equations, [j for j in range(len(found.unknowns)) if j not in done])].any()


@pytest.mark.parametrize("name", NAMES)
def test_the_equations_as_printed_give_the_same(name: str) -> None:
    """The numbers of the formulas, read again from the text, are the system to seven digits, and so is its solution."""
    found = equilibrium(name)
    matrix, rights = np.zeros_like(found.matrix), np.zeros(len(found.equations))
    for row, equation in enumerate(found.equations):
        *left, right = numeric(found, equation).splitlines()
        assert number(right.removeprefix("= ")) == pytest.approx(found.right[row], rel=1e-6, abs=1e-300)
        terms = [of for line in left if (of := re.fullmatch(r"([+-] )?(?:(\S+(?: 10\S+)?)\\,)?[^,]+", line))]
        factors = [(-1 if of[1] == "- " else 1) * (number(of[2]) if of[2] else 1.0) for of in terms]
        assert factors == pytest.approx([factor for _, factor in equation.terms], rel=1e-6)
        matrix[row, [k for k, _ in equation.terms]], rights[row] = factors, number(right.removeprefix("= "))
        assert len(symbolic(found, equation).split("\n=")[0].splitlines()) == len(equation.terms)
    if name != "planetary_train":  # of its three planets no equation tells the forces apart
        solved = np.linalg.solve(matrix, rights)
        np.testing.assert_allclose(solved, found.values, atol=2e-5 * np.abs(found.values).max())


def number(text: str) -> float:
    mantissa, _, power = text.partition(r"\cdot 10^{")
    return float(mantissa) * 10.0 ** int(power.rstrip("}") or 0)


def test_a_slider_crank_by_hand(tmp_path: Path) -> None:
    """At rest, with a force on the piston in line with the crank's pivot: T = F r sin(theta + beta) / cos(beta)."""
    r, rod, theta, push = 0.05, 0.2, 0.7, 1000.0
    beta = np.arcsin(r * np.sin(theta) / rod)
    B = np.array([r * np.cos(theta), r * np.sin(theta)])
    m = sk.Mechanism(
        "Press",
        points={"A": (0, 0), "B": tuple(B), "C": (B[0] + rod * np.cos(beta), 0)},
        links={"ground": ["A"], "crank": ["A", "B"], "rod": ["B", "C"], "piston": ["C"]},
        joints={"guide": {"type": "prismatic", "links": ["ground", "piston"], "at": "C", "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1.0}},
        forces={"load": {"type": "force", "at": "C", "on": "piston", "value": [-push, 0]}},
    )
    found = m.solve(t=[0.0]).forces(static=True).equilibrium()
    values = dict(zip(map(str, found.unknowns), found.values, strict=True))
    assert abs(values["T_motor"]) == pytest.approx(push * r * np.sin(theta + beta) / np.cos(beta))
    assert abs(values["N_guide"]) == pytest.approx(push * np.tan(beta))
    assert [len(part.equations) for part in found.parts] == [6, 3]
    rod_x = next(one for one in found.equations if (one.body, one.direction) == ("rod", "x"))
    assert {str(found.unknowns[k]) for k, _ in rod_x.terms} == {"B_x", "C_x"} and rod_x.right == 0
    found.forces.worksheet(tmp_path / "sheet.html")
    text = (tmp_path / "sheet.html").read_text()
    assert text.count("<svg") == 3 and text.count("<math") > 30 and "rod + piston (RRP): 6 equations for 6" in text
    for blank in ("sheet.html", "sheet.tex"):
        found.forces.worksheet(tmp_path / blank, solved=False)
        text = (tmp_path / blank).read_text()
        assert "6 equations for 6" in text and f"{abs(values['N_guide']):.7g}" not in text
        assert text.count('class="blank"' if blank.endswith("html") else r"\rule") == 9  # three equations for each link


def test_names_become_no_code() -> None:
    m = sk.Mechanism(
        "<script>alert(1)</script> & \\input{x}",
        points={"A_<b>": (0, 0), "B$": (1, 0)},
        links={"ground": ["A_<b>"], "bar & <i>": {"points": ["A_<b>", "B$"], "mass": 1, "shape": "rod"}},
        drivers={"%": {"joint": "A_<b>", "speed": 1}},
        forces={"gravity": [0, -9.81]},
    )
    found = m.solve(t=[0.0]).forces().equilibrium()
    text = page(found)
    assert "<script" not in text and "<i>" not in text and "<b>" not in text
    written = document(found, "x.pdf")
    assert r"\input{x}" not in written and "bar \\& \\textless{}i\\textgreater{}" in written


def test_samples_and_files_that_do_not_exist_are_refused(tmp_path: Path) -> None:
    forces = sk.load(examples.path("one_cylinder_engine")).solve(5).forces()
    with pytest.raises(sk.InputError, match="there is no sample 5"):
        forces.equilibrium(5)
    with pytest.raises(sk.InputError, match=r"use \.html or \.tex"):
        forces.worksheet(tmp_path / "sheet.png")
    assert not list(tmp_path.iterdir())


def test_what_is_zero_but_for_rounding_is_no_number_of_a_worksheet() -> None:
    """At the top an engine's crank turns evenly and its rod moves straight; 1e-13 N had stood on the page."""
    engine = sk.load(examples.path("one_cylinder_engine"))
    found = engine.solve(t=[0.0]).forces().equilibrium()
    assert [one.right for one in found.equations if one.direction != "y"] == [0.0] * 6
    assert all(one.right for one in found.equations if one.direction == "y")


def test_a_force_whose_angle_is_almost_zero(tmp_path):
    """Its angle is a power of ten, in degrees: two exponents on one number are no formula, on a page or in LaTeX."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "P": (0, 0.5)},
        links={"ground": ["A"], "arm": {"points": ["A", "B"], "mass": 1, "center": (0, 0.5)}, "block": ["P"]},
        joints={
            "slot": {"type": "pin-in-slot", "pin": "P", "slot": "arm", "axis": [-1e-7, 1]},
            "rail": {"type": "prismatic", "links": ["block", "ground"], "at": "P", "axis": [0, 1]},
        },
        drivers={"feed": {"joint": "rail", "speed": 0.1}},
        forces={"push": {"type": "force", "at": "B", "value": [1, 0]}},
        duration=1.0,
    )
    forces = m.solve(t=[0.0]).forces()
    forces.worksheet(tmp_path / "a.html")
    forces.worksheet(tmp_path / "a.tex")
    assert r"{5.729578\cdot 10^{-6}}^\circ" in (tmp_path / "a.tex").read_text("utf-8")


def test_small_entries_of_a_matrix_are_powers_of_ten() -> None:
    """Lever arms below a tenth of a millimetre were printed as 5e-05, which a formula shows as 5 e minus 05."""
    data = loaded("crank_rocker").source_dict
    data["units"] = {**data["units"], "length": "um"}
    found = sk.Mechanism.from_dict(data).solve(5).forces().equilibrium(1)
    matrices = [line for line in document(found, "").splitlines() if "pmatrix" in line]
    assert any(r"\cdot 10^{-5}" in line for line in matrices)
    assert not any(re.search(r"\de-\d", line) for line in matrices)
