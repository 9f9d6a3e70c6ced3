"""Frames of links in the sketch, and exact lengths applied to sketched positions.

Plane vectors are complex numbers; a position in the frame of a link is conj(direction) (z - origin).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from structkin.model.flaw import Flaw
from structkin.numerical_tolerances import EQUAL_DATA, ROUNDING


def frame(places: Sequence[complex]) -> tuple[complex, complex]:
    """Return origin and unit direction of a link: from its first position towards its second.

    A link of one point is parallel to the global axes. Raises `Flaw` if the first two positions coincide.

    >>> frame([1 + 1j, 1 + 3j])
    ((1+1j), 1j)
    """
    if len(places) < 2:
        return (places[0] if places else 0j), 1 + 0j
    step = places[1] - places[0]
    if abs(step) <= ROUNDING * (abs(places[0]) + abs(places[1])):
        raise Flaw("its first two points coincide in the sketch, so the link has no direction", "move one of them")
    return places[0], step / abs(step)


def unit_direction(places: Mapping[str, complex], p: str, q: str) -> complex:
    """Return the unit direction from one point of a link to another, in its frame.

    Raises `Flaw` if exact lengths make points coincide that are apart in the sketch.
    """
    step = places[q] - places[p]
    if abs(step) <= ROUNDING * (abs(places[p]) + abs(places[q])):
        raise Flaw(f"the lengths make '{p}' and '{q}' coincide, so they give no direction", "check [lengths]")
    return step / abs(step)


def in_metres(length: float) -> str:
    """Format a length for a message."""
    return f"{length:.6g} m"


def place(
    names: Sequence[str],
    sketch: Mapping[str, complex],
    lengths: Mapping[frozenset[str], float],
    show: Callable[[float], str] = in_metres,
) -> dict[str, complex]:
    """Return exact positions of the points of a link, from the sketched ones in its frame and exact lengths.

    The first point is fixed. A point with one given length to a placed point keeps its direction from it; with two, it
    is the third corner of a triangle, on the same side as in the sketch; further lengths must agree. Points with the
    most given lengths are placed first, ties in the order of `names`. Raises `Flaw`, with lengths formatted by `show`.

    >>> place("AB", {"A": 0j, "B": 15.2 + 0j}, {frozenset("AB"): 15.0})
    {'A': 0j, 'B': (15+0j)}
    """
    exact: dict[str, complex] = {}
    waiting = list(names)
    while waiting:
        # the second point is always placed second: it defines the x axis
        count = [sum(frozenset((name, other)) in lengths for other in exact) for name in waiting]
        best = 0 if len(exact) < 2 else max(range(len(waiting)), key=lambda i: (min(count[i], 2), -i))
        name = waiting.pop(best)
        given = [(other, lengths[pair]) for other in exact if (pair := frozenset((name, other))) in lengths]
        exact[name] = _put(name, given, sketch, exact, show)
    return {name: exact[name] for name in names}


def _put(
    name: str,
    given: Sequence[tuple[str, float]],
    sketch: Mapping[str, complex],
    exact: Mapping[str, complex],
    show: Callable[[float], str],
) -> complex:
    if not given:
        return sketch[name]
    (first, length), *others = given
    if not others:
        step = sketch[name] - sketch[first]
        if abs(step) <= ROUNDING * length:
            raise Flaw(f"'{first}' and '{name}' coincide in the sketch: the length '{first}-{name}' has no direction")
        return exact[first] + length * step / abs(step)
    found = _corner(name, given[:2], sketch, exact, show)
    for other, wanted in others[1:]:
        actual = abs(found - exact[other])
        if abs(actual - wanted) > EQUAL_DATA * wanted:
            raise Flaw(
                f"the length '{other}-{name}' is {show(wanted)}, but the other lengths make it {show(actual)}",
                "delete one of these lengths",
            )
    return found


def _corner(
    name: str,
    given: Sequence[tuple[str, float]],
    sketch: Mapping[str, complex],
    exact: Mapping[str, complex],
    show: Callable[[float], str],
) -> complex:
    (a, la), (b, lb) = given
    base = exact[b] - exact[a]
    c = abs(base)
    if c <= ROUNDING * (la + lb):
        raise Flaw(f"'{a}' and '{b}' coincide, so two lengths from them do not locate '{name}'")
    near = la * la
    x = (near - lb * lb + c * c) / (2 * c)
    square = near - x * x
    if square < -ROUNDING * near:
        raise Flaw(
            f"the triangle {a}, {b}, {name} cannot close: {show(la)} and {show(lb)} over a base of {show(c)}",
            f"check the lengths '{a}-{name}' and '{b}-{name}' and the distance from {a} to {b}",
        )
    if square <= ROUNDING * near:
        return exact[a] + x * base / c
    sketched = sketch[b] - sketch[a]
    side = (sketched.conjugate() * (sketch[name] - sketch[a])).imag
    if abs(side) <= ROUNDING * (abs(sketched) * abs(sketch[name] - sketch[a])):
        raise Flaw(f"in the sketch '{name}' is on the line through '{a}' and '{b}'", "draw it on one side of that line")
    height: float = square**0.5 * (side / abs(side))
    return exact[a] + (x + 1j * height) * base / c
