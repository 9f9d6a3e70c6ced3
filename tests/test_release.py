"""The version is the same wherever it is written."""

import re
import tomllib
from pathlib import Path

import structkin

ROOT = Path(__file__).parents[1]


def test_the_version_is_the_same_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    citation = re.search(r"^version: (.*)$", (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    assert citation is not None
    assert structkin.__version__ == project["version"] == citation[1]
