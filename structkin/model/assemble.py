"""The passes that make a mechanism of a description, in order; each adds to one draft."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from structkin.errors import InputError, Problem
from structkin.model.document import read_document
from structkin.model.draft import GROUND, Draft
from structkin.model.drivers import make_drivers
from structkin.model.entry import SECTIONS, misplaced
from structkin.model.equal_lengths import match_lengths
from structkin.model.initial import make_initial
from structkin.model.joints import check_use, make_joints
from structkin.model.links import make_links
from structkin.model.loads import make_forces
from structkin.model.topology import Joint, Topology


def assemble(data: Any, folder: Path | None) -> tuple[Draft, Topology | None]:
    """Return the draft, and its topology unless the draft has problems."""
    draft = read_document(data, folder)
    make_links(draft)
    match_lengths(draft)
    make_joints(draft)
    make_drivers(draft)
    make_forces(draft)
    make_initial(draft)
    check_use(draft)
    if draft.problems:
        draft.problems = sorted(map(_hinted, draft.problems), key=_section)
        return draft, None
    try:
        topology = Topology(
            links=tuple(draft.link_entries),
            ground=GROUND,
            joints=tuple(Joint(joint.id, joint.kind, joint.links) for joint in draft.joints.values()),
            drivers=tuple(draft.drivers.values()),
            title=draft.title,
        )
    except InputError as error:
        draft.problems += error.problems
        return draft, None
    return draft, topology


def _hinted(problem: Problem) -> Problem:
    """Say where a top-level key belongs that TOML took for a part of the section above it."""
    section, _, name = problem.key.partition(".")
    if section in SECTIONS and name in SECTIONS:
        return Problem(problem.key, problem.message, misplaced(name))
    return problem


def _section(problem: Problem) -> int:
    """Order mistakes as the sections of a file; within a section they stay as found."""
    section = problem.key.split(".")[0]
    return SECTIONS.index(section) if section in SECTIONS else -1
