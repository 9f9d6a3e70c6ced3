"""Exceptions arrive from other processes as they were raised."""

from __future__ import annotations

import copy
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import structkin as sk
from structkin.branches.homotopy.solutions import NotEnumeratedError
from structkin.errors import PoseError, Problem, StructkinError, StructureError

PROBLEMS = [Problem("links.coupler", "point 'Q' is not in [points]", "did you mean 'P'?"), Problem("", "no motion")]
ERRORS = [
    StructkinError("no"),
    sk.InputError(PROBLEMS, "crank.toml", more=True),
    StructureError(PROBLEMS[:1], "crank.toml"),
    PoseError("sample 3 is out of reach", 3),
    NotEnumeratedError("too many loops"),
]


def state(error: BaseException) -> tuple[Any, ...]:
    return type(error), str(error), error.args, vars(error)


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_survives_pickle_and_copy(error: StructkinError) -> None:
    error.add_note("while solving variant 7")
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert state(pickle.loads(pickle.dumps(error, protocol))) == state(error)
    for same in (copy.copy(error), copy.deepcopy(error)):
        assert state(same) == state(error)


def test_every_class_of_errors_that_a_user_can_meet_is_tested() -> None:
    bases: dict[str, str] = {}
    for file in Path(sk.__file__).parent.rglob("*.py"):
        bases |= dict(re.findall(r"^class (\w+)\((\w+)\):", file.read_text("utf-8"), re.MULTILINE))
    found = {"StructkinError"}
    while more := {name for name, base in bases.items() if base in found} - found:
        found |= more
    assert found == {type(error).__name__ for error in ERRORS}


def test_an_error_of_a_mechanism_without_a_title_names_the_input_as_the_command_line_does() -> None:
    links, motor = {"ground": ["A"], "arm": ["A", "B"]}, {"motor": {"joint": "A", "speed": 1}}
    arm = sk.Mechanism(points={"A": (0, 0), "B": (1, 0)}, links=links, drivers=motor)
    with pytest.raises(sk.InputError, match=r"^input: 1 error\n  - samples: "):
        arm.solve(-3)
