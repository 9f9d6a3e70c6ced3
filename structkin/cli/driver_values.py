"""Values of drivers on the command line: NAME=VALUE, in the file's unit or with one of its own."""

from __future__ import annotations

from structkin.errors import InputError, Problem
from structkin.model.flaw import Flaw
from structkin.model.mechanism import Mechanism
from structkin.model.topology import suggest


def driver_values(mechanism: Mechanism, given: list[str], option: str) -> dict[str, float]:
    """Return drivers' values [rad or m] from texts such as "motor=30" or "motor=0.5 rad".

    Raises `InputError` that lists every text that is none, under the name of the `option`.
    """
    values: dict[str, float] = {}
    problems: list[Problem] = []
    for text in given:
        name, sign, value = (part.strip() for part in text.partition("="))
        if not sign:
            example = next(iter(mechanism.drives), "motor")
            problems.append(Problem(option, f"'{text}' is not DRIVER=VALUE", f"such as {option} {example}=30"))
            continue
        if name not in mechanism.drives:
            problems.append(Problem(option, f"'{name}' is not a driver", suggest(name, mechanism.drives)))
        elif name in values:
            problems.append(Problem(f"{option} {name}", "has two values", "give one of them"))
        try:
            found = _quantity(mechanism, name, value)
            if name in mechanism.drives:
                values[name] = found
        except Flaw as flaw:
            problems.append(Problem(f"{option} {name}", flaw.message, flaw.hint))
    if problems:
        raise InputError(problems, mechanism.title or "command")
    return values


def _quantity(mechanism: Mechanism, driver: str, text: str) -> float:
    """Return a value in SI; that of an unknown driver may be an angle or a length."""
    try:
        number: float | str = float(text)
    except ValueError:
        number = text
    kinds = ["angle", "length"]
    if driver in mechanism.drives:
        kinds = ["angle" if mechanism.drives[driver].kind == "angle" else "length"]
    for kind in kinds[:-1]:
        try:
            return mechanism.units.quantity(number, kind)
        except Flaw:
            continue
    return mechanism.units.quantity(number, kinds[-1])
