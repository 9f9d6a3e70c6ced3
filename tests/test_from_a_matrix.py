"""From a 0/1 matrix and a table of points to groups, K, L, the reduced equation and sparse multipliers."""

import numpy as np
import pytest

import structkin as sk
from tests.cases import few

#: Mechanisms that are no examples: joints by pairs of links with their places, slides, drivers, and kinds of groups.
CASES = {
    "four-bar": ({(0, 1): (0, 0), (1, 2): (0.4, 1), (2, 3): (3, 1.7), (0, 3): (2.8, 0)}, {}, [(0, 1)], ["RRR"]),
    "slider-crank": ({(0, 1): (0, 0), (1, 2): (0.7, 0.6), (2, 3): (3, 0.2)}, {(0, 3): (1, 0)}, [(0, 1)], ["RRP"]),
    "inverted slider": ({(0, 1): (0, 0), (1, 3): (0.6, 1), (0, 2): (3, 0)}, {(2, 3): (2.4, -1)}, [(0, 1)], ["RPR"]),
    "yoke": (
        {(0, 1): (0, 0), (1, 2): (0.5, 0.5), (0, 3): (2, 0)}, {(2, 3): (0, 1), (0, 3): (1, 0)}, [(0, 1)], ["RPP"],
    ),
    "five-bar": (
        {(0, 1): (0, 0), (1, 2): (-0.5, 1), (2, 3): (1, 2.4), (3, 4): (2.6, 1.1), (0, 4): (2, 0)}, {},
        [(0, 1), (0, 4)], ["driven R", "RRR"],
    ),
    "triad": (
        {(0, 1): (0, 0), (1, 2): (0.5, 0.6), (2, 5): (1.6, 2), (0, 3): (3, 0), (3, 5): (3.2, 2.1), (0, 4): (1.5, 4),
         (4, 5): (2.2, 3)}, {}, [(0, 1)], ["class III order 3"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", few(CASES, 2))
def test_a_mechanism_from_a_matrix_to_its_dynamics(name: str) -> None:
    places, slides, drivers, kinds = CASES[name]
    count = 1 + max(link for pair in [*places, *slides] for link in pair)
    matrix = np.zeros((count, count), int)
    for i, j in [*places, *slides]:
        matrix[i, j] = matrix[j, i] = 1
    topology = sk.Topology.from_adjacency(matrix, kinds=dict.fromkeys(slides, "P"), drivers=drivers)
    assert [group.kind for group in topology.structure().groups][1:] == kinds
    body = {"mass": 1.0, "center": (0.1, 0.1), "inertia": 0.1}
    m = topology.mechanism(
        places, joints={pair: {"axis": axis} for pair, axis in slides.items()}, forces={"gravity": (0, -9.81)},
        links={str(k): body for k in range(1, count)},
    )  # fmt: skip
    equations = m.reduced()
    z, dz = equations.start
    M, h, Q = equations(z, dz + 1)
    pose = m.solve(drivers={id: ([z[k]], [1.0], [0.0]) for k, id in enumerate(equations.coordinates)})
    centers = [(m.links[str(k)].center, str(k)) for k in range(1, count)]
    parts = [(pose.K(*center)[0], pose.L(*center)[0]) for center in centers]
    turns = [(pose.K(str(k), kind="link")[0], pose.L(str(k), kind="link")[0]) for k in range(1, count)]
    by_hand = sum(K.T @ K for K, _ in parts) + 0.1 * sum(np.outer(K, K) for K, _ in turns)
    bias = sum(K.T @ L.sum(axis=(1, 2)) for K, L in parts) + 0.1 * sum(K * L.sum() for K, L in turns)
    np.testing.assert_allclose(M, by_hand, rtol=1e-9)
    np.testing.assert_allclose(h, bias, atol=1e-9 * abs(bias).max())
    np.testing.assert_allclose(Q, -9.81 * sum(K[1] for K, _ in parts), atol=1e-9)
    assert m.compare(5, simulate=0.2, methods="multipliers-sparse", coordinates="natural").agrees
