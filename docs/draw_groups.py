"""Draw the figures of groups in theory.md and add-a-group.md: `python docs/draw_groups.py`."""

from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from structkin import Mechanism, load
from structkin.examples import path
from structkin.show.files import save_figure
from structkin.show.schematic import draw_schematic
from structkin.show.style import group_colour
from structkin.types import Floats

FOLDER = Path(__file__).parent / "img"
#: A dyad on the ground: points, links, slides with their links, directions [deg] and places, and where the letters of
#: directions stand.
DYADS = {
    "RRR": (
        {"A": (0, 0), "B": (3, 0), "C": (1.2, 1.8)},
        {"ground": ["A", "B"], "1": ["A", "C"], "2": ["C", "B"]},
        {},
        {},
    ),
    "RRP": (
        {"A": (0, 1.8), "C": (2.2, 0), "G": (0.4, 0)},
        {"ground": ["A", "G"], "1": ["A", "C"], "2": ["C"]},
        {"guide": (["ground", "2"], 0, "C")},
        {"D": ((0.4, 0), 0)},
    ),
    "RPR": (
        {"A": (0, 0), "B": (3, 1.2)},
        {"ground": ["A", "B"], "1": ["A"], "2": ["B"]},
        {"guide": (["1", "2"], 21.8, "B")},
        {"D": ((1.1, 0.64), 21.8)},
    ),
    "PRP": (
        {"C": (2, 1.2), "G1": (0.2, 1.2), "G2": (1.6, 2.4)},
        {"ground": ["G1", "G2"], "1": ["C"], "2": ["C"]},
        {"first": (["ground", "1"], 0, "C"), "second": (["ground", "2"], -71.57, "C")},
        {"D1": ((0.2, 1.2), 0), "D2": ((1.6, 2.4), -71.57)},
    ),
    "RPP": (
        {"A": (0, 0), "C": (2, 1.4), "G1": (0.2, 1.4)},
        {"ground": ["A", "G1"], "1": ["A"], "2": ["C"]},
        {"first": (["1", "2"], 60, "C"), "second": (["ground", "2"], 0, "C")},
        {"D1": ((0.2, 1.4), 0), "D2": ((0, 0), 60)},
    ),
}
ONE_MODE = ("PRP", "RPP")


def main() -> None:
    """Draw the dyads, a triad, and the matrix of a mechanism in the order of its groups."""
    draw_dyads()
    draw_triad()
    draw_blocks()


def draw_dyads() -> None:
    """Draw each dyad between parts of the ground, in its mode +1, with the letters of its equations."""
    figure = Figure(figsize=(10, 6), dpi=110)
    axes = figure.subplots(2, 3).flatten()
    for ax, (name, (points, links, slides, arrows)) in zip(axes, DYADS.items(), strict=False):
        joints = {
            id: {"type": "prismatic", "links": pair, "axis": list(along(turn)), "at": at}
            for id, (pair, turn, at) in slides.items()
        }
        mechanism = Mechanism(points=points, links=links, joints=joints)
        (group,) = mechanism.structure().groups
        assert group.kind == name, group.kind
        draw_schematic(mechanism, ax=ax)
        for letter, (place, turn) in arrows.items():
            tip = np.add(place, 0.6 * along(turn))
            ax.annotate("", tip, place, arrowprops={"arrowstyle": "-|>", "color": "black", "lw": 1.5}, zorder=20)
            ax.annotate(letter, tip, xytext=(4, 4), textcoords="offset points", zorder=20)
        ax.set_axis_off()
        for text in [one for one in ax.texts if one.get_text() == "as sketched"]:
            text.remove()
        ax.set_title(f"{name}, {'one mode' if name in ONE_MODE else 'mode +1'}", loc="left")
        if legend := ax.get_legend():
            legend.remove()
    axes[-1].set_axis_off()
    save_figure(figure, FOLDER / "dyads.png")


def along(turn: float) -> Floats:
    """Return the unit vector (2,) of an angle [deg]."""
    return np.array((np.cos(np.radians(turn)), np.sin(np.radians(turn))))


def draw_triad() -> None:
    """Draw the triad of an example: a link with three pins, on three rods."""
    mechanism = load(path("stephenson_iii_triad"))
    save_figure(draw_schematic(mechanism, structure=mechanism.structure()), FOLDER / "triad.png")


def draw_blocks() -> None:
    """Draw the entries of Phi_q of an example, rows and columns in the order of the groups, whose blocks are framed."""
    m = load(path("watt_six_bar"))
    c, structure = m.constraints("natural"), m.structure()
    group_of = {link: group.index for group in structure.groups for link in group.links}
    of_rows = [max(group_of.get(link, 0) for link in row.links) for row in c.rows]
    points = [name.removesuffix(".x").removesuffix(".y") for name in c.names]
    of_columns = [min(group_of[id] for id in group_of if point in m.links[id].points) for point in points]
    rows, columns = np.argsort(of_rows, kind="stable"), np.argsort(of_columns, kind="stable")
    filled = np.zeros((c.m, c.n))
    filled[c.pattern] = 1
    figure = Figure(figsize=(7.5, 5), dpi=110)
    ax = figure.add_axes((0.3, 0.08, 0.65, 0.9))
    ax.imshow(filled[np.ix_(rows, columns)], cmap="Blues", vmax=1.6)
    ax.set_xticks(range(c.n), [c.names[k] for k in columns])
    ax.set_yticks(range(c.m), [str(c.rows[k]) for k in rows])
    for group in structure.groups:
        own = [np.flatnonzero(np.sort(of) == group.index) for of in (of_columns, of_rows)]
        (x, y), (wide, tall) = ([one[0] - 0.5 for one in own], [len(one) for one in own])
        ax.add_patch(Rectangle((x, y), wide, tall, fill=False, ec=group_colour(group.index), lw=3))
        ax.text(x + wide / 2, y + tall / 2, group.kind, ha="center", va="center", bbox={"fc": "white", "ec": "none"})
    save_figure(figure, FOLDER / "block_triangular.png")


if __name__ == "__main__":
    main()
