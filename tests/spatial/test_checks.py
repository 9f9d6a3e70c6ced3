"""Input that is refused before a run, and how a run that cannot continue ends."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from structkin import InputError
from structkin.model.laws import TableLaw
from structkin.multibody.model import JointLoad, Spring
from structkin.spatial import small_steps
from structkin.spatial.checks import Stability
from structkin.spatial.elements import elements_of
from structkin.spatial.loop_arrays import solids_of
from tests.spatial.models import O, X, Z, body, chain, joint, model, single


def test_all_invalid_arguments_are_listed():
    with pytest.raises(InputError) as found:
        small_steps(chain(1), -1.0, float("nan"), record=0, stiffness={"j0": (1.0, -2.0)}, damping=-1.0)
    keys = [problem.key for problem in found.value.problems]
    assert keys == ["duration", "step", "record", "stiffness.j0", "damping"]
    with pytest.raises(InputError, match=r"stiffness\.j0: 5 is no pair of positive numbers"):
        small_steps(chain(1), 1.0, stiffness={"j0": 5})
    with pytest.raises(InputError, match="stiffness: 'hard' is no positive number"):
        small_steps(chain(1), 1.0, stiffness="hard")


def test_stiffness_is_given_for_all_joints_and_nothing_else():
    with pytest.raises(InputError, match=r"stiffness\.x: is no joint(.|\n)*stiffness\.j1: is missing"):
        small_steps(chain(2), 1.0, stiffness={"j0": (1.0, 1.0), "x": (1.0, 1.0)})


def test_bodies_need_mass_and_inertia_about_every_axis():
    bodies = [body("a", 0.0), body("b", 1.0, inertia=(0, 1, 1))]
    with pytest.raises(InputError, match=r"bodies\.a: has no mass(.|\n)*bodies\.b: has no moment of inertia"):
        small_steps(model(bodies), 1.0)


def test_a_start_that_tears_joints_is_refused():
    bodies = [body("a", 1.0, (0.5, 0, 0)), body("b", 1.0, (0.5, 0, 0))]
    joints = [
        joint("A", "revolute", "ground", "a"),
        joint("B", "revolute", "a", "b", X),
        joint("C", "revolute", "ground", "b"),
    ]
    with pytest.raises(InputError, match=r"joints\.\w: is open by .* m at the start"):
        small_steps(model(bodies, [replace(joints[0], start=(0.2,)), *joints[1:]]), 1.0)
    with pytest.raises(InputError, match=r"joints\.\w: is torn open by the speeds"):
        small_steps(model(bodies, [replace(joints[0], rates=(0.2,)), *joints[1:]]), 1.0)


def test_laws_must_cover_the_duration():
    load = JointLoad("pull", "j0", effort=TableLaw((0.0, 1.0, 2.0, 3.0), (0.0, 1.0, 4.0, 9.0)))
    with pytest.raises(InputError, match=r"loads\.pull: its table covers 0 to 3 s; the run is from 0 to 4 s"):
        small_steps(replace(chain(1), loads={"pull": load}), 4.0)


def test_work_beyond_the_budget_is_refused_before_it_starts():
    with pytest.raises(InputError, match="1,000,000,000 steps of 1 body exceed the budget"):
        small_steps(chain(1), 1000.0, 1e-6)


@pytest.mark.parametrize("count", [1, 3])
def test_the_largest_stable_step_is_where_the_loop_becomes_unstable(count):
    """A chain with soft hinges and a hard spring: 0.98 of the step runs, 1.02 of it is refused."""
    held = chain(count, gravity=O)
    name = f"b{count - 1}"
    spring = Spring("s", ("ground", name), (np.array([0.3, 0.1, 0.4]), held.bodies[name].points["tip"]), 1e5, 3.0, 1.0)
    held = replace(held, loads={"s": spring})
    given = {"stiffness": 1e6, "damping": 1e-4}
    elements = elements_of(held, 1e-4, **given)
    largest = Stability(held, solids_of(held), elements).largest_step()
    assert small_steps(held, 200 * largest, 0.98 * largest, **given).status == "ok"
    with pytest.raises(InputError, match=f"the largest stable step is {largest:.3g} s in the start pose"):
        small_steps(held, 1.0, 1.02 * largest, **given)


def test_the_default_is_stable_in_any_pose():
    for held in (chain(1), chain(6), chain(4, "spherical"), chain(3, "universal"), chain(3, "fixed")):
        step = 1e-3
        elements = elements_of(held, step, None, None)
        assert 0.3 < Stability(held, solids_of(held), elements).multiplier(step) < 2.1


def test_a_run_that_diverges_ends_with_a_status_instead_of_numbers():
    """Springs that are slack at the start and then too stiff for the step."""

    def kick(t, position, rotation, velocity, spin, force, torque):
        force[:] -= 1e9 * position

    motion = small_steps(single(body(center=(1.0, 0, 0))), 0.5, 1e-4, user=kick)
    assert motion.status.startswith("diverged before") and np.isfinite(motion.records).all()
    soft = joint("J", "revolute", "ground", "body", O, Z, X)
    torn = small_steps(single(body(center=(1.0, 0, 0)), [soft], gravity=(0, -9.81, 0)), 2.0, 1e-3, stiffness=10.0)
    assert torn.status.startswith("joint 'J' is torn open by")
    assert torn.closure.max() < 0.1 and 0 < len(torn.t) < 1000


def test_the_last_step_is_recorded():
    motion = small_steps(chain(1), 1e-2, 3e-5, record=100)
    assert motion.step == pytest.approx(1e-2 / 334)
    assert motion.t == pytest.approx(np.array([0, 100, 200, 300, 334]) * motion.step)
