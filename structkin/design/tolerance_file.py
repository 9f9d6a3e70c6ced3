"""Tolerances in one file: the mechanism, the tolerances and clearances, and what is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from structkin.design.tolerances import named_measures
from structkin.design.zones import deviations_of, read_zones, with_play
from structkin.errors import InputError, Problem, raise_problems
from structkin.model.flaw import Flaw, describe
from structkin.model.mechanism import Mechanism
from structkin.model.numbers import number_in_si
from structkin.model.topology import suggest
from structkin.model.units import Units
from structkin.solve.sensitivity.parameters import read_parameters
from structkin.solve.study.plans import too_many
from structkin.solve.study.study_file import counts_of, duration_of, load_job, mechanism_of, table_of

#: The keys of a file of tolerances; the first is needed, and one of the next two.
KEYS = (
    "mechanism", "tolerances", "clearances", "measures", "at", "distribution", "variants", "plan", "seed", "samples",
    "duration",
)  # fmt: skip
_WORDS = {"distribution": ("normal", "uniform"), "plan": ("sobol", "random")}


def read_tolerances(path: Path) -> tuple[Mechanism, dict[str, Any]]:
    """Return the mechanism and the arguments of `Mechanism.tolerances` in a TOML or JSON file.

    Numbers are in the mechanism's units, or text with a unit. `InputError` lists every mistake by the keys of the file;
    samples, times and values of the drivers `Mechanism.tolerances` checks.
    """
    data = load_job(path, "tolerances")
    problems = [Problem(key, "is not a key of a file of tolerances", suggest(key, KEYS)) for key in data.keys() - KEYS]
    options: dict[str, Any] = {}
    for key, known in _WORDS.items():
        if key in data and data[key] not in known:
            problems.append(Problem(key, f"{describe(data[key])} is unknown", f"known: {', '.join(known)}"))
        elif key in data:
            options[key] = data[key]
    options |= counts_of(data, ("variants", "seed", "samples"), problems) | duration_of(data, problems)
    sample = 'such as [measures] and top = "max.y.P"'
    options["measures"] = table_of(data, "measures", problems, sample)
    if data.get("measures", {}) == {}:
        problems.append(Problem("measures", "there are none", sample))
    if data.get("tolerances", {}) == data.get("clearances", {}) == {}:
        hint = 'such as [tolerances] and "lengths.A-B" = 0.1'
        problems.append(Problem("tolerances", "there are none, and no clearances", hint))
    if "mechanism" not in data:
        problems.append(Problem("mechanism", "is missing", 'such as mechanism = "press.toml"'))
    mechanism = mechanism_of(data["mechanism"], path, problems) if "mechanism" in data else None
    if mechanism is None:
        raise InputError(problems, str(path), more=True)
    options["parameters"] = _tolerances(mechanism, table_of(data, "tolerances", problems), problems)
    units, clearances = mechanism.units, table_of(data, "clearances", problems)
    options["clearances"] = _read(problems, "clearances", clearances, dict.fromkeys(clearances, "length"), units)
    kinds = {id: drive.quantity for id, drive in mechanism.drivers.items()}
    at = _read(problems, "at", table_of(data, "at", problems), kinds, units)
    if "at" in data:
        options["drivers"] = {id: [value] for id, value in at.items()}
    problems += too_many(options.get("variants", 1), "tolerances")
    problems += with_play(mechanism, options["clearances"])[2]
    wrong = read_zones(mechanism, options["parameters"], normal=True)[1]
    problems += [replace(one, key=one.key.replace("parameters.", "tolerances.", 1)) for one in wrong]
    if options["measures"]:
        problems += named_measures(mechanism, options["measures"])[1]
    raise_problems(problems, str(path))
    return mechanism, options


def _read(
    problems: list[Problem], section: str, given: Mapping[str, Any], kinds: Mapping[str, str], units: Units
) -> dict[str, float]:
    """Return the quantities of a table in SI, by their kinds."""
    found = {}
    for name, value in given.items():
        try:
            if name not in kinds:
                raise Flaw("is not a driver", suggest(name, kinds))
            found[name] = units.quantity(value, kinds[name])
        except Flaw as flaw:
            problems.append(Problem(f"{section}.{name}", flaw.message, flaw.hint))
    return found


def _tolerances(mechanism: Mechanism, given: Mapping[str, Any], problems: list[Problem]) -> dict[str, Any]:
    """Return tolerances in SI: numbers, pairs and standard deviations."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        try:
            quantity = read_parameters(mechanism, [name])[0].quantity
        except InputError as error:
            problems += [Problem(f"tolerances.{name}", one.message, one.hint) for one in error.problems]
            continue
        try:
            if isinstance(value, Mapping):
                found[name] = {key: number_in_si(mechanism, quantity, own) for key, own in value.items()}
            elif isinstance(value, list):
                found[name] = tuple(number_in_si(mechanism, quantity, own) for own in value)
            else:
                found[name] = number_in_si(mechanism, quantity, value)
            if isinstance(deviations_of(found[name]), str):
                del found[name]
                message = (
                    f"expected a tolerance greater than zero, or lower and upper deviations, found {describe(value)}"
                )
                raise Flaw(message, "such as 0.02, [-0.01, 0.02] or { sigma = 0.01 }")
        except Flaw as flaw:
            problems.append(Problem(f"tolerances.{name}", flaw.message, flaw.hint))
    return found
