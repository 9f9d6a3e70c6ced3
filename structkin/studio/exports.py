"""What the browser can download: the mechanism file, and pictures of the pose that is shown."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping

from structkin.api import Mechanism
from structkin.show import draw_schematic
from structkin.studio.document import Document, refuse
from structkin.studio.files import toml

Values = Mapping[str, float] | None
#: A document, its mechanism if it is sound, and its drivers' values -> contents.
Maker = Callable[[Document, Mechanism | None, Values], bytes]


def _toml(document: Document, mechanism: Mechanism | None, values: Values) -> bytes:
    return toml(document).encode()


def _svg(document: Document, mechanism: Mechanism | None, values: Values) -> bytes:
    if mechanism is None:
        raise refuse("", "there is no mechanism to draw yet")
    motion = None if values is None else mechanism.solve(drivers={id: [value] for id, value in values.items()})
    figure = draw_schematic(mechanism, motion=motion, sample=None if motion is None else 0)
    file = io.BytesIO()
    figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()


#: Each download by its name: what makes it, and its type.
EXPORTS: Mapping[str, tuple[Maker, str]] = {
    "mechanism.toml": (_toml, "application/toml"),
    "mechanism.svg": (_svg, "image/svg+xml"),
}
