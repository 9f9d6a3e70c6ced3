"""Method III as Saura et al. prescribe it (sec. 2.2, eqs. 6-15): angles, and third-order tensors written out.

For a dyad from A to B with the angles phi = (theta_1, theta_2) of its links, directions e and e' = e turned:

    Phi = A + l1 e_1 - B - l2 e_2 = 0,    h = (A, B),    S = Phi_phi^-1
    K_h = -S Phi_h                                                     eq. 7
    K_z = K_h K_hz                                                     eq. 8
    L_h[j] = -S (dPhi_phi/dh_j) K_h       total derivatives            eq. 15, sign corrected; dPhi_h/dh_j = 0
    L_z[i] = K_h L_hz[i] + sum_j K_hz[j, i] L_h[j] K_hz                eq. 14
    phi' = K_z z',   phi'' = K_z z'' + sum_i z'_i L_z[i] z'            eqs. 8 and 9

and the pin C = B + l2 e_2 as a point of interest. It is written in the same symbols and compiled to kernels in the same
way as the group functions, so that the formulations are compared and not their implementations. Zeros are computed
too: a pin on the ground is a known point like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.groups import RRR
from structkin.kernels import store
from structkin.kernels.group import DECORATOR
from structkin.kernels.symbols import Graph, Term
from structkin.model import Mechanism
from structkin.types import Floats, Ints


@dataclass(frozen=True)
class Formulas:
    """The outputs of a dyad: the pin's place, rates and second rates, K and L of the angles and the pin."""

    graph: Graph
    x: tuple[Term, ...]
    v: tuple[Term, ...]
    a: tuple[Term, ...]
    K: NDArray[Any]
    L: NDArray[Any]


def formulas(f: int) -> Formulas:
    """Return the formulas for f drivers; rows 0, 1 of K, L and the rates are the angles, rows 2, 3 the pin."""
    graph = Graph()
    h = _loads(graph, "h", 4)
    K_hz, L_hz = _loads(graph, "k", 4, f), _loads(graph, "l", 4, f, f)
    rate, second = _loads(graph, "z", f), _loads(graph, "y", f)
    l1, l2 = graph.load("c0"), graph.load("c1")
    A, B = h[:2], h[2:]
    dyad = RRR()
    halves = A, B, 0.5 * l1 * l1, 0.5 * l2 * l2
    (C,) = dyad.position(halves, np.asarray(np.sqrt(np.asarray(dyad.discriminant(halves)))).item())
    e1, e2 = (C - A) / l1, (C - B) / l2
    # Columns of Phi_phi: l1 e1', -l2 e2'; its derivatives by the angles: -l1 e1, +l2 e2.
    p, q = l1 * np.array([-e1[1], e1[0]]), -l2 * np.array([-e2[1], e2[0]])
    det = p[0] * q[1] - p[1] * q[0]
    S = np.array([[q[1] / det, -q[0] / det], [-p[1] / det, p[0] / det]])
    Phi_h = np.array([[1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0]])
    K_h = -_product(S, Phi_h)
    bends = np.stack((-l1 * e1, l2 * e2), axis=1)
    L_h = [-_product(_product(S, bends * K_h[:, j]), K_h) for j in range(4)]
    K = _product(K_h, K_hz)
    parts = [_product(L_hj, K_hz) for L_hj in L_h]
    L = np.stack(
        [_product(K_h, L_hz[:, i]) + _sum([K_hz[j, i] * parts[j] for j in range(4)]) for i in range(f)], axis=1
    )
    # The pin: C = B + l2 e2, dC = dB + l2 e2' dtheta_2, d2C = d2B + l2 e2' d2theta_2 - l2 e2 dtheta_2 dtheta_2.
    K_C = K_hz[2:] - np.multiply.outer(q, K[1])
    L_C = L_hz[2:] - np.multiply.outer(q, L[1]) - np.multiply.outer(l2 * e2, np.multiply.outer(K[1], K[1]))
    K, L = np.concatenate((K, K_C)), np.concatenate((L, L_C))
    v = _product(K, rate[:, None])[:, 0]
    a = _product(K, second[:, None])[:, 0]
    a = a + _sum([rate[i] * _product(L[:, i], rate[:, None])[:, 0] for i in range(f)])
    return Formulas(graph, tuple(C), tuple(v), tuple(a), K, L)


def _loads(graph: Graph, letter: str, *shape: int) -> NDArray[Any]:
    loads = np.empty(shape, object)
    for index in np.ndindex(shape):
        loads[index] = graph.load("_".join((letter, *map(str, index))))
    return loads


def _product(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Return the product of matrices of symbols, every sum written out."""
    result = np.empty((len(a), b.shape[1]), object)
    for i, j in np.ndindex(result.shape):
        result[i, j] = _sum([a[i, k] * b[k, j] for k in range(a.shape[1])])
    return result


def _sum(terms: Sequence[Any]) -> Any:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def source(f: int, *, ground: bool, compiled: bool) -> str:
    """Return the source of a kernel that runs a chain of dyads, each from pin a to pin b with its tip at pin c.

    `x` (pins, 2, n) holds the pins' places; `v`, `w` (pins, 4, n), `K` (pins, 4, f, n), `L` (pins, 4, f, f, n) the
    derivatives of the angles and the pin of each dyad; `z` (2, f, n) the drivers' rates. With `ground` b is a fixed
    point, whose place is among the constants.
    """
    made = formulas(f)
    rows = {f"h_{k}": f"x[{'ab'[k // 2]}, {k % 2}]" for k in range(2 if ground else 4)}
    for k in range(4):
        pin = f"{'ab'[k // 2]}, {2 + k % 2}"
        rows |= {f"k_{k}_{i}": f"K[{pin}, {i}]" for i in range(f)}
        rows |= {f"l_{k}_{i}_{j}": f"L[{pin}, {i}, {j}]" for i in range(f) for j in range(f)}
    rows |= {f"{'zy'[order]}_{i}": f"z[{order}, {i}]" for order in range(2) for i in range(f)}
    outs: dict[str, Term] = {f"x[c, {k}]": term for k, term in enumerate(made.x)}
    outs |= {f"{name}[c, {k}]": term for name, terms in (("v", made.v), ("w", made.a)) for k, term in enumerate(terms)}
    outs |= {f"K[c, {', '.join(map(str, at))}]": made.K[at] for at in np.ndindex(made.K.shape)}
    outs |= {f"L[c, {', '.join(map(str, at))}]": made.L[at] for at in np.ndindex(made.L.shape)}
    own = {f"o{k}": at for k, at in enumerate(outs)}
    body = [f"{name}_ = {at[:-1]}, low:high]" for name, at in {**rows, **own}.items()]
    terms, at = list(outs.values()), "i" if compiled else ":"
    lines = [f"{name} = {name}_[{at}]" for name in made.graph.loads(terms) if name in rows]
    lines += made.graph.lines(terms) if compiled else made.graph.lines_of_arrays(terms)
    lines += [f"{name}_[{at}] = {made.graph.name(term)}" for name, term in zip(own, terms, strict=True)]
    body += ["for i in range(n):", *(f"    {line}" for line in lines)] if compiled else lines
    head = ["from numpy import sqrt", "", ""]
    if compiled:
        head = ["from math import sqrt", "", "from numba import njit", "", "", DECORATOR]
    constants = ["c0 = constants[s, 0]", "c1 = constants[s, 1]"]
    if ground:
        constants += [f"h_{k} = constants[s, {k}]" for k in (2, 3)]
    return "\n".join(
        [
            '"""Written by structkin from the formulas of method III, including the third-order tensors."""',
            *head,
            "def solve(x, v, w, K, L, z, low, high, pins, constants):",
            "    n = high - low",
            "    for s in range(pins.shape[0]):",
            "        a, b, c = pins[s, 0], pins[s, 1], pins[s, 2]",
            *(f"        {line}" for line in (*constants, *body)),
            "",
        ]
    )


@dataclass(frozen=True)
class Chain:
    """The scalable four-bar in the form for method III: `pins` (dyads, 3) and `constants` (dyads, 4) of its dyads.

    The first `drivers` pins are ends of cranks with these `centers` and radii, then comes the ground, then the tips.
    """

    drivers: int
    centers: Floats
    radii: Floats
    pins: Ints
    constants: Floats

    @classmethod
    def of(cls, mechanism: Mechanism, dyads: int) -> Chain:
        """Read the chain out of the mechanism."""
        f = len(mechanism.drivers)
        links = mechanism.links
        at = [mechanism.places[name] for name in ("A", *(f"E{j}" for j in range(1, f)))]
        cranks = [("crank", "C0"), *((f"crank{j}", f"D{j}") for j in range(1, f))]
        radii = [abs(links[name].local[end]) for name, end in cranks]
        pins = [(0 if j == 1 else f + j - 1, j if j < f else f, f + j) for j in range(1, dyads + 1)]
        constants = [
            (
                abs(links[f"coupler{j}"].local[f"C{j}"]),
                abs(links[f"rocker{j}"].local[f"D{j}"]),
                mechanism.places[f"D{j}"].real,
                mechanism.places[f"D{j}"].imag,
            )
            for j in range(1, dyads + 1)
        ]
        return cls(f, np.array([(z.real, z.imag) for z in at]), np.array(radii), np.array(pins), np.array(constants))

    def empty(self, n: int) -> tuple[Floats, ...]:
        """Return x, v, w, K, L for n lanes; the ground's derivatives are zero."""
        count, f = self.drivers + 1 + len(self.pins), self.drivers
        arrays = tuple(
            np.empty((count, rows, *(f,) * order, n)) for rows, order in ((2, 0), (4, 0), (4, 0), (4, 1), (4, 2))
        )
        for array in arrays:
            array[: f + 1] = 0.0
        return arrays

    def run(self, arrays: tuple[Floats, ...], z: Floats, *, compiled: bool, block: int = 1024) -> None:
        """Solve all dyads; `z` (3, f, n) holds the drivers' angles, rates and second rates."""
        x, _, _, K, L = arrays
        n, f = z.shape[-1], self.drivers
        for i in range(f):
            c, s = self.radii[i] * np.cos(z[0, i]), self.radii[i] * np.sin(z[0, i])
            x[i, 0], x[i, 1] = self.centers[i, 0] + c, self.centers[i, 1] + s
            K[i, 2, i], K[i, 3, i] = -s, c
            L[i, 2, i, i], L[i, 3, i, i] = -c, -s
        parts = [(slice(0, f - 1), False), (slice(f - 1, None), True)]
        for low in range(0, n, block):
            for part, ground in parts:
                if len(self.pins[part]):
                    text = source_of(f, ground=ground, compiled=compiled)
                    module = (store.load if compiled else store.plain)("MethodIII", text)
                    module.solve(*arrays, z[1:], low, min(low + block, n), self.pins[part], self.constants[part])


@cache
def source_of(f: int, *, ground: bool, compiled: bool) -> str:
    """Return `source`, written once."""
    return source(f, ground=ground, compiled=compiled)
