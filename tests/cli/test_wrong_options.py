"""All mistakes in the options of a command are reported at once, each under the name of its option."""

from __future__ import annotations

import pytest
from commands import called

from structkin.errors import InputError
from structkin.examples import path

ROCKER = path("crank_rocker")


def keys(*arguments):
    error = called(*arguments).exception
    assert isinstance(error, InputError)
    return [problem.key for problem in error.problems]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["solve", "--of", "bar", "--time-ratio", "foo", "--samples", "0", "--plot", "p.png", "--budget", "x"],
            ["--of", "--time-ratio", "--samples", "--budget"],
        ),
        (["solve", "--of", "bar", "--kl", "--duration", "nan"], ["--of", "--kl", "--of", "--duration"]),
        (["solve", "--method", "foo", "--engine", "bar"], ["--method", "--engine"]),
        (["solve", "--method", "foo", "--samples", "0", "--csv", "a.txt"], ["a.txt", "--samples", "--method"]),
        (["solve", "--coordinates", "natural", "--of", "bar", "--plot", "p.gif"], ["p.gif", "--of", "--coordinates"]),
        (
            ["animate", "-o", "a.gif", "--trace", "foo", "--seconds", "-1", "--width", "0", "--duration", "-3"],
            ["--duration", "--trace", "--seconds", "--width"],
        ),
        (["simulate", "--free", "foo", "--rtol", "-1"], ["--rtol", "--duration", "--free foo"]),
        (["simulate", "--free", "foo", "--duration", "-2"], ["--duration", "--free foo"]),
        (["simulate", "--samples", "1", "--plot", "p.csv"], ["p.csv", "--samples", "--duration"]),
        (["animate", "-o", "a.foo", "--trace", "foo"], ["a.foo", "--trace"]),
        (["animate", "-o", "a.html", "--fps", "3", "--duration", "-1"], ["--fps", "--duration"]),
        (["animate", "-o", "no/a.gif", "--simulate", "--seconds", "-1"], ["--output", "--duration", "--seconds"]),
        (
            ["simulate", "--samples", "1", "--max-steps", "0", "--duration", "-2"],
            ["--max-steps", "--samples", "--duration"],
        ),
        (["forces", "--samples", "0", "--flywheel", "-1"], ["--samples", "--flywheel"]),
        (["forces", "--samples", "0", "--csv", "a.png"], ["a.png", "--samples"]),
        (
            ["report", "-o", "a.html", "--samples", "0", "--duration", "-1", "--without", "foo"],
            ["--without", "--samples", "--duration"],
        ),
        (["limits", "--driver", "foo", "--hold", "bar=3", "--budget", "x"], ["--driver", "--hold", "--budget"]),
        (["limits", "--driver", "foo", "--plot", "p.csv"], ["p.csv", "--driver"]),
        (["inputs", "--keep", "foo", "--keep", "bar"], ["--keep", "--keep"]),
        (["inputs", "--keep", "foo", "--plot", "p.csv"], ["p.csv", "--keep"]),
        (["assemblies", "--at", "foo=1", "--budget", "x"], ["--at", "--budget"]),
        (["assemblies", "--at", "foo=1", "--plot", "p.csv"], ["p.csv", "--at"]),
        (["assemblies", "--time", "nan"], ["--time"]),
        (["assemblies", "--limit", "0"], ["--limit"]),
        (["inputs", "--limit", "0"], ["--limit"]),
        (["compare", "--samples", "0", "--method", "foo", "--patience", "-1"], ["--method", "--patience", "--samples"]),
        (["compare", "--to", "p.csv", "--samples", "0"], ["p.csv", "--to", "--samples"]),
        (["compare", "--to", "p.csv", "--simulate", "-1", "--rtol", "0"], ["p.csv", "--rtol", "--simulate"]),
        (["compare", "--column", "x=px", "--method", "foo", "--budget", "x"], ["--column", "--budget", "--method"]),
    ],
    ids=" ".join,
)
def test_every_wrong_option_is_listed_under_its_name(arguments, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command, *options = arguments
    assert keys(command, ROCKER, *options) == expected
    assert not any(tmp_path.iterdir())


def test_a_mistake_in_the_file_keeps_its_key(tmp_path):
    file = tmp_path / "m.toml"
    file.write_text(f"duration = -1\n{ROCKER.read_text(encoding='utf-8')}", encoding="utf-8")
    assert keys("solve", file, "--duration", "2") == ["duration"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (
            ["solve", ROCKER, "--samples", "1.5", "--duration", "soon"],
            ["--samples: expected a whole number, found '1.5'", "--duration: expected a number or a number with a"],
        ),
        (
            ["simulate", ROCKER, "--step", "x", "--rtol", "y"],
            ["--step: expected a number, found 'x'", "--rtol: expected a number, found 'y'"],
        ),
        (["atlas", "many"], ["LINKS: expected a whole number, found 'many'"]),
        (["bench", "groups", "--turns", "x"], ["--turns: expected a whole number of at least 1, found 'x'"]),
        (["bench", "variants", "--workers", "0"], ["--workers: expected a whole number of at least 1, found '0'"]),
    ],
    ids=str,
)
def test_every_value_that_is_no_number_is_quoted(arguments, expected):
    error = called(*arguments).exception
    assert isinstance(error, InputError) and len(error.problems) == len(expected)
    assert all(str(problem).startswith(words) for problem, words in zip(error.problems, expected, strict=True))


def test_hints_are_not_written_in_python():
    for arguments in (["solve", ROCKER, "--coordinates", "relative"], ["compare", ROCKER, "--rtol", "1e-5"],
                      ["simulate", ROCKER, "--alpha", "5", "--duration", "1"]):  # fmt: skip
        assert "=" not in str(called(*arguments).exception)
