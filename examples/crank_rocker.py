"""A crank-rocker from its file to its pictures: load, structure, solve, plot."""

from __future__ import annotations

import structkin as sk
from structkin.examples import path


def solve() -> sk.Motion:
    """Return a full turn of the crank, one sample per degree."""
    mechanism = sk.load(path("crank_rocker"))
    print(mechanism.structure().explain())
    return mechanism.solve(samples=361)


if __name__ == "__main__":
    from structkin.show import draw_schematic

    motion = solve()
    print(motion.report)
    print("P in the first three samples [m]:", motion.position("P")[:3], sep="\n")
    draw_schematic(motion.mechanism, motion=motion, trace=["P"]).savefig("crank_rocker.png")
    motion.plot("P", "rocker").savefig("crank_rocker_motion.png")
