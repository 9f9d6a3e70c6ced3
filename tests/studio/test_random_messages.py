"""Random messages to the studio: each is answered soon, none is a fault, and the tab lives."""

from __future__ import annotations

import random
import time
from pathlib import Path
from typing import Any

import pytest
from cases import few
from messages import EXAMPLES, message
from talk import Tab, opened

from structkin.studio.files import MechanismFile
from structkin.studio.run import new_session
from structkin.studio.session import Session

#: The longest that a message may take [s of processor time].
LONGEST = 10.0
#: Messages to one studio, and studios of the long set.
MESSAGES, STUDIOS = 100, 100
#: What is asked after each message: its refusal shows that the message has been answered.
END = {"type": "hello", "protocol": "another"}


def answers(tab: Tab, text: str) -> list[dict[str, Any]]:
    """Return the answers to a message, and those to earlier searches."""
    tab.send(text)
    tab.send(END)
    found = []
    while "of another version" not in str((answer := tab.next()).get("problems")):
        found.append(answer)
    return found


def go_through(seed: int, folder: Path) -> list[str]:
    """Return what is wrong with the answers to the messages of a seed."""
    source, faults = random.Random(seed), list[str]()
    name = source.choice(sorted(EXAMPLES))
    file = folder / f"{seed}.toml"
    file.write_text(EXAMPLES[name], encoding="utf-8")
    session = new_session(file)
    with opened(session) as tab:
        for k in range(MESSAGES):
            text, began = message(session, source), time.process_time()
            found = answers(tab, text)
            where = f"seed {seed}, message {k}: {text:.300}"
            if (took := time.process_time() - began) > LONGEST:
                faults.append(f"{where}: {took:.1f} s")
            faults += [f"{where}: {one}" for one in found if "a fault of the studio" in str(one)]
            if any(one["type"] == "saved" for one in found):
                faults += [] if _is_saved(session, file) else [f"{where}: the file is not the document"]
    return faults


def _is_saved(session: Session, file: Path) -> bool:
    return MechanismFile(file).read() == session.history.now and session.state()["saved"]


@pytest.mark.parametrize("seed", few(range(4), 1, 1))
def test_random_messages_are_answered(seed: int, tmp_path: Path):
    assert go_through(seed, tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(STUDIOS))
def test_many_random_messages_are_answered(seed: int, tmp_path: Path):
    assert go_through(1000 + seed, tmp_path) == []
