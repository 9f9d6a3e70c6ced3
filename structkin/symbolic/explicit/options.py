"""The options of `equations` that say how loops are solved, checked before anything is derived."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from structkin.errors import InputError, Problem
from structkin.model.arguments import is_number
from structkin.symbolic.explicit.own import ExplicitLoop

SAMPLE = 'such as {"B": ("A", 2.5)}'


LOOPS = ("multipliers", "explicit", "auto")


def check(source: str, joints: Collection[str], loops: object, independent: Any, ratios: Any, solved: Any = ()) -> None:
    """Raise one `InputError` with everything that is wrong with the options; `joints` are those of the tree."""
    problems = []
    if loops not in LOOPS:
        problems.append(Problem("loops", f"{loops!r} is unknown", "multipliers, explicit or auto"))
    elif loops == "multipliers":
        problems = [
            Problem(name, "needs dependent coordinates", 'add loops="explicit"')
            for name, given in (("independent", independent), ("ratios", ratios), ("solved", solved))
            if given
        ]
    listed = isinstance(independent, Collection) and not isinstance(independent, str)
    if not listed or not all(isinstance(name, str) for name in independent):
        problems.append(Problem("independent", f"expected a list of joints, found {independent!r}", 'such as ["A"]'))
    if isinstance(ratios, Mapping):
        problems += [p for joint, value in ratios.items() for p in _ratio(joint, value, ratios)]
    else:
        problems.append(Problem("ratios", f"expected ratios by joint, found {ratios!r}", SAMPLE))
    if not isinstance(solved, Sequence) or not all(isinstance(loop, ExplicitLoop) for loop in solved):
        hint = "see structkin.symbolic.ExplicitLoop"
        problems.append(Problem("solved", f"expected a list of explicit loops, found {solved!r}", hint))
    if not problems:
        named = [*independent, *ratios, *(of for of, _ in ratios.values())]
        if strange := [str(name) for name in named if name not in joints]:
            hint = f"joints: {', '.join(dict.fromkeys(joints))}"
            problems.append(Problem("independent", f"{', '.join(strange)}: no joint of the tree", hint))
        if both := [name for name in independent if name in ratios]:
            problems.append(Problem("independent", f"{', '.join(both)}: depends on another joint by its ratio"))
    if problems:
        raise InputError(problems, source)


def _ratio(joint: object, value: Any, ratios: Mapping[Any, Any]) -> list[Problem]:
    """Return what is wrong with one entry of the ratios."""
    key = f"ratios.{joint}"
    if not isinstance(value, tuple | list) or len(value) != 2 or not isinstance(value[0], str):
        return [Problem(key, f"expected a joint and a number, found {value!r}", SAMPLE)]
    of, number = value
    problems = []
    if not is_number(number):
        problems.append(Problem(key, f"the ratio {number!r} is not a finite number", SAMPLE))
    if of in ratios:
        hint = "give its ratio to a joint that has none itself"
        problems.append(Problem(key, f"depends on '{of}', which has a ratio too", hint))
    return problems
