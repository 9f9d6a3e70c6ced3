"""`structkin atlas LINKS`: every kinematic chain of revolute joints, and the mechanisms that it gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from structkin import show
from structkin.cli.options import Json
from structkin.cli.outputs import Outputs, write_rows
from structkin.cli.terminal import progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def atlas(
    links: Annotated[int, typer.Argument(help="Number of links, the ground among them.", show_default=False)],
    mobility: Annotated[int, typer.Option(help="Degrees of freedom; 0 lists the structural groups.")] = 1,
    fractionated: Annotated[
        bool, typer.Option(help="With chains that fall apart if one link or joint is removed.")
    ] = True,
    csv: Annotated[Path | None, typer.Option(help="Write the table as CSV.", metavar="FILE")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw every chain or group.", metavar="PICTURE")] = None,
    as_json: Json = False,
) -> None:
    """List every kinematic chain of some links, its inversions, drivers and structural groups."""
    from structkin.show.atlas_figure import check_page
    from structkin.structure.kinematic_chains import atlas as make
    from structkin.structure.kinematic_chains import chains as every

    outputs = Outputs(None, tables={"--csv": csv}, pictures={"--plot": plot}, as_json=as_json)
    if plot is not None and mobility > 0:  # the table of so many chains may take hours
        check_page(len(every(links, mobility, fractionated=fractionated)))
    with progress("listing") as report:
        entries = make(links, mobility, fractionated=fractionated, progress=report)
    title = f"Structural groups of {links - 1} links" if mobility == 0 else f"Chains of {links} links"
    title += "" if mobility == 0 else f" with {mobility} degree{'s' if mobility > 1 else ''} of freedom"
    rows = [show.atlas_row(entry) for entry in entries]
    chains = {entry.chain: entry.topology for entry in reversed(entries)}  # each by its first entry

    def plotted() -> Figure:
        if mobility == 0:
            return show.draw_groups(entries, title)
        return show.draw_chains([chains[number] for number in sorted(chains)], title)

    outputs.deliver(
        {
            "--csv": lambda path: write_rows(path, rows),
            "--plot": plotted,
        },
        lambda: {"title": title, "mechanisms": rows},
        lambda: show.atlas_table(entries, title),
    )
