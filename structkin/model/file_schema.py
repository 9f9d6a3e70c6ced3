"""The JSON schema of the mechanism file, made from the models that check it: editors complete and check files by it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from structkin.joints.registry import JOINT_TYPES
from structkin.model.collector import FORMAT
from structkin.model.document import FORBIDDEN
from structkin.model.entry import Entry
from structkin.model.fields import POSITIVE, TEXT, VECTOR, Checked, listed
from structkin.model.mechanism import GROUND
from structkin.model.schema import FORCE_TYPES, DriverEntry, LinkEntry
from structkin.model.units import FILE_UNITS

#: The schema that the package holds, written by `python -m structkin.model.file_schema`.
SCHEMA = Path(__file__).parent.parent / "mechanism.schema.json"


def file_schema() -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of a mechanism file.

    It knows keys, types and words; what depends on other entries, such as whether a point exists, is checked by
    `Mechanism.load`.

    >>> file_schema()["required"]
    ['points', 'links']
    """
    points = _table(VECTOR)
    links = _table({"anyOf": [listed(TEXT), _entry(LinkEntry)]}) | {"required": [GROUND]}
    joints = _table(_of_types(JOINT_TYPES))
    forces = _table(_of_types(FORCE_TYPES)) | {"properties": {"gravity": VECTOR}}
    pose = {"type": "object", "required": ["points", "links", "drivers"]}
    sections: dict[str, Any] = {
        "title": TEXT,
        "format": {"const": FORMAT},
        "notes": listed(TEXT),
        "units": _object({kind: {"enum": list(known)} for kind, known in FILE_UNITS.items()}),
        "duration": POSITIVE,
        "points": points,
        "links": links,
        "lengths": {"type": "object", "additionalProperties": False, "patternProperties": {"^[^-]+-[^-]+$": POSITIVE}},
        "joints": joints,
        "drivers": _table(_entry(DriverEntry)),
        "forces": forces,
        "initial": {"type": "object", "additionalProperties": {"type": "object"}},
        "pose": pose,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "structkin mechanism file",
        **_object(sections, ["points", "links"]),
    }


def _object(properties: Mapping[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    return {"type": "object", "properties": dict(properties), "additionalProperties": False} | (
        {"required": required} if required else {}
    )


def _table(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a section: its names, and what each holds."""
    return {
        "type": "object",
        "propertyNames": {"pattern": rf"^(?! )[^{FORBIDDEN}]+(?<! )$"},
        "additionalProperties": entry,
    }


def _entry(model: type[Entry], words: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the schema of an entry: what its fields' checks say may be written; `words` replaces some of them."""
    fields = {name: _written(field.metadata, field.annotation) for name, field in model.model_fields.items()}
    required = [name for name, field in model.model_fields.items() if field.is_required()]
    return _object(fields | dict(words or {}), required) | {"description": (model.__doc__ or "").split("\n")[0]}


def _written(metadata: list[Any], annotation: Any) -> Mapping[str, Any]:
    """Return the schema of a field from its annotation: that of an optional one is inside a union."""
    for check in metadata:
        if isinstance(check, Checked):
            return check.written
    inner = [part for part in get_args(annotation) if hasattr(part, "__metadata__")]
    return _written(list(inner[0].__metadata__), None)


def _of_types(types: Mapping[str, type[Entry]]) -> dict[str, Any]:
    """Return the schema of an entry whose `type` says which one it is."""
    return {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": list(types)}},
        "allOf": [
            {"if": {"properties": {"type": {"const": name}}}, "then": _entry(model, {"type": {"const": name}})}
            for name, model in types.items()
        ],
    }


def text() -> str:
    """Return the schema as it is written to `SCHEMA`."""
    return json.dumps(file_schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(text(), encoding="utf-8")
