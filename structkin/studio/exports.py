"""The downloads of the browser: the mechanism file, and pictures of the current pose."""

from __future__ import annotations

import io
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from structkin.files.writers.dxf import write_dxf
from structkin.model import Mechanism
from structkin.report.worksheet import page
from structkin.show import draw_schematic
from structkin.studio.document import Document, refuse
from structkin.studio.driving import Driving
from structkin.studio.files import toml

#: A document, its mechanism if it is valid, and how it is driven, if it can be -> contents.
Maker = Callable[[Document, Mechanism | None, Driving | None], bytes]


def _toml(document: Document, mechanism: Mechanism | None, driving: Driving | None) -> bytes:
    return toml(document).encode()


def _svg(document: Document, mechanism: Mechanism | None, driving: Driving | None) -> bytes:
    if driving is None:
        figure = draw_schematic(_sound(mechanism))
    else:
        figure = draw_schematic(driving.mechanism, motion=driving.motion, sample=0, paths=driving.paths())
    file = io.BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


def _report(document: Document, mechanism: Mechanism | None, driving: Driving | None) -> bytes:
    return _sound(mechanism).report().encode()


def _worksheet(document: Document, mechanism: Mechanism | None, driving: Driving | None) -> bytes:
    if driving is None:
        raise refuse("", "a worksheet needs a pose; the panel on the right says what is missing")
    return page(driving.motion.forces().equilibrium()).encode()


def _dxf(document: Document, mechanism: Mechanism | None, driving: Driving | None) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "mechanism.dxf")
        if driving is None:
            write_dxf(_sound(mechanism), file, None)
        else:
            write_dxf(driving.mechanism, file, driving.motion, driving.paths())
        return file.read_bytes()


def _gif(document: Document, mechanism: Mechanism | None, driving: Driving | None) -> bytes:
    film = _sound(mechanism).solve().animate()
    with tempfile.TemporaryDirectory() as folder:
        film.save(Path(folder, "mechanism.gif"))
        return Path(folder, "mechanism.gif").read_bytes()


def _sound(mechanism: Mechanism | None) -> Mechanism:
    if mechanism is None:
        raise refuse("", "there is no mechanism to draw yet")
    return mechanism


#: Each download by its name: what makes it, and its type.
EXPORTS: Mapping[str, tuple[Maker, str]] = {
    "mechanism.toml": (_toml, "application/toml"),
    "mechanism.svg": (_svg, "image/svg+xml"),
    "mechanism.dxf": (_dxf, "image/vnd.dxf"),
    "mechanism.gif": (_gif, "image/gif"),
    "report.html": (_report, "text/html; charset=utf-8"),
    "mechanism-worksheet.html": (_worksheet, "text/html; charset=utf-8"),
}
