"""What all pictures share: colours by group, labels of groups, escaped text."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal

from structkin.structure import Group, KinematicStructure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Colours of the groups in solve order, from Okabe and Ito and from Tol, safe for the colour-blind; no red, no black.
PALETTE = (
    "#0072B2",  # blue
    "#E69F00",  # orange
    "#009E73",  # green
    "#CC79A7",  # pink
    "#56B4E9",  # sky
    "#882255",  # wine
    "#999933",  # olive
    "#332288",  # indigo
    "#44AA99",  # teal
    "#8C510A",  # brown
)

GROUND = "#555555"
DRIVER = "#D55E00"
#: Links that no group determines; drawn dashed as well.
LOOSE = "#CC0000"
#: Moving links of a picture that hides the groups.
PLAIN = "#34495E"

SMALL, NORMAL, LARGE = 8.0, 9.0, 12.0


@cache
def group_colour(index: int | None) -> str:
    """Return the colour of a group by its index, `LOOSE` for None; after the palette, darker and lighter shades.

    >>> group_colour(0), group_colour(10), group_colour(20)
    ('#0072B2', '#00476e', '#08a6ff')
    """
    if index is None:
        return LOOSE
    turn, place = divmod(index, len(PALETTE))
    base = PALETTE[place]
    if turn == 0:
        return base
    red, green, blue = (int(base[k : k + 2], 16) / 255 for k in (1, 3, 5))
    hue, light, strength = colorsys.rgb_to_hls(red, green, blue)
    # 0.62, 1.48, 0.47, 1.63, ... of the lightness
    factor = 1 - 0.38 - 0.15 * (turn // 2) if turn % 2 else 1.33 + 0.15 * (turn // 2)
    rgb = colorsys.hls_to_rgb(hue, min(max(light * factor, 0.15), 0.8), strength)
    return "#" + "".join(f"{round(255 * part):02x}" for part in rgb)


def link_colour(structure: KinematicStructure | None, link: str) -> str:
    """Return the colour of a link's group, or of the ground; `PLAIN` without a structure."""
    if structure is None:
        return PLAIN
    if link == structure.topology.ground:
        return GROUND
    group = structure.group_of(link)
    return group_colour(None if group is None else group.index)


def tint(colour: str, strength: float = 0.28) -> str:
    """Return an opaque light shade of a colour "#rrggbb".

    >>> tint("#0072B2")
    '#b8d8e9'
    """
    return "#" + "".join(f"{round(255 - strength * (255 - int(colour[k : k + 2], 16))):02x}" for k in (1, 3, 5))


def listed(names: Sequence[str], most: int = 6) -> str:
    """Return names joined by "+"; a long list is cut.

    >>> listed(["a", "b"]), listed("abcdefgh", most=3)
    ('a + b', 'a + b + ... (8 links)')
    """
    if len(names) <= most:
        return " + ".join(names)
    return " + ".join([*names[: most - 1], f"... ({len(names)} links)"])


def group_label(group: Group) -> str:
    """Return a label of a group: its number in the solve order, kind and links.

    >>> group_label(Group(1, "RRR", ("coupler", "rocker"), (), (), "II", 2, "RRR", (), 1, (0,)))
    '2 RRR: coupler + rocker'
    """
    return f"{group.index + 1} {group.kind}: {listed(group.links or tuple(f'pin {pin}' for pin in group.pins[:1]))}"


def plain(text: str) -> str:
    """Return text escaped for matplotlib: "$" begins no formula, and a leading "_" hides nothing from the legend.

    >>> plain("a$b$")
    'a\\\\$b\\\\$'
    """
    text = text.replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size [in], without pyplot, which would keep a reference to it."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from structkin.show.picture import Picture

    figure = Picture(figsize=(width, height), layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08))
    FigureCanvasAgg(figure)  # keeps one renderer, which measures every text
    return figure


def dress(ax: Axes, axis: Literal["both", "x", "y"] = "both", *, title: str = "", x: str = "", y: str = "") -> None:
    """Give axes small ticks, a pale grid below the curves, a title and labels, and hide the upper and right spines."""
    for write, text in ((ax.set_title, title), (ax.set_xlabel, x), (ax.set_ylabel, y)):
        if text:
            write(text, fontsize=NORMAL)
    ax.tick_params(labelsize=SMALL)
    # a power of ten stands over the numbers of its axis; to the right of it are titles and legends
    ax.yaxis.get_offset_text().set(horizontalalignment="right", fontsize=SMALL)
    ax.grid(True, axis=axis, linewidth=0.4, color="#dddddd")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
