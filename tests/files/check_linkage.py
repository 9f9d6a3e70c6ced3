"""Checks a motion against the raw text of a .linkage2 file; shares only the names of points with the reader.

Bars keep their lengths, anchors stay fixed, sliders are in their slots between their limits, inputs turn at their speed
in their sense, gears and chains keep their ratios, actuators go back and forth: each error relative to the size.
"""

import re
from dataclasses import dataclass
from itertools import combinations

import numpy as np

#: Metres in a unit of the file.
UNIT = 0.0254 / 96


@dataclass
class Element:
    tag: str
    given: dict[str, str]
    inner: list[tuple[str, int]]

    def __getitem__(self, name):
        return float(self.given.get(name) or 0)

    def true(self, name):
        return self.given.get(name) == "true"


def elements(text):
    """Scan the tags one by one: a link or a connector, with the numbers of the elements inside it."""
    found, ratios = [], []
    for closing, name, rest in re.findall(r"<(/?)(\w+)((?:[^>\"]|\"[^\"]*\")*)>", text):
        given = dict(re.findall(r'(\w+)="([^"]*)"', rest))
        tag = "hidden" if name == "selected" and not closing and not rest.endswith("/") else name
        within = found and found[-1].tag in ("Link", "element", "connector", "ratio", "hidden") and found[-1].open
        if closing:
            if tag != "ratios" and found:
                found[-1].open = False
        elif within and tag in ("connector", "slidelimit", "fastenconnector", "link"):
            found[-1].inner.append((tag, int(given["id"])))
            if tag == "link":
                found[-1].sizes.append(float(given["size"]))
        elif tag in ("Link", "element", "connector", "ratio", "hidden"):
            one = Element(tag, given, [])
            one.open, one.sizes = not rest.endswith("/"), []
            found.append(one)
    ratios = [one for one in found if one.tag == "ratio"]
    kept = [one for one in found if one.tag not in ("ratio", "hidden") and int(one["layer"]) in (0, 16)]
    return [one for one in kept if one.tag == "connector"], [one for one in kept if one.tag != "connector"], ratios


def letter(number):
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    return letters[number % 52] + (str(number // 52) if number >= 52 else "")


def plain(name):
    return " ".join(re.sub('[-@,:"]', " ", name).split())


def raw_errors(text, motion):
    """Return the largest error of each kind, relative to the size or to a turn, over the samples that are ok."""
    connectors, links, ratios = elements(text)
    by_id = {int(one["id"]): one for one in connectors}
    drawn = {id: UNIT * complex(one["x"], one["y"]) for id, one in by_id.items()}
    named = {id: plain(one.given.get("name", "")) or letter(id) for id, one in by_id.items()}
    ok, t = motion.ok, motion.t[motion.ok]
    places = {}
    for id in by_id:
        if named[id] in motion.mechanism.places:
            x = motion.position(named[id])[ok]
            places[id] = x[:, 0] + 1j * x[:, 1]
    size = max(abs(a - b) for a in drawn.values() for b in drawn.values())
    errors = {}
    lost = [
        one for link in links for tag, one in link.inner if tag == "connector" and one in by_id and one not in places
    ]
    assert not lost, lost

    def note(kind, error):
        errors[kind] = max(errors.get(kind, 0.0), float(np.max(np.abs(error), initial=0.0)))

    def held(link):
        return [id for tag, id in link.inner if tag == "connector" and id in places]

    for id, one in by_id.items():
        if one.true("anchor"):
            note("anchors", (places[id] - drawn[id]) / size)
    for link in links:
        if link.true("actuator"):
            a, b = held(link)
            phase = (t * abs(float(link.given["cpm"])) / 60) % 1
            reach = link["throw"] * UNIT * np.where(phase < 0.5, 2 * phase, 2 - 2 * phase)
            wanted = abs(drawn[a] - drawn[b]) + np.sign(float(link.given["cpm"])) * reach
            note("actuators", (np.abs(places[a] - places[b]) - wanted) / size)
        else:
            for a, b in combinations(held(link), 2):
                note("bars", (np.abs(places[a] - places[b]) - abs(drawn[a] - drawn[b])) / size)
                # not mirrored: three points keep their sense
                for c in held(link):
                    before = ((drawn[b] - drawn[a]) * np.conj(drawn[c] - drawn[a])).imag
                    after = ((places[b] - places[a]) * np.conj(places[c] - places[a])).imag
                    note("bars", (after - before) / size**2)
    for id, one in by_id.items():
        if one.true("slider"):
            first, second = (places[limit] for _, limit in one.inner)
            if one["slideradius"] == 0:
                step = (places[id] - first) / (second - first)
                note("slots", step.imag * np.abs(second - first) / size)
                note("ends", np.maximum(np.abs(step.real - 0.5) - 0.5, 0))
            else:
                chord = second - first
                radius = max(abs(one["slideradius"]) * UNIT, np.abs(chord).min() / 2)
                side = 1j * np.sign(one["slideradius"]) * chord / np.abs(chord)
                center = (first + second) / 2 + side * np.sqrt(np.maximum(radius**2 - np.abs(chord) ** 2 / 4, 0))
                note("slots", (np.abs(places[id] - center) - radius) / size)
                half = np.arcsin(np.minimum(np.abs(chord) / 2 / radius, 1))
                note("ends", np.maximum(np.abs(np.angle((places[id] - center) / -side)) - half, 0))
        if one.true("input"):
            rpm = float(one.given.get("rpm") or 15)
            angle = -rpm * 2 * np.pi / 60 * t
            if one["limitangle"]:
                limit, offset = np.radians(one["limitangle"]), np.radians(one["startoffset"])
                along = (abs(rpm) * 2 * np.pi / 60 * t + offset) % (2 * limit)
                angle = -np.sign(rpm) * (np.minimum(along, 2 * limit - along) - offset)
            turn = np.exp(1j * angle)
            turned = [link for link in links if id in held(link) and not link.true("actuator")]
            ground = sum(by_id[other].true("anchor") for other in by_id)
            for link in turned:
                others = [other for other in held(link) if other != id]
                if any(by_id[other].true("anchor") for other in others) and ground:
                    continue  # it is held at two anchors
                for other in others:
                    note("inputs", ((places[other] - places[id]) - turn * (drawn[other] - drawn[id])) / size)

    start = {name: motion.angle(name) for name in motion.mechanism.links}

    def turn_of(id):
        name = next(link.given.get("name", "").strip() or f"L{id}" for link in links if int(link["id"]) == id)
        link = next(link for link in links if int(link["id"]) == id)
        if name in start:
            return (start[name] - start[name][0])[ok]
        assert any(by_id[c].true("anchor") for c in held(link))
        return np.zeros(len(t))

    for link in links:
        target = link.given.get("fastenlink")
        if target is not None:
            note("fastened", turn_of(int(link["id"])) - turn_of(int(target)))
        if link.true("gear") and link.given.get("fastenconnector") is not None:
            note("fastened", turn_of(int(link["id"])))
        here = [id for id in held(link) if by_id[id].true("input")]
        if link.true("gear") and here and link.given.get("fastenconnector") is None:
            note("inputs", turn_of(int(link["id"])) + float(by_id[here[0]].given["rpm"]) * 2 * np.pi / 60 * t)
    for ratio in ratios:
        (_, first), (_, second) = ratio.inner
        gears = [next(link for link in links if int(link["id"]) == id) for id in (first, second)]
        c, d = held(gears[0])[0], held(gears[1])[0]
        arms = [link for link in links if c in held(link) and d in held(link)]
        arm = turn_of(int(arms[0]["id"])) if arms else np.zeros(len(t))
        sign = 1 if ratio.given["type"] == "gears" else -1
        gap = ratio.sizes[0] * (turn_of(first) - arm) + sign * ratio.sizes[1] * (turn_of(second) - arm)
        scale = max(ratio.sizes) * max(1.0, np.abs(turn_of(first)).max(), np.abs(turn_of(second)).max())
        note("gears", gap / scale)
    return errors
