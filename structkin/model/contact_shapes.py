"""The circles and lines in contact: from file entries to geometry in the frames of their links."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from structkin.model.draft import GROUND, Draft
from structkin.model.fields import pair
from structkin.model.flaw import Flaw
from structkin.model.force_schema import ContactEntry
from structkin.model.forces import Contact, Disc, Line
from structkin.model.geometry import TINY, unit_direction
from structkin.model.sizes import TRANSITION, between


def usual_loss(restitution: float) -> float:
    """Return the loss of Lankarani and Nikravesh: accurate for a restitution near 1, too small below.

    H. M. Lankarani, P. E. Nikravesh, A contact force model with hysteresis damping for impact analysis of multibody
    systems, J. Mech. Design 112 (1990) 369-376: they use the indentation rate without damping.
    """
    return 0.75 * (1 - restitution**2)


def exact_loss(restitution: float) -> float:
    """Return the loss c that gives exactly this restitution e: ln((1 + c) / (1 - c e)) = c (1 + e).

    From m v dv = -K d^n (1 + c v / v0) dd over a whole impact, for any m, K, n and v0. For small e the root is so close
    to 1 / e that 1 - c e is lost in rounding; so the unknown is x = -ln(1 - c e), which is at most (1 + e) / e.

    >>> exact_loss(1.0), round(exact_loss(0.5), 6), round(usual_loss(0.5), 6)
    (0.0, 1.432751, 0.5625)
    """
    from scipy.optimize import brentq

    e = restitution
    if e > 1 - 1e-9:
        return 1.5 * (1 - e)

    def loss(x: float) -> float:
        return -math.expm1(-x) / e

    # The larger root; the other one is x = 0.
    least = -math.log1p(-e * (1 - e) / 2)
    x = brentq(lambda x: math.log1p(loss(x)) + x - loss(x) * (1 + e), least, (1 + e) / e)
    return loss(float(x))


#: Loss by restitution, for each model of damping.
LOSSES: Mapping[str, Callable[[float], float]] = {"lankarani-nikravesh": usual_loss, "exact": exact_loss}


def make_contact(draft: Draft, id: str, entry: ContactEntry) -> Contact | None:
    """Return a contact; None if there are errors."""
    key = f"forces.{id}"
    found = len(draft.problems)
    if entry.stiffness is None:
        draft.fault(key, "has no stiffness", "in N/m^1.5, such as stiffness = 1e8")
    stiffness = between(draft, f"{key}.stiffness", entry.stiffness or 1, 1e-300, 1e300, "a positive number")
    exponent = between(draft, f"{key}.exponent", entry.exponent, 1, 3, "a number from 1 to 3")
    restitution = between(draft, f"{key}.restitution", entry.restitution, 0, 1, "a number from 0 to 1")
    friction = between(draft, f"{key}.friction", entry.friction, 0, 1e3, "a coefficient that is not negative")
    transition = draft.quantity(f"{key}.transition", entry.transition or TRANSITION, "speed", "positive")
    shapes = draft.attempt(key, contact_shapes, draft, key, entry)
    if shapes is None or len(draft.problems) > found:
        return None
    if entry.model == "exact" and restitution is not None and restitution < 0.01:
        raise Flaw("this model cannot give so small a restitution", "give restitution = 0.01 or more")
    loss = None if restitution is None else LOSSES[entry.model](restitution)
    numbers = (stiffness, exponent, loss, friction, transition)
    return Contact(id, *shapes, *(float(one or 0.0) for one in numbers))


def contact_shapes(draft: Draft, key: str, entry: ContactEntry) -> tuple[Disc, Disc | Line] | None:
    """Return the circle of the first link and the circle or line of the second; None if there are errors.

    Raises `Flaw` if the entry describes neither a circle on a line nor two circles.
    """
    on_line = [name for name in ("center", "radius", "along") if getattr(entry, name) is not None]
    circles = [name for name in ("centers", "radii") if getattr(entry, name) is not None]
    if on_line and circles:
        raise Flaw(f"says twice which shapes touch: {' and '.join(on_line + circles)}", "give one of the two")
    if not (on_line or circles) or (circles and len(circles) < 2) or (on_line and entry.center is None):
        raise Flaw("does not say which shapes touch", f"such as {entry.sample}; or centers and radii of two circles")
    return _two_circles(draft, key, entry) if circles else _circle_on_line(draft, key, entry)


def _circle_on_line(draft: Draft, key: str, entry: ContactEntry) -> tuple[Disc, Line] | None:
    center = entry.center or ""
    if entry.along is None:
        raise Flaw("has a circle, but no line", 'add along = ["Q", "R"], two points of the other link')
    if entry.internal is not None:
        raise Flaw("'internal' is for two circles", "delete it")
    p, q = entry.along
    known = draft.has_points(f"{key}.along", (p, q)), draft.has_point(f"{key}.center", center)
    if not all(known):
        return None
    if p == q:
        raise Flaw(f"the line names the point '{p}' twice", "name two points")
    line = _carrier(draft, key, (p, q), None if entry.links is None else entry.links[1])
    first = _carrier(draft, key, (center,), None if entry.links is None else entry.links[0], other=line)
    if line is None or first is None:
        return None
    _apart(first, line)
    a, b = draft.points[p], draft.points[q]
    size = abs(b - a)
    side = ((b - a).conjugate() * (draft.points[center] - a)).imag / size if size else 0.0
    if abs(side) <= TINY * size:
        raise Flaw(f"in the sketch the circle's centre '{center}' lies on the line", "draw it on the free side")
    local = draft.links[line].local
    normal = (1j if side > 0 else -1j) * unit_direction(local, p, q)
    return Disc(first, draft.links[first].local[center], entry.radius or 0.0), Line(line, local[p], normal)


def _two_circles(draft: Draft, key: str, entry: ContactEntry) -> tuple[Disc, Disc] | None:
    assert entry.centers is not None
    c, d = entry.centers
    sizes = [draft.quantity(f"{key}.radii", r, "length") for r in pair(entry.radii, "two radii", "such as [20, 40]")]
    if not draft.has_points(f"{key}.centers", (c, d)) or None in sizes:
        return None
    r, s = (float(size or 0.0) for size in sizes)
    if min(r, s) < 0 or max(r, s) == 0:
        raise Flaw("expected two radii that are not negative, and not both zero", "for a bore write internal = true")
    if entry.internal and not r < s:
        raise Flaw("the first circle is not smaller than the bore around it", "the second radius is that of the bore")
    ends = entry.links or (None, None)
    second = _carrier(draft, key, (d,), ends[1])
    first = _carrier(draft, key, (c,), ends[0], other=second)
    if first is None or second is None:
        return None
    _apart(first, second)
    bore = -s if entry.internal else s
    return Disc(first, draft.links[first].local[c], r), Disc(second, draft.links[second].local[d], bore)


def _apart(first: str, second: str) -> None:
    if first == second:
        raise Flaw(f"both shapes are on '{first}'", 'name the links in contact: links = ["a", "b"]')


def _carrier(
    draft: Draft, key: str, points: tuple[str, ...], named: str | None, other: str | None = None
) -> str | None:
    """Return the link that has the points: the named one, or the first other than `other`; None if excused."""
    held = [link for link in draft.link_entries if all(link in draft.holders.get(point, []) for point in points)]
    if named is not None:
        if not draft.has_link(f"{key}.links", named):
            return None
        if named not in held:
            raise Flaw(f"'{named}' does not have {_listed(points)}", f"on it: {', '.join(held) or 'no link'}")
        return named if named in draft.links else None
    # A line is usually on the ground, a circle on a moving link.
    ordered = sorted(held, key=lambda link: (link == other, (link == GROUND) == (len(points) == 1)))
    if not ordered:
        if draft.whole("links"):
            raise Flaw(f"no link has {_listed(points)}", "add them to a link")
        return None
    return ordered[0] if ordered[0] in draft.links else None


def _listed(points: tuple[str, ...]) -> str:
    return f"the point '{points[0]}'" if len(points) == 1 else f"both points '{points[0]}' and '{points[1]}'"
