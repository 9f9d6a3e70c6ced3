"""References between entries of a mechanism file: renaming, merging and deleting follow them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from structkin.studio.document import GROUND, members, with_members

#: Keys whose values are names of links, and keys whose values are names of points or joints.
LINK_KEYS = frozenset({"links", "slot", "on", "cam", "follower", "carrier", "crank", "wheel"})
POINT_KEYS = frozenset(
    {"at", "along", "pin", "center", "centers", "through", "start", "ends", "between", "face", "joint"}
)
#: Keys of a link whose values are tables by point.
_BY_POINT = ("point_masses", "holes")
_ENTRIES = ("joints", "drivers", "forces")
#: What [initial] says of a link.
LINK_STATE = frozenset({"angle", "omega"})


def rename(data: dict[str, Any], section: str, old: str, new: str) -> None:
    """Rename an entry of a section from `old` to `new` wherever it is named; the order is kept."""
    data[section] = {new if name == old else name: entry for name, entry in data[section].items()}
    _replace(data, "links" if section == "links" else "points", old, new)


def merge_point(data: dict[str, Any], keep: str, drop: str) -> None:
    """Replace one point by another everywhere, and remove it; of two lengths, that of the point that stays is kept."""
    del data["points"][drop]
    lengths = data.get("lengths", {})
    held = {frozenset(key.split("-")) for key in lengths}
    data["lengths"] = {
        key: value
        for key, value in lengths.items()
        if drop not in key.split("-") or frozenset(_swap(key.split("-"), drop, keep)) not in held
    }
    _replace(data, "points", drop, keep)
    for link, entry in data["links"].items():
        data["links"][link] = with_members(entry, list(dict.fromkeys(members(entry))))
    data["lengths"] = {key: value for key, value in data["lengths"].items() if len(set(key.split("-"))) == 2}


def delete(data: dict[str, Any], section: str, name: str) -> None:
    """Remove an entry with all that depends on it.

    That is joints and drivers on it, points that are then on no link, and drivers of pins that are then none.
    """
    pins = _pins(data)
    entry = data[section].pop(name)
    own = [*members(entry), *_holes(entry)]
    if section == "links":
        lost = [point for point in own if point in data["points"] and not _is_used(data, point)]
        _drop_entries(data, LINK_KEYS, name)
        for point in [point for point in lost if point in data["points"]]:
            delete(data, "points", point)
    elif section == "points":
        held = [link for link, entry in data["links"].items() if name in members(entry) and link != GROUND]
        for link, entry in data["links"].items():
            data["links"][link] = with_members(entry, [point for point in members(entry) if point != name])
            _drop_of_point(data["links"][link], name)
        data["lengths"] = {key: value for key, value in data.get("lengths", {}).items() if name not in key.split("-")}
        _drop_entries(data, POINT_KEYS, name)
        for link in [link for link in held if _is_idle(data, link)]:
            if link in data["links"]:
                delete(data, "links", link)
    else:
        _drop_entries(data, POINT_KEYS, name)
    if _begins(data, section, name):
        del data["initial"][name]
    for pin in pins - _pins(data):
        _drop_entries(data, frozenset({"joint"}), pin)


def copied(entry: Any, links: Mapping[str, str], points: Mapping[str, str]) -> dict[str, Any] | None:
    """Return an entry with other names of links and points or joints; None if it names one that has no other."""
    if not isinstance(entry, Mapping):
        return None
    found: dict[str, Any] = {}
    for key, value in entry.items():
        names = links if key in LINK_KEYS else points if key in POINT_KEYS else None
        texts = [value] if isinstance(value, str) else value if isinstance(value, list) else []
        if names is None:
            found[key] = value
        elif any(isinstance(text, str) and text not in names for text in texts):
            return None
        elif isinstance(value, list):
            found[key] = [names[text] if isinstance(text, str) else text for text in value]
        else:
            found[key] = names[value] if isinstance(value, str) else value
    return found


def name_pairs(before: Mapping[str, Any], data: dict[str, Any]) -> None:
    """Write the two links of a driver or load at a pin where, unlike before, more links share the pin."""
    for section in ("drivers", "forces"):
        for id, entry in data[section].items() if isinstance(data.get(section), dict) else ():
            pair = _on_pin(before, before[section].get(id))
            if len(pair) == 2 and "links" not in entry and len(_on_pin(data, entry)) > 2:
                data[section][id] = {**entry, "links": sorted(pair, key=lambda link: link != GROUND)}


def _on_pin(data: Mapping[str, Any], entry: Any) -> list[str]:
    """Return the links that share the pin that an entry names."""
    joint = entry.get("joint") if isinstance(entry, Mapping) else None
    return [link for link, one in data.get("links", {}).items() if joint in members(one)]


def _pins(data: Mapping[str, Any]) -> set[str]:
    """Return the points that links share."""
    found = [point for entry in data["links"].values() for point in members(entry)]
    return {point for point in found if found.count(point) > 1}


def _is_idle(data: Mapping[str, Any], link: str) -> bool:
    """Return whether a link is left with a single point, or none, and no joint that would give it a use."""
    count = len(members(data["links"].get(link)))
    return count == 0 or (
        count == 1 and not any(_names(one, LINK_KEYS, link) for one in data.get("joints", {}).values())
    )


def _is_used(data: Mapping[str, Any], point: str) -> bool:
    """Return whether a point is on a link, where a hole of one is, or where a joint is drawn."""
    return any(point in (*members(entry), *_holes(entry)) for entry in data["links"].values()) or any(
        _names(entry, POINT_KEYS, point) for entry in data.get("joints", {}).values()
    )


def _holes(link: Any) -> list[Any]:
    """Return the points of the sketch that say where holes of a link are."""
    holes = link.get("holes") if isinstance(link, Mapping) else None
    return list(holes.values()) if isinstance(holes, Mapping) else []


def _drop_entries(data: dict[str, Any], keys: frozenset[str], name: str) -> None:
    """Delete joints, drivers and forces that name something removed, and what depends on them in turn."""
    for section in _ENTRIES:
        for id, entry in list(data.get(section, {}).items()):
            if id in data.get(section, {}) and _names(entry, keys, name):
                delete(data, section, id)


def _drop_of_point(link: Any, point: str) -> None:
    for key in _BY_POINT:
        if isinstance(link, dict) and isinstance(link.get(key), dict):
            link[key] = {name: of for name, of in link[key].items() if point not in (name, of)}


def _names(entry: Any, keys: frozenset[str], name: str) -> bool:
    """Return whether an entry names something under one of these keys."""
    if not isinstance(entry, Mapping):
        return False
    return any(name == value or (isinstance(value, list) and name in value) for key, value in entry.items()
               if key in keys)  # fmt: skip


def _replace(data: dict[str, Any], kind: str, old: str, new: str) -> None:
    keys = LINK_KEYS if kind == "links" else POINT_KEYS
    for section in _ENTRIES:
        for id, entry in data.get(section, {}).items():
            if isinstance(entry, Mapping):
                data[section][id] = {key: _swap(value, old, new) if key in keys else value
                                     for key, value in entry.items()}  # fmt: skip
    if kind == "points":
        _replace_in_links(data, old, new)
        lengths = {"-".join(_swap(key.split("-"), old, new)): value for key, value in data.get("lengths", {}).items()}
        data["lengths"] = lengths
    if _begins(data, kind, old):
        data["initial"] = {_swap(name, old, new): entry for name, entry in data["initial"].items()}


def _begins(data: Mapping[str, Any], section: str, name: str) -> bool:
    """Return whether [initial] says how an entry begins; links have names of their own."""
    entry = data.get("initial", {}).get(name)
    is_link = isinstance(entry, Mapping) and bool(LINK_STATE & entry.keys())
    return entry is not None and is_link == (section == "links")


def _replace_in_links(data: dict[str, Any], old: str, new: str) -> None:
    for link, entry in data["links"].items():
        changed = with_members(entry, _swap(members(entry), old, new))
        for key in _BY_POINT:
            if isinstance(changed, dict) and isinstance(changed.get(key), Mapping):
                changed[key] = {_swap(name, old, new): _swap(of, old, new) for name, of in changed[key].items()}
        data["links"][link] = changed


def _swap(value: Any, old: str, new: str) -> Any:
    if isinstance(value, list | tuple):
        return [new if item == old else item for item in value]
    return new if value == old else value
