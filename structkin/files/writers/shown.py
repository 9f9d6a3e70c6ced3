"""CSV and pictures: what `structkin.show` writes, as formats of `write`."""

from __future__ import annotations

from pathlib import Path

from structkin.model.mechanism import Mechanism
from structkin.show import draw_schematic, save_figure
from structkin.show.columns import write_csv
from structkin.solve import Motion


def write_table(mechanism: Mechanism, path: Path, motion: Motion) -> tuple[()]:
    """Write all points and links over the motion as CSV."""
    write_csv(motion, path)
    return ()


def write_picture(mechanism: Mechanism, path: Path, motion: Motion | None) -> tuple[()]:
    """Draw the schematic, with the paths of its points of interest where there is a motion."""
    save_figure(draw_schematic(mechanism, motion=motion), path)
    return ()
