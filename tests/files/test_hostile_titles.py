"""A title and names full of signs: they are text in every file and page, and nothing else."""

from __future__ import annotations

import json
import re
import tomllib
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

import structkin as sk
from structkin.files import read

TITLE = '"""\\*/ --> ]]> </script></title></style><img src=x onerror=alert(1)>&lt; $x$ =1+1 {{7*7}} `x` %%d ^I \u202e'
POINT, LINK = "=1+1|' <b>&\\*/ %%d ^I $x$ ]]>", "</script><img src=x onerror=alert(1)>"


def crank(title=TITLE, point=POINT, link=LINK, **more):
    """Return a four-bar with this title, a point and a link of these names."""
    return sk.Mechanism.from_dict({
        "title": title,
        "points": {"A": [0, 0], point: [0, 20], "C": [40, 40], "D": [50, 0]},
        "links": {"ground": ["A", "D"], link: ["A", point], "coupler": [point, "C"], "rocker": ["C", "D"]},
        "drivers": {"motor": {"joint": "A", "speed": 1}},
        **more,
    })  # fmt: skip


class Tags(HTMLParser):
    """The tags of a page and the names of their attributes."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, *(name for name, _ in attrs)))


def tags(text):
    return sorted(set(Tags(text).found))


def test_a_mechanism_file_reads_back_the_same(tmp_path):
    for suffix, parse in ((".toml", tomllib.loads), (".json", json.loads)):
        file = tmp_path / f"a{suffix}"
        crank().save(file)
        found = parse(file.read_text(encoding="utf-8"))
        assert found["title"] == TITLE and POINT in found["points"] and LINK in found["links"]
        assert read(file)[0] == found


def test_svg_and_mjcf_are_xml_and_contain_the_names(tmp_path):
    for suffix in (".svg", ".xml"):
        file = tmp_path / f"a{suffix}"
        crank().save(file)
        plain = tmp_path / f"b{suffix}"
        crank("plain", "B", "crank").save(plain)
        found, expected = ({one.tag for one in ElementTree.parse(each).iter()} for each in (file, plain))
        assert found == expected
    names = {value for one in ElementTree.parse(tmp_path / "a.xml").iter() for value in one.attrib.values()}
    assert LINK in names


def test_pages_and_notebooks_have_no_other_tags(tmp_path):
    one, other = crank(), crank("plain", "B", "crank")
    assert tags(one.report(tmp_path / "a.html")) == tags(other.report(tmp_path / "b.html"))
    for show in (lambda m: m._repr_html_(), lambda m: m.solve(5)._repr_html_(), lambda m: m.structure()._repr_html_()):
        assert tags(show(one)) == tags(show(other))


def test_dxf_shows_every_sign_of_a_name(tmp_path):
    ezdxf = pytest.importorskip("ezdxf")
    crank().save(tmp_path / "a.dxf")
    stored = [text.dxf.text for text in ezdxf.readfile(tmp_path / "a.dxf").modelspace().query("TEXT")]
    # the codes of DXF: %%% is a percent sign, ^ and a space a circumflex; ezdxf reads the former since 1.4.5 only
    assert POINT in {text.replace("%%%", "%").replace("^ ", "^") for text in stored}
    assert all(len(run) % 3 == 0 for text in stored for run in re.findall("%{2,}", text))


@pytest.mark.parametrize("text", ["\x1b[31m", "\ud800", "\u2028", "\x00"])
def test_control_characters_are_refused_in_a_title_and_in_notes(text):
    with pytest.raises(sk.InputError, match="title: a title cannot contain control characters"):
        crank(title=text)
    with pytest.raises(sk.InputError, match="notes: a note cannot contain control characters"):
        crank(notes=[text])
    crank(title="Ein\u00a0Titel\nin zwei Zeilen", notes=["two\r\nlines\tand more"])


def test_a_file_whose_name_is_not_text_gives_a_title(tmp_path):
    file = tmp_path / "a\x1b\udcff.linkage2"
    try:
        file.write_text('<linkage2><connector id="0" x="0" y="0" anchor="true"/><connector id="1" x="9" y="0"/>'
                        '<Link id="0"><connector id="0"/><connector id="1"/></Link></linkage2>')  # fmt: skip
    except (OSError, UnicodeError):
        pytest.skip("the file system has no such names")
    assert sk.load(file).title == r"a\x1b\udcff"
