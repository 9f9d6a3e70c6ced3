"""The rows of CSV tables in place of their file names, which only their own folder can resolve.

A mechanism keeps the rows that it was built with: written, sent to another process or built again, it is the same
wherever that is done, and whatever became of the files.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from structkin.model.tables import read_table

if TYPE_CHECKING:
    from structkin.model.draft import Draft

#: The keys whose value may be the name of a CSV file, besides `csv` itself.
SIGNALS = ("actuator", "torque", "force")


def with_tables(data: Mapping[str, Any], draft: Draft) -> dict[str, Any]:
    """Return data of a mechanism with the rows of its CSV tables; raise `Flaw` where one cannot be read any more."""
    tables = {
        section: {id: _with_rows(draft, section, id, entry) for id, entry in data[section].items()}
        for section in ("joints", "drivers", "forces")
        if data.get(section)
    }
    return {**data, **tables}


def _with_rows(draft: Draft, section: str, id: str, entry: Any) -> Any:
    """Return an entry with the rows of its CSV table, if it has one."""
    if not isinstance(entry, Mapping):
        return entry

    def rows(name: str, kinds: tuple[str, str], columns: Any = None) -> list[list[float]]:
        return [list(row) for row in read_table(name, draft.folder, columns, kinds, draft.units)]

    result: dict[str, Any] = {}
    for key, value in entry.items():
        if key == "csv" and value is not None:
            kinds = _kinds(draft, section, id, entry)
            result["profile" if section == "joints" else "table"] = rows(value, kinds, entry.get("columns"))
        elif key in SIGNALS and isinstance(value, str) and value.endswith(".csv"):
            moment = key == "torque" or entry.get("type") == "torsion"
            result[key] = rows(value, ("time", "moment" if moment else "force"))
        elif key != "columns":
            result[key] = value
    return result


def _kinds(draft: Draft, section: str, id: str, entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return the quantities of the columns of an entry's CSV file."""
    if section == "joints":
        return "angle", "length"
    if section == "forces":
        return "time", str(entry["type"])
    return "time", draft.coordinates[id].quantity
