"""Geneva wheels on the ground and on a moving carrier."""

from __future__ import annotations

from typing import Any

import numpy as np

import structkin as sk


def geneva(slots: int = 4, turn: complex = 1.0, driver: dict[str, Any] | None = None, **more: Any) -> sk.Mechanism:
    """Shafts 1 apart along the direction `turn`; the pin is drawn beyond the crank's shaft, the wheel locked."""
    radius, turn = np.sin(np.pi / slots), turn / abs(turn)
    place = {"A": 0j, "P": -radius * turn, "B": turn}
    return sk.Mechanism(
        "geneva",
        points={name: (z.real, z.imag) for name, z in ((k, complex(v)) for k, v in place.items())},
        links={"ground": ["A", "B"], "crank": ["A", "P"], "wheel": ["B"]},
        joints={"step": {"type": "geneva", "crank": "crank", "pin": "P", "wheel": "wheel", "slots": slots, **more}},
        drivers={"motor": driver or {"joint": "A", "speed": 1.0}},
    )


def geneva_linkage() -> sk.Mechanism:
    """A wheel of four slots on an arm that turns; the wheel drives a four-bar on the arm."""
    data = geneva(4).source_dict
    data["points"] |= {"O": [0, -1], "C": [1.3, 0.1], "D": [2.0, 0.6], "E": [2.2, -0.4]}
    data["links"] = {
        "ground": ["O"], "arm": ["O", "A", "B", "E"], "crank": ["A", "P"], "wheel": ["B", "C"], "rod": ["C", "D"],
        "rocker": ["E", "D"],
    }  # fmt: skip
    data["drivers"] = {"motor": {"joint": "A", "speed": 3.0}, "swing": {"joint": "O", "speed": 1.0}}
    return sk.Mechanism.from_dict(data)
