"""What `solve_batch` costs for mixed linkages: a third has a triad, and there are sliders among them.

    python tests/bench/mixed_linkages.py [turning]

At random most meet gaps; with `turning` every crank turns fully. Those with larger groups, those with triads that meet
a gap, and others of which the compiled loop cannot prove where they go are solved one by one; then they are left out.
Seconds of processor time of one core, at 200 angles; the first linkages load and compile, and are not counted.
"""

from __future__ import annotations

import os
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import structkin as sk
from structkin.solve.batch import runner
from structkin.solve.batch.batch import Batch
from structkin.solve.batch.order import Way

ANGLES, JOINTS, FIRST = np.linspace(0, 2 * np.pi, 200), 20, 8
#: How many linkages are measured: those solved one by one among them or not.
COUNT, MANY = 200, 5000
#: Chances of a triad at each joint, so that one in three linkages has some, and of a guide in the place of a bar.
TRIADS, SLIDERS = 0.026, 0.2


def measured(linkages: sk.Linkages, one_by_one: bool = True) -> tuple[float, list[tuple[int, float]]]:
    """Return the seconds of a batch, and for each linkage that is solved alone its way and its seconds."""
    each, alone = list[tuple[int, float]](), Batch._alone

    def timed(batch, k, way, out):
        begun = time.process_time()
        status = alone(batch, k, way, out)
        each.append((way, time.process_time() - begun))
        return status

    Batch._alone = timed
    try:
        begun = time.process_time()
        for _ in sk.solve_batch(linkages, angles=ANGLES, one_by_one=one_by_one):
            pass
        return time.process_time() - begun, each
    finally:
        Batch._alone = alone


if __name__ == "__main__":
    runner.COMPILING, runner.FEW_TRIADS = 0.0, 0
    turning = sys.argv[1:] == ["turning"]
    count = MANY if turning else COUNT
    linkages = sk.Linkages.random(FIRST + MANY, JOINTS, seed=JOINTS, triads=TRIADS, sliders=SLIDERS, turning=turning)
    some = float(np.mean(linkages.ordered()[2] == Way.TRIADS))
    measured(linkages.take(slice(FIRST)))
    seconds, each = measured(linkages.take(slice(FIRST, FIRST + count)))
    print(f"{count} linkages of {JOINTS} joints, {some:.0%} with triads: ", end="")
    print(f"{seconds:.2f} s, {count / seconds:.1f} a second")
    for name, chosen in (("with triads", True), ("of dyads, left by the loop", False)):
        took = 1e3 * np.array([one for way, one in each if (way in (Way.ALONE, Way.TRIADS)) == chosen])
        print(f"{len(took):4} {name}", end=": " if len(took) else "\n")
        if len(took):
            print(f"median {np.median(took):.0f} ms, 90 % {np.percentile(took, 90):.0f} ms, ", end="")
            print(f"worst {took.max():.0f} ms, together {took.sum() / 1e3:.2f} s")
    seconds = measured(linkages.take(slice(FIRST, None)), one_by_one=False)[0]
    print(f"without one_by_one: {seconds:.2f} s, {MANY / seconds:,.0f} a second of {MANY}")
