"""Frames of links in the sketch, and exact lengths over sketched places.

Plane vectors are complex numbers; a place in the frame of a link is conj(direction) (z - origin).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from structkin.model.flaw import Flaw

#: Relative size below which a length, or a height over a base, counts as nothing.
TINY = 1e-12


def frame(places: Sequence[complex]) -> tuple[complex, complex]:
    """Return origin and unit direction of a link: from its first place towards its second.

    A link of one point is parallel to the global axes. Raises `Flaw` where the first two places coincide.

    >>> frame([1 + 1j, 1 + 3j])
    ((1+1j), 1j)
    """
    if len(places) < 2:
        return (places[0] if places else 0j), 1 + 0j
    step = places[1] - places[0]
    if abs(step) <= TINY * (abs(places[0]) + abs(places[1])):
        raise Flaw("its first two points coincide in the sketch: zero length, and no direction", "move one of them")
    return places[0], step / abs(step)


def unit_direction(places: Mapping[str, complex], p: str, q: str) -> complex:
    """Return the unit direction from a point of a link to another, in its frame.

    Raises `Flaw` where exact lengths bring together what the sketch has apart.
    """
    step = places[q] - places[p]
    if abs(step) <= TINY * (abs(places[p]) + abs(places[q])):
        raise Flaw(f"the lengths bring '{p}' and '{q}' together: no direction", "check [lengths]")
    return step / abs(step)


def in_metres(length: float) -> str:
    """Show a length in a message."""
    return f"{length:.6g} m"


def place(
    names: Sequence[str],
    sketch: Mapping[str, complex],
    lengths: Mapping[frozenset[str], float],
    show: Callable[[float], str] = in_metres,
) -> dict[str, complex]:
    """Return exact places of the points of a link, from sketched ones in its frame and exact lengths.

    The first point stays. A point with one given length to placed ones keeps its direction from there; with
    two, it is the third corner of a triangle on the side it has in the sketch; further lengths must agree.
    Points with the most given lengths go first, ties in the order of `names`. Raises `Flaw`,
    with lengths shown by `show`.

    >>> place("AB", {"A": 0j, "B": 15.2 + 0j}, {frozenset("AB"): 15.0})
    {'A': 0j, 'B': (15+0j)}
    """
    exact: dict[str, complex] = {}
    waiting = list(names)
    while waiting:
        # the second point goes second whatever is given: it carries the x axis
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
        if abs(step) <= TINY * length:
            raise Flaw(f"'{first}' and '{name}' coincide in the sketch: no direction for the length '{first}-{name}'")
        return exact[first] + length * step / abs(step)
    found = _corner(name, given[:2], sketch, exact, show)
    for other, wanted in others[1:]:
        actual = abs(found - exact[other])
        if abs(actual - wanted) > 1e-9 * wanted:
            raise Flaw(
                f"the length '{other}-{name}' contradicts the others: they make it {show(actual)}, not {show(wanted)}",
                "leave one length out",
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
    if c <= TINY * (la + lb):
        raise Flaw(f"'{a}' and '{b}' coincide: two lengths from them do not place '{name}'")
    x = (la**2 - lb**2 + c**2) / (2 * c)
    square = la**2 - x**2
    if square < -TINY * la**2:
        raise Flaw(
            f"the triangle {a}, {b}, {name} cannot close: {show(la)} and {show(lb)} over a base of {show(c)}",
            f"check the lengths '{a}-{name}', '{b}-{name}' and the distance of {a} and {b}",
        )
    if square <= TINY * la**2:
        return exact[a] + x * base / c
    sketched = sketch[b] - sketch[a]
    side = (sketched.conjugate() * (sketch[name] - sketch[a])).imag
    if abs(side) <= TINY * (abs(sketched) * abs(sketch[name] - sketch[a])):
        raise Flaw(
            f"the sketch has '{name}' on the line of '{a}' and '{b}': its side is not known", "draw it to a side"
        )
    height: float = square**0.5 * (side / abs(side))
    return exact[a] + (x + 1j * height) * base / c
