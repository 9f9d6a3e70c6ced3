"""Free bodies: each link cut free, with the forces of its joints, drivers and loads as arrows."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from structkin.dynamics.inverse.columns import effort_place
from structkin.dynamics.inverse.equilibrium import Equilibrium, FreeBody
from structkin.dynamics.inverse.pair_forces import place_of
from structkin.model.topology import pin_of
from structkin.show.drawing import sized_scene
from structkin.show.fitting import add_title
from structkin.show.labels import Label, place_labels, settle
from structkin.show.letters import legible
from structkin.show.scene import Placing, Scene
from structkin.show.style import DRIVER, NORMAL, PALETTE, new_figure, plain
from structkin.solve import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Length of an arrow, as part of the size of its body; width and height of a body's picture [in].
ARROW, WIDTH, HEIGHT = 0.34, 3.6, 3.0
_HEAD = "-|>,head_width=0.22,head_length=0.5"
#: Colours of weights and other loads.
LOAD = PALETTE[2]


@dataclass(frozen=True)
class _Arrow:
    """A force from a place along a unit vector, or a moment about a place (`along` 0) that turns `sense` ways."""

    text: str
    place: complex
    along: complex
    sense: int
    colour: str


@legible
def plot_free_bodies(found: Equilibrium) -> Figure:
    """Draw all bodies in a grid, with the arrows of positive forces and moments; lengths are not to scale."""
    across = min(3, len(found.bodies))
    figure = new_figure(WIDTH * across, HEIGHT * ceil(len(found.bodies) / across) + 0.3)
    axes = figure.subplots(ceil(len(found.bodies) / across), across, squeeze=False).ravel()
    for ax in axes:
        ax.set_axis_off()
    scene = _scene(found)
    labels = [_draw_body(ax, found, body, scene) for ax, body in zip(axes, found.bodies, strict=False)]
    title = found.motion.mechanism.title or "Mechanism"
    add_title(figure, f"{title}: free bodies, {instant(found)}")
    settle(axes[0])
    figure.set_layout_engine("none")  # labels do not move the axes: to lay out all of them for each takes longest
    for ax, own in zip(axes, labels, strict=False):
        place_labels(ax, own)
    return figure


def plot_each_body(found: Equilibrium) -> list[Figure]:
    """Draw every body in a figure of its own; see `plot_free_bodies`."""
    scene = _scene(found)
    return [_plot_body(found, body, scene) for body in found.bodies]


@legible
def _plot_body(found: Equilibrium, body: FreeBody, scene: Scene) -> Figure:
    figure = new_figure(WIDTH, HEIGHT)
    ax = figure.subplots()
    ax.set_axis_off()
    place_labels(ax, _draw_body(ax, found, body, scene))
    return figure


def _scene(found: Equilibrium) -> Scene:
    return sized_scene(found.motion.mechanism, found.motion.structure, found.motion.poses)


def instant(found: Equilibrium) -> str:
    """Return the sample in words: its time, if it has one."""
    t = found.forces.t[found.sample]
    return f"t = {t:.6g} s" if np.isfinite(t) else f"sample {found.sample}"


def _draw_body(ax: Axes, found: Equilibrium, body: FreeBody, scene: Scene) -> list[Label]:
    """Draw a body with its forces; return the labels."""
    from structkin.show.artists import add_artist

    motion, pin = found.motion, pin_of(body.name)
    unit = motion.mechanism.units.scale("length")
    places = {pin: body.about} if pin is not None else {
        point: complex(*motion.position(point)[0]) for point in motion.mechanism.links[body.name].local
    }  # fmt: skip
    places[body.about_name] = body.about
    placing = Placing(motion.poses, unit)
    for shape in scene.shapes:
        if shape.part == f"link:{body.name}" and placing.known(shape.frame)[0]:
            add_artist(ax, shape, placing, 0)
    labels = []
    for name, place in places.items():
        ax.plot(place.real / unit, place.imag / unit, "o", color="black", markersize=4, zorder=9)
        labels.append(Label(name, place / unit))
    spread = max((abs(p - q) for p in places.values() for q in places.values()), default=0.0)
    length = ARROW * max(spread, 0.15 * motion.size) / unit
    labels += [_draw(ax, arrow, arrow.place / unit, length) for arrow in _arrows(found, body)]
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.22)
    ax.set_title(plain(f"pin {pin}" if pin else body.name), fontsize=NORMAL, fontweight="bold")
    return labels


def _arrows(found: Equilibrium, body: FreeBody) -> list[_Arrow]:
    arrows, motion = [], found.motion
    acting = sorted({k for equation in found.of_body[body.name] for k, _ in equation.terms})
    for k in acting:
        unknown, along = found.unknowns[k], found.force_on(body.name, k)
        driver = unknown.id in motion.mechanism.drivers
        place = _place(motion, unknown.id, body, driver)
        sense = 0 if along else int(np.sign(found.factor(body.name, "moment", k)))
        arrows.append(_Arrow(str(unknown), place, along, sense, DRIVER if driver else PALETTE[0]))
    if body.weight:
        arrows.append(_Arrow("m g", body.about, body.weight / abs(body.weight), 0, LOAD))
    if body.load:
        arrows.append(_Arrow("L", body.about, body.load / abs(body.load), 0, LOAD))
    if body.load_moment:
        arrows.append(_Arrow("L_M", body.about, 0j, int(np.sign(body.load_moment)), LOAD))
    return arrows


def _place(motion: Motion, id: str, body: FreeBody, driver: bool) -> complex:
    """Return where a joint's or driver's force acts on a body."""
    if pin_of(body.name) is not None:
        return body.about
    if not driver:
        return complex(*place_of(motion, id, _end(motion, id, body.name))[0])
    drive = motion.mechanism.drivers[id]
    if drive.ends is not None:
        return next((complex(*motion.position(p)[0]) for link, p in drive.ends if link == body.name), body.about)
    if drive.joint is not None:
        return complex(*effort_place(motion, drive.joint)[0])
    return body.about


def _end(motion: Motion, joint: str, link: str) -> str:
    ends = motion.mechanism.joints[joint].links
    return link if link in ends else next(end for end in ends if pin_of(end) is not None)


def _draw(ax: Axes, arrow: _Arrow, place: complex, length: float) -> Label:
    if arrow.sense:
        line = place + 0.4 * length * np.exp(1j * arrow.sense * np.linspace(-0.6, 2.6, 40))
    else:
        line = place + length * arrow.along * np.array([0.0, 0.6, 1.0])
    ax.plot(line.real, line.imag, color=arrow.colour, linewidth=1.5, zorder=8)
    tip, before = line[-1], line[-2]
    ax.annotate(
        "", xy=(tip.real, tip.imag), xytext=(before.real, before.imag), zorder=8,
        arrowprops={"arrowstyle": _HEAD, "color": arrow.colour, "shrinkA": 0, "shrinkB": 0},
    )  # fmt: skip
    return Label(arrow.text, complex(line[20] if arrow.sense else tip), arrow.colour, NORMAL, "italic")
