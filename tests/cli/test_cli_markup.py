"""No table of the command line reads a unit or a name in brackets as markup, and none drops a number."""

from __future__ import annotations

from rich.console import Console

from structkin.cli.terminal import print_table
from structkin.show.terminal import text_table


def test_a_table_of_benchmarks_keeps_its_units(capsys):
    """Rich would read "[s]" as strike-through, and drop it."""
    print_table("the [b]clock", [("program", "time [s]", "error [m]"), ("ours", "[red]", "1")])
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("the [b]clock", "time [s]", "error [m]", "[red]"))


def test_a_narrow_terminal_folds_what_is_too_wide():
    numbers = [f"{k}.5e-{k}" for k in range(1, 9)]
    heads = ("method", *(f"time {k} [s]" for k in range(1, 9)))
    terminal = Console(width=60)
    with terminal.capture() as shown:
        terminal.print(text_table("", "", heads, [("global-triangular", *numbers)], heads[1:]))
    lines = [[cell.strip() for cell in line.split("│")[1:-1]] for line in shown.get().splitlines() if "│" in line]
    assert ["".join(cells) for cells in zip(*lines, strict=True)] == ["global-triangular", *numbers]
