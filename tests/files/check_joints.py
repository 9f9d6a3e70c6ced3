"""Checks a motion against the raw text of a PMKS, PMKS+, MotionGen or Pyslvs file; shares nothing with the readers.

Each format is parsed again here, in a few lines, into joints with their links. Then any two pins of a link
keep their distance and their sense, the ground stays fixed, guides keep their direction, inputs turn at their speed.
"""

import json
import re
from itertools import combinations
from urllib.parse import unquote

import numpy as np

DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"


class Raw:
    """Joints (name, place, type, angle [rad], links), inputs (name of the pin, base, driven, rpm), metres per unit."""

    def __init__(self, joints, inputs, unit):
        self.joints, self.inputs, self.unit = joints, inputs, unit

    def members(self, link):
        return [joint for joint in self.joints if link in joint[4]]


def pmks_text(text):
    joints = []
    for line in text.splitlines():
        found = re.fullmatch(r"(.*?),(RP|R|P),(.*)", line.strip())
        if found:
            x, y, *rest = found[3].split(",")
            angle = float(rest[0]) if rest and not re.match("[tf]", rest[0]) else 0.0
            joints.append(
                (f"P{len(joints) + 1}", complex(float(x), float(y)), found[2], np.radians(angle), found[1].split(","))
            )
    return Raw(joints, [(joints[0][0], "ground", "input", 10.0)], 1e-3)


def pmks_json(text):
    data = json.loads(text)
    joints = [
        (f"P{k}", complex(one["X"], one["Y"]), one["TypeOfJoint"], np.radians(one["Angle"]), one["Links"])
        for k, one in enumerate(data["Joints"], 1)
    ]
    driven = joints[data["DrivingIndex"]]
    return Raw(joints, [(driven[0], "ground", *(set(driven[4]) - {"ground"}), data["InputSpeed"])], 1e-3)


def value(text):
    number = 0
    for char in text:
        number = number * 64 + DIGITS.find(char)
    return -number if text.startswith("0") else number


def pmksplus_packed(text):
    head, links, *_ = text.strip().split("?")[-1].split("..")
    flags, _, ints, _, *rows = head.split(".")
    members = {}
    for row in links.split("."):
        if row[:1] == "Y":
            members[row.split(",")[0][2:]] = row.split(",", 7)[7].split(",,")[0].split(",")
    joints, inputs = [], []
    for row in rows:
        first, _, x, y, angle = row.split(",")[:5]
        bits, name = DIGITS.index(first[0]), first[1:]
        own = [link for link, ids in members.items() if name in ids]
        own = ["ground", *own] if bits & 4 else own
        kind = "P" if bits & 1 else "R"
        joints.append((name, complex(value(x), value(y)) / 1000, kind, value(angle) / 1000, own))
        if bits & 2:
            inputs.append((name, "ground", own[1], value(ints.split(",")[0]) * (-1 if value(flags) % 2 else 1)))
    return Raw(joints, inputs, 1e-2)


def pmksplus_lists(text):
    parts = dict(part.split("=", 1) for part in text.split("?")[1].split("&"))
    joints, inputs = [], []
    speed = float(parts["s"].split(",")[0])
    for row in unquote(parts["j"]).split("\n"):
        if row.strip(", "):
            name, x, y, links, kind, ground, angle, _, driven = row.split(",")[:9]
            own = ["ground"] * (ground == "t") + links.split("|")
            joints.append((name, complex(float(x), float(y)), kind, float(angle), own))
            if driven == "t":
                inputs.append((name, own[0], own[1], speed))
    return Raw(joints, inputs, 1e-2)


def motiongen(text):
    data = json.loads(text)
    order = {one["id"]: k for k, one in enumerate(data["mechanism"]["joints"])}
    links = {}
    for k, one in enumerate(data["mechanism"]["links"]):
        links["ground" if one["isGround"] else f"L{k + 1}"] = one["jointIds"]
    joints = [
        (chr(65 + k), complex(one["x"], one["y"]), "R", 0.0, [link for link, ids in links.items() if one["id"] in ids])
        for k, one in enumerate(data["mechanism"]["joints"])
    ]
    inputs = []
    for one in data["mechanism"]["actuators"]:
        base = next(link for link, ids in links.items() if one["at"] in ids and one["from"] in ids)
        driven = next(link for link, ids in links.items() if one["at"] in ids and one["to"] in ids)
        rpm = one["velocity"][0] if isinstance(one["velocity"], list) else one["velocity"]
        inputs.append((chr(65 + order[one["at"]]), base, driven, float(rpm)))
    unit = {"cm": 1e-2, "mm": 1e-3, "m": 1.0, "in": 0.0254}[data["settings"]["linearUnit"]]
    return Raw(joints, inputs, unit)


def pyslvs(text):
    joints = []
    for k, part in enumerate(text.split("J[")[1:]):
        place = re.search(r"\bP\[([^\]]*)\]", part)[1].split(",")
        links = re.search(r"\bL\[([^\]]*)\]", part)[1].replace(" ", "").split(",")
        angle = re.search(r"\bA\[([^\]]*)\]", part)
        turn = np.radians(float(angle[1])) if angle else 0.0
        joints.append((f"Point{k}", complex(*map(float, place)), part.split(",")[0].strip(), turn, links))
    inputs = []
    for base, tip in re.findall(r"\[(\d+), (\d+)\]", text.split("inputs")[-1]) if "inputs" in text else ():
        (driven,) = set(joints[int(base)][4]) & set(joints[int(tip)][4]) - {"ground"}
        inputs.append((joints[int(base)][0], *(set(joints[int(base)][4]) - {driven}), driven, 1.0))
    return Raw(joints, inputs, 1e-3)


def raw_errors(raw, motion):
    """Return the largest error of each kind, relative to the size, over the samples that are ok."""
    ok, t = motion.ok, motion.t[motion.ok]
    drawn = {name: raw.unit * place for name, place, *_ in raw.joints}
    size = max(abs(a - b) for a in drawn.values() for b in drawn.values())
    errors = {"bars": 0.0}

    def note(kind, error):
        errors[kind] = max(errors.get(kind, 0.0), float(np.max(np.abs(error), initial=0.0)))

    places = {}
    for name, *_ in raw.joints:
        if name in motion.mechanism.places:
            x = motion.position(name)[ok]
            places[name] = x[:, 0] + 1j * x[:, 1]
    links = {link for *_, own in raw.joints for link in own}

    def held(link):
        """The points that are fixed in a link: its pins, and the blocks of the guides of other links."""
        return [n for n, _, kind, _, own in raw.joints if n in places and link in (own if kind == "R" else own[1:])]

    for link in links:
        for a, b in combinations(held(link), 2):
            note("bars", (np.abs(places[a] - places[b]) - abs(drawn[a] - drawn[b])) / size)
            for c in held(link):
                before = ((drawn[b] - drawn[a]) * np.conj(drawn[c] - drawn[a])).imag
                note("bars", (((places[b] - places[a]) * np.conj(places[c] - places[a])).imag - before) / size**2)
    for name in held("ground"):
        note("anchors", (places[name] - drawn[name]) / size)

    def turn_of(link):
        return np.exp(1j * (motion.angle(link) - motion.angle(link)[0]))[ok] if link != "ground" else np.ones(len(t))

    for name, _, kind, angle, own in raw.joints:
        if kind == "R" or len(own) < 2:
            continue
        carrier, block = own[:2]
        if kind == "P":
            note("guides", turn_of(block) - turn_of(carrier))
        # a point of the block, relative to the carrier, stays on a line
        point = name if name in places else next(n for n in held(block) if n in drawn and drawn[n] == drawn[name])
        base = next(n for n in held(carrier))
        seen = (places[point] - places[base]) / turn_of(carrier)
        note("guides", ((seen - seen[0]) * np.exp(-1j * angle)).imag / size)
        drawn_there = (drawn[point] - drawn[base]) * np.exp(-1j * angle)
        note("guides", (seen * np.exp(-1j * angle)).imag / size - drawn_there.imag / size)
    for _, base, driven, rpm in raw.inputs:
        turn = np.exp(2j * np.pi * rpm / 60 * t)
        note("inputs", turn_of(driven) / turn_of(base) - turn)
    return errors
