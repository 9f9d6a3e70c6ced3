"""The base of commands, and what their fields may hold."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from structkin.studio.document import Document, refuse

Number = Annotated[float, Field(allow_inf_nan=False, ge=-1e12, le=1e12)]
Place = tuple[Number, Number]
Name = Annotated[str, Field(max_length=80)]


class Command(BaseModel):
    """The base of all commands: frozen, and strict about unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    def apply(self, document: Document) -> Document:
        """Return the document after the command; raise `InputError` if it cannot be applied."""
        raise NotImplementedError


def check_there(document: Document, section: str, name: str) -> None:
    """Raise `InputError` if a document has no such entry."""
    if name not in document.section(section):
        raise refuse(f"{section}.{name}", "there is no such entry")
