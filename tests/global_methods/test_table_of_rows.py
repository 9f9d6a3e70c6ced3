"""The rows of S0's Tab. 1 and of S1, one by one against the printed formulas as corrected."""

import numpy as np
import pytest
from coordinate_samples import dense, four_bar, slider_crank

import structkin as sk
from structkin.examples import path


def fully(m, q, z=None, v=None, dz=None, ddz=None):
    """Rows by label of a mechanism in fully Cartesian coordinates: Phi, Jacobian row, nu and gamma."""
    c = m.constraints("fully-cartesian")
    q, v = (np.asarray(x, float).reshape(-1, 1) for x in (q, np.zeros(c.n) if v is None else v))
    f = len(c.drivers)
    z, dz, ddz = (np.zeros((f, 1)) if x is None else np.asarray(x, float).reshape(f, 1) for x in (z, dz, ddz))
    J = dense(c, c.jacobian(q, z))[0]
    phi, nu, gamma = c.phi(q, z), c.nu(z, dz), c.gamma(q, v, z, dz, ddz)
    return {(row.of, row.equation): (phi[k, 0], J[k], nu[k, 0], gamma[k, 0]) for k, row in enumerate(c.rows)}


def one_link(points, joints=None, **more):
    return sk.Mechanism(
        points={"A": [0, 0], "B": [2, 1], **points},
        links={"ground": ["A"] if "A" in more.pop("hold", "A") else [], "bar": ["A", "B"]},
        joints=joints, **more,
    )  # fmt: skip


RNG = np.random.default_rng(5)


def test_unit_vector_and_pinned_joint():
    """U.U - 1 with gamma -2 U'.U'; C_P q - r* with a constant Jacobian (S0 rows 1 and 2)."""
    m = one_link({}, drivers={"motor": {"joint": "A"}})
    q, v = RNG.standard_normal(4), RNG.standard_normal(4)
    rows = fully(m, q, [0.3], v)
    phi, J, nu, gamma = rows["bar", "unit vector"]
    assert phi == pytest.approx(q[2:] @ q[2:] - 1)
    np.testing.assert_allclose(J, [0, 0, 2 * q[2], 2 * q[3]])
    assert nu == 0 and gamma == pytest.approx(-2 * v[2:] @ v[2:])
    phi, J, nu, gamma = rows["A", "pin, x"]
    assert phi == pytest.approx(q[0])
    np.testing.assert_allclose(J, [1, 0, 0, 0])
    assert nu == gamma == 0


@pytest.mark.parametrize("z", [0.3, 1.4, 2.8, 4.0, 5.5])
def test_angular_driver_switches_between_dot_and_cross(z):
    """Dot: u.v - cos z, cross: u x v - sin z (Lu = Lv = 1), nu and gamma with corrected signs; never singular."""
    m = four_bar(1, 3, 2.5, 3, 0.7)
    m = sk.Mechanism.from_dict(
        {**m.source_dict, "drivers": {"motor": {"joint": "B", "links": ["crank", "coupler"], "speed": 1}}}
    )
    c = m.constraints("fully-cartesian")
    at = {link: 4 * k for k, link in enumerate(c.links)}
    q, v = np.zeros(c.n), RNG.standard_normal(c.n)
    for link, angle in (("crank", 0.4), ("coupler", 0.4 + z), ("rocker", 1.0)):
        q[at[link] + 2 : at[link] + 4] = np.cos(angle), np.sin(angle)
    phi, J, nu, gamma = fully(m, q, [z], v, [1.7], [-0.6])["motor", "angle, dot or cross"]
    (U, V), (dU, dV) = ((x[at["crank"] + 2 :][:2], x[at["coupler"] + 2 :][:2]) for x in (q, v))
    turned = np.array([[0, -1], [1, 0]])
    by_dot = abs(np.sin(z)) > abs(np.cos(z))
    assert phi == pytest.approx(0, abs=1e-15)
    if by_dot:
        sign, at_u, at_v = -np.sign(np.sin(z)), V, U
        right = -np.sin(z) * 1.7
        second = -(np.cos(z) * 1.7**2 + np.sin(z) * -0.6) - 2 * dU @ dV
    else:
        sign, at_u, at_v = np.sign(np.cos(z)), -turned @ V, turned @ U
        right = np.cos(z) * 1.7
        second = -(np.sin(z) * 1.7**2 - np.cos(z) * -0.6) - 2 * (turned @ dU) @ dV
    np.testing.assert_allclose(J[at["crank"] + 2 :][:2], sign * at_u, atol=1e-14)
    np.testing.assert_allclose(J[at["coupler"] + 2 :][:2], sign * at_v, atol=1e-14)
    assert nu == pytest.approx(sign * right) and gamma == pytest.approx(sign * second)
    assert abs(right / 1.7) >= np.sqrt(0.5) - 1e-12, "half a right angle from singular at least"


def test_roller_along_x_constrains_y():
    """S0 prints the selection b reversed."""
    m = sk.Mechanism(
        points={"A": [0, 0], "B": [2, 0]},
        links={"ground": ["A"], "bar": ["B"], "arm": ["A", "B"]},
        joints={"roller": {"type": "pin-in-slot", "pin": "B", "on": "bar", "slot": "ground", "axis": [1, 0]}},
    )
    c = m.constraints("fully-cartesian")
    row = next(k for k, row in enumerate(c.rows) if row.of == "roller")
    q = RNG.standard_normal((c.n, 1))
    at = 4 * c.links.index("bar")
    J = dense(c, c.jacobian(q, np.zeros((0, 1))))[0, row]
    np.testing.assert_allclose(J[at : at + 2], [0, 1], atol=1e-15)
    assert c.gamma(q, q, *[np.zeros((0, 1))] * 3)[row, 0] == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(("second", "variant"), [([3, 0.2], "cross"), ([1.1, 1.9], "dot")])
def test_translation_in_both_variants(second, variant):
    """S0's translation (5) by the dot, (6) by the cross product: whichever is regular at the constant angle."""
    m = sk.Mechanism(
        points={"A": [0, 0], "B": [1, 0], "C": [1, 0.1], "D": second},
        links={"ground": ["A"], "arm": ["A", "B"], "slider": ["C", "D"]},
        joints={"guide": {"type": "prismatic", "links": ["slider", "arm"], "axis": [1, 0]}},
        drivers={"motor": {"joint": "A", "speed": 1}, "ram": {"joint": "guide", "speed": 0.1}},
    )
    c = m.constraints("fully-cartesian")
    row = next(k for k, row in enumerate(c.rows) if row.of == "guide" and row.equation.startswith("orientation"))
    assert c.rows[row].equation == f"orientation, {variant}"
    J = dense(c, c.jacobian(c.start(), np.array([[0.0], [0.0]])))[0]
    assert abs(c.phi(c.start(), np.zeros((2, 1)))[row, 0]) < 1e-15
    # Only the slider turns: U' = U~.
    k = 4 * c.links.index("slider")
    Ux, Uy = c.start()[k + 2 :, 0][:2]
    assert abs(J[row, k + 2] * -Uy + J[row, k + 3] * Ux) > 0.7


def test_circular_slot_is_a_constant_distance():
    """(P - M).(P - M) - r^2 with gamma -2 (P' - M').(P' - M'): P and M are linear in q."""
    m = sk.Mechanism(
        points={"A": [0, 0], "B": [2, 1], "D": [5, 0], "C": [4, 3], "M": [3, 1]},
        links={"ground": ["A", "D"], "bar": ["A", "B", "M"], "arm": ["D", "C"]},
        joints={"slot": {"type": "pin-in-slot", "pin": "C", "slot": "bar", "center": "M", "radius": 2.5}},
    )
    q, v = RNG.standard_normal(8), RNG.standard_normal(8)
    links = m.constraints("fully-cartesian").links

    def matrix(link, point):
        """C_P of S0 eq. 5: P = C_P q."""
        z = m.links[link].local[point]
        return np.kron(np.eye(2)[links.index(link)], [[1, 0, z.real, -z.imag], [0, 1, z.imag, z.real]])

    difference = matrix("arm", "C") - matrix("bar", "M")
    phi, J, nu, gamma = fully(m, q, v=v)["slot", "circular slot"]
    assert phi == pytest.approx((difference @ q) @ (difference @ q) - 2.5**2)
    np.testing.assert_allclose(J, 2 * (difference @ q) @ difference, atol=1e-14)
    assert nu == 0 and gamma == pytest.approx(-2 * (difference @ v) @ (difference @ v))


def test_s1_rows_of_a_point_and_of_drivers():
    """S1 eqs. 74-83 corrected: d(y_P)/d(phi) = xi cos phi - eta sin phi, gamma; nu = +z', gamma = +z''."""
    m = slider_crank(1, 2)
    c = m.constraints("reference-point")
    z, dz, ddz = (np.array([[x]]) for x in (0.3, 1.7, -0.4))
    q, v = RNG.standard_normal((c.n, 1)), RNG.standard_normal((c.n, 1))
    J, gamma = dense(c, c.jacobian(q, z))[0], c.gamma(q, v, z, dz, ddz)
    labels = {(row.of, row.equation): k for k, row in enumerate(c.rows)}
    assert c.nu(z, dz)[labels["motor", "angle"], 0] == 1.7
    assert gamma[labels["motor", "angle"], 0] == -0.4
    rod = c.names.index("rod.phi")
    C = m.links["rod"].local["C"]
    phi, rate = q[rod, 0], v[rod, 0]
    y = labels["C", "pin, y"]
    arm = C.real * np.cos(phi) - C.imag * np.sin(phi)
    # The row is the position on the link solved later minus that on the earlier one: the rod's or the slider's.
    sign = 1.0 if c.rows[y].links[1] == "rod" else -1.0
    assert J[y, rod] == pytest.approx(sign * arm)
    rise = C.real * np.sin(phi) + C.imag * np.cos(phi)
    assert gamma[y, 0] == pytest.approx(sign * rise * rate**2)


def guided(**more):
    """A bar from A to B with B in a slot of the ground that runs up at x = 2, as sketched."""
    return one_link(
        {}, {"line": {"type": "pin-in-slot", "pin": "B", "slot": "ground", "axis": [0, 1]}}, hold="", **more
    )


def test_a_point_on_a_line_of_the_ground_is_the_simple_constraint_of_s1():
    """Eqs. 75, 76 and 78: x + xi cos phi - eta sin phi - c, its Jacobian and gamma; B is at (xi, eta) in the bar."""
    m = guided()
    c, (local,) = m.constraints("reference-point"), [m.links["bar"].local["B"]]
    row = next(k for k, row in enumerate(c.rows) if row.of == "line")
    q, v, none = RNG.standard_normal((3, 1)), RNG.standard_normal((3, 1)), np.zeros((0, 1))
    at = {name.removeprefix("bar."): k for k, name in enumerate(c.names)}
    phi, x = q[at["phi"], 0], q[at["x"], 0]
    turned = local * np.exp(1j * phi)
    sign = np.sign(dense(c, c.jacobian(q, none))[0, row, at["x"]])  # which way the row is counted
    assert sign * c.phi(q, none)[row, 0] == pytest.approx(x + turned.real - 2)
    expected = np.zeros(3)
    expected[[at["x"], at["phi"]]] = 1, -turned.imag
    np.testing.assert_allclose(sign * dense(c, c.jacobian(q, none))[0, row], expected, atol=1e-15)
    gamma = turned.real * v[at["phi"], 0] ** 2
    assert sign * c.gamma(q, v, none, none, none)[row, 0] == pytest.approx(gamma)
    assert c.nu(none, none)[row, 0] == 0


@pytest.mark.parametrize("family", ["natural", "reference-point", "fully-cartesian", "relative"])
def test_simple_constraints_and_a_point_driven_along_a_line_hold_in_every_family(family):
    """Eqs. 71 to 74 and 79: x_B = c by the slot, y_B = d(t) along it, phi = c by an angle from the ground."""
    m = guided(drivers={"along": {"joint": "line", "speed": 0.1}, "turn": {"links": ["ground", "bar"], "speed": 0}})
    method = "global-sparse" if family == "natural" else "global"
    motion = m.solve(5, duration=2.0, method=method, coordinates=family)
    np.testing.assert_allclose(motion.position("B"), [[2, 1 + 0.1 * t] for t in motion.t], atol=1e-12)
    np.testing.assert_allclose(motion.angle("bar"), motion.angle("bar")[0], atol=1e-12)
    c, z = m.constraints(family), np.array([[0.3], [m.drivers["turn"].start]])
    place, angle = complex(2, 1.3), m.drivers["turn"].start
    U = np.exp(1j * angle)
    O = place - m.links["bar"].local["B"] * U
    q = c.from_frames(np.array([[O.real], [O.imag], [U.real], [U.imag]]))
    np.testing.assert_allclose(c.phi(q, z), 0, atol=1e-12)


@pytest.mark.parametrize(
    ("joint", "held"),
    [({"type": "fastened", "links": ["ground", "bar"]}, "x y phi"),
     ({"type": "prismatic", "links": ["bar", "ground"], "axis": [1, 0]}, "y phi")],
)  # fmt: skip
def test_joints_with_the_ground_are_simple_constraints(joint, held):
    """Eqs. 71 to 73: x = c, y = c, phi = c of a fastened body, the last two of a slider; gamma is zero."""
    m = one_link({}, {"hold": joint}, hold="")
    c, q, v, none = m.constraints("reference-point"), RNG.standard_normal((3, 1)), np.ones((3, 1)), np.zeros((0, 1))
    at = {name.removeprefix("bar."): k for k, name in enumerate(c.names)}
    rows, start = dense(c, c.jacobian(c.start(), none))[0], c.start()
    kept = np.zeros((c.m, 3))
    for row, name in enumerate(held.split()):
        kept[row, at[name]] = 1
    # the same rows up to order and sign: both span the same coordinates
    np.testing.assert_allclose(rows.T @ rows, kept.T @ kept, atol=1e-15)
    free = [k for name, k in at.items() if name not in held.split()]
    moved = start.copy()
    moved[free] = q[free]
    np.testing.assert_allclose(c.phi(moved, none), 0, atol=1e-15)
    np.testing.assert_allclose(c.gamma(start, v, none, none, none)[:, 0], 0, atol=1e-15)


@pytest.mark.parametrize("name", ["excavator", "crank_rocker", "jansen_leg"])
def test_the_pattern_in_relative_coordinates_is_exact_and_omits_what_vanishes_on_the_constraints(name):
    """Central differences of Phi: the entries of the pattern anywhere, all other entries where the loops are closed."""
    m = sk.load(path(name))
    c = m.constraints("relative")
    z = np.array([[drive.start] for drive in m.drivers.values()])
    closed, apart = c.start(), c.start() + 0.1 * RNG.standard_normal((c.n, 1))
    left = []
    for q in (closed, apart):
        steps = np.eye(c.n) * 1e-6
        slope = (c.phi(q + steps, np.repeat(z, c.n, 1)) - c.phi(q - steps, np.repeat(z, c.n, 1))) / 2e-6
        inside = np.zeros((c.m, c.n), bool)
        inside[c.pattern] = True
        scale = np.abs(slope).max()
        np.testing.assert_allclose(dense(c, c.jacobian(q, z))[0][inside], slope[inside], atol=1e-7 * scale)
        left.append(np.abs(slope[~inside]).max(initial=0.0) / scale)
    assert left[0] < 1e-6
    assert (left[1] > 1e-3) == (name == "excavator")
