"""Searches for mechanisms: they run beside the session, which looks at what they have found so far.

A search ends by itself, when it is stopped, or when its tab goes; what it has found stays.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

import structkin
from structkin.errors import InputError, Problem, raise_problems
from structkin.model import Mechanism
from structkin.show.view import view
from structkin.studio import wire
from structkin.studio.document import Document
from structkin.studio.wishes import Better, ForPath, Wish

#: Samples of the motion of a small picture.
SAMPLES = 49
#: Digits of a coordinate that was computed.
DIGITS = 12


#: Numbers of cards: one of an earlier search is not taken for another.
_NUMBERS = count()


class StoppedError(Exception):
    """Raised in a search that was stopped."""


@dataclass
class Search:
    """A search for a wish in a document, whose mechanism it improves if that is wished.

    `part` is how much of it is done, `version` increases with each change of the cards; `found` are the documents of
    all cards that have been shown, by their numbers.
    """

    wish: Wish
    document: Document
    mechanism: Mechanism | None
    revision: int
    part: float = 0.0
    version: int = 0
    stopped: bool = False
    ended: bool = False
    failure: str = ""
    notes: tuple[str, ...] = ()
    cards: list[dict[str, Any]] = field(default_factory=list)
    found: dict[int, Document] = field(default_factory=dict)

    def run(self) -> None:
        """Search until the end; it never raises."""
        try:
            if isinstance(self.wish, Better):
                self._improve(self.wish)
            else:
                self._synthesise(self.wish)
        except StoppedError:
            pass
        except InputError as error:
            self.failure = "; ".join(map(str, error.problems))
        except Exception as error:
            self.failure = wire.failure(error)
        self.ended = True

    def message(self, seen: Any) -> dict[str, Any]:
        """Return what has been found, with the cards unless they were `seen` in this version."""
        cards = {} if seen == self.version else {"cards": self.cards}
        return {
            "type": "found", "aim": self.wish.aim, "part": self.part, "ended": self.ended, "stopped": self.stopped,
            "failure": self.failure, "notes": list(self.notes), "version": self.version, **cards,
        }  # fmt: skip

    def _advance(self, part: float) -> None:
        if self.stopped:
            raise StoppedError
        self.part = part

    def _show(self, cards: Iterable[dict[str, Any]]) -> None:
        # both are replaced at once for the session, which looks at them from its own thread
        self.cards, self.version = list(cards), self.version + 1

    # --- linkages -------------------------------------------------------------------------------------------

    def _synthesise(self, wish: Any) -> None:
        given = wish.arguments(self.document)
        if isinstance(wish, ForPath):
            found = structkin.synthesise(**given, progress=self._advance, watch=self._watch)
        else:
            found = structkin.synthesise_positions(**given)
            self._advance(1.0)
        self._watch(found)
        self.notes = found.notes
        for k, one in enumerate(found):
            self._advance(1.0)
            self._show([*self.cards[:k], {**self.cards[k], "circuits": _circuits(one.mechanism)}, *self.cards[k + 1 :]])

    def _watch(self, found: Iterable[Any]) -> None:
        self._show([self._candidate(one) for one in found])

    def _candidate(self, one: Any) -> dict[str, Any]:
        document, units = drawing(one.mechanism, self.document), self.document.units
        loops = (*one.mechanism.four_bars(), *one.mechanism.slider_cranks())
        return {
            **self._card(document, Mechanism.from_dict(document.data)),
            "title": one.kind,
            "words": [loop.words for loop in loops],
            "point": one.point,
            "error": one.error / units.length_scale,
            "transmission": None if math.isnan(one.transmission) else float(np.degrees(one.transmission)),
            "cognate": one.cognate,
            "defects": list(one.defects),
            "circuits": None,
        }

    def _card(self, document: Document, mechanism: Mechanism) -> dict[str, Any]:
        id = next(_NUMBERS)
        self.found[id] = document
        return {"id": id, "view": view(mechanism, mechanism.solve(samples=SAMPLES))}

    # --- better numbers -------------------------------------------------------------------------------------

    def _improve(self, wish: Better) -> None:
        from structkin.design.optimise_file import arguments_of
        from structkin.solve.sensitivity.parameters import read_parameters, write

        assert self.mechanism is not None, "the session has checked it"
        problems: list[Problem] = []
        options = arguments_of(self.mechanism, wish.entries(), None, problems)
        raise_problems(problems, "studio")
        best = self.mechanism.optimise(**options, progress=self._advance)
        parameters = read_parameters(self.mechanism, best.values)

        def change(data: dict[str, Any]) -> None:
            for parameter in parameters:
                write(data, parameter, best.values[parameter.name])

        numbers = {one.name: [one.value / one.scale, best.values[one.name] / one.scale] for one in parameters}
        better = self.document.changed(change)
        self._show([
            {**self._card(self.document, self.mechanism), "title": "As drawn", "value": best.start},
            {**self._card(better, best.mechanism), "title": "Better", "value": best.value, "numbers": numbers},
        ])  # fmt: skip
        self.notes = (best.words,)


def drawing(mechanism: Mechanism, document: Document) -> Document:
    """Return a mechanism that was found, in metres, as a document in the units of another.

    If the law of a driver has angles, these keep the mechanism's unit.
    """
    data, units = mechanism.source_dict, document.units
    drivers = {
        id: {**entry, "speed": f"{entry['speed']:.6g} rad/s"} if "speed" in entry else entry
        for id, entry in data["drivers"].items()
    }
    angle = units.angle if all("speed" in entry for entry in drivers.values()) else mechanism.units.angle
    points = {
        name: [float(f"{part / units.length_scale:.{DIGITS}g}") + 0.0 for part in place]
        for name, place in data["points"].items()
    }
    return Document({**data, "units": {"length": units.length, "angle": angle}, "points": points, "drivers": drivers})


def _circuits(mechanism: Mechanism) -> int | None:
    """Return the number of circuits of a linkage; None where they cannot be counted soon."""
    with suppress(InputError):
        return len({branch.circuit for branch in mechanism.circuits().branches})
    return None
