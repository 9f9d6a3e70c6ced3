"""A row of square windows, a mechanism all of whose parts are flat at once."""

import structkin as sk


def windows(count):
    """A row of squares: all dyads close flat at once, and their pivots meet half a turn later."""
    points, links = {}, {"ground": [f"A{i}" for i in range(count + 1)]}
    for i in range(count + 1):
        points |= {f"A{i}": (i, 0), f"B{i}": (i, 1)}
        links[f"crank{i}"] = [f"A{i}", f"B{i}"]
    for i in range(count):
        links[f"bar{i}"] = [f"B{i}", f"B{i + 1}"]
    return sk.Mechanism(points=points, links=links, drivers={"motor": {"joint": "A0", "speed": 1.0}})
