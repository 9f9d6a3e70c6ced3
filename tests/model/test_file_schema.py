"""The JSON schema of the mechanism file: that of the models; it takes every example and refuses what a schema can."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import jsonschema
import pytest
from model_samples import CRANK_ROCKER_TOML, EVERYTHING, patched
from test_model_bad_input import CASES
from typer.testing import CliRunner

from structkin import examples, load
from structkin.cli import app
from structkin.errors import InputError
from structkin.model.document import read_document
from structkin.model.file_schema import SCHEMA, text

ROOT = Path(__file__).parents[2]
SHIPPED = json.loads(SCHEMA.read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SHIPPED)

#: What the first pass over a file refuses, but no schema can: dimensions of units, sizes of numbers, equal entries.
BEYOND_A_SCHEMA = {
    "NaN",
    "infinity",
    "huge integer",
    "mass for a coordinate",
    "unknown unit in a quantity",
    "unknown unit of mass",
    "mass in metres",
    "inertia in kg",
    "reserved name",
    "length of an unknown point",
    "length of one point",
    "length given twice",
    "name taken",
    "stiffness in N",
    "duration in metres",
}


def first_pass_refuses(data: dict[str, Any]) -> bool:
    try:
        return bool(read_document(data, None).problems)
    except InputError:
        return True


def documents() -> Iterator[dict[str, Any]]:
    """Every mechanism file of the examples and of the page on the file format."""
    for name in examples.names():
        yield tomllib.loads(examples.path(name).read_text(encoding="utf-8"))
    page = (ROOT / "docs/file-format.md").read_text(encoding="utf-8")
    for block in page.split("```toml\n")[1:]:
        data = tomllib.loads(block.split("```")[0])
        if {"points", "links"} <= set(data):
            yield data


def test_the_shipped_schema_is_what_the_models_make() -> None:
    assert SCHEMA.read_text(encoding="utf-8") == text(), "run: python -m structkin.model.file_schema"


def test_check_prints_how_editors_find_it() -> None:
    run = CliRunner().invoke(app, ["check", str(examples.path("crank_rocker")), "--schema"])
    assert run.exit_code == 0
    address = next(line.removeprefix("#:schema ") for line in run.output.splitlines() if line.startswith("#:schema "))
    assert Path(url2pathname(urlsplit(address).path)).samefile(SCHEMA)


def test_it_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SHIPPED)


def test_it_takes_every_example_of_the_package_and_of_the_docs() -> None:
    files = [*documents(), EVERYTHING, tomllib.loads(CRANK_ROCKER_TOML)]
    assert len(files) > 40
    for data in files:
        assert [error.message for error in VALIDATOR.iter_errors(data)] == [], data.get("title")


def test_it_takes_what_save_writes(tmp_path: Path) -> None:
    m = load(examples.path("watt_six_bar"))
    m.assemblies()[1].mechanism().save(tmp_path / "m.toml")
    assert VALIDATOR.is_valid(tomllib.loads((tmp_path / "m.toml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", [name for name in CASES if first_pass_refuses(patched(CASES[name][0]))])
def test_it_refuses_what_the_first_pass_over_a_file_refuses(name: str) -> None:
    assert VALIDATOR.is_valid(patched(CASES[name][0])) == (name in BEYOND_A_SCHEMA)
