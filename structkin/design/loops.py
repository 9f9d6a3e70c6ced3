"""Many linkages of one kind at once: where their tracers are, and how that depends on every dimension.

A crank about a pivot A carries the pin B of the coupler; another pin C of the coupler moves on a circle about a second
pivot D (four-bar) or on a line (slider-crank). The tracer P is a point of the coupler:

    P = B + (u + i v) (C - B) / |C - B|.

C and its derivatives are those of the groups RRR and RRP. Lanes are last: dimensions `x` (p, k) of k linkages, modes
(k,) of their dyads, crank angles `theta` (n, k) [rad] of n points each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.design.any_topology import AnyLinkage
from structkin.groups.rrp import RRP
from structkin.groups.rrr import RRR
from structkin.numerical_tolerances import COMPLEX_STEP, LEAST_POSITIVE
from structkin.types import Complexes, Flags, Floats

#: An angle and that opposite [rad].
HALVES = np.array([[0.0], [np.pi]])


class _OneDyad:
    """What linkages of a crank and one dyad have in common."""

    #: Random numbers that draw a linkage, and the dimensions whose steps are limited.
    numbers, limited = 6, slice(4, None)
    #: Linkages drawn for the atlas, as a power of two; those that close are kept.
    draws = 17
    #: How many linkages are followed, and for how many steps: the fewer, the longer.
    stages = ((240, 40), (120, 60), (60, 100), (60, 400), (60, 1000))
    #: How many linkages without an error are enough, and how often the search begins anew where there is none.
    enough, rounds = np.inf, 1
    size: int
    #: The row of the crank's length; that of the coupler follows.
    crank: int
    #: What a mirror makes of the dyad's mode.
    mirror: float
    group: RRR | RRP

    @staticmethod
    def inputs(x: Floats, B: Floats) -> tuple[Any, ...]:
        """Return the inputs of the dyad for pins B (2, n, k)."""
        raise NotImplementedError

    @staticmethod
    def rates(x: Floats, row: int) -> tuple[Any, ...]:
        """Return the derivatives by one dimension of the inputs but B."""
        raise NotImplementedError

    @classmethod
    def traced(cls, x: Floats, mode: Floats, theta: Floats) -> tuple[Floats, Floats]:
        """Return tracers (2, n, k) and the squared sines of transmission angles (n, k), negative if it is open."""
        with np.errstate(all="ignore"):
            points, closing, _ = cls._posed(x, mode, theta)
        return points, closing

    @classmethod
    def closing_rates(cls, x: Floats, mode: Floats, theta: Floats) -> tuple[Floats, Floats]:
        """Return squared sines of transmission angles (n, k), and their derivatives (n, p, k) by complex steps."""
        h, J = COMPLEX_STEP, np.empty((len(theta), *x.shape))
        with np.errstate(all="ignore"):
            for row in range(cls.size):
                y = x + 1j * h * (np.arange(cls.size) == row)[:, None]
                B = y[:2, None] + np.exp(y[cls.crank]) * np.stack((np.cos(theta), np.sin(theta)))
                closing = np.asarray(cls.group.discriminant(cls.inputs(y, B)))
                J[:, row] = closing.imag / h
        return closing.real, J

    @classmethod
    def pins(cls, x: Floats, mode: Floats, theta: Floats) -> tuple[Floats, Floats]:
        """Return the pins B and C (2, n, k)."""
        with np.errstate(all="ignore"):
            _, _, (_, h, C, _) = cls._posed(x, mode, theta)
        return h[0], C

    @classmethod
    def to_tracer(cls, x: Floats) -> tuple[Floats, Floats]:
        """Return the logarithms (2, k) of the distances of the tracer from B and C, and their derivatives (2, p, k)."""
        (u, v), b = x[-2:], np.exp(x[cls.crank + 1])
        J = np.zeros((2, *x.shape))
        along = np.stack((u, u - b))
        square = np.maximum(along**2 + v**2, LEAST_POSITIVE)
        J[:, -2], J[:, -1] = along / square, v / square
        J[1, cls.crank + 1] = -b * J[1, -2]
        return np.log(square) / 2, J

    @classmethod
    def jacobian(cls, x: Floats, mode: Floats, theta: Floats) -> tuple[Floats, Floats, Floats]:
        """Return what `traced` does, and its derivatives (2, p + 1, n, k) by the dimensions and, last, theta."""
        p, crank = cls.size, cls.crank
        J = np.zeros((2, p + 1, *theta.shape))
        with np.errstate(all="ignore"):
            points, closing, (U, h, C, w) = cls._posed(x, mode, theta)
            a, b = np.exp(x[crank : crank + 2])
            for row in (*range(p - 2), p):
                dB = np.zeros((2, 1, 1))
                dB[row : row + 1] = row < 2
                if row in (crank, p):
                    dB = a * (U if row == crank else np.stack((-U[1], U[0])))
                (dC,) = cls.group.linear(h, (C,), (dB, *cls.rates(x, row)), (0.0, 0.0))
                J[:, row] = dB + _carried(x, (dC - dB) / b - (w if row == crank + 1 else 0.0))
            J[:, p - 2], J[:, p - 1] = w, np.stack((-w[1], w[0]))
        return points, closing, J

    @classmethod
    def _posed(cls, x: Floats, mode: Floats, theta: Floats) -> tuple[Floats, Floats, tuple[Any, ...]]:
        U = np.stack((np.cos(theta), np.sin(theta)))
        B = x[:2, None] + np.exp(x[cls.crank]) * U
        h = cls.inputs(x, B)
        closing = np.asarray(cls.group.discriminant(h))
        (C,) = cls.group.position(h, mode * np.sqrt(np.maximum(closing, 0.0)))
        w = (C - B) / np.exp(x[cls.crank + 1])
        return B + _carried(x, w), closing, (U, h, C, w)


class FourBars(_OneDyad):
    """Dimensions: pivots A and D, logarithms of crank, coupler and rocker, tracer u, v along BC and to its left."""

    name = "four-bar"
    group = RRR()
    size = 9
    crank = 4
    mirror = -1.0
    #: The rows of the ground pivots.
    pivots: tuple[slice, ...] = (slice(0, 2), slice(2, 4))

    @staticmethod
    def drawn(unit: Floats) -> tuple[Floats, Floats]:
        """Return linkages (p, k) and modes (k,) from numbers (6, k) in 0 to 1: lengths, and tracers on a disc."""
        ground, crank, coupler, rocker = np.exp(np.log(10) * (unit[:4] - 0.5))
        still, tracer = np.zeros_like(ground), _tracer(coupler, unit)
        x = np.stack((still, still, ground, still, np.log(crank), np.log(coupler), np.log(rocker), *tracer))
        return x, np.ones_like(ground)

    @staticmethod
    def inputs(x: Floats, B: Floats) -> tuple[Any, ...]:
        """Return the inputs of the dyad for pins B (2, n, k)."""
        return B, x[2:4, None], np.exp(2 * x[5]) / 2, np.exp(2 * x[6]) / 2

    @staticmethod
    def rates(x: Floats, row: int) -> tuple[Any, ...]:
        """Return the derivatives by one dimension of the inputs but B."""
        dD = np.zeros((2, 1, 1))
        dD[row - 2 : row - 1] = row in (2, 3)
        return dD, np.exp(2 * x[5]) if row == 5 else 0.0, np.exp(2 * x[6]) if row == 6 else 0.0

    @staticmethod
    def lengths(x: Floats) -> tuple[Floats, Floats]:
        """Return logarithms (q, k) and their derivatives (q, p, k): those of all bars and `to_tracer`."""
        J = np.zeros((4, 9, x.shape[1]))
        J[[0, 1, 2], [4, 5, 6]] = 1.0
        ground = x[2:4] - x[:2]
        square = (ground * ground).sum(axis=0)
        J[3, 2:4] = ground / square
        J[3, :2] = -J[3, 2:4]
        logs, rates = FourBars.to_tracer(x)
        return np.concatenate((x[4:7], np.log(square)[None] / 2, logs)), np.concatenate((J, rates))

    @staticmethod
    def extremes(x: Floats, mode: Floats, theta: Floats) -> Floats:
        """Return the crank angles (2, k) on the line of the pivots, where transmission angles are extreme."""
        return np.asarray(np.arctan2(x[3] - x[1], x[2] - x[0]) + HALVES)

    @staticmethod
    def moved(x: Floats, by: Complexes, shift: Complexes) -> Floats:
        """Return the linkages after z -> by z + shift."""
        y = x.copy()
        for rows in FourBars.pivots:
            z = by * (x[rows][0] + 1j * x[rows][1]) + shift
            y[rows] = z.real, z.imag
        y[4:7] += np.log(np.abs(by))
        y[7:] *= np.abs(by)
        return y

    @staticmethod
    def mirrored(x: Floats, which: Flags) -> Floats:
        """Return the linkages, some of them mirrored at the x axis; their crank angles change signs, too."""
        y = x.copy()
        y[[1, 3, 8]] *= np.where(which, -1.0, 1.0)
        return y


class SliderCranks(_OneDyad):
    """Dimensions: pivot A, the guide's angle and offset to the left of A, logarithms of crank and rod, tracer u, v."""

    name = "slider-crank"
    group = RRP()
    size = 8
    crank = 4
    mirror = 1.0
    pivots: tuple[slice, ...] = (slice(0, 2),)

    @staticmethod
    def drawn(unit: Floats) -> tuple[Floats, Floats]:
        """Return linkages (p, k) and modes (k,) from numbers (6, k) in 0 to 1; guides parallel to x, to its left."""
        crank, rod = np.exp(np.log(10) * (unit[2:4] - 0.5))
        still, tracer = np.zeros_like(crank), _tracer(rod, unit)
        x = np.stack((still, still, still, 3 * unit[0], np.log(crank), np.log(rod), *tracer))
        return x, np.ones_like(crank)

    @staticmethod
    def inputs(x: Floats, B: Floats) -> tuple[Any, ...]:
        """Return the inputs of the dyad for pins B (2, n, k)."""
        return B, np.exp(2 * x[5]) / 2, x[:2, None], np.stack((np.cos(x[2]), np.sin(x[2])))[:, None], x[3]

    @staticmethod
    def rates(x: Floats, row: int) -> tuple[Any, ...]:
        """Return the derivatives by one dimension of the inputs but B."""
        dG = np.zeros((2, 1, 1))
        dG[row : row + 1] = row < 2
        dD = np.stack((-np.sin(x[2]), np.cos(x[2])))[:, None] if row == 2 else np.zeros((2, 1, 1))
        return np.exp(2 * x[5]) if row == 5 else 0.0, dG, dD, float(row == 3)

    @staticmethod
    def lengths(x: Floats) -> tuple[Floats, Floats]:
        """Return logarithms (q, k) and their derivatives (q, p, k): of crank and rod, and `to_tracer`."""
        J = np.zeros((2, 8, x.shape[1]))
        J[[0, 1], [4, 5]] = 1.0
        logs, rates = SliderCranks.to_tracer(x)
        return np.concatenate((x[4:6], logs)), np.concatenate((J, rates))

    @staticmethod
    def extremes(x: Floats, mode: Floats, theta: Floats) -> Floats:
        """Return the crank angles (2, k) across the guide, where transmission angles are extreme."""
        return np.asarray(x[2] + np.pi / 2 + HALVES)

    @staticmethod
    def moved(x: Floats, by: Complexes, shift: Complexes) -> Floats:
        """Return the linkages after z -> by z + shift."""
        y = x.copy()
        z = by * (x[0] + 1j * x[1]) + shift
        y[:4] = z.real, z.imag, x[2] + np.angle(by), np.abs(by) * x[3]
        y[4:6] += np.log(np.abs(by))
        y[6:] *= np.abs(by)
        return y

    @staticmethod
    def mirrored(x: Floats, which: Flags) -> Floats:
        """Return the linkages, some of them mirrored at the x axis; their crank angles change signs, too."""
        y = x.copy()
        y[[1, 2, 3, 7]] *= np.where(which, -1.0, 1.0)
        return y


Kind = type[FourBars] | type[SliderCranks] | AnyLinkage
KINDS: dict[str, type[FourBars] | type[SliderCranks]] = {kind.name: kind for kind in (FourBars, SliderCranks)}


def _tracer(coupler: Floats, unit: Floats) -> tuple[Floats, Floats]:
    r, t = 2 * np.sqrt(unit[4]), 2 * np.pi * unit[5]
    return coupler / 2 + r * np.cos(t), r * np.sin(t)


def _carried(x: Floats, w: Floats) -> Floats:
    u, v = x[-2:]
    return np.stack((u * w[0] - v * w[1], u * w[1] + v * w[0]))
