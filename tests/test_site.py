"""The documentation site: its pages, its navigation, and the check of the built pages; .ci/run builds it."""

import importlib
import re
import sys
import tomllib
from pathlib import Path

import pytest

import structkin as sk

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "site"))
site = importlib.import_module("build")
sys.path.pop(0)


def test_the_api_reference_has_every_public_name_once():
    text = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "api").glob("*.md"))
    assert sorted(re.findall(r"^::: structkin\.(\w+)$", text, re.MULTILINE)) == sk.__all__


def test_the_navigation_has_every_page_once():
    settings = tomllib.loads((ROOT / "docs" / "site" / "zensical.toml").read_text(encoding="utf-8"))
    entries = [
        page
        for section in settings["project"]["nav"]
        for pages in section.values()
        for page in ([pages] if isinstance(pages, str) else pages)
    ]
    pages = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert sorted(entries) == sorted(pages | set(site.FROM_ROOT.values()))


@pytest.mark.parametrize(
    ("page", "target", "there"),
    [
        ("docs/index.md", "theory.md#gears", "theory.md#gears"),
        ("docs/index.md", "../CONTRIBUTING.md", "contributing.md"),
        ("docs/how-to/many.md", "../python.md", "../python.md"),
        ("docs/how-to/many.md", "../../CHANGELOG.md", "../changelog.md"),
        ("CONTRIBUTING.md", "docs/architecture.md", "architecture.md"),
        ("CONTRIBUTING.md", "CHANGELOG.md", "changelog.md"),
        ("docs/index.md", "../examples/crank_rocker.toml", None),
        ("docs/index.md", "#what-there-is", "#what-there-is"),
        ("docs/index.md", "https://doi.org/10.1000/1", "https://doi.org/10.1000/1"),
    ],
)
def test_links_of_the_repository_become_links_of_the_site(page, target, there):
    assert site.link_on_site(page, target) == there


PROBLEMS = {
    '<a href="b.html">': "a.html: b.html does not exist",
    '<a href="#nowhere">': "a.html: #nowhere has no such anchor",
    '<a href="sub/c.html#no">': "a.html: sub/c.html#no has no such anchor",
    '<img src="x.png">': "a.html: x.png does not exist",
    '<script src="https://cdn.example/x.js">': "a.html: https://cdn.example/x.js is fetched from another host",
    '<link rel="stylesheet" href="//fonts.example/f">': "a.html: //fonts.example/f is fetched from another host",
}


@pytest.mark.parametrize("element", PROBLEMS)
def test_errors_on_the_built_site_are_found(element, tmp_path):
    (tmp_path / "sub").mkdir()
    fine = '<p id="here"><a href="#here"><a href="sub/c.html#there"><a href="https://example.org">'
    (tmp_path / "sub" / "c.html").write_text('<p id="there"><a href="../a.html#here">')
    (tmp_path / "a.html").write_text(fine)
    assert site.problems(tmp_path) == []
    (tmp_path / "a.html").write_text(fine + element)
    assert site.problems(tmp_path) == [PROBLEMS[element]]


def test_a_style_sheet_that_fetches_from_elsewhere_is_found(tmp_path):
    (tmp_path / "a.css").write_text("@import url('https://fonts.example/f.css');")
    assert len(site.problems(tmp_path)) == 1
