"""The error of a constraint under Baumgarte's gains: its solution, and the growth measured with integrators."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from structkin.dynamics.integrators.methods import FIXED, step_roots
from structkin.errors import InputError
from structkin.studies.baumgarte import TABLE_1, growth, largest_step, response, roots
from structkin.studies.pictures import draw_mapping

GAINS = [(5.0, 5.0), (3.0, 5.0), (5.0, 3.0), (-1.0, 2.0), (0.0, 4.0)]


@pytest.mark.parametrize(("alpha", "beta"), GAINS)
def test_the_response_solves_its_equation(alpha: float, beta: float) -> None:
    times = np.linspace(0, 2, 41)
    found = solve_ivp(
        lambda t, y: [y[1], -2 * alpha * y[1] - beta**2 * y[0]], (0, 2), [0, 1], "DOP853", times, rtol=1e-12, atol=1e-14
    )
    assert response(alpha, beta, times) == pytest.approx(found.y[0], rel=1e-9, abs=1e-11)


def test_the_response_is_smooth_where_the_roots_meet() -> None:
    times = np.linspace(0, 3, 31)
    assert response(2.0, 2.0, times) == pytest.approx(times * np.exp(-2 * times), abs=1e-15)
    for beta in (2 - 1e-10, 2 + 1e-10):
        assert response(2.0, beta, times) == pytest.approx(response(2.0, 2.0, times), abs=1e-9)


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize(("alpha", "beta", "h"), [(4.0, 3.0, 0.1), (2.0, 7.0, 0.2), (9.0, 9.0, 0.15), (1.0, 1.0, 0.01)])
def test_growth_agrees_with_the_integrator(name: str, alpha: float, beta: float, h: float) -> None:
    """The largest root is the mean growth a step over many steps of the integrator itself."""
    matrix = np.array([[0.0, 1.0], [-(beta**2), -2 * alpha]])
    method, y = FIXED[name](), np.array([0.0, 1.0])
    sizes = []
    for k in range(600):
        y = method.step(lambda t, y: matrix @ y, k * h, y, h)
        size = float(np.max(np.abs(y)))
        sizes.append(np.log(size) + (sizes[-1] if sizes else 0.0))
        # Scaling restarts a multistep method only if its step changes: the history is scaled with the state.
        method.past /= size
        y = y / size
    late = np.exp((sizes[-1] - sizes[199]) / 400)
    # A double root (alpha = beta) adds a factor that grows like the number of steps.
    assert late == pytest.approx(abs(growth(name, alpha, beta, h)), rel=4e-3)


def test_euler_in_closed_form() -> None:
    """Eq. 212: z^2 + (2 alpha h - 2) z + beta^2 h^2 - 2 alpha h + 1 = 0."""
    rng = np.random.default_rng(1)
    for alpha, beta, h in rng.uniform((-5, -5, 0.001), (50, 50, 0.1), (50, 3)):
        other = np.roots([1, 2 * alpha * h - 2, (beta * h) ** 2 - 2 * alpha * h + 1])
        assert abs(growth("euler", alpha, beta, h)) == pytest.approx(np.max(np.abs(other)), rel=1e-9)


def test_table_1_and_where_it_differs() -> None:
    z = np.array([growth("euler", alpha, beta, 0.001) for alpha, beta, _, _ in TABLE_1])
    size, angle = np.abs(z), np.degrees(np.abs(np.angle(z)))
    printed_size, printed_angle = np.array(TABLE_1)[:, 2:].T
    assert np.flatnonzero(np.abs(size - printed_size) > 6e-4).tolist() == [4]
    assert np.flatnonzero(np.abs(angle - printed_angle) > 0.06).tolist() == [3]
    assert size[4] == pytest.approx(0.9997, abs=5e-5)
    assert angle[3] == pytest.approx(0.567, abs=1e-3)


@pytest.mark.parametrize("name", FIXED)
def test_the_largest_step_is_a_boundary(name: str) -> None:
    for alpha, beta in ((10.0, 10.0), (3.0, 12.0), (12.0, 3.0)):
        step = largest_step(name, alpha, beta)
        if np.isfinite(step):
            assert abs(growth(name, alpha, beta, 0.999 * step)) < 1 < abs(growth(name, alpha, beta, 1.001 * step))
        else:
            assert name == "gear4"
    assert largest_step(name, -1.0, 2.0) == 0.0


def test_the_gains_by_a_taylor_series_are_marginal_for_euler() -> None:
    """alpha = 1/h, beta = sqrt(2)/h (eqs. 203-204): |z| = 1."""
    for h in (1e-4, 1e-2):
        assert abs(growth("euler", 1 / h, np.sqrt(2) / h, h)) == pytest.approx(1, abs=1e-12)
        assert abs(growth("rk4", 1 / h, np.sqrt(2) / h, h)) < 0.4
    assert roots(1.0, np.sqrt(2))[0] == pytest.approx(-1 + 1j)


def test_unknown_integrators_are_refused() -> None:
    with pytest.raises(InputError, match="'rk3' is unknown"):
        step_roots("rk3", 0.0)


def test_a_step_maps_the_left_half_plane_into_the_unit_circle_but_euler_does_not() -> None:
    """Fig. 59 maps by z = exp(s h): by it all positive gains of Tab. 1 would decay, yet one diverges."""
    s = np.array([roots(alpha, beta) for alpha, beta, _, _ in TABLE_1]) * 1e-3
    exact, euler = np.max(np.abs(np.exp(s)), axis=1), np.max(np.abs(1 + s), axis=1)
    assert (exact < 1).tolist() == [False, True, True, True, True, True]
    assert (euler < 1).tolist() == [False, True, True, True, True, False]
    expected = [abs(growth("euler", alpha, beta, 1e-3)) for alpha, beta, _, _ in TABLE_1]
    assert euler == pytest.approx(expected, abs=1e-12)


def test_the_picture_of_the_mapping_shows_circle_and_strip() -> None:
    strip, exact, euler = draw_mapping().axes
    reach = [max(np.max(np.hypot(*line.get_data())) for line in axes.lines[:4]) for axes in (exact, euler)]
    assert reach[0] < 1 < reach[1]  # the lines left of the axis of imaginary s
    assert strip.get_xlim() == euler.get_xlim()
