"""Loads of the explicit scheme, its Python, C and LaTeX."""

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from cases import few
from compiled import compiled, needs_gcc
from exponentials import paths, pose
from spatial_models import X, Y, Z, body, cart_pole, chain, four_bar, joint, oblique_loop, spatial

from structkin import SpatialModel
from structkin.errors import InputError
from structkin.examples import spatial as spatial_examples
from structkin.model.expression import Expression
from structkin.model.laws import ConstantSpeed, ExpressionLaw, TableLaw
from structkin.multibody.model import Force, JointLoad, Spring, Stop, Torque
from structkin.symbolic import equations

NONE = ConstantSpeed(0.0, 0.0)
RIGHT, TOP = np.array([1.0, 0.4, 0.2]), np.array([0.1, 1.0, 0.0])


def arm(*loads):
    """Return two bodies on skew axes, attached to the ground, with loads."""
    bodies = [body("a", 1, [0, -0.5, 0.1], np.diag([0.1, 0.2, 0.3])), body("b", 2, [0.2, -1.5, 0], 0.2 * np.eye(3))]
    joints = [joint("A", "ground", "a", [0, 0, 0], Z), joint("B", "b", "a", [0, -1, 0], X)]
    return spatial("arm", bodies, joints, loads)


def placed(model, found, name, point, q):
    order = list(found.coordinates)
    return (pose(paths(model, order)[name], q) @ np.append(point, 1))[:3]


def slopes(function, q, h=1e-6):
    return np.array([(function(q + h * e) - function(q - h * e)) / (2 * h) for e in np.eye(q.size)])


@pytest.mark.parametrize("shared", few([True, False], 1))
def test_springs_and_dampers_have_the_power_of_their_length(shared):
    spring = Spring("s", ("b", "ground"), (TOP, RIGHT), 30.0, 4.0, 0.3)
    between = Spring("r", ("a", "b"), (X, TOP), 7.0, 0.0, 0.1)
    model, bare = arm(spring, between), arm()
    found = equations(model, shared=shared)
    without = equations(bare).function()
    q, qd = np.array([[0.3, -0.4], [0.7, 1.1]])

    def lengths(q):
        b = placed(model, found, "b", TOP, q)
        return np.array([np.linalg.norm(b - RIGHT), np.linalg.norm(b - placed(model, found, "a", X, q))])

    l, gradient = lengths(q), slopes(lengths, q)
    pull = [30 * (l[0] - 0.3) + 4 * (gradient[:, 0] @ qd), 7 * (l[1] - 0.1)]
    expected = without(0.0, q, qd)[2] - gradient @ pull
    assert np.allclose(found.function()(0.0, q, qd)[2], expected, atol=1e-7)


@pytest.mark.parametrize("shared", [False, True])
def test_forces_and_torques_follow_the_body_or_not(shared):
    law = ExpressionLaw(Expression("2*sin(3*t) + max(t, 0.1)**2"))
    q, qd, t = np.array([0.3, -0.4]), np.zeros(2), 0.7
    value = 2 * np.sin(3 * t) + t**2
    for follows in (False, True):
        model = arm(
            Force("push", "b", TOP, (law, ConstantSpeed(1.5, 0), NONE), follows),
            Torque("twist", "b", (NONE, law, ConstantSpeed(0.5, 2.0)), follows),
        )
        found = equations(model, shared=shared)
        order = list(found.coordinates)

        def turn(q, model=model, order=order):
            return pose(paths(model, order)["b"], q)[:3, :3]

        R = turn(q) if follows else np.eye(3)
        move = slopes(lambda q, m=model, f=found: placed(m, f, "b", TOP, q), q)
        spins = [dR @ turn(q).T for dR in slopes(turn, q)]
        omega = np.array([[S[2, 1], S[0, 2], S[1, 0]] for S in spins])
        expected = move @ R @ [value, 1.5, 0] + omega @ R @ [0, value, 0.5 + 2 * t]
        added = found.function()(t, q, qd)[2] - equations(arm()).function()(t, q, qd)[2]
        assert np.allclose(added, expected, atol=1e-7)


def test_loads_on_joints_and_stops():
    table = TableLaw((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 4.0, 9.0))
    model = cart_pole([JointLoad("servo", "S", 0, 5.0, 0.5, 0.2, table), Stop("end", "P", -0.5, 0.5, 100.0, 3.0)])
    for shared in (False, True):
        found, bare = equations(model, shared=shared).function(), equations(cart_pole()).function()
        for q, qd, push in (
            ([0.1, 0.2], [1.0, 1.0], 0), ([0.1, 0.7], [1.0, 1.0], -23), ([0.1, 0.7], [0, -9.0], 0),
            ([0, -0.6], [0, 1.0], 7),
        ):  # fmt: skip
            added = found(1.5, q, qd)[2] - bare(1.5, q, qd)[2]
            assert np.allclose(added, [-5 * (q[0] - 0.2) - 0.5 * qd[0] + 2.25, push])
        assert np.isnan(found(3.5, [0, 0], [0, 0])[2][0])


def test_loads_without_an_expression_are_refused_with_a_reason():
    broken = Spring("s", ("b", "ground"), (TOP, RIGHT), 30.0, 4.0, 0.3, breaks_at=5.0)
    with pytest.raises(InputError, match="depends on the past") as caught:
        equations(arm(broken, Stop("end", "Q", 0, 1, 1.0)))
    assert len(caught.value.problems) == 2
    model = four_bar()
    joints = [*model.joints.values()][:3]
    screw = joint("C", "coupler", "rocker", [0.423, 0.3029, 0], Z, "screw", cut=True)
    with pytest.raises(InputError, match="a screw joint cannot close a loop"):
        equations(spatial("screw", model.bodies.values(), [*joints, screw]))


SPRING = Spring("s", ("pole", "ground"), (TOP, RIGHT), 30.0, 4.0, 0.3)
MODELS = {
    "plane": lambda: equations(cart_pole([SPRING, Stop("end", "P", -0.5, 0.5, 100.0)])),
    "numbers": lambda: equations(cart_pole([SPRING]), numbers=True),
    "space": lambda: equations(chain(2, X, Y)),
    "shared": lambda: equations(chain(5, X, Y)),
    "multipliers": lambda: equations(four_bar()),
    "loops": lambda: equations(four_bar(), loops="explicit"),
    "oblique": lambda: equations(oblique_loop()),
}


@needs_gcc
@pytest.mark.parametrize("make", few(MODELS.values(), 3), ids=MODELS)
def test_c_and_python_give_the_same(make, tmp_path):
    found = make()
    python, c = found.function(), compiled(found, tmp_path)
    for seed in range(3):
        q, qd = np.random.default_rng(seed).uniform(-0.4, 0.4, (2, len(found.q)))
        for one, two in zip(python(0.2, q, qd), c(0.2, q, qd), strict=True):
            assert np.allclose(one, two, rtol=1e-12, atol=1e-13)


def test_python_and_sympy_give_the_same_and_take_other_parameters():
    found = equations(cart_pole([SPRING]))
    q, qd = [0.1, 0.2], [0.3, 0.4]
    values = {**dict(zip(found.q, q, strict=True)), **dict(zip(found.qd, qd, strict=True))}
    values |= {p.symbol: p.value for p in found.parameters.values()} | {found.parameters["m_pole"].symbol: 3.0}
    for symbol, value, _ in found.steps:
        values[symbol] = value.evalf(20, subs=values)
    expected = [np.array(m.evalf(20, subs=values), dtype=float) for m in found.outputs.values()]
    for one, two in zip(found.function()(0.0, q, qd, m_pole=3.0), expected, strict=True):
        assert np.allclose(one, two.reshape(one.shape), rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(
    "name", few([*(name for name in MODELS if name != "shared"), "governor", "spinning_top"], 1, 3)
)
def test_latex_is_balanced_and_every_formula_is_valid_and_fits_the_page(name):
    from matplotlib.font_manager import FontProperties
    from matplotlib.mathtext import MathTextParser

    model = MODELS.get(name) or SpatialModel.load(spatial_examples.path(name)).equations
    text = model().latex()
    assert text.count(r"\begin") == text.count(r"\end")
    parser = MathTextParser("path")
    body = text.split(r"\begin{document}")[1]
    for block in body.split(r"\begin{align*}")[1:]:
        lines = block.split(r"\end{align*}")[0]
        if "cases" in lines:  # a piecewise law, which matplotlib does not support
            continue
        # Lines within a root or an arc tangent are measured separately.
        lines = re.sub(r"\\sqrt\{\\begin\{aligned\}(.*?)\\end\{aligned\}\}", r"\1", lines)
        lines = re.sub(r"\\operatorname\{atan2\}\\left\(\\begin\{aligned\}(.*?)\\end\{aligned\}\\right\)", r"\1", lines)
        type_of_10_pt = FontProperties(size=10, math_fontfamily="cm")
        sides = [re.sub("&(.*)&", r"&\1", line.strip()).partition("&") for line in lines.split(r"\\")]
        widths = [
            max(parser.parse(f"${side or ' '}$", 72, type_of_10_pt)[0] for side in column if side)
            for column in zip(*((left, right) for left, _, right in sides), strict=True)
            if any(column)
        ]
        assert sum(widths) < 484  # 17 cm


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_pdflatex_sets_every_letter_and_no_line_is_too_wide(tmp_path):
    found = equations(oblique_loop())
    title = "".join(map(chr, (*range(0xA1, 0x180), *range(0x391, 0x3CA), 0x416, 0x1F600)))
    (tmp_path / "a.tex").write_text(replace(found, name=title).latex(), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "a.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert not [line for line in done.stdout.splitlines() if "Overfull" in line and "at lines" not in line]


def test_a_sum_times_a_multiplier_keeps_its_parentheses():
    text = equations(four_bar()).latex(document=False)
    turn = r"\cos{\left(\varphi_{\mathrm{coupler}} + q_{\mathrm{A}} + q_{\mathrm{B}} \right)}"
    factor = (
        rf"- l_{{\mathrm{{coupler}}}} \, {turn} - l_{{\mathrm{{crank}}}} \, \cos{{\left(q_{{\mathrm{{A}}}} \right)}}"
    )
    assert rf"\left({factor}\right) \lambda_{{\mathrm{{2}}}}" in text


def test_names_that_are_not_symbols():
    rod = body("lower arm, 2", 1.0, [0.5, 0, 0], np.eye(3))
    model = spatial('a "rod" */ \\', [rod], [joint("pin-1", "ground", "lower arm, 2", [0, 0, 0])])
    found = equations(model)
    assert str(found.q[0]) == "q_pin_1"
    assert found.function()(0.0, np.zeros(1), np.zeros(1))[0] == 1.25
    assert found.c().count("*/") == found.c().count("/*")
    assert r"\textbackslash{}" in found.latex()
    hinge = joint("φ é", "ground", "lower arm, 2", [0, 0, 0])
    greek = equations(spatial("Ж", [rod], [hinge]))
    assert str(greek.q[0]) == "q_phi_e" and "Coordinates (joint): $q_{\\mathrm{phi,e}}$ (phi é)." in greek.latex()
    assert r"\section*{U+0416}" in greek.latex()
