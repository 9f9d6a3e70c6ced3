"""What does not fit into memory ends with one error that says how much it would take, before it is computed."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import structkin as sk
from structkin.cli import main
from structkin.examples import path

MANY = 10**8
#: The module, whose name in its package is that of the function.
simulate = import_module("structkin.dynamics.simulate")


def four_bar() -> sk.Mechanism:
    return sk.load(path("crank_rocker"))


def linkages() -> sk.Linkages:
    return sk.Linkages.random(3, 5, seed=1, turning=True)


LARGE: dict[str, Callable[[], object]] = {
    "solve": lambda: four_bar().solve(samples=MANY),
    "topological-kl": lambda: four_bar().solve(samples=MANY, method="topological-kl"),
    "global": lambda: four_bar().solve(samples=MANY, method="global"),
    "far beyond": lambda: four_bar().solve(samples=10**15 - 1),
    "solve_many": lambda: four_bar().solve_many(10**6, lengths={"A-B": np.linspace(0.039, 0.04, 500)}),
    "solve_batch": lambda: sk.solve_batch(linkages(), angles=np.zeros(MANY, np.int8)),
    "random": lambda: sk.Linkages.random(MANY, 10),
    "simulate": lambda: four_bar().simulate(1, samples=MANY),
}


@pytest.mark.parametrize("name", LARGE)
def test_too_many_samples_are_refused_with_the_memory_that_they_take(name: str) -> None:
    with pytest.raises(sk.InputError, match=r"would take [\d,.e+]+ GiB of memory; at most 16 GiB, .*: ") as caught:
        LARGE[name]()
    assert len(caught.value.problems) == 1


def test_the_memory_that_is_named_is_that_of_the_result() -> None:
    """A pose of a crank keeps twelve numbers at most, with first and second rates: 288 bytes."""
    with pytest.raises(sk.InputError, match=r"samples: 100,000,000 samples would take 27 GiB"):
        four_bar().solve(samples=MANY)


def test_given_values_are_bounded_likewise(monkeypatch: Any) -> None:
    monkeypatch.setattr("structkin.solve.call.MOST_BYTES", 10_000)
    for given in ({"t": np.linspace(0, 1, 100)}, {"drivers": {"motor": np.linspace(0, 1, 100)}}, {"samples": 100}):
        with pytest.raises(sk.InputError, match="samples: 100 samples would take"):
            four_bar().solve(**given)
    assert four_bar().solve(samples=9).ok.all()


def no_room(*_: Any, **__: Any) -> None:
    raise MemoryError


@pytest.mark.parametrize(
    ("part", "call"),
    [
        ("structkin.solve.engine.Lanes.empty", lambda m: m.solve(samples=50)),
        ("structkin.global_methods.methods.solve_globally", lambda m: m.solve(samples=50, method="global")),
        ("structkin.solve.call.Schedule", lambda m: m.solve(samples=50)),
        (simulate, lambda m: m.simulate(0.01, samples=50, free=[*m.drivers])),
    ],
)
def test_a_small_machine_has_the_same_error(
    part: str | ModuleType, call: Callable[[Any], object], monkeypatch: Any
) -> None:
    m = sk.load(path("excavator" if part is simulate else "crank_rocker"))
    m.solve(samples=3)
    if isinstance(part, str):
        monkeypatch.setattr(part, no_room)
    else:
        monkeypatch.setattr(part, "simulation_of", no_room)
    with pytest.raises(sk.InputError, match=r"samples: 50 .* would take .* GiB of memory; at most 16 GiB, and no more"):
        call(m)


@pytest.mark.parametrize("command", ["solve", "simulate", "forces", "limits"])
def test_the_command_line_ends_with_2(command: str, capsys: Any, monkeypatch: Any) -> None:
    options = ["--samples", str(MANY)] + (["--duration", "1"] if command == "simulate" else [])
    monkeypatch.setattr("sys.argv", ["structkin", command, str(path("crank_rocker")), *options])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code == 2
    if command != "limits":
        assert "GiB of memory" in capsys.readouterr().err
