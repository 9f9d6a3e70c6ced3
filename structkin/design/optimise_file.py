"""An optimisation in one file: the mechanism, what may vary, what is wished, and limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from structkin.budget import MOST_BYTES
from structkin.design import force_measures, measures
from structkin.design.arguments import bounds_of, parameters_of
from structkin.design.measures import Limit, Measure, Peak
from structkin.design.missed import contradictions, output_kind
from structkin.errors import InputError, Problem, raise_problems
from structkin.joints.sliding import Sliding
from structkin.model.flaw import Flaw, describe
from structkin.model.flaw import number as plain_number
from structkin.model.mechanism import Mechanism
from structkin.model.numbers import number_in_si
from structkin.model.tables import read_table
from structkin.model.topology import suggest
from structkin.solve.call import SAMPLES as SCHEDULED
from structkin.solve.call import size_of, too_many
from structkin.solve.sensitivity.parameters import read_parameters
from structkin.solve.study.study_file import SAMPLES, counts_of, duration_of, load_job, mechanism_of, table_of

#: The keys of a file; the first three are needed.
KEYS = ("mechanism", "parameters", "objective", "limits", "at", "samples", "duration", "evaluations")
#: The measures of a file: what each is of, the key that names it, and other keys; all may have limits, or be peaks.
MEASURES: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "path": ("point", "point", ("places", "csv")),
    "angle": ("link", "link", ("values",)),
    "travel": ("joint that slides", "joint", ("values",)),
    "stroke": ("link or joint that slides", "of", ("wanted",)),
    "range": ("driver", "driver", ("wanted",)),
    "time_ratio": ("link or joint that slides", "of", ("wanted",)),
    "dwell": ("link or joint that slides", "of", ("first", "last")),
    "coordinate": ("point", "point", ("axis",)),
    "extent": ("", "", ("points",)),
    "grashof": ("", "", ("pins",)),
    "transmission": ("", "", ("least",)),
    "effort": ("driver", "driver", ("static",)),
    "shaking_force": ("", "", ()),
    "shaking_moment": ("", "", ()),
}
_COUNTS = ("samples", "evaluations")
_SAMPLES = {**SAMPLES, "objective": 'such as [[objective]] and measure = "stroke"'}


def read_optimisation(path: Path) -> tuple[Mechanism, dict[str, Any]]:
    """Return the mechanism and the arguments of `Mechanism.optimise` in a TOML or JSON file.

    Numbers are in the mechanism's units, efforts and forces in N and N m. `InputError` lists every mistake that keeps
    the file from being read; what the numbers mean, `Mechanism.optimise` checks.
    """
    data = load_job(path, "optimise")
    problems = [Problem(key, "is not a key of an optimisation", suggest(key, KEYS)) for key in data if key not in KEYS]
    problems += [Problem(key, "is missing", _SAMPLES[key]) for key in KEYS[:3] if key not in data]
    mechanism = mechanism_of(data["mechanism"], path, problems) if "mechanism" in data else None
    if mechanism is None:
        counts_of(data, _COUNTS, problems)
        raise InputError(problems, str(path), more=True)
    options = arguments_of(mechanism, data, path.parent, problems)
    raise_problems(problems, str(path))
    return mechanism, options


def arguments_of(
    mechanism: Mechanism, data: Mapping[str, Any], folder: Path | None, problems: list[Problem]
) -> dict[str, Any]:
    """Return the arguments of `Mechanism.optimise` in the entries of a file; every mistake is added to `problems`."""
    options = counts_of(data, _COUNTS, problems)
    if data.get("parameters") == {}:
        problems.append(Problem("parameters", "names no parameter", _SAMPLES["parameters"]))
    if data.get("objective") == []:
        problems.append(Problem("objective", "names no measure", _SAMPLES["objective"]))
    options["parameters"] = _bounds(mechanism, table_of(data, "parameters", problems, _SAMPLES["parameters"]), problems)
    reader = _Reader(mechanism, folder, problems)
    given = reader.drivers(table_of(data, "at", problems, "such as [at] and motor = [0, 30, 60]"))
    options["objective"] = [one for one, _ in reader.measures(data, "objective") if one is not None]
    options["limits"] = [limit for _, limit in reader.measures(data, "limits") if limit is not None]
    aims = [one for one in options["objective"] if isinstance(one, Measure)]
    problems += contradictions(aims, options["limits"], mechanism)
    end = duration_of(data, problems).get("duration")
    if given and given.keys() >= mechanism.drivers.keys():
        message = "cannot be combined with drivers that are all given by values"
        problems += [Problem(key, message, "leave it out") for key in ("samples", "duration") if key in data]
        count = reader.count
    else:
        count = options.pop("samples", reader.count or SCHEDULED)
        if size_of(count, numbers := 2 * len(mechanism.drivers) + 2) > MOST_BYTES:
            problems.append(too_many(count, numbers))
        else:
            options |= {"t": np.linspace(0.0, end, count)} if end else {"samples": count}
    problems += reader.miscounted(count)
    if given:
        options["drivers"] = given
    return options


def _bounds(mechanism: Mechanism, given: Mapping[str, Any], problems: list[Problem]) -> dict[str, tuple[float, ...]]:
    """Return bounds of parameters in SI."""
    found: dict[str, tuple[float, ...]] = {}
    read = []
    for name, pair in given.items():
        try:
            (parameter,) = read_parameters(mechanism, [name])
            if not isinstance(pair, list) or len(pair) != 2:
                raise Flaw(f"expected two bounds, found {describe(pair)}", "such as [100, 140]")
            found[name] = tuple(number_in_si(mechanism, parameter.quantity, one) for one in pair)
            read.append(parameter)
        except Flaw as flaw:
            problems.append(Problem(f"parameters.{name}", flaw.message, flaw.hint))
        except InputError as error:
            problems += [Problem(f"parameters.{name}", one.message, one.hint) for one in error.problems]
    problems += bounds_of(mechanism, read, found)[1]
    problems += parameters_of(mechanism, found)[1] if found else []
    return found


class _Reader:
    """Reads the measures of a file, and the values of drivers."""

    def __init__(self, mechanism: Mechanism, folder: Path | None, problems: list[Problem]) -> None:
        self.mechanism, self.folder, self.problems = mechanism, folder, problems
        #: The key of what is read; by keys how many values there are, one for each sample, and the last samples named.
        self.key, self.counts, self.lasts = "", dict[str, int](), dict[str, int]()

    @property
    def count(self) -> int:
        """The number of samples that the first list says, zero if there is none."""
        return next(iter(self.counts.values()), 0)

    def miscounted(self, samples: int) -> list[Problem]:
        """Return which lists have not one value for each of so many samples, and which samples there are not."""
        short = {key: f"has {count} values for {samples} samples" for key, count in self.counts.items()
                 if count != samples}  # fmt: skip
        late = {key: f"there is no sample {last}" for key, last in self.lasts.items() if last >= samples}
        return [
            *(Problem(key, message, "give one for each sample") for key, message in short.items()),
            *(Problem(key, message, f"they are numbered 0 to {samples - 1}") for key, message in late.items()),
        ]

    def drivers(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of drivers at the samples."""
        found = {}
        for id, values in given.items():
            self.key = f"at.{id}"
            try:
                if id not in self.mechanism.drivers:
                    raise Flaw("is not a driver", suggest(id, self.mechanism.drivers))
                found[id] = self._numbers(values, self.mechanism.drivers[id].quantity)
            except Flaw as flaw:
                self.problems.append(Problem(self.key, flaw.message, flaw.hint))
        return found

    def measures(self, data: Mapping[str, Any], section: str) -> list[tuple[Measure | Peak | None, Limit | None]]:
        """Return the measures of a section with their limits."""
        entries = data.get(section, [])
        if not isinstance(entries, list) or not all(isinstance(entry, Mapping) for entry in entries):
            hint = f"such as [[{section}]] and measure = 'stroke'"
            self.problems.append(Problem(section, f"expected a list of tables, found {describe(entries)}", hint))
            return []
        found: list[tuple[Measure | Peak | None, Limit | None]] = []
        for k, entry in enumerate(entries):
            self.key = f"{section}.{k}"
            try:
                found.append(self._measure(entry, limited=section == "limits"))
            except Flaw as flaw:
                self.problems += flaw.problems(self.key)
            except InputError as error:
                self.problems += [Problem(self.key, one.message, one.hint) for one in error.problems]
        return found

    def _measure(self, entry: Mapping[str, Any], *, limited: bool) -> tuple[Measure | Peak | None, Limit | None]:
        kind = entry.get("measure", "")
        if not isinstance(kind, str) or kind not in MEASURES:
            raise Flaw(f"{describe(kind)} is not a measure", f"known: {', '.join(MEASURES)}")
        what, key, more = MEASURES[kind]
        known = ("measure", *([key] if key else []), *more, *(("low", "high") if limited else ("weight", "peak")))
        if unknown := [name for name in entry if name not in known]:
            raise Flaw(f"'{unknown[0]}' is not a key of '{kind}'", f"known: {', '.join(known)}")
        name = self._name(entry, what, key) if key else ""
        if kind == "transmission":
            if not limited:
                raise Flaw("a transmission angle is a limit", 'such as [[limits]] and measure = "transmission"')
            least = self.mechanism.units.quantity(entry.get("least"), "angle", "positive")
            if least > np.pi / 2:
                found = f"{describe(entry['least'])} is more than a right angle"
                raise Flaw(found, f'the mechanism\'s unit of angles is {self.mechanism.units.angle}; such as "40 deg"')
            if not any(group.kind in measures.SQUARED_SINE for group in self.mechanism.structure().groups):
                raise Flaw("there is no RRR or RRP dyad, whose transmission angle could be held", "leave the limit out")
            return None, measures.transmission().between(low=float(np.sin(least)) ** 2)
        measure, unit = self._made(kind, name, entry)
        if not limited:
            weight = plain_number(entry.get("weight", 1.0))
            measure = measure.times(weight) if weight != 1.0 else measure
            return measure.peak() if _flag(entry, "peak") else measure, None
        ends = {side: unit(entry[side]) for side in ("low", "high") if side in entry}
        if not ends:
            raise Flaw("has neither 'low' nor 'high'", "give one, or both")
        if ends.get("low", -np.inf) > ends.get("high", np.inf):
            found = f"'low' is {describe(entry['low'])}, 'high' {describe(entry['high'])}"
            raise Flaw(f"the limits are reversed: {found}", "'low' is the lower one")
        return None, measure.between(ends.get("low"), ends.get("high"))

    def _name(self, entry: Mapping[str, Any], what: str, key: str) -> str:
        """Return the name under a key, which is that of a point, link, driver or joint."""
        m, sliding = self.mechanism, self.mechanism.joints.of(Sliding)
        known = {
            "point": (*m.places,), "link": (*m.links,), "driver": (*m.drivers,),
            "joint that slides": (*sliding,), "link or joint that slides": (*m.links, *sliding),
        }[what]  # fmt: skip
        name = entry.get(key)
        if not isinstance(name, str):
            such = f'such as {key} = "{known[0]}"' if known else ""
            raise Flaw(f"'{key}' is the name of a {what}, not {describe(name)}", such)
        if name not in known:
            raise Flaw(f"{describe(name)} is not a {what}", suggest(name, known))
        return name

    def _made(self, kind: str, name: str, entry: Mapping[str, Any]) -> tuple[Measure, Callable[[Any], float]]:
        """Return a measure, and what reads a limit of it in SI."""
        m = self.mechanism

        def of(quantity: str) -> Callable[[Any], float]:
            return lambda value: m.units.quantity(value, quantity)

        if kind == "path":
            return measures.path(name, self._places(entry)), of("length")
        if kind == "angle":
            return measures.angle(name, self._numbers(entry.get("values"), "angle")), of("angle")
        if kind == "travel":
            quantity = m.joints.of(Sliding)[name].measure
            return measures.travel(name, self._numbers(entry.get("values"), quantity)), of(quantity)
        if kind == "stroke":
            quantity = output_kind(m, name)
            return measures.stroke(name, m.units.quantity(entry.get("wanted", 0.0), quantity)), of(quantity)
        if kind == "range":
            quantity = m.drivers[name].quantity
            return measures.driver_range(name, m.units.quantity(entry.get("wanted", 0.0), quantity)), of(quantity)
        if kind == "time_ratio":
            return measures.time_ratio(name, plain_number(entry.get("wanted", 0.0))), plain_number
        if kind == "dwell":
            first, last = entry.get("first"), entry.get("last")
            if not isinstance(first, int) or not isinstance(last, int):
                raise Flaw("'first' and 'last' are numbers of samples", "such as first = 10")
            self.lasts[self.key] = last
            return measures.dwell(name, first, last), of(output_kind(m, name))
        if kind == "coordinate":
            if entry.get("axis") not in ("x", "y"):
                raise Flaw(f"'axis' is x or y, not {describe(entry.get('axis'))}", 'such as axis = "x"')
            return measures.coordinate(name, entry["axis"]), of("length")
        if kind in ("extent", "grashof"):
            key = "points" if kind == "extent" else "pins"
            points = self._points(entry.get(key, []), key)
            return (measures.extent if kind == "extent" else measures.grashof)(points), of("length")
        if kind == "effort":
            return force_measures.effort(name, static=_flag(entry, "static")), plain_number
        made = force_measures.shaking_force if kind == "shaking_force" else force_measures.shaking_moment
        return made(), plain_number

    def _points(self, given: Any, key: str) -> list[str]:
        if not isinstance(given, list):
            raise Flaw(f"'{key}' is a list of points, not {describe(given)}", f'such as {key} = ["A", "B", "C", "D"]')
        for point in given:
            if not isinstance(point, str) or point not in self.mechanism.places:
                raise Flaw(f"{describe(point)} is not a point", suggest(str(point), self.mechanism.places))
        return given

    def _numbers(self, given: Any, quantity: str) -> Any:
        if not isinstance(given, list) or not given:
            raise Flaw(f"expected a list of numbers, found {describe(given)}", "one for each sample")
        self.counts[self.key] = len(given)
        return np.array([self.mechanism.units.quantity(value, quantity) for value in given])

    def _places(self, entry: Mapping[str, Any]) -> Any:
        units = self.mechanism.units
        if "csv" in entry and "places" in entry:
            raise Flaw("has both 'places' and 'csv'", "leave one of them out")
        if "csv" in entry:
            rows: Any = read_table(str(entry["csv"]), self.folder, None, ("length", "length"), units)
        else:
            rows = entry.get("places")
            if (
                not isinstance(rows, list)
                or not rows
                or not all(isinstance(row, list) and len(row) == 2 for row in rows)
            ):
                raise Flaw(f"expected places, found {describe(rows)}", "places = [[x, y], ...] or csv = 'path.csv'")
        self.counts[self.key] = len(rows)
        return np.array([[units.quantity(value, "length") for value in row] for row in rows])


def _flag(entry: Mapping[str, Any], key: str) -> bool:
    given = entry.get(key, False)
    if not isinstance(given, bool):
        raise Flaw(f"'{key}' is true or false, not {describe(given)}")
    return given
