"""Objects in a notebook: short HTML tables with every name as plain text, and figures in a row."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from matplotlib.figure import Figure
from show_samples import chain, crank_rocker, loose

import structkin as sk
from structkin.examples import path
from structkin.show import html_table
from structkin.show.terminal import text_table

engine = sk.load(path("one_cylinder_engine"))
motion = engine.solve(samples=13)
PENDULUM = sk.Mechanism(
    "Pendulum",
    points={"A": [0, 0], "B": [1, 0]},
    links={"ground": ["A"], "arm": {"points": ["A", "B"], "mass": 1.0, "center": [1, 0], "inertia": 0.01}},
    drivers={"swing": {"joint": "A"}},
    forces={"gravity": [0, -9.81]},
)
NOUNS = {
    "mechanism": (engine, ["crank", "revolute: crank, rod", "18000 deg/s"]),
    "structure": (engine.structure(), ["RRP", "rod, piston", "mobility 1"]),
    "of a topology": (engine.topology.structure(), ["driven R"]),
    "of a motion": (motion.structure, ["driven R"]),
    "motion": (motion, ["13 of 13 samples ok", "link rod"]),
    "limits": (engine.limits(), ["turns fully"]),
    "circuits": (engine.circuits(), ["2 circuits", "branch of the sketch"]),
    "forces": (motion.forces(), ["driver motor", "N m"]),
    "simulation": (PENDULUM.simulate(0.5, samples=5), ["energy", "link arm"]),
    "under-determined": (loose().structure(), ["one driver is missing"]),
}


class Tags(HTMLParser):
    """The open tags, and all text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("name", NOUNS)
def test_an_object_is_a_table(name):
    noun, words = NOUNS[name]
    tags = Tags()
    tags.feed(noun._repr_html_())
    assert not tags.open
    for word in words:
        assert word in tags.text


def test_names_are_text():
    m = sk.Mechanism(
        "<script>alert(1)</script>",
        points={"A": [0, 0], "<b>": [1, 0]},
        links={"ground": ["A"], "[red]&": ["A", "<b>"]},
        drivers={"motor": {"joint": "A", "speed": 1}},
    )
    for noun in (m, m.structure(), m.solve(samples=3)):
        html = noun._repr_html_()
        assert "<script" not in html and "<b>" not in re.sub(r"<caption.*?</caption>", "", html)
        assert "[red]&amp;" in html


def test_long_tables_are_cut():
    html = chain(30).structure()._repr_html_()
    assert html.count("<tr>") < 45
    assert "... and 3 more" in html_table(text_table("", "", ("a",), [("x",)] * 43))


def test_assemblies_show_those_found_so_far():
    found = crank_rocker().assemblies()
    assert "none computed so far" in found._repr_html_() and not found.so_far
    list(found)
    assert len(found.so_far) == 2 and "certified" in found._repr_html_()


def test_pictures_in_a_row():
    m = crank_rocker()
    pictures = [m.plot(), m.structure().plot(), m.structure().plot(mechanism=m), m.solve(samples=5).schematic(sample=2)]
    for figure in (*pictures, m.assemblies().plot()):
        assert isinstance(figure, Figure) and figure._repr_png_()[:4] == b"\x89PNG"
