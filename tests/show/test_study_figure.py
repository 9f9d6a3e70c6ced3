"""A study in pictures: axes that belong to all panels, and the best variants whole, with what tells them apart."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes

import structkin as sk
from structkin import show

#: A slider-crank that is hardly higher than its symbols.
FLAT = sk.Mechanism(
    points={"O": (0, 0), "A": (30, 0), "B": (149, 10)}, units={"length": "mm"}, lengths={"O-A": 30, "A-B": 120},
    links={"ground": ["O"], "crank": ["O", "A"], "rod": ["A", "B"], "piston": ["B"]},
    joints={"guide": {"type": "prismatic", "links": ["piston", "ground"], "at": "B", "axis": [1, 0]}},
    drivers={"motor": {"joint": "O", "speed": "300 rpm"}},
)  # fmt: skip


def test_the_best_variants_are_whole_in_their_frames_and_say_what_differs() -> None:
    parameters = {"lengths.O-A": [0.022, 0.024], "lengths.A-B": [0.13, 0.13]}
    study = sk.study(FLAT, parameters, plan="list", samples=13, measures={"top": "max.speed.B"})
    figure = show.draw_variants(study, [0, 1], [study.motion(k) for k in (0, 1)], "top")
    figure.canvas.draw()
    for k, ax in enumerate(figure.axes):
        frame = ax.get_window_extent()
        for artist in (*ax.lines, *ax.patches):
            own = artist.get_window_extent()
            assert frame.x0 <= own.x0 and own.x1 <= frame.x1 and frame.y0 <= own.y0 and own.y1 <= frame.y1
        assert frame.width > 0.9 * figure.bbox.width / 2 and ax.get_aspect() == 1.0
        assert ax.get_title("left").splitlines() == [
            f"variant {k}: top {study.dataset['top'].values[k]:.5g} m/s", f"lengths.O-A {(22, 24)[k]} mm"
        ]  # fmt: skip
    with pytest.raises(sk.InputError, match="no variant has a value"):
        show.draw_variants(study, [], [], "top")


def drawn(study: sk.Study) -> list[list[Axes]]:
    """Return the axes of a scatter matrix by row and column, as they are drawn."""
    figure = show.plot_study(study)
    figure.canvas.draw()
    count = int(len(figure.axes) ** 0.5)
    return [figure.axes[row * count :][: row + 1] for row in range(count)]


@pytest.mark.parametrize("radii", [(0.02, 0.3), (0.30, 0.31)])
def test_panels_of_a_column_and_of_a_row_show_the_range_of_all_values(radii: tuple[float, float]) -> None:
    """Numbers at the last row were not those of the panels above it: only a few variants, or none, had a measure."""
    parameters = {"lengths.O-A": radii, "lengths.A-B": (0.11, 0.13)}
    measures = {"top": "max.speed.B"}
    axes = drawn(sk.study(FLAT, parameters, plan="sobol", variants=16, samples=13, measures=measures))
    for column in range(3):
        assert len({axes[row][column].get_xlim() for row in range(column, 3)}) == 1
        assert len({axes[column][left].get_ylim() for left in range(column)}) <= 1
    (low, high), wide = axes[2][0].get_xlim(), radii[1] - radii[0]
    assert radii[0] - wide < low < high < radii[1] + wide
    assert bool(len(axes[2][2].get_xticks())) == (radii[0] < 0.1)  # no numbers where there are no values


def test_what_multiplies_the_numbers_at_an_axis_is_part_of_its_label() -> None:
    """It was written upon the label."""
    parameters = {"lengths.O-A": [0.0220001, 0.0220003], "lengths.A-B": [0.13, np.nextafter(0.13, 1)]}
    measures = {"top": lambda motions: 1e7 * (1 + motions.position("B")[:, 0, 0])}
    axes = drawn(sk.study(FLAT, parameters, samples=13, measures=measures))
    assert axes[2][0].get_xlabel() == "lengths.O-A [m]\n\N{MULTIPLICATION SIGN} 1e\N{MINUS SIGN}7+2.2e\N{MINUS SIGN}2"
    assert axes[2][0].get_ylabel().startswith("top\n+1.")
    shown = [axis.offsetText for row in axes for ax in row for axis in (ax.xaxis, ax.yaxis)]
    assert not any(text.get_visible() and text.get_text() for text in shown)


def test_one_variant_is_not_1_variants() -> None:
    study = sk.study(FLAT, {"lengths.O-A": [0.022]}, samples=13, measures={"top": "max.speed.B"})
    title = show.plot_study(study).get_suptitle()
    assert "1 variant, 1 ok" in title and "1 variant, 1 ok" in repr(study)
