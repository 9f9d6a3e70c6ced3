"""A mechanism and its motion on one page, with the comparison of formulations as a table and a picture."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Callable, Collection
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

from structkin.budget import DEFAULT
from structkin.dynamics.formulations_compared import FormulationComparison
from structkin.errors import Problem, raise_problems
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest
from structkin.report.centres import centres
from structkin.report.gap import gap_of
from structkin.report.joint_forces import forces
from structkin.report.limits import limits_of
from structkin.report.rates import coefficients, plots, rates
from structkin.report.results import results
from structkin.report.solution_steps import steps
from structkin.report.summary import inputs, ranges, summary
from structkin.report.transmission import transmission
from structkin.report.worksheet import HARDEST, sheet_of
from structkin.show import formulations_table, plot_formulations
from structkin.show.files import whole_file, write_figure
from structkin.show.view import motion_of, view
from structkin.solve import Motion, structure_of
from structkin.web import page


def comparison_of(found: FormulationComparison) -> dict[str, Any]:
    """Return heads, rows and notes of the table in the terminal, and the picture as an address that holds it."""
    table, picture = formulations_table(found), StringIO()
    write_figure(plot_formulations(found), picture, ".svg")
    return {
        "title": str(table.title),
        "heads": [str(column.header) for column in table.columns],
        "rows": [[*map(str, row)] for row in zip(*(column.cells for column in table.columns), strict=True)],
        "notes": str(table.caption).split("\n"),
        "picture": "data:image/svg+xml;base64," + b64encode(picture.getvalue().encode()).decode(),
    }


#: The sections that may be left out of a report.
SECTIONS = ("inputs", "steps", "rates", "coefficients", "centres", "limits", "transmission", "forces", "ranges")

#: Suffixes of pages.
SUFFIXES = (".html", ".htm")

#: Called with the part of the report that is being made, and the number of steps it has taken.
Progress = Callable[[str, float], None]


class Page(str):
    """The text of a page, in short as `repr`; `missing` holds why forces or limits could not be found, a line each."""

    missing: tuple[str, ...] = ()
    _title = ""

    def __repr__(self) -> str:
        """Return what the page shows and its size."""
        return f"<report of '{self._title}', {len(self) / 1e3:.0f} kB>"


def report(
    mechanism: Mechanism,
    path: str | Path | None,
    *,
    motion: Motion | None,
    samples: int,
    duration: float | None,
    without: Collection[str],
    comparison: FormulationComparison | None,
    worksheet: int | str | None,
    source: str,
    author: str,
    date: str | None,
    budget: float | None,
    progress: Progress | None,
) -> Page:
    """Return a page that shows a mechanism and its motion, and write it to a path; see `Mechanism.report`."""
    check_call(mechanism, path, motion, without, samples, worksheet)
    # opened first, so that a path which cannot be written is found before the work
    with whole_file(path) if path is not None else nullcontext() as file:
        if motion is None:
            tell = None if progress is None else partial(progress, "solving")
            motion = motion_of(mechanism, samples, duration=duration, budget=budget, progress=tell)
        data = content(mechanism, motion, without, source, budget, progress, worksheet)
        data["summary"] |= {"author": author, "date": today() if date is None else date}
        if comparison is not None:
            data["comparison"] = comparison_of(comparison)
        title = mechanism.title or "Mechanism"
        text = Page(page({"host": "report", "view": data}, title))
        text._title = title
        text.missing = tuple(_missing(data))
        if file is not None:
            file.write(text)
    return text


def content(
    mechanism: Mechanism,
    motion: Motion | None,
    without: Collection[str] = (),
    source: str = "",
    budget: float | None = DEFAULT,
    progress: Progress | None = None,
    worksheet: int | str | None = None,
) -> dict[str, Any]:
    """Return the content of a report as plain data: a view (`structkin.show.view`) with sections as further keys."""

    def told(what: str) -> Callable[[float], None]:
        return lambda done: progress(what, done) if progress is not None else None

    structure = structure_of(mechanism)
    data = view(mechanism, motion, structure=structure if motion is None else motion.structure)
    data["summary"] = summary(mechanism, structure, motion, source)
    if "inputs" not in without:
        data["inputs"] = inputs(mechanism)
    if motion is None:
        return data
    moving: Motion = motion
    if not motion.ok.any() and (gap := gap_of(mechanism)):
        frames = {
            link: {"x": [None], "y": [None], "angle": [None], **gap["frames"].get(link, {})} for link in mechanism.links
        }
        still = {"n": 1, "t": None, "status": [[0, 0, "ok", None]], "drivers": {}, "frames": frames}
        return data | {"samples": still, "box": None, "gap": gap}
    data["plots"] = {**plots(moving), "without_rates": "rates" in without}
    makers: dict[str, Callable[[], Any]] = {
        "steps": lambda: steps(moving),
        "rates": lambda: rates(moving),
        "coefficients": lambda: coefficients(moving),
        "centres": lambda: centres(moving),
        "limits": lambda: limits_of(mechanism, budget, told("limits")),
        "transmission": lambda: transmission(moving),
        "forces": lambda: forces(moving),
        "ranges": lambda: ranges(moving),
    }
    for name, make in makers.items():
        if name not in without:
            told(name)(0.0)
            found = make()
            if found:
                data[name] = found
    data["results"] = results(moving, data)
    if worksheet is not None:
        told("worksheet")(0.0)
        data["worksheet"] = sheet_of(moving, worksheet)
    data["summary"]["problems"] += _missing(data)
    return data


def _missing(data: dict[str, Any]) -> list[str]:
    """Return why forces or limits could not be found, at all or at some samples, for the top of the page."""
    found = [f"No limits of {one['driver']}: {one['failure']}" for one in data.get("limits", ()) if "failure" in one]
    if "failure" in data.get("worksheet", ()):
        found.append(f"No worksheet: {data['worksheet']['failure']}")
    forces = data.get("forces")
    if forces and not forces["table"]:
        found += [f"No forces: {note}" for note in forces["notes"]]
    elif forces and forces["locked"]:
        found.append(f"Forces: {forces['locked']}")
    return found


def today() -> str:
    """Return today's date; that of SOURCE_DATE_EPOCH where it is set, so that a page can be made again as it was."""
    made = os.environ.get("SOURCE_DATE_EPOCH", "")
    return (datetime.fromtimestamp(int(made), UTC) if made.isdecimal() else datetime.now()).date().isoformat()


def check_call(
    mechanism: Mechanism,
    path: str | Path | None,
    motion: Motion | None,
    without: Collection[str],
    samples: int,
    worksheet: int | str | None = None,
) -> None:
    """Raise `InputError` for a page that cannot be made, or not be written."""
    problems = [
        Problem("without", f"'{name}' is not a section", suggest(name, SECTIONS))
        for name in without
        if name not in SECTIONS
    ]
    if path is not None and Path(path).suffix.lower() not in SUFFIXES:
        problems.append(Problem(str(path), "is not the name of an HTML file", "use .html"))
    if isinstance(worksheet, str) and worksheet != HARDEST:
        problems.append(Problem("worksheet", f"'{worksheet}' is no pose", f'give a sample, or "{HARDEST}"'))
    count = samples if motion is None else len(motion)
    if isinstance(worksheet, int) and not -count <= worksheet < count:
        problems.append(Problem("worksheet", f"there is no sample {worksheet}", f"there are {count}, the first is 0"))
    if motion is not None and motion.mechanism is not mechanism:
        problems.append(Problem("motion", "belongs to another mechanism", "call `motion.mechanism.report`"))
    raise_problems(problems, mechanism.title or "report")
