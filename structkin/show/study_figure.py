"""A study in pictures: a scatter matrix with histograms, and its best variants drawn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from structkin.errors import InputError, Problem
from structkin.model.numbers import number_of
from structkin.model.topology import suggest
from structkin.model.units import si_unit
from structkin.numerical_tolerances import ROUNDING
from structkin.plan.status import Status
from structkin.show.artists import draw_path, draw_scene
from structkin.show.drawing import bounds, scene_of, symbol_size
from structkin.show.fitting import add_title, lines_that_fit
from structkin.show.interest import points_of_interest
from structkin.show.letters import legible
from structkin.show.pose import path_of
from structkin.show.quantities import measures_of
from structkin.show.scene import Placing, outer
from structkin.show.style import GROUND, PALETTE, SMALL, dress, new_figure, plain
from structkin.show.terminal import text_table
from structkin.solve.study.plans import number_of_variants
from structkin.solve.study.store import of_one_number
from structkin.types import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from rich.table import Table

    from structkin.solve.motion import Motion
    from structkin.solve.study import Study

#: The most parameters, and measures, of a scatter matrix unless they are named; and the most variants that it draws.
MOST, DRAWN = 3, 5000
#: Variants in a table of those that no measure chooses.
FIRST = 10
#: Width of a panel of a scatter matrix, and of a drawn variant [in].
PANEL, SIDE = 1.75, 2.6
#: Height of a line of a caption [in].
LINE = 0.16
#: Panels of variants in a row.
COLUMNS = 3


@legible
def plot_study(study: Study, names: Sequence[str] = ()) -> Figure:
    """Draw measures or parameters against each other, with the histogram of each on the diagonal.

    Without names they are the first parameters and the first measures of one number. Of many variants 5,000 are drawn,
    evenly spread; the histograms count all. `InputError` lists names that a study does not have.
    """
    columns = study_columns(study)
    own = [name for name in columns if name not in (*study.parameters, "reached")]
    left_out = 0 if names else max(0, len(study.parameters) - MOST) + max(0, len(own) - MOST)
    names = list(names) or [*study.parameters[:MOST], *own[:MOST]]
    if unknown := [name for name in names if name not in columns]:
        problems = [Problem(name, "is not a measure of one number", suggest(name, columns)) for name in unknown]
        raise InputError(problems, study.mechanism.title or "study")
    count, values = len(names), [columns[name] for name in names]
    shown = np.unique(np.linspace(0, len(study) - 1, DRAWN).astype(np.intp))
    figure = new_figure(max(count * PANEL + 0.4, 5.0), count * PANEL + 0.9)
    ok = int((study.dataset["status"].values == Status.OK).sum())
    words = f"{study.mechanism.title or 'Study'}: {number_of_variants(len(study))}, {ok:,} ok at all samples"
    words += f"; {len(shown):,} drawn" if len(shown) < len(study) else ""
    add_title(figure, words + (f"; {left_out} more parameters and measures by name" if left_out else ""))
    axes = figure.subplots(count, count, squeeze=False)
    labels = ["\n".join(lines_that_fit(_label(study, name), PANEL - 0.35, SMALL)) for name in names]
    ranges = [_range(own) for own in values]
    for row in range(count):
        for column in range(count):
            ax = axes[row, column]
            if column > row:
                ax.set_visible(False)
                continue
            dress(ax)
            ax.locator_params(nbins=4)
            _scale(ax, "x", ranges[column])
            if row == column:
                finite = values[row][np.isfinite(values[row])]
                ax.hist(finite, bins=30, range=ranges[row], color=PALETTE[0], alpha=0.7)
                ax.set_yticks([])
            else:
                size = 3 if len(shown) > 500 else 8
                x, y = values[column][shown], values[row][shown]
                ax.scatter(x, y, s=size, alpha=0.5, color=PALETTE[0], linewidths=0)
                _scale(ax, "y", ranges[row])
            ax.tick_params(labelbottom=row == count - 1, labelleft=column == 0 and row > 0)
            if row == count - 1:
                ax.set_xlabel(plain(labels[column]) + _factor(ax.xaxis), fontsize=SMALL)
            if column == 0:
                ax.set_ylabel(plain(labels[row]) + _factor(ax.yaxis) if row else "variants", fontsize=SMALL)
    return figure


def _range(values: Floats) -> tuple[float, float] | None:
    """Return the least and the largest finite value, set apart where only rounding does; None if there is none."""
    finite = values[np.isfinite(values)]
    if not len(finite):
        return None
    low, high = float(finite.min()), float(finite.max())
    if high - low <= ROUNDING * max(abs(low), abs(high)):
        apart = 0.05 * abs(high) or 0.05
        return low - apart, high + apart
    return low, high


def _scale(ax: Axes, way: Literal["x", "y"], values: tuple[float, float] | None) -> None:
    """Let an axis show a range whatever is drawn: its numbers stand for all panels of a column, or of a row."""
    if values is None:
        ax.set(**{f"{way}ticks": []})
        return
    margin = 0.05 * (values[1] - values[0])
    ax.set(**{f"{way}lim": (values[0] - margin, values[1] + margin)})


def _factor(axis: Axis) -> str:
    """Return a line for the label of an axis: by what its numbers are multiplied, and what is added; "" if nothing."""
    axis.offsetText.set_visible(False)  # it would lie on the label
    formatter = axis.get_major_formatter()
    formatter.set_locs(list(axis.get_majorticklocs()))
    offset = formatter.get_offset()
    times = "\N{MULTIPLICATION SIGN} " if offset.startswith("1e") else ""
    return offset and f"\n{times}{offset}"


def study_columns(study: Study) -> dict[str, Floats]:
    """Return the parameters and the measures of one real number, without the status (v,)."""
    names = [*study.parameters, *(name for name in of_one_number(study.dataset) if name != "status")]
    return {name: np.asarray(study.dataset[name].values, np.float64) for name in names}


def _label(study: Study, name: str) -> str:
    """Return a name with its unit."""
    unit = study.dataset[name].attrs.get("units", "")
    if name in study.parameters:
        quantity = number_of(study.mechanism, name).quantity
        unit = si_unit(quantity) if quantity else ""
    return f"{name} [{unit}]" if unit else name


@legible
def draw_variants(study: Study, chosen: Sequence[int], motions: Sequence[Motion], measure: str) -> Figure:
    """Draw variants side by side at one scale, each at its first good sample with the paths of points of interest.

    Above each are its measure and the first parameters in which they differ. Raises `InputError` where none is chosen.
    """
    if not motions:
        hint = "see its table, which counts what became of them"
        raise InputError([Problem(measure, "no variant has a value of it", hint)], study.mechanism.title or "study")
    scale = measures_of(study.mechanism).size("length")
    points = points_of_interest(study.mechanism)[:2]
    starts = [int(np.argmax(motion.ok)) for motion in motions]
    paths = [{point: path_of(motion, point) for point in points} for motion in motions]
    u = symbol_size(
        study.mechanism,
        *outer(
            bounds(motion.mechanism, motion.structure, motion.poses, k, own.values())
            for motion, k, own in zip(motions, starts, paths, strict=True)
        ),
    )
    scenes = [scene_of(motion.mechanism, motion.structure, motion.poses, u) for motion in motions]
    low, high = outer(
        Placing(motion.poses).extent(scene.shapes, k, *own.values())
        for motion, scene, k, own in zip(motions, scenes, starts, paths, strict=True)
    )
    low, high = low - u * (1 + 1j), high + u * (1 + 1j)
    columns = min(len(motions), COLUMNS)
    rows = -(-len(motions) // columns)
    wide = max(SIDE, 4.0 / columns)
    differ = [name for name in study.parameters if np.ptp(study.dataset[name].values[list(chosen)]) > 0]
    told = differ or study.parameters
    captions = [
        "\n".join(
            line for part in _caption(study, variant, measure, told) for line in lines_that_fit(part, wide - 0.2, SMALL)
        )
        for variant in chosen
    ]
    above = LINE * (max(caption.count("\n") for caption in captions) + 2)
    tall = wide * min((high - low).imag / (high - low).real, 1.6)
    figure = new_figure(columns * wide, rows * (tall + above) + 0.6)
    add_title(figure, f"{study.mechanism.title or 'Study'}: best by {measure}")
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for ax in axes[len(motions) :]:
        ax.set_visible(False)
    for ax, caption, motion, scene, k, own in zip(axes, captions, motions, scenes, starts, paths, strict=False):
        for number, (point, path) in enumerate(own.items()):
            draw_path(ax, path / scale, point, PALETTE[number + 3])
        draw_scene(ax, scene, Placing(motion.poses, scale), k)
        ax.set_xlim(low.real / scale, high.real / scale)
        ax.set_ylim(low.imag / scale, high.imag / scale)
        ax.set_aspect("equal")
        ax.set_xticks([])
        ax.set_yticks([])
        ax.spines[:].set_color("#cccccc")
        ax.set_title(plain(caption), fontsize=SMALL, color=GROUND, loc="left")
    return figure


def _caption(study: Study, variant: int, measure: str, told: Sequence[str]) -> list[str]:
    """Return lines about a variant: its measure with the unit, then the first of these parameters, in file units."""
    unit = study.dataset[measure].attrs.get("units", "")
    lines = [f"variant {variant}: {measure} {float(study.dataset[measure].values[variant]):.5g} {unit}".rstrip()]
    units = study.mechanism.units
    for name in told[:MOST]:
        quantity = number_of(study.mechanism, name).quantity
        value = float(study.dataset[name].values[variant]) / units.scale(quantity)
        lines.append(f"{name} {value:.4g} {units.name(quantity)}".rstrip())
    return lines + (["..."] if len(told) > MOST else [])


def study_table(study: Study, chosen: Sequence[int], by: str) -> Table:
    """Return the chosen variants as a table: their parameters and measures of one number, in SI.

    Without a measure `by` which they are chosen it shows the first ones.
    """
    columns = study_columns(study)
    heads = ["variant", *(_label(study, name) for name in columns)]
    shown = list(chosen) if by else range(min(len(study), FIRST))
    rows = [[str(k), *(f"{own[k]:.6g}" for own in columns.values())] for k in shown]
    counts = [f"{count:,} {outcome}" for outcome, count in Counter(study.outcomes).most_common()]
    which = f"best by {by}" if by else f"the first {len(rows)}"
    caption = f"{number_of_variants(len(study))}: {', '.join(counts)}\n{which}"
    return text_table(study.mechanism.title or "Study", caption, heads, rows, heads)
