"""Room for a kinematic diagram: what it extends over, the size of its symbols, its axes and legend."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from structkin.joints.cam import Cam
from structkin.joints.geneva import Geneva
from structkin.joints.guide import Guide
from structkin.joints.turn_coupling import TurnCoupling
from structkin.model.mechanism import Mechanism
from structkin.show.drawing import Drawing
from structkin.show.labels import root_figure
from structkin.show.measures import Measures
from structkin.show.pose import Path, Pose, profile_of, wheel_of
from structkin.show.style import LOOSE, NORMAL, SMALL, group_colour, group_label, listed, new_figure, plain
from structkin.show.wheels import extent as mesh_extent


def extent(mechanism: Mechanism, pose: Pose, paths: Mapping[str, Path]) -> tuple[complex, complex]:
    """Return the lower left and upper right corner of all that is drawn; never empty."""
    parts = [np.array(list(pose.points.values())), *paths.values()]
    for guide in mechanism.joints.of(Guide).values():
        parts.append(np.array([pose.block(guide), *pose.way(guide)]))
    parts += [mesh_extent(pose, mesh) for mesh in mechanism.joints.of(TurnCoupling).values()]
    parts += [profile_of(pose, cam) for cam in mechanism.joints.of(Cam).values()]
    parts += [wheel_of(pose, mechanism, geneva) for geneva in mechanism.joints.of(Geneva).values()]
    z = np.concatenate(parts)
    z = z[np.isfinite(z)]
    if not len(z):
        return 0j, 1 + 1j
    low, high = complex(z.real.min(), z.imag.min()), complex(z.real.max(), z.imag.max())
    return (low, high) if high != low else (low - 0.5 - 0.5j, high + 0.5 + 0.5j)


def symbol_size(mechanism: Mechanism, low: complex, high: complex, scale: float) -> float:
    """Return the unit of the symbols: a part of the picture, less where links are short."""
    size = max((high - low).real, (high - low).imag)
    bars = [abs(place) / scale for link in mechanism.links.values() for place in link.local.values() if abs(place) > 0]
    typical = float(np.median(bars)) if bars else size
    return float(np.clip(0.12 * typical, size / 110, size / 42))


def empty_figure(low: complex, high: complex, wide: bool, letters: int) -> Figure:
    """Return an empty figure that suits what is drawn: with room for a legend below a wide one, else at its right."""
    ratio = float(np.clip((high - low).real / max((high - low).imag, 1e-9 * (high - low).real), 0.45, 2.4))
    if wide:
        return new_figure(9.0, 7.6 / ratio + 2.2)
    legend = 0.8 + 0.075 * min(letters, 40)
    return new_figure(max(5.6 * ratio, 4.0) + 0.8 + legend, 6.6)


def dress(ax: Axes, measures: Measures) -> None:
    """Give axes equal scales, a grid and their unit of length."""
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.06)
    ax.grid(True, linewidth=0.4, color="#dddddd")
    ax.set_axisbelow(True)
    ax.tick_params(labelsize=SMALL)
    for axis, set_label in (("x", ax.set_xlabel), ("y", ax.set_ylabel)):
        set_label(f"{axis} [{measures.pretty('length')}]", fontsize=NORMAL)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)


def add_legend(ax: Axes, drawing: Drawing, own: bool, wide: bool) -> None:
    """Tell groups, loose links and paths by their colours: below a wide picture of its `own` figure, else beside it."""
    handles = []
    for group in drawing.structure.groups:
        colour = group_colour(group.index)
        handles.append(Line2D([], [], color=colour, linewidth=4, label=plain(group_label(group, 40))))
    loose = [*drawing.structure.under, *drawing.structure.held]
    if loose:
        text = plain(f"not determined: {listed(loose)}")
        handles.append(Line2D([], [], color=LOOSE, linewidth=3, linestyle=(0, (2.0, 1.5)), label=text))
    for point in (point for point, path in drawing.paths.items() if np.isfinite(path).any()):
        colour = drawing.colour(drawing.link_of(point))
        handles.append(Line2D([], [], color=colour, linewidth=1.3, label=plain(f"path of {point}")))
    if not handles:
        return
    style: dict[str, Any] = {"handles": handles, "fontsize": SMALL, "frameon": False}
    if not own:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), **style)
    elif wide:
        root_figure(ax).legend(loc="outside lower center", ncols=min(len(handles), 3), **style)
    else:
        root_figure(ax).legend(loc="outside right upper", **style)
