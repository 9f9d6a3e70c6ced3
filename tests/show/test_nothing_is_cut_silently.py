"""What is too long for a table, a picture or an error says how much of it is left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from show_samples import nothing_is_cut

import structkin as sk
from structkin import show
from structkin.report import content
from structkin.show.space import draw_space
from structkin.structure.arrays import TopologyArrays

COUNT = 14


def cranks(count: int = COUNT) -> sk.Mechanism:
    """A row of driven rotors, each with a mass."""
    points: dict[str, Any] = {f"A{k}": (k, 0) for k in range(count)} | {f"B{k}": (k + 0.3, 0.1) for k in range(count)}
    links: dict[str, Any] = {
        f"crank {k}": {"points": [f"A{k}", f"B{k}"], "shape": "rod", "mass": 1} for k in range(count)
    }
    links["ground"] = [f"A{k}" for k in range(count)]
    return sk.Mechanism(
        "Row",
        points=points,
        links=links,
        drivers={f"motor {k}": {"joint": f"A{k}", "speed": 1 + k} for k in range(count)},
        forces={"gravity": (0, -9.81)},
        duration=1,
    )


def dyads(count: int) -> sk.Mechanism:
    """Dyads from a common crank to the ground: two modes each."""
    points: dict[str, Any] = {"A": (0, 0), "B": (0.5, 0.5)}
    links: dict[str, Any] = {"ground": ["A"], "crank": ["A", "B"]}
    for k in range(count):
        points |= {f"C{k}": (2, 2 + 0.1 * k), f"D{k}": (3, 0.1 * k)}
        links |= {f"rod {k}": ["B", f"C{k}"], f"rocker {k}": [f"C{k}", f"D{k}"]}
        links["ground"].append(f"D{k}")
    return sk.Mechanism(points=points, links=links, drivers={"motor": {"joint": "A", "speed": 1}})


def gaps(count: int) -> sk.Motion:
    """A rocker driven too far, again and again."""
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (0, 1), "C": (3, 1.5), "D": (3, 0)},
        links={"ground": ["A", "D"], "crank": {"points": ["A", "B"]}, "coupler": ["B", "C"],
               "rocker": {"points": ["C", "D"], "shape": "rod", "mass": 1}},
        drivers={"motor": {"joint": "D", "law": f"pi/2 + 1.2*sin({count}*2*pi*t)"}},
        duration=1,
    )  # fmt: skip
    return m.solve(samples=16 * count + 1)


def content_of(m: sk.Mechanism, samples: int, without: list[str]) -> dict[str, Any]:
    return content(m, m.solve(samples=samples), without=without)


def titles(figure: Any) -> str:
    return str(figure.get_suptitle()).replace("\n", " ")


def test_a_table_of_forces_says_what_is_left_out_of_the_report() -> None:
    motion = gaps(12)
    lines = motion.report.splitlines()
    caption = str(show.forces_table(motion.forces()).caption)
    assert len(lines) > 20 and lines[6] in caption and lines[7] not in caption
    assert f"... and {len(lines) - 7} more lines about samples that are not ok; CSV and JSON have the status" in caption


def test_a_report_says_which_gaps_it_does_not_locate() -> None:
    few, many = gaps(4), gaps(25)
    runs = sum(status != sk.Status.OK for _, status, _ in many.outcomes())
    assert "are located" not in few.report
    assert f"the ends of the first 20 gaps are located; those of {runs - 20} more are not" in many.report


def test_pictures_of_many_drivers_say_how_many_they_show() -> None:
    m = cranks()
    assert f"of {COUNT} joint reactions the 8 largest" in titles(m.solve(samples=3).forces().plot())
    assert f"of {COUNT} driven angles the first 8" in titles(
        show.plot_simulation(m.simulate(0.01, samples=3, free=list(m.drivers)))
    )


def test_a_report_page_names_what_it_leaves_out() -> None:
    data = content_of(cranks(), 5, without=["limits"])
    drivers, parts = data["results"]["tables"]
    assert len(drivers["rows"]) == 13 and drivers["rows"][-1][0] == "... and 2 more drivers"
    assert {row[0] for row in parts["rows"]} >= {"... and 10 more points", "... and 10 more links"}
    assert all(len(row) == len(table["heads"]) for table in (drivers, parts) for row in table["rows"])
    kl = data["coefficients"]
    left = {name for kind in ("points", "links") for name in data["plots"][kind] if name not in kl[kind]}
    assert set(kl["left_out"]) == left and len(left) == 2 * (COUNT - 8)
    assert data["ranges"]["left_out"] == data["rates"]["left_out"] == []


def test_a_report_page_names_the_parts_that_have_no_rates() -> None:
    many = content_of(cranks(42), 2, without=["limits", "forces", "centres"])
    assert set(many["ranges"]["left_out"]) == {"B40", "B41", "crank 40", "crank 41"}


def test_a_table_of_assemblies_says_how_many_more_there_are() -> None:
    table = show.assemblies_table(dyads(7).assemblies())
    assert table.row_count == 100 and "... and 28 more" in str(table.caption) and "all" not in str(table.title)
    whole = show.assemblies_table(dyads(2).assemblies())
    assert whole.row_count == 4 and "more" not in str(whole.caption) and "all assemblies" in str(whole.title)


def test_errors_of_arrays_say_how_often_they_occur() -> None:
    chain = TopologyArrays(61, "R" * 60, [k for pair in zip(range(60), range(1, 61), strict=True) for k in pair])
    with pytest.raises(sk.InputError) as caught:
        chain.driven_at(range(100, 130))
    assert len(caught.value.problems) == 21 and "occurs 10 more times" in str(caught.value)
    fastened = TopologyArrays(61, "F" * 60, [k for pair in zip(range(60), range(1, 61), strict=True) for k in pair])
    with pytest.raises(sk.InputError, match="occurs 40 more times"):
        fastened.driven_at(range(60))


def test_a_text_with_many_syntax_errors_says_that_there_may_be_more(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    for count, more in ((10, True), (30, True), (3, False)):
        file.write_text("\n".join(f"A{k} = [0; 0]" for k in range(count)), encoding="utf-8")
        with pytest.raises(sk.InputError) as caught:
            sk.load(file)
        assert caught.value.more == more and len(caught.value.problems) == min(count, 10)


def test_a_measured_file_says_that_it_has_more_titles(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(
        ",".join(["t", *(f"p{k}" for k in range(20))]) + "\n" + ",".join(["0"] * 21) + "\n", encoding="utf-8"
    )
    with pytest.raises(sk.InputError, match=r"'p11', \.\.\."):
        cranks(1).compare_measured(file)


def test_the_legend_of_bodies_in_space_says_how_many_it_leaves_out() -> None:
    figure = draw_space(cranks().to_spatial(drivers="free"))
    names = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert len(names) == 13 and names[-1] == f"... and {COUNT - 12} more"


@pytest.mark.parametrize("turned", [False, True])
def test_the_legend_of_many_groups_covers_nothing_and_says_how_many_it_leaves_out(turned: bool) -> None:
    data = cranks(60).source_dict
    if turned:
        data["points"] = {name: [-y, x] for name, (x, y) in data["points"].items()}
    m = sk.Mechanism.from_dict(data)
    motion = m.solve(samples=5)
    for figure in (m.plot(), motion.schematic(), motion.animate(seconds=1, fps=2)._stage.ax.figure):
        nothing_is_cut(figure)
        [legend], [ax] = figure.legends, figure.axes
        names = [text.get_text() for text in legend.get_texts() if not text.get_text().startswith("path of")]
        assert len(names) == 31 and names[-1] == "... and 30 more"
        assert not ax.bbox.overlaps(legend.get_window_extent())
        assert min(ax.bbox.width, ax.bbox.height) > 2 * figure.dpi


def test_a_picture_of_a_study_says_how_much_it_leaves_out() -> None:
    names = [f"points.B{k}.x" for k in range(5)]
    study = sk.study(cranks(5), {name: [0.2, 0.4] for name in names}, samples=3, measures=["path.B0"])
    assert "2 more parameters and measures by name" in titles(study.plot())
