"""Triads with one slider: recognised by their structure, solved as a platform, among the poses of the closed form."""

from __future__ import annotations

import numpy as np
import pytest
from whole_system import WholeSystem, unknowns_of

import structkin as sk
from structkin.groups import General
from structkin.groups.triad import recognised
from structkin.solve.derivatives import Part

POINTS = {
    "A": (0, 0), "B": (0.3, 1), "C": (1, 1.2), "D": (1.6, 0.1), "E": (-1.2, 1), "F": (-1.2, 1.2), "P": (-0.1, 1.3),
}  # fmt: skip
#: The third leg besides E-F-P and A-B: the ends of the guide, and the resulting name of the leg.
LEGS = {
    "a link": (None, "RR"),
    "block on the ground": ({"links": ["block", "ground"], "at": "C", "axis": [1, 0.2]}, "PR"),
    "ground in a block": ({"links": ["ground", "block"], "at": "C", "axis": [1, 0.2]}, "PR"),
    "block on the crank": ({"links": ["block", "crank"], "at": "C", "axis": [1, 0.2]}, "PR"),
    "plate in a block": ({"links": ["plate", "block"], "at": "C", "axis": [0.3, 1]}, "RP"),
    "block on the plate": ({"links": ["block", "plate"], "at": "C", "axis": [0.3, 1]}, "RP"),
}


def triad(guide, leg):
    third = {"RR": ["C", "D"], "PR": ["C"], "RP": ["D"]}[leg]
    links = {
        "ground": ["A", "D", "E"],
        "crank": ["E", "F"],
        "rod": ["F", "P"],
        "plate": ["B", "C", "P"],
        "left": ["A", "B"],
    }
    return sk.Mechanism(
        points=POINTS,
        links={**links, "left": ["A", "B"], "block": third},
        joints={} if guide is None else {"slide": {"type": "prismatic", **guide}},
        drivers={"motor": {"joint": "E", "speed": 1}},
    )


@pytest.mark.parametrize("name", LEGS)
def test_triads_are_one_platform_and_pass_the_whole_system_check(name):
    guide, leg = LEGS[name]
    m = triad(guide, leg)
    motion = m.solve(t=np.linspace(0, 2 * np.pi, 120))
    assert motion.ok.mean() > 0.3
    (index,) = motion.plan.followed
    step = motion.plan.steps[index]
    assert isinstance(step.kind, General) and step.kind.rows.links == 1
    found = recognised(step.kind.rows)
    assert found is not None and found.kind.legs == ("RR", "RR", leg)
    part = Part(motion.plan, motion.lanes.x[0][:, motion.ok])
    poses = found.kind.poses(found.inputs(part.inputs(step)))
    apart = sum(np.abs(x - y[:, None]).sum(axis=0) for x, y in zip(poses, part.outputs(step), strict=True))
    assert np.max(np.min(apart, axis=0)) < 1e-9
    system = WholeSystem(m)
    q = unknowns_of(system, motion, 0)[:, motion.ok]
    z = np.array([motion.drivers["motor"][0, motion.ok]])
    assert np.max(np.abs(system.values(q, z))) < 1e-10
    assert [item.index for item in m.assemblies()]


def test_circuits_of_a_triad_with_a_slider():
    m = triad(*LEGS["block on the ground"])
    assert repr(m.circuits()) == "<Circuits: 3 circuits of 4 branches over motor>"
