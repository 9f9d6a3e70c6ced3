"""A parallelogram with a third crank, which is redundant."""

import structkin as sk


def three_cranks():
    return sk.Mechanism(
        points={"A": (0, 0), "B": (1, 2), "C": (5, 2), "D": (4, 0), "E": (2, 0), "F": (3, 2)},
        links={
            "ground": ["A", "D", "E"], "left": ["A", "B"], "coupler": ["B", "C", "F"],
            "right": ["D", "C"], "middle": ["E", "F"],
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip
