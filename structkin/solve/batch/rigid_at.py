"""The order in which the joints of linkages with rigid links are found, and the points of these links as sums.

A rigid link of which one joint is known is as good as a bar from there to each of its other joints. When one of these
is found, the link is known, and its further joints are sums of complex factors times vectors: of joints that dyads have
found, and the unit vector of the crank. They are formed as `Frame.point` and `Arm.frames` form them, operation by
operation, so that all digits are those of a plan. The text is compiled.

Sums are rows of four arrays: the constant, the number of terms, and the vector and the factor of each. Behind those of
the joints three more rows serve for directions and origins.
"""

from __future__ import annotations

from typing import Any

from structkin.numerical_tolerances import ROUNDING
from structkin.solve.batch import order

DYADS, ALONE, GUIDE = int(order.Way.DYADS), int(order.Way.ALONE), order.GUIDE
#: In place of a joint in a sum: the unit vector of the crank.
CIRCLE = -1
#: Most terms of all sums of a linkage, for each of its joints.
TERMS = 6
#: In place of the known joint of a rigid link: none is known, or all are.
NONE, ALL = -1, -2


def scale(sums: Any, to: Any, of: Any, factor: Any) -> None:
    """Set a sum to another times a factor."""
    constants, sizes, vectors, factors = sums
    constants[to], sizes[to] = constants[of] * factor, 0 if factor == 0 else sizes[of]
    for t in range(sizes[to]):
        vectors[to, t], factors[to, t] = vectors[of, t], factors[of, t] * factor


def add(sums: Any, to: Any, of: Any) -> None:
    """Add a sum to another, without the terms that cancel."""
    constants, sizes, vectors, factors = sums
    constants[to] += constants[of]
    for t in range(sizes[of]):
        at = 0
        while at < sizes[to] and vectors[to, at] != vectors[of, t]:
            at += 1
        if at == sizes[to]:
            vectors[to, at], factors[to, at] = vectors[of, t], 0j
            sizes[to] += 1
        factors[to, at] += factors[of, t]
    left = 0
    for t in range(sizes[to]):
        if factors[to, t] != 0:
            vectors[to, left], factors[to, left] = vectors[to, t], factors[to, t]
            left += 1
    sizes[to] = left


def single(sums: Any, to: Any, constant: Any, vector: Any, factor: Any) -> None:
    """Set a sum to a constant and one term, or none where the factor is zero."""
    constants, sizes, vectors, factors = sums
    constants[to], sizes[to], vectors[to, 0], factors[to, 0] = constant, 0 if factor == 0 else 1, vector, factor


def first_of(body: Any, own: Any, after: Any) -> Any:
    """Return the first joint of a rigid link after another joint."""
    at = after + 1
    while body[at] != own:
        at += 1
    return at


def local(z: Any, body: Any, q: Any) -> Any:
    """Return a joint of a rigid link in the frame of the link: from its first joint towards its second."""
    first = first_of(body, body[q], -1)
    second = first_of(body, body[q], first)
    step = complex(z[second] - z[first])
    if q == second:
        return complex(abs(step), 0.0)
    return (step / abs(step)).conjugate() * (z[q] - z[first])


def arm(z: Any, body: Any, own: Any, end: Any, q: Any) -> Any:
    """Return the vector from a known joint to another of a rigid link, in its frame; of a bar in the sketch."""
    if own < 0:
        return z[q] - z[end]
    return local(z, body, q) - local(z, body, end)


def is_sound(z: Any, body: Any, fixed: Any) -> bool:
    """Return whether each rigid link has two joints or more that are apart, and one of them fixed at most."""
    for q in range(body.size):
        if body[q] < 0 or first_of(body, body[q], -1) < q:
            continue
        size, held, near = 0, 0, 0.0
        for p in range(body.size):
            if body[p] == body[q]:
                size += 1
                held += fixed[p]
                if size == 2:
                    near = abs(z[p] - z[q]) - ROUNDING * (abs(z[p]) + abs(z[q]))
        if held > 1 or not near > 0.0:
            return False
    return True


def excess(adjacency: Any, fixed: Any, guided: Any, body: Any) -> int:
    """Return how many equations there are more than unknowns."""
    found = 1
    for q in range(body.size):
        found += guided[q] - (0 if fixed[q] else 2)
        if body[q] >= 0:
            found += 2 if first_of(body, body[q], -1) < q else -1
        for p in range(q):
            found += adjacency[p, q] and not (fixed[p] and fixed[q]) and not (body[q] >= 0 and body[p] == body[q])
    return found


def pose(sums: Any, z: Any, body: Any, end: Any, q: Any) -> None:
    """Set the direction and the origin of a rigid link, rows behind those of the joints, from two joints."""
    along, origin, more = body.size, body.size + 1, body.size + 2
    single(sums, along, 0j, q, 1 + 0j)
    scale(sums, more, end, -1 + 0j)
    add(sums, along, more)
    scale(sums, along, along, 1 / complex(arm(z, body, body[q], end, q)))
    scale(sums, more, along, local(z, body, end))
    scale(sums, more, more, -1 + 0j)
    scale(sums, origin, end, 1 + 0j)
    add(sums, origin, more)


def point(sums: Any, z: Any, body: Any, p: Any) -> None:
    """Set the sum of a joint of a rigid link whose direction and origin have been set."""
    along, origin, more = body.size, body.size + 1, body.size + 2
    scale(sums, more, along, local(z, body, p))
    scale(sums, p, origin, 1 + 0j)
    add(sums, p, more)


def write(sums: Any, q: Any, step: Any, constants: Any, terms: Any, used: Any) -> Any:
    """Write the step of a sum (joint, its first term, `GUIDE` less the number of its terms); return the terms used."""
    given, sizes, vectors, factors = sums
    step[0], step[1], step[2] = q, used, GUIDE - sizes[q]
    constants[0], constants[1] = given[q].real, given[q].imag
    for t in range(sizes[q]):
        if used < len(terms):
            terms[used, 0], terms[used, 1], terms[used, 2] = vectors[q, t], factors[q, t].real, factors[q, t].imag
        used += 1
    return used


def is_before(end: Any, own: Any, other: Any, of_other: Any) -> Any:
    """Return whether an arm is before another: rigid links by number, then bars by their ends, then a guide."""
    if other == GUIDE or end == GUIDE:
        return other == GUIDE
    if own < 0 or of_other < 0:
        return own >= 0 or (of_other < 0 and end < other)
    return own < of_other


def order_of_links(
    adjacency: Any,
    fixed: Any,
    guided: Any,
    bodies: Any,
    motor: Any,
    places: Any,
    dyads: Any,
    counts: Any,
    ways: Any,
    spans: Any,
    constants: Any,
    terms: Any,
    scratch: Any,
    sums: Any,
) -> None:
    """Fill in the steps of linkages in dyads, as `order` does, their `counts` and `ways` (m,).

    The step of a sum is that of `write`; its `constants` (m, joints, 2) are added, and its `terms` (m, terms, 3) are
    the vector and the factor of each. `spans` (m, joints, 2) are the two arms of each dyad, in the frames of their
    links. `scratch` (5, joints): as in `order`, with the rigid link of the first arm, and the known joint of each link.
    """
    known, near, ends, owns, bases = scratch[0], scratch[1], scratch[2], scratch[3], scratch[4]
    joints = fixed.shape[1]
    for k in range(len(fixed)):
        body, z, pivot, pin = bodies[k], places[k], motor[k, 0], motor[k, 1]
        ways[k], counts[k] = ALONE, 0
        if excess(adjacency[k], fixed[k], guided[k], body) or not is_sound(z, body, fixed[k]):
            continue
        crank = body[pivot] if body[pivot] == body[pin] else -1
        found, steps, used, at, is_fine = 0, 0, 0, 0, True
        for q in range(joints):
            near[q], ends[q], owns[q], bases[q] = 0, NONE, -1, NONE
            turns = q == pin or (crank >= 0 and body[q] == crank and q != pivot)
            if guided[k, q]:
                near[q], ends[q] = 1, GUIDE
            if fixed[k, q] or turns:
                near[q], known[found] = 2, q
                found += 1
                single(sums, q, z[pivot] if turns else z[q], CIRCLE, z[q] - z[pivot] if turns else 0j)
                if turns and q != pin:
                    used = write(sums, q, dyads[k, steps], constants[k, steps], terms[k], used)
                    steps += 1
        while at < found and is_fine:
            one = known[at]
            at += 1
            own = -1 if body[one] == crank else body[one]
            if own >= 0:
                link = first_of(body, own, -1)
                is_fine = bases[link] < 0
                if bases[link] == NONE:
                    bases[link] = one
                else:
                    own = -1
            for q in range(joints):
                of_q = own if own >= 0 and body[q] == own else -1
                is_bar = adjacency[k, one, q] and not (body[one] >= 0 and body[q] == body[one])
                if near[q] == 2 or not (of_q >= 0 or is_bar):
                    continue
                if near[q] == 0:
                    near[q], ends[q], owns[q] = 1, one, of_q
                    continue
                is_first = is_before(one, of_q, ends[q], owns[q])
                is_fine = is_fine and ends[q] != one
                A, B = (one, ends[q]) if is_first else (ends[q], one)
                of_A, of_B = (of_q, owns[q]) if is_first else (owns[q], of_q)
                near[q], known[found] = 2, q
                found += 1
                dyads[k, steps, 0], dyads[k, steps, 1], dyads[k, steps, 2] = q, A, B
                spans[k, steps, 0] = arm(z, body, of_A, A, q)
                if B != GUIDE:
                    spans[k, steps, 1] = arm(z, body, of_B, B, q)
                steps += 1
                single(sums, q, 0j, q, 1 + 0j)
                for end, link in ((A, of_A), (B, of_B)):
                    if link < 0:
                        continue
                    bases[first_of(body, link, -1)] = ALL
                    pose(sums, z, body, end, q)
                    for p in range(joints):
                        if body[p] == link and p not in (q, end):
                            is_fine = is_fine and near[p] < 2
                            if near[p] < 2:
                                near[p], known[found] = 2, p
                                found += 1
                                point(sums, z, body, p)
                                used = write(sums, p, dyads[k, steps], constants[k, steps], terms[k], used)
                                steps += 1
        if is_fine and found == joints and used <= terms.shape[1]:
            ways[k], counts[k] = DYADS, steps
