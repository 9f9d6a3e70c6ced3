"""First pass over a mechanism file: sections, names and entries, each on its own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from structkin.joints.prismatic import PrismaticEntry
from structkin.joints.registry import JOINT_TYPES
from structkin.model.draft import Draft
from structkin.model.entry import SECTIONS
from structkin.model.fields import vector
from structkin.model.file import check_size
from structkin.model.flaw import LARGEST, describe, short
from structkin.model.forces import Forces
from structkin.model.mechanism import GROUND
from structkin.model.schema import FORCE_TYPES, DriverEntry, LinkEntry
from structkin.model.topology import suggest
from structkin.model.units import Units

#: Sections that other programs have, under their names here.
_SECTION_HINTS: Mapping[str, str] = {
    "loads": "forces",
    "load": "forces",
    "springs": "forces",
    "bodies": "links",
    "bars": "links",
    "frame": "links.ground",
    "ground": "links.ground",
    "masses": "links.NAME.mass",
    "mass": "links.NAME.mass",
    "inertia": "links.NAME.inertia",
    "nodes": "points",
    "guides": "joints",
    "sliders": "joints",
    "slots": "joints",
    "motors": "drivers",
    "inputs": "drivers",
    "actuators": "drivers",
    "gravity": "forces.gravity",
}

_FORCE_HINTS: Mapping[str, str] = {
    "torque": "write type = \"moment\"; a motor's torque is the key 'torque' of its driver",
    "damper": 'write type = "spring", with a damping and no stiffness',
    "actuator": "write type = \"spring\", with the key 'actuator'",
}

#: Characters that names may not have.
FORBIDDEN = '-@,:"'


def read_document(data: Any, folder: Path | None, origin: complex = 0j) -> Draft:
    """Return a draft with every entry that can be read, and a problem for each that cannot."""
    draft = Draft(folder=folder, units=Units(origin=origin))
    if not isinstance(data, Mapping):
        draft.fault("", f"expected a table of sections, found {describe(data)}", f"sections: {', '.join(SECTIONS)}")
    else:
        draft.attempt("", check_size, data)
        draft.check_format(data)
        if "bodies" in data and not {"links", "drivers"} & set(data):
            message = "this is a file of bodies in space; the commands `spatial` and `equations` read it"
            draft.fault("bodies", f"{message}, or SpatialModel.load", "the bodies of a planar mechanism are [links]")
    if draft.problems:
        draft.unread.update(SECTIONS)  # the contents of such a file are not checked
        return draft
    draft.check_sections(data, SECTIONS, _SECTION_HINTS)
    draft.title = draft.read_title(data)
    draft.remarks = draft.read_notes(data)
    draft.read_units(data)
    draft.duration = draft.read_duration(data)
    _read_points(draft, data)
    _read_links(draft, data)
    _read_lengths(draft, data)
    _read_joints(draft, data)
    for key, name, value in draft.entries(data, "drivers", f"motor = {DriverEntry.sample}"):
        entry = draft.read_entry(DriverEntry, key, value)
        if entry is not None:
            draft.driver_entries[name] = entry
    _read_forces(draft, data)
    sample = 'motor = { value = 0, speed = "1 rad/s" }'
    draft.initial_entries = {name: value for _, name, value in draft.entries(data, "initial", sample)}
    _check_names(draft, data)
    return draft


def _read_points(draft: Draft, data: Mapping[str, Any]) -> None:
    for key, name, value in draft.entries(data, "points", "A = [0, 0]", required=True):
        place = draft.attempt(key, vector, value, "length", draft.units)
        draft.point_names.append(name)
        if place is None:
            draft.unread.add(key)
        else:
            draft.points[name] = place


def _read_links(draft: Draft, data: Mapping[str, Any]) -> None:
    for key, name, value in draft.entries(data, "links", 'ground = ["A", "D"]', required=True):
        listed = {"points": value} if isinstance(value, list | tuple) else value
        entry = draft.read_entry(LinkEntry, key, listed)
        if entry is not None:
            draft.link_entries[name] = entry


def _read_lengths(draft: Draft, data: Mapping[str, Any]) -> None:
    places = list(draft.points.values())
    size = max((abs(place - places[0]) for place in places), default=0.0)
    for key, name, value in draft.entries(data, "lengths", '"A-B" = 15'):
        ends = name.split("-")
        if len(ends) != 2 or not all(ends):
            ends = [end for end in re.split(r"[\s_.:–—−/,-]+", name) if end in draft.points]
            ends = ends or [end for end in name if end in draft.points]
            both = "-".join(ends) if len(ends) == 2 else "A-B"
            draft.fault(key, "expected two point names with '-' between them", f'such as "{both}" = 15')
            continue
        length = draft.quantity(key, value, "length", "positive")
        if not draft.has_points(key, ends) or length is None:
            continue
        if ends[0] == ends[1]:
            draft.fault(key, "names the same point twice", "name two points of one link")
        elif frozenset(ends) in draft.lengths:
            draft.fault(key, "the length between these points is given twice", "delete one")
        elif length <= size / LARGEST:
            hint = f"the sketch measures {draft.show_length(size)}"
            draft.fault(key, f"{short(str(value))} is too small to compute with", hint)
        else:
            draft.lengths[frozenset(ends)] = length


#: Names that others use for kinds of joints.
_OTHER_TYPES = {
    **dict.fromkeys(("slider", "slide", "sliding", "guide", "translational", "p"), "prismatic"),
    **dict.fromkeys(("slot", "pin-slot", "pin_in_slot", "rp"), "pin-in-slot"),
    **dict.fromkeys(("fixed", "weld", "welded", "rigid"), "fastened"),
    **dict.fromkeys(("gears", "spur"), "gear"),
    **dict.fromkeys(("chain", "pulley", "pulleys"), "belt"),
    **dict.fromkeys(("wheel", "roll"), "rolling"),
    **dict.fromkeys(("maltese", "maltese cross"), "geneva"),
}


def _read_joints(draft: Draft, data: Mapping[str, Any]) -> None:
    known = list(JOINT_TYPES)
    for key, name, value in draft.entries(data, "joints", f"guide = {PrismaticEntry.sample}"):
        kind = value.get("type") if isinstance(value, Mapping) else None
        model = JOINT_TYPES.get(kind) if isinstance(kind, str) else None
        if model is not None or not isinstance(value, Mapping):
            entry = draft.read_entry(model or PrismaticEntry, key, value)
            if entry is not None:
                draft.joint_entries[name] = entry
            continue
        draft.unread.add(key)
        if kind is None:
            draft.fault(key, "'type' is missing", f"known: {', '.join(known)}")
        elif not isinstance(kind, str):
            draft.fault(f"{key}.type", f"expected text, found {describe(kind)}", f"known: {', '.join(known)}")
        elif kind in ("revolute", "pin", "hinge", "R"):
            draft.fault(f"{key}.type", "revolute joints are not listed here", "name their point in both links")
        else:
            other = _OTHER_TYPES.get(kind.casefold())
            hint = f"did you mean '{other}'?" if other else suggest(kind, known)
            draft.fault(f"{key}.type", f"the type '{kind}' is unknown", hint)
            # its other errors, if the hint is right
            meant = next((name for name in known if hint == f"did you mean '{name}'?"), None)
            if meant is not None:
                draft.read_entry(JOINT_TYPES[meant], key, {**value, "type": meant})


def _read_forces(draft: Draft, data: Mapping[str, Any]) -> None:
    for key, name, value in draft.entries(data, "forces", "gravity = [0, -9.81]"):
        if name == "gravity":
            draft.forces = Forces(draft.attempt(key, vector, value, "acceleration", draft.units) or 0j)
            continue
        entry = draft.read_load(FORCE_TYPES, key, value, _FORCE_HINTS)
        if entry is not None:
            draft.force_entries[name] = entry


def _check_names(draft: Draft, data: Mapping[str, Any]) -> None:
    owner: dict[str, str] = {}
    for section in ("points", "links", "joints", "drivers", "forces"):
        table = data.get(section)
        for name in table if isinstance(table, Mapping) else ():
            key = f"{section}.{name}"
            if not draft.check_name(key, name, FORBIDDEN):
                continue
            if section == "links" or (section, name) == ("forces", "gravity"):
                continue
            if name == GROUND:
                draft.fault(key, "the name 'ground' is reserved for the fixed link", "choose another name")
            elif name in owner:
                hint = "points, joints, drivers and forces need different names"
                draft.fault(key, f"the name is already used in [{owner[name]}]", hint)
            owner.setdefault(name, section)
