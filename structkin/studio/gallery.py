"""The examples that the studio offers, by what they are for, with small moving pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from structkin import examples, load
from structkin.show.view import view
from structkin.studio.document import Document
from structkin.studio.files import MechanismFile

#: Samples of the motion that a small picture shows.
SAMPLES = 49

#: What the examples are for: each need with their names.
NEEDS: Mapping[str, tuple[str, ...]] = {
    "cranks and rockers": ("crank_rocker", "triple_rocker", "watt_six_bar", "stephenson_iii_triad",
                           "eight_bar_double_triad", "andrews_squeezer"),
    "straight line": ("hoeken_straight_line", "peaucellier", "elliptic_trammel"),
    "dwell": ("cam_roller_follower", "cam_lever_press", "geneva"),
    "quick return": ("whitworth_shaper", "slider_crank_offset"),
    "walking": ("jansen_leg", "klann_leg"),
    "lifting": ("excavator", "tipper_hoist", "rolling_lift_bridge", "garage_door"),
    "clamps and presses": ("toggle_press",),
    "gears, belts, racks": ("geared_five_bar", "planetary_train", "rack_and_pinion", "wafer_arm"),
    "engines": ("one_cylinder_engine", "v_engine"),
    "sliding pairs": ("scotch_yoke", "oldham_coupling", "rapson_slide"),
    "robots": ("five_bar_two_drivers", "platform_3rpr", "platform_3rrr"),
}  # fmt: skip


def cards() -> list[dict[str, str]]:
    """Return each example with its title, what it is for, and the first sentence of its file."""
    return [
        {"name": name, "title": str(document(name).data["title"]), "need": need, "words": _words(name)}
        for need, found in NEEDS.items()
        for name in found
    ]


def document(name: str) -> Document:
    """Return the document of an example; raise `InputError` if there is none of that name.

    >>> document("crank_rocker").data["title"]
    'Crank-rocker'
    """
    return MechanismFile(examples.path(name)).read()


def picture(name: str) -> dict[str, Any]:
    """Return the view of an example with some samples of its motion."""
    mechanism = load(examples.path(name))
    return view(mechanism, mechanism.solve(samples=SAMPLES))


def _words(name: str) -> str:
    """Return the first sentence of the comment at the head of a file.

    >>> _words("scotch_yoke").partition(":")[0]
    'A scotch yoke'
    """
    lines = examples.path(name).read_text(encoding="utf-8").splitlines()
    head = " ".join(line.lstrip("# ") for line in lines[: lines.index("#")]) if "#" in lines else lines[0].lstrip("# ")
    return head.partition(". ")[0].rstrip(".")
