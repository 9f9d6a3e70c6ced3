"""What `solve_batch` costs beside a bare loop over the same linkages, in processor time of one core.

    python tests/bench/bare_linkages.py

The bare loop peels off dyads and writes position, velocity and acceleration of all joints into one buffer: no status
but NaN, no certificate, no checks, and not the digits of `solve`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numba as nb
import numpy as np

import structkin as sk

ANGLES, COUNT, ROUNDS = np.linspace(0, 2 * np.pi, 200), 4000, 15


@nb.njit(error_model="numpy", inline="never")
def dyad(x0, y0, x1, y1, u0, v0, u1, v1, f0, g0, f1, g1, X, Y, U, V, F, G, aa, bb, side):
    """Write the common pin of two bars of squared lengths aa and bb, with its rates."""
    for s in range(X.size):
        ex, ey = x1[s] - x0[s], y1[s] - y0[s]
        inverse = 1.0 / (ex * ex + ey * ey)
        along = 0.5 + 0.5 * (aa - bb) * inverse
        across = np.sqrt(aa * inverse - along * along) * side
        rx, ry = along * ex - across * ey, along * ey + across * ex
        sx, sy = rx - ex, ry - ey
        X[s], Y[s] = x0[s] + rx, y0[s] + ry
        det = 1.0 / (rx * sy - ry * sx)
        b, c = rx * u0[s] + ry * v0[s], sx * u1[s] + sy * v1[s]
        vx, vy = (b * sy - c * ry) * det, (rx * c - sx * b) * det
        U[s], V[s] = vx, vy
        wx, wy, zx, zy = vx - u0[s], vy - v0[s], vx - u1[s], vy - v1[s]
        b = rx * f0[s] + ry * g0[s] - wx * wx - wy * wy
        c = sx * f1[s] + sy * g1[s] - zx * zx - zy * zy
        F[s], G[s] = (b * sy - c * ry) * det, (rx * c - sx * b) * det


@nb.njit(error_model="numpy")
def solve(adjacency, points, fixed, motor, cosine, sine, p, v, a):
    """Fill p, v and a (joints, 2, n) for one linkage after the other, each of speed 1."""
    joints = fixed.shape[1]
    known = np.empty(joints, np.bool_)
    for k in range(len(fixed)):
        known[:] = fixed[k]
        for i in range(joints):
            if known[i]:
                p[i, 0, :], p[i, 1, :] = points[k, i, 0], points[k, i, 1]
                v[i], a[i] = 0.0, 0.0
        pivot, pin = motor[k]
        dx, dy = points[k, pin, 0] - points[k, pivot, 0], points[k, pin, 1] - points[k, pivot, 1]
        for s in range(cosine.size):
            x, y = dx * cosine[s] - dy * sine[s], dx * sine[s] + dy * cosine[s]
            p[pin, 0, s], p[pin, 1, s] = points[k, pivot, 0] + x, points[k, pivot, 1] + y
            v[pin, 0, s], v[pin, 1, s] = -y, x
            a[pin, 0, s], a[pin, 1, s] = -x, -y
        known[pin] = True
        found = True
        while found:
            found = False
            for q in range(joints):
                ends, one, two = 0, -1, -1
                for r in range(joints):
                    if not known[q] and adjacency[k, q, r] and known[r]:
                        one, two = (r, -1) if ends == 0 else (one, r if ends == 1 else two)
                        ends += 1
                if ends < 2:
                    continue
                ax, ay = points[k, q, 0] - points[k, one, 0], points[k, q, 1] - points[k, one, 1]
                bx, by = points[k, q, 0] - points[k, two, 0], points[k, q, 1] - points[k, two, 1]
                side = 1.0 if ax * by - ay * bx > 0 else -1.0
                dyad(
                    *(p[one, 0], p[one, 1], p[two, 0], p[two, 1], v[one, 0], v[one, 1], v[two, 0], v[two, 1]),
                    *(a[one, 0], a[one, 1], a[two, 0], a[two, 1]),
                    *(p[q, 0], p[q, 1], v[q, 0], v[q, 1], a[q, 0], a[q, 1]),
                    *(ax * ax + ay * ay, bx * bx + by * by, side),
                )
                known[q] = found = True


def compare(joints: int, *, turning: bool, rounds: int = ROUNDS, count: int = COUNT) -> tuple[float, float, float]:
    """Return the seconds of the bare loop and of `solve_batch`, and the greatest difference of their last linkage [m].

    Both fill a buffer that they use again; the fastest of some rounds counts.
    """
    linkages = sk.Linkages.random(count, joints, seed=joints, turning=turning)
    batch = sk.solve_batch(linkages, angles=ANGLES)
    given = linkages.adjacency, np.array(linkages.points), linkages.fixed, np.array(linkages.motor)
    bare = tuple(np.empty((3, joints, 2, len(ANGLES))))

    def own() -> None:
        for _ in batch:
            pass

    def alone() -> None:
        solve(*given, np.cos(ANGLES), np.sin(ANGLES), *bare)

    for block in batch:  # it also compiles the loop
        last = block.position[-1]
    alone()
    away = float(np.nanmax(np.abs(bare[0] - last)))
    times = [(_seconds(alone), _seconds(own)) for _ in range(rounds)]
    return *(min(one) for one in zip(*times, strict=True)), away


def _seconds(run: Callable[[], None]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


if __name__ == "__main__":
    print("joints  turn fully  bare [us]  solve_batch [us]  ratio")
    for turning in (False, True):
        for joints in (5, 10, 20):
            bare, own, _ = compare(joints, turning=turning)
            print(f"{joints:6}  {'yes' if turning else 'no':>10}", end="")
            print(f"  {1e6 * bare / COUNT:9.2f}  {1e6 * own / COUNT:16.2f}  {own / bare:5.2f}")
