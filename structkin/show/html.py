"""Nouns as short HTML tables, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from structkin.branches.circuits import Circuits
from structkin.model.mechanism import Mechanism
from structkin.show.quantities import measures_of
from structkin.show.terminal import short, text_table

if TYPE_CHECKING:
    from rich.table import Table

#: Largest number of rows in a table.
MOST = 40


def html_table(table: Table) -> str:
    """Return a table for the terminal as HTML; names are escaped, and a long table is cut.

    >>> html_table(text_table("A & B", "all", ("name", "x"), [("<b>", "1")], figures=("x",)))[:58]
    '<table><caption style="text-align: left"><b>A &amp; B</b><'
    """
    heads = [str(column.header) for column in table.columns]
    right = [column.justify == "right" for column in table.columns]
    rows = list(zip(*(map(str, column.cells) for column in table.columns), strict=True))
    lines = [f'<table><caption style="text-align: left"><b>{_text(table.title)}</b></caption>']
    lines.append("<thead>" + _row("th", heads, right) + "</thead><tbody>")
    lines += [_row("td", cells, right) for cells in rows[:MOST]]
    if len(rows) > MOST:
        lines.append(f'<tr><td colspan="{len(heads)}">... and {len(rows) - MOST} more</td></tr>')
    return "\n".join(lines) + f"</tbody></table>\n<p>{_text(table.caption)}</p>"


def _row(tag: str, cells: list[str] | tuple[str, ...], right: list[bool]) -> str:
    sides = ["right" if one else "left" for one in right]
    parts = [f'<{tag} style="text-align: {s}">{_text(c)}</{tag}>' for c, s in zip(cells, sides, strict=True)]
    return f"<tr>{''.join(parts)}</tr>"


def _text(text: object) -> str:
    return "" if text is None else escape(str(text)).replace("\n", "<br>")


def mechanism_table(mechanism: Mechanism) -> Table:
    """Return a table of the links, joints and drivers of a mechanism."""
    topology = mechanism.topology
    rows = [("link", name, ", ".join(link.points)) for name, link in mechanism.links.items()]
    for joint in topology.joints:
        kind = type(mechanism.joints[joint.id]).__name__
        words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in kind).strip()
        rows.append(("joint", joint.id, f"{words}: {', '.join(joint.links)}"))
    for id, drive in mechanism.drivers.items():
        quantity = mechanism.drivers[id].quantity
        measures = measures_of(mechanism)
        speed = None if drive.law is None else drive.law.speed
        pace = "free" if drive.law is None else "by a law"
        if speed is not None:
            rate = "omega" if quantity == "angle" else "speed"
            pace = f"{short(speed / measures.size(rate), 0.0)} {measures.pretty(rate)}"
        where = f"at {drive.joint}" if drive.joint else f"between {' and '.join(drive.links)}"
        rows.append(("driver", id, f"{quantity} {where}, {pace}"))
    return text_table(mechanism.title or "Mechanism", topology.counts, ("", "name", ""), rows)


def circuits_table(found: Circuits) -> Table:
    """Return a table of the branches over the range of a driver."""
    rows = [
        (str(k + 1), str(branch.circuit + 1), found.words(k), "branch of the sketch" if k == found.home else "")
        for k, branch in enumerate(found.branches)
    ]
    title, *_ = found.report.splitlines()
    return text_table(title, "", ("branch", "circuit", "interval and modes", ""), rows, ("branch", "circuit"))
