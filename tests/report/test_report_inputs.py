"""The inputs in a report: every entry of the file is there, as it was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pages import open_file

import structkin as sk
from structkin import examples
from structkin.report.summary import inputs


@pytest.mark.parametrize("name", examples.names())
def test_every_entry_of_the_file_is_a_row(name: str) -> None:
    m = sk.load(examples.path(name))
    shown = {row[0] for table in inputs(m) for row in table["rows"]}
    given = {key for section in ("points", "links", "lengths", "joints", "drivers", "forces", "initial")
             for key in m.source_dict.get(section, {})}  # fmt: skip
    assert shown == given


@pytest.mark.full
def test_masses_laws_strokes_and_loads_are_as_they_were_written(browser: Any, tmp_path: Path) -> None:
    m = sk.load(examples.path("excavator"))
    m.report(tmp_path / "r.html", samples=5, without=["coefficients", "limits", "steps", "centres"])
    section = open_file(browser, tmp_path / "r.html").page.locator("#inputs")
    text = " ".join(section.inner_text().split())
    for id, driver in m.source_dict["drivers"].items():
        assert f"{id} " in text
        assert str(driver["law"]) in text
    for link, entry in m.source_dict["links"].items():
        if isinstance(entry, dict) and "mass" in entry:
            assert f"mass {entry['mass']:g}" in text, link
    assert "gravity 0, -9.81" in text


def test_long_tables_say_how_much_is_left_out() -> None:
    rows = [[float(k), float(k) ** 2] for k in range(9)]
    m = sk.Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "crank": ["A", "B"]},
        drivers={"motor": {"joint": "A", "table": rows}},
    )
    (words,) = (row[1] for table in inputs(m) if table["title"] == "Drivers" for row in table["rows"])
    assert words.endswith("(5, 25), and 3 more")
