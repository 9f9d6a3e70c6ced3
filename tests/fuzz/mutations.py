"""Example files, damaged: numbers, names, types and structure of their TOML, as typing errors and tools damage them."""

from __future__ import annotations

import random
import re

#: A number, or a quoted text, where a line of TOML has one.
_NUMBER = re.compile(r"(?<![\w.\"])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w.\"])")
_TEXT = re.compile(r"\"[^\"\n]*\"")
_KEY = re.compile(r"(?m)^\s*(\"[^\"\n]+\"|[\w-]+)\s*=")

#: Replacements for a number.
NUMBERS = (
    "0", "-0.0", "1", "-1", "1e-310", "5e-324", "1e-12", "1e-6", "1e6", "1e9", "1e12", "1e21", "1e150", "1.7e308",
    "nan", "inf", "-inf", "9" * 30, "9" * 5000, '"0"', '"1 mm"', '"90 deg"', '"1e400"', "true", "[]", "[0, 0]",
    "{}", '""',
)  # fmt: skip
#: Replacements for a text.
TEXTS = (
    "t", "t/0", "t/(1-1)", "95*sin(2*pi*t)", "80000000.0*sin(2*pi*t)", "exp(1000*t)", "1/t", "sqrt(t-1)", "log(t)",
    "1e9*t", "t^99", "tan(t)", "abs(t)", "sin(1/t)", "2", "nan", "inf", "mm", "m", "km", "deg", "rad", "rpm", "60 rpm",
    "1e300 rpm", "-5 mm", "kg", "prismatic", "revolute", "slot", "gear", "ground", "A", "", " ", "x.csv", "ä",
    "\\u0000",
)  # fmt: skip
VALUES = (*NUMBERS, *(f'"{text}"' for text in TEXTS))


def mutated(text: str, random: random.Random) -> str:
    """Return the text of a mechanism file after one to four mutations."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        text = random.choice(_MUTATIONS)(text, random)
    return text


def _replaced(text: str, match: re.Match[str], new: str) -> str:
    return text[: match.start()] + new + text[match.end() :]


def _any_number(text: str, random: random.Random) -> str:
    """Replace a number by another number or something else."""
    found = list(_NUMBER.finditer(text))
    return _replaced(text, random.choice(found), random.choice(NUMBERS)) if found else text


def _scaled_number(text: str, random: random.Random) -> str:
    """Change a number a little, its sign, or by powers of ten."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    match = random.choice(found)
    value = float(match[0])
    scale = random.choice((-1.0, 0.5, 2.0, 1 + 1e-9, 1 + 1e-3, 1.1, 10.0, 0.1, 10.0 ** random.randint(-12, 12)))
    return _replaced(text, match, repr(value * scale))


def _other_name(text: str, random: random.Random) -> str:
    """Replace a text by another name of the file or something else."""
    found = list(_TEXT.finditer(text))
    if not found:
        return text
    others = [f'"{key.strip(chr(34))}"' for key in _KEY.findall(text)] + [match[0] for match in found]
    new = random.choice(others) if random.random() < 0.7 else f'"{random.choice(TEXTS)}"'
    return _replaced(text, random.choice(found), new)


def _other_key(text: str, random: random.Random) -> str:
    """Give a key another name."""
    found = list(_KEY.finditer(text))
    if not found:
        return text
    match, new = random.choice(found), random.choice(found)[1]
    new = (
        new if random.random() < 0.7 else random.choice(("law", "speed", "table", "joint", "at", "type", "x", "ground"))
    )
    return text[: match.start(1)] + new + text[match.end(1) :]


def _other_value(text: str, random: random.Random) -> str:
    """Replace a whole value by something of any type."""
    lines = text.splitlines(keepends=True)
    found = [k for k, line in enumerate(lines) if _KEY.match(line)]
    if not found:
        return text
    k = random.choice(found)
    lines[k] = f"{lines[k].partition('=')[0]}= {random.choice(VALUES)}\n"
    return "".join(lines)


def _lines(text: str, random: random.Random) -> str:
    """Delete a line, duplicate it, or move it."""
    lines = text.splitlines(keepends=True)
    if len(lines) < 2:
        return text
    k, j = random.randrange(len(lines)), random.randrange(len(lines))
    how = random.randrange(4)
    if how == 0:
        del lines[k]
    elif how == 1:
        lines.insert(j, lines[k])
    elif how == 2:
        lines[k], lines[j] = lines[j], lines[k]
    else:
        lines.insert(j, lines.pop(k))
    return "".join(lines)


def _added(text: str, random: random.Random) -> str:
    """Add a key or a section that other kinds of mechanisms use."""
    line = random.choice((
        f"duration = {random.choice(NUMBERS)}", "duration = 1e6", "[masses]", "[lengths]", "[initial]",
        "[forces]\ngravity = [0, -9.81]", f"[cams]\nx = {random.choice(VALUES)}", f"units = {random.choice(VALUES)}",
        f"[[points]]\nA = {random.choice(VALUES)}", f"[drivers.again]\njoint = \"A\"\nspeed = {random.choice(NUMBERS)}",
        f"[drivers.again]\njoint = \"B\"\nlaw = \"{random.choice(TEXTS)}\"",
        f"[drivers.again]\njoint = \"A\"\ntable = [[0, 0], [{random.choice(NUMBERS)}, 1], [2, 3]]",
    ))  # fmt: skip
    return line + "\n" + text if random.random() < 0.3 else text + "\n" + line + "\n"


def _characters(text: str, random: random.Random) -> str:
    """Delete a character, or add one."""
    k = random.randrange(len(text) + 1)
    return (
        text[:k] + random.choice(("", "[", "]", '"', "=", "{", ",", ".", "\x00", "e", "-", "\n", "é")) + text[k + 1 :]
    )


#: Mutations that leave a readable file are more frequent.
_MUTATIONS = (
    *(_any_number, _scaled_number, _scaled_number, _other_name, _other_name) * 3,
    *(_other_key, _other_value, _lines, _added, _characters),
)
