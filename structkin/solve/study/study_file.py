"""A study in one file: the mechanism, the parameters, the plan and the measures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from structkin.errors import InputError, Problem
from structkin.model.file import load_data
from structkin.model.flaw import MOST, Flaw, describe
from structkin.model.mechanism import Mechanism
from structkin.model.numbers import number_in_si, number_of
from structkin.model.topology import suggest
from structkin.model.units import Units
from structkin.solve.study.measures import Named, read_measures
from structkin.solve.study.plans import PLANS, planned

#: The keys of a study file, with those that a study needs first.
KEYS = ("mechanism", "parameters", "measures", "plan", "variants", "seed", "samples", "duration", "best")
#: The keys of [best].
BEST = ("measure", "largest", "count")


@dataclass(frozen=True)
class StudyFile:
    """A study as a file describes it: arguments of `study`, and which variants are the best."""

    mechanism: Mechanism
    options: Mapping[str, Any]
    best: str = ""
    largest: bool = False
    count: int = 6


def read_study(path: Path) -> StudyFile:
    """Return the study in a TOML or JSON file; `InputError` lists every mistake in it.

    Numbers are in the mechanism's units, as in its file, or text with a unit.
    """
    data = load_job(path, "study")
    problems = [Problem(key, "is not a key of a study", suggest(key, KEYS)) for key in data if key not in KEYS]
    problems += [Problem(key, "is missing", SAMPLES[key]) for key in KEYS[:3] if key not in data]
    options = counts_of(data, ("variants", "seed", "samples"), problems) | duration_of(data, problems)
    if "plan" in data and data["plan"] not in PLANS:
        found = f"expected the name of a plan, found {describe(data['plan'])}"
        problems.append(Problem("plan", found, SAMPLES["plan"]))
    elif "plan" in data:
        options["plan"] = data["plan"]
    mechanism = mechanism_of(data.get("mechanism"), path, problems) if "mechanism" in data else None
    measures = table_of(data, "measures", problems)
    best = _best(table_of(data, "best", problems), measures, problems)
    if mechanism is not None:
        given = _parameters(mechanism, table_of(data, "parameters", problems), problems)
        # With a plan of an unknown name the values are taken for bounds.
        plan = options.get("plan", "sobol" if "plan" in data else "list")
        variants = options.get("variants", 1 if "variants" in data or "plan" in data.keys() - options.keys() else None)
        if given or not problems:
            wrong = planned(mechanism, given, plan, variants, options.get("seed", 0))[1]
            problems += [replace(one, key=f"parameters.{one.key}") if one.key in given else one for one in wrong]
        problems += read_measures(mechanism, measures, given)[1]
        options["parameters"], options["measures"] = given, measures
    if problems or mechanism is None:
        raise InputError(problems, str(path), more=mechanism is None)
    return StudyFile(mechanism, options, **best)


#: What the sections of a file look like.
SAMPLES = {
    "mechanism": 'such as mechanism = "four_bar.toml", or its sections below [mechanism]',
    "parameters": 'such as [parameters] and "lengths.A-B" = [100, 140]',
    "measures": 'such as [measures] and swing = "range.angle.rocker"',
    "plan": f"known: {', '.join(PLANS)}",
}


def is_count(value: Any) -> bool:
    """Return whether a value of a file is a positive whole number, of at most fifteen digits."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value < 10**15


def counts_of(data: Mapping[str, Any], keys: Iterable[str], problems: list[Problem]) -> dict[str, Any]:
    """Return the whole numbers of the file that have these keys: positive ones, but for a seed."""
    found = {}
    for key in keys:
        if key in data and not (is_count(data[key]) or (key == "seed" and data[key] == 0)):
            what = "a whole number that is not negative" if key == "seed" else "a positive whole number"
            problems.append(Problem(key, f"expected {what}, found {describe(data[key])}"))
        elif key in data:
            found[key] = data[key]
    return found


def duration_of(data: Mapping[str, Any], problems: list[Problem]) -> dict[str, float]:
    """Return the duration [s] of the file under its key, if it says one."""
    try:
        return {"duration": Units().quantity(data["duration"], "time", "positive")} if "duration" in data else {}
    except Flaw as flaw:
        problems.append(Problem("duration", flaw.message, flaw.hint))
        return {}


def table_of(data: Mapping[str, Any], key: str, problems: list[Problem], sample: str = "") -> Mapping[str, Any]:
    """Return a table of the file, empty if there is none; the `sample` shows one."""
    found = data.get(key, {})
    if isinstance(found, Mapping):
        return found
    problems.append(Problem(key, f"expected a table, found {describe(found)}", sample or SAMPLES.get(key, "")))
    return {}


def load_job(path: Path, command: str) -> dict[str, Any]:
    """Return the contents of a file that says what to do with a mechanism; `InputError` if it is a mechanism itself."""
    data = load_data(path)
    if "mechanism" not in data and {"points", "links"} <= data.keys():
        message = f"this is a mechanism; `structkin {command}` needs a file that says what to do with it"
        hint = f'write that into a file of its own, beginning with mechanism = "{path.name}"'
        raise InputError([Problem("", message, hint)], str(path))
    return data


def mechanism_of(given: Any, path: Path, problems: list[Problem]) -> Mechanism | None:
    """Return the mechanism of a study: in the file, or in another one beside it."""
    try:
        if isinstance(given, str):
            return Mechanism.load(path.parent / given)
        if isinstance(given, Mapping):
            return Mechanism.from_dict(given, folder=path.parent)
        message = f"expected a file or a table, found {describe(given)}"
        problems.append(Problem("mechanism", message, SAMPLES["mechanism"]))
    except InputError as error:
        problems += [
            Problem(f"mechanism.{one.key}" if one.key else "mechanism", one.message, one.hint) for one in error.problems
        ]
    return None


def quoted(key: str, values: Any) -> str:
    """Return the hint for a key with dots in it that was written without quotes, which makes it a table of tables.

    >>> quoted("points", {"P": {"x": [1, 2]}})
    'write its key in quotes: "points.P.x" = ...'
    """
    while isinstance(values, Mapping) and values:
        name, values = next(iter(values.items()))
        key = f"{key}.{name}"
    return f'write its key in quotes: "{key}" = ...'


def _parameters(mechanism: Mechanism, given: Mapping[str, Any], problems: list[Problem]) -> dict[str, list[float]]:
    """Return the values of parameters in SI; of one that the mechanism does not have, as they are."""
    found = {}
    for key, values in given.items():
        where = f"parameters.{key}"
        if not isinstance(values, list) or not values:
            message = f"expected a list of numbers, found {'an empty list' if values == [] else describe(values)}"
            hint = quoted(key, values) if isinstance(values, Mapping) else "such as [100, 140]"
            problems.append(Problem(where, message, hint))
            continue
        try:
            number = number_of(mechanism, key)
        except Flaw as flaw:
            problems += flaw.problems(where)
            continue
        sign, own, wrong = "positive" if number.path[0] == "lengths" else "", list[float](), list[Problem]()
        for value in values:
            try:
                own.append(number_in_si(mechanism, number.quantity, value, sign))
            except Flaw as flaw:
                wrong += flaw.problems(where)
        problems += wrong[:MOST]
        if not wrong:
            found[key] = own
    return found


def _best(given: Mapping[str, Any], measures: Mapping[str, Any], problems: list[Problem]) -> dict[str, Any]:
    """Return which variants are the best."""
    unknown = [key for key in given if key not in BEST]
    problems += [Problem(f"best.{key}", "is not a key of [best]", suggest(key, BEST)) for key in unknown]
    measure, largest, count = given.get("measure", ""), given.get("largest", False), given.get("count", 6)
    # What is no text is a mistake of its own.
    of_one = [name for name, text in measures.items() if not isinstance(text, str) or Named(text).is_one_number]
    if given and measure not in of_one:
        message = "is not one number for each variant" if measure in [*measures] else "is not a measure of this study"
        problems.append(Problem("best.measure", f"{describe(measure)} {message}", suggest(str(measure), of_one)))
    if not isinstance(largest, bool):
        problems.append(Problem("best.largest", f"expected true or false, found {describe(largest)}"))
    if not is_count(count):
        problems.append(Problem("best.count", f"expected a positive whole number, found {describe(count)}"))
    return {"best": measure, "largest": largest, "count": count}
