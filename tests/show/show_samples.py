"""Mechanisms to draw, and how to find an artist by its meaning."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

import structkin as sk

MM = {"length": "mm", "angle": "deg"}


def crank_rocker() -> sk.Mechanism:
    return sk.Mechanism(
        "Crank-rocker",
        units=MM,
        points={"A": [0, 0], "B": [15.2, 0], "C": [42.3, 30.29], "D": [45.72, 0], "P": [20.5, 35.4]},
        links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C", "P"], "rocker": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": "60 rpm"}},
    )


def part_turn() -> sk.Mechanism:
    """Return a four-bar whose driven link cannot turn fully."""
    return sk.Mechanism(
        "Part turn",
        units=MM,
        points={"A": [0, 0], "B": [1, 3], "C": [4, 4], "D": [5, 0], "P": [2.5, 5]},
        links={"ground": ["A", "D"], "left": ["A", "B"], "coupler": ["B", "C", "P"], "right": ["C", "D"]},
        drivers={"motor": {"joint": "A", "speed": "-30 rpm"}},
    )


def slider_crank() -> sk.Mechanism:
    return sk.Mechanism(
        "Slider-crank",
        units=MM,
        points={"O": [0, 0], "A": [20, 5], "B": [90, 10]},
        links={"ground": ["O"], "crank": ["O", "A"], "rod": ["A", "B"], "piston": ["B"]},
        joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "B", "axis": [1, 0]}},
        drivers={"motor": {"joint": "O", "speed": "120 rpm"}},
    )


def quick_return() -> sk.Mechanism:
    return sk.Mechanism(
        "Quick return",
        units=MM,
        points={"O": [0, 0], "A": [0, 120], "B": [60, 120], "E": [150, 300], "F": [300, 340]},
        links={"ground": ["O", "A"], "crank": ["A", "B"], "arm": ["O", "E"], "rod": ["E", "F"], "ram": ["F"]},
        joints={
            "slot": {"type": "pin-in-slot", "pin": "B", "on": "crank", "slot": "arm", "axis": [1, 2]},
            "guide": {"type": "prismatic", "links": ["ram", "ground"], "at": "F", "axis": [1, 0]},
        },
        drivers={"motor": {"joint": "A", "speed": "60 rpm"}},
    )


def press() -> sk.Mechanism:
    """Return a toggle press that a slide drives."""
    return sk.Mechanism(
        "Press",
        units=MM,
        duration=2,
        points={"A": [0, 300], "B": [60, 150], "C": [0, 0], "S": [160, 150]},
        links={
            "ground": ["A"],
            "upper": ["A", "B"],
            "lower": ["B", "C"],
            "ram": ["C"],
            "rod": ["B", "S"],
            "pusher": ["S"],
        },
        joints={
            "die": {"type": "prismatic", "links": ["ram", "ground"], "at": "C", "axis": [0, 1]},
            "way": {"type": "prismatic", "links": ["pusher", "ground"], "at": "S", "axis": [1, 0]},
        },
        drivers={"push": {"joint": "way", "law": "30*sin(pi*t)"}},
    )


def digger() -> sk.Mechanism:
    """Return a boom lifted by a cylinder."""
    return sk.Mechanism(
        "Boom",
        duration=1,
        points={"A": [0, 0], "E": [0.4, -0.4], "F": [2.2, 1.6], "T": [4.5, 2.0]},
        links={"ground": ["A", "E"], "boom": ["A", "F", "T"]},
        drivers={"ram": {"between": ["E", "F"], "speed": "0.2 m/s"}},
    )


def one_crank() -> sk.Mechanism:
    return sk.Mechanism(
        points={"A": [0, 0], "B": [1, 0]},
        links={"ground": ["A"], "crank": ["A", "B"]},
        drivers={"motor": {"joint": "A", "speed": 2}},
    )


def loose() -> sk.Mechanism:
    """Return a five-bar with a missing driver."""
    return sk.Mechanism(
        "Loose",
        points={"A": [0, 0], "B": [-10, 30], "C": [20, 50], "D": [50, 30], "E": [40, 0]},
        links={"ground": ["A", "E"], "left": ["A", "B"], "l2": ["B", "C"], "r2": ["C", "D"], "right": ["D", "E"]},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )


def overdriven() -> sk.Mechanism:
    data: dict[str, Any] = crank_rocker().source_dict
    data["drivers"]["second"] = {"joint": "D", "speed": 1}
    return sk.Mechanism.from_dict(data)


def chain(count: int = 15) -> sk.Mechanism:
    """Return four-bars in a row: 2 count + 2 links."""
    points: dict[str, Any] = {"A0": [0, 0], "B0": [10, 20]}
    links: dict[str, Any] = {"ground": ["A0"], "crank": ["A0", "B0"]}
    for k in range(1, count + 1):
        points[f"A{k}"] = [40 * k, 0]
        points[f"B{k}"] = [40 * k + 10 - 3 * (k % 2), 24 + 2 * (k % 3)]
        links["ground"].append(f"A{k}")
        links[f"rod{k}"] = [f"B{k - 1}", f"B{k}"]
        links[f"rocker{k}"] = [f"A{k}", f"B{k}"]
    law = {"joint": "A0", "law": "63.4+10*sin(2*pi*t)"}
    return sk.Mechanism("Chain", units=MM, points=points, links=links, drivers={"motor": law}, duration=1)


ALL = [crank_rocker, part_turn, slider_crank, quick_return, press, digger, one_crank]


def gids(figure: Figure) -> list[str]:
    """Return the gids of everything drawn."""
    return [gid for artist in figure.findobj() if (gid := artist.get_gid())]


def drawn(figure: Figure, gid: str) -> Any:
    """Return the one artist with a gid."""
    [artist] = [artist for artist in figure.findobj() if artist.get_gid() == gid]
    return artist


def legend_texts(figure: Figure) -> list[str]:
    """Return all texts of all legends."""
    legends = [*figure.legends, *(ax.get_legend() for ax in figure.axes if ax.get_legend())]
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def texts(figure: Figure) -> str:
    """Return all text on a figure."""
    from matplotlib.text import Text

    return "\n".join(artist.get_text() for artist in figure.findobj(Text))


def nothing_is_cut(figure: Figure) -> None:
    """Check that all text is inside the figure."""
    from matplotlib.text import Text

    figure.draw_without_rendering()
    whole = figure.bbox.padded(1)
    # an axis also has numbers beyond its ends, which are not drawn
    numbers = {text for ax in figure.axes for text in (*ax.get_xticklabels(), *ax.get_yticklabels())}
    for text in set(figure.findobj(Text)) - numbers:
        if text.get_text().strip() and text.get_visible():
            box = text.get_window_extent()
            assert whole.contains(box.x0, box.y0) and whole.contains(box.x1, box.y1), text.get_text()
