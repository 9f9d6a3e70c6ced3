"""What Monte Carlo over tolerances costs: the angle of a six-bar by seven lengths, at one pose and over 73 samples.

    python tests/bench/tolerances.py [VARIANTS]

Wall and processor time, and the peak of memory so far; a million variants at one pose unless a number is given, and
over 73 samples a sixteenth of that. Beside it the same poses as one long solve, which is what the arithmetic takes.
"""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Callable
from typing import Any

import structkin as sk
from structkin.examples import path

TOLERANCES = {f"lengths.{pair}": 1e-4 for pair in ("A-B", "B-C", "C-D", "D-E", "C-E", "E-F", "F-G")}


def report(words: str, run: Callable[[], object]) -> None:
    """Print what a run costs."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{words}: {wall:.2f} s, processor {cpu:.2f} s, peak {peak:.0f} MiB")


def main(variants: int) -> None:
    """Print the costs."""
    m = sk.load(path("watt_six_bar"))
    pose: dict[str, Any] = {"drivers": {"motor": [1.0]}}
    for words, count, where in (("one pose", variants, pose), ("73 samples", variants // 16, {"samples": 73})):
        m.tolerances(TOLERANCES, ["angle.output"], variants=1024, **where)  # fills the caches
        poses = min(count * len(m.solve(**where)), 2_000_000)
        report(f"{poses:,} samples of one mechanism", lambda poses=poses: m.solve(poses))
        report(
            f"{count:,} variants at {words}",
            lambda count=count, where=where: m.tolerances(TOLERANCES, ["angle.output"], variants=count, **where),
        )


if __name__ == "__main__":
    main(int(float(sys.argv[1])) if len(sys.argv) > 1 else 1_000_000)
