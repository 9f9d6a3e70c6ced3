"""The comparison of formulations of dynamics, as a table and as a picture that the page holds."""

from __future__ import annotations

from base64 import b64encode
from io import StringIO
from typing import Any

from structkin.dynamics import FormulationComparison
from structkin.show import formulations_table, plot_formulations
from structkin.show.files import write_figure


def comparison_of(found: FormulationComparison) -> dict[str, Any]:
    """Return heads, rows and notes of the table in the terminal, and the picture as an address that holds it."""
    table, picture = formulations_table(found), StringIO()
    write_figure(plot_formulations(found), picture, ".svg")
    return {
        "title": str(table.title),
        "heads": [str(column.header) for column in table.columns],
        "rows": [list(row) for row in zip(*(column.cells for column in table.columns), strict=True)],
        "notes": str(table.caption).split("\n"),
        "picture": "data:image/svg+xml;base64," + b64encode(picture.getvalue().encode()).decode(),
    }
