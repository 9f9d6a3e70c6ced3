"""No table of the command line reads a unit or a name in brackets as markup."""

from __future__ import annotations

from structkin.cli.terminal import print_table


def test_a_table_of_benchmarks_keeps_its_units(capsys):
    """Rich would read "[s]" as strike-through, and drop it."""
    print_table("the [b]clock", [("program", "time [s]", "error [m]"), ("ours", "[red]", "1")])
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("the [b]clock", "time [s]", "error [m]", "[red]"))
