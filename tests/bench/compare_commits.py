"""Is one commit slower than another? Both run alternately, so that a busy machine slows both.

    python tests/bench/compare_commits.py OLD NEW              all cases, 15 rounds
    ... --only solve/ --only limits/ --rounds 25               cases whose names begin so
    ... --python .venv/bin/python                              the interpreter, with what structkin needs

Each commit is checked out in a temporary folder and answers in a separate process, on one thread, with the same
interpreter (`bench_cases.py`, its own copy where it has one). In each round both time one case, in alternating
order; times are processor times. Processes are restarted three times, because where a process places its code and
arrays alone makes some per cent.

The report gives medians over the rounds, and the ratio of new to old: the median of the rounds' ratios, with an
interval that holds the true median in 95 % of all comparisons, for any distribution of times (`sign_interval`).
A case is *slower* where its ratio is above 1.05 and the whole interval above 1, and again when it is measured again
by itself: of sixty cases chance alone makes one slower now and then. The exit code is 1 if one is slower, 2 if a
case runs only in the old commit.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

HERE = Path(__file__).resolve().parent
CASES = Path("tests/bench/bench_cases.py")
#: The ratio that matters, and how often an interval contains the true ratio.
SLOWER, CONFIDENCE = 1.05, 0.95
#: Number of restarts of the processes, and the least duration of one timing [s].
STARTS, LEAST = 3, 0.02


def sign_interval(ratios: Sequence[float], confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return an interval of the median that assumes no distribution, between two of the sorted values.

    Fewer than k of n values lie below the true median with the probability of fewer than k heads in n tosses of a coin
    (the sign test; Conover, Practical Nonparametric Statistics, 3.2). With too few values it is unbounded.

    >>> sign_interval([1.3, 1.1, 1.2, 1.0, 1.5, 1.4])
    (1.0, 1.5)
    >>> sign_interval([1.0, 1.1])
    (-inf, inf)
    """
    n, tail, k = len(ratios), 0.0, 0
    while (tail := tail + math.comb(n, k) / 2**n) <= (1 - confidence) / 2:
        k += 1
    return (-math.inf, math.inf) if k == 0 else (sorted(ratios)[k - 1], sorted(ratios)[n - k])


@dataclass
class Comparison:
    """The seconds of one case, round by round; `fault` says why there are none."""

    case: str
    old: list[float] = field(default_factory=list)
    new: list[float] = field(default_factory=list)
    fault: str = ""
    lost: bool = False

    @property
    def ratios(self) -> list[float]:
        """New over old, of each round."""
        return [new / old for old, new in zip(self.old, self.new, strict=True)]

    @property
    def slower(self) -> bool:
        """Whether the new commit is slower beyond the interval and 5 %."""
        return bool(self.old) and median(self.ratios) > SLOWER and sign_interval(self.ratios)[0] > 1

    def row(self) -> str:
        """Return a line of the table."""
        if self.fault:
            return f"{self.case:40} {self.fault}"
        low, high = sign_interval(self.ratios)
        return (
            f"{self.case:40} {1e3 * median(self.old):9.2f} {1e3 * median(self.new):9.2f} "
            f"{median(self.ratios):7.3f}  {low:.3f} to {high:.3f}{'  SLOWER' if self.slower else ''}"
        )


class Commit:
    """A process that times the cases of a commit."""

    def __init__(self, python: str, tree: Path) -> None:
        own = tree / CASES
        environment = os.environ | {"PYTHONPATH": str(tree), "STRUCTKIN_THREADS": "1", "OMP_NUM_THREADS": "1"}
        self._process = subprocess.Popen(
            [python, str(own if own.exists() else HERE / CASES.name)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=tree,
        )  # fmt: skip

    def ask(self, case: str, repeats: int) -> dict[str, Any]:
        """Return the answer: seconds a call, or what went wrong."""
        assert self._process.stdin is not None and self._process.stdout is not None
        print(json.dumps({"case": case, "repeats": repeats}), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        answer: dict[str, Any] = json.loads(line) if line else {"error": "the process ended"}
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def compare(comparison: Comparison, old: Commit, new: Commit, rounds: int) -> None:
    """Time a case in both commits in turn."""
    case = comparison.case
    first = old.ask(case, 1), new.ask(case, 1)
    if faults := [f"{title}: {a['error']}" for title, a in zip(("old", "new"), first, strict=True) if "error" in a]:
        comparison.fault, comparison.lost = "; ".join(faults), "error" not in first[0]
        return
    repeats = max(1, math.ceil(LEAST / max(min(a["seconds"] for a in first), 1e-6)))
    for number in range(rounds):
        order = [(old, comparison.old), (new, comparison.new)]
        for commit, seconds in order if number % 2 else reversed(order):
            seconds.append(commit.ask(case, repeats)["seconds"])


def measure(names: Sequence[str], rounds: int, python: str, trees: Sequence[Path]) -> dict[str, Comparison]:
    """Compare cases, with the rounds divided among fresh processes."""
    found = {name: Comparison(name) for name in names}
    for share in filter(None, (len(range(k, rounds, STARTS)) for k in range(STARTS))):
        old, new = (Commit(python, tree) for tree in trees)
        for number, comparison in enumerate(found.values()):
            if not comparison.fault:
                print(f"\r{number + 1} of {len(found)}: {comparison.case:40}", end="", file=sys.stderr)
                compare(comparison, old, new, share)
        old.close()
        new.close()
    return found


@contextmanager
def checked_out(commits: Sequence[str]) -> Iterator[list[Path]]:
    """Check commits out in folders that are removed afterwards."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        trees = []
        for number, commit in enumerate(commits):
            tree = folder / str(number)
            _git("worktree", "add", "--detach", str(tree), commit)
            stack.callback(_git, "worktree", "remove", "--force", str(tree))
            trees.append(tree)
        yield trees


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True, capture_output=True, cwd=HERE)


def _case_names(only: Sequence[str]) -> list[str]:
    from bench_cases import cases

    return [name for name, _ in cases() if not only or name.startswith(tuple(only))]


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    names = _case_names(options.only)
    with checked_out((options.old, options.new)) as trees:
        found = measure(names, options.rounds, options.python, trees)
        suspects = [name for name, comparison in found.items() if comparison.slower]
        found |= measure(suspects, options.rounds, options.python, trees)
    print(f"\r{'case':40} {'old [ms]':>9} {'new [ms]':>9} {'ratio':>7}  interval")
    for comparison in found.values():
        print(comparison.row())
    slower, lost = sum(c.slower for c in found.values()), sum(c.lost for c in found.values())
    print(f"{len(found)} cases, {slower} slower, {lost} that run only in the old commit")
    return 1 if slower else 2 if lost else 0


if __name__ == "__main__":
    sys.exit(main())
