"""Store results once, and report what differs from them later.

    python tests/golden/golden_store.py record           measure every mechanism and store the results
    python tests/golden/golden_store.py compare          measure again, and list what differs
    ... --only example/ --only random/1                  cases whose names begin so

Stored are the motion by groups, with K, L and jerk, limits, assemblies, circuits, forces, right-hand sides and one
trajectory with the tightest tolerance; of every other method and formulation its statuses alone, since its values are
compared with those of the first. Intended differences are listed in `intended.toml`, each with its reason.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
from golden_cases import compiled, dynamic, kinematic, with_circuits
from golden_results import RTOL, Results, dynamic_results, kinematic_results

HERE = Path(__file__).parent
KEPT = HERE / "golden.npz"
INTENDED = HERE / "intended.toml"

#: Values agree to this times the condition number of the equations; rates near change points to the second value.
CLOSE, BESIDE = 1e-12, 1e-9
#: Results of links, by the order of derivative that they belong to.
ANGLES = ("angle", "omega", "alpha")


@dataclass(frozen=True)
class Difference:
    """A result that differs from the stored one: by how much, in units of the tolerance."""

    case: str
    result: str
    factor: float

    def __str__(self) -> str:
        return f"{self.case:24} {self.result:50} {self.factor:.3g} times the tolerance"


def measure(name: str) -> Results:
    """The results of one case by its name."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for case, make in kinematic():
            if case == name:
                return kinematic_results(make(), compiled=compiled(name), circuits=with_circuits(name))
        for case, prescribed, free in dynamic():
            if case == name:
                return dynamic_results(prescribed(), free())
    raise KeyError(name)


def case_names() -> list[str]:
    """All cases, kinematic ones first."""
    return [name for name, *_ in (*kinematic(), *dynamic())]


def is_kept(result: str) -> bool:
    """Whether a result is stored; values of other methods are compared with those of the first."""
    head, *_, last = result.split("/")
    if head == "method":
        return last == "status"
    if head == "rhs":
        return result.endswith("/reduced/-/python")
    return head != "run" or "exact" in result


def reference(result: str) -> str:
    """The stored result that a result is compared with."""
    head, *middle, last = result.split("/")
    if is_kept(result):
        return result
    if head == "method":
        return f"motion/{last}"
    return f"rhs/{middle[0]}/reduced/-/python" if head == "rhs" else "run/exact/points"


def differences(case: str, kept: Results, found: Results) -> Iterator[Difference]:
    """Yield the results that differ from the stored ones."""
    for result in sorted({*kept, *(name for name in found)}):
        if result.endswith("condition"):
            continue
        other = reference(result)
        if result not in found or other not in kept:
            yield Difference(case, result, np.inf)
            continue
        factor = _factor(result, np.asarray(kept[other]), np.asarray(found[result]), kept)
        if not factor <= 1:
            yield Difference(case, result, factor)


def _factor(result: str, old: Any, new: Any, kept: Results) -> float:
    """The difference over the tolerance; infinite where shapes, statuses or samples without a value differ."""
    if old.shape != new.shape:
        return np.inf
    if result.endswith("status"):
        return 0.0 if np.array_equal(old, new) else np.inf
    if result.endswith("angle"):
        # A first angle of half a turn may have either sign.
        first = np.argmax(np.isfinite(old) & np.isfinite(new), axis=0), np.arange(old.shape[1])
        new = new + 2 * np.pi * np.nan_to_num(np.round((old[first] - new[first]) / (2 * np.pi)))
    if result.startswith("method/") and not np.array_equal(np.isnan(old), np.isnan(new)):
        both = np.isfinite(old) & np.isfinite(new)  # statuses are compared separately
        old, new = np.where(both, old, 0.0), np.where(both, new, 0.0)
    if not np.array_equal(np.isnan(old), np.isnan(new)):
        return np.inf
    if not old.size:
        return 0.0
    gap, scale = np.abs(np.nan_to_num(new - old)), np.abs(np.nan_to_num(old))
    if result.startswith("run/"):
        return float(gap.max() / (100 * RTOL * max(scale.max(), 1e-3)))
    head = result.split("/", maxsplit=1)[0]
    if head in ("motion", "method", "forces"):
        condition = np.minimum(kept["forces/condition" if head == "forces" else "motion/condition"], BESIDE / CLOSE)
        gap, scale = (a.reshape(len(a), -1).max(axis=1) for a in (gap, scale))
        # A quantity that vanishes at a sample is scaled by its size over the motion, angles by their effect on points.
        scale = np.maximum(scale, max(1e-3 * scale.max(), _least(result.rsplit("/", maxsplit=1)[-1], kept)))
        return float(np.max(gap / np.where(scale > 0, CLOSE * condition * scale, CLOSE)))
    return float(gap.max() / (BESIDE * max(scale.max(), 1e-6)))


def _least(quantity: str, kept: Results) -> float:
    """The least scale of an angle or its rate: that of the points' rates over the mechanism's size."""
    if quantity not in ANGLES:
        return 0.0
    rate = kept["motion/" + ("position", "velocity", "acceleration")[ANGLES.index(quantity)]]
    size = np.nan_to_num(np.ptp(kept["motion/position"], axis=1)).max() or 1.0
    return 1.0 if quantity == "angle" else float(np.nan_to_num(np.abs(rate)).max() / size)


def load(only: tuple[str, ...] = ()) -> dict[str, Results]:
    """The stored results by case."""
    out: dict[str, Results] = {}
    with np.load(KEPT) as file:
        for key in file.files:
            case, result = key.split("|")
            if chosen(case, only):
                out.setdefault(case, {})[result] = file[key]
    return out


def chosen(case: str, only: tuple[str, ...]) -> bool:
    """Whether a case begins with one of these, if there are any."""
    return not only or case.startswith(only)


def intended() -> list[dict[str, str]]:
    """The reviewed list of intended differences: patterns of cases and results, and why."""
    return list(tomllib.loads(INTENDED.read_text()).get("difference", []))


def is_intended(difference: Difference) -> bool:
    """Whether a difference is on the reviewed list."""
    return any(fnmatch(difference.case, e["case"]) and fnmatch(difference.result, e["result"]) for e in intended())


def _record(names: list[str], workers: int, only: tuple[str, ...]) -> int:
    held: dict[str, Results] = load() if KEPT.exists() and only else {}
    with ProcessPoolExecutor(workers) as pool:
        for name, results in zip(names, pool.map(measure, names), strict=True):
            held[name] = {key: value for key, value in results.items() if is_kept(key)}
            print(name, flush=True)
            for own in differences(name, held[name], results):
                print("   by another method:", own)
    np.savez_compressed(KEPT, **{f"{case}|{key}": value for case, part in held.items() for key, value in part.items()})
    return 0


def _compare(names: list[str], workers: int, only: tuple[str, ...]) -> int:
    kept, unexpected = load(only), 0
    if missing := [name for name in names if name not in kept]:
        print("not stored, and not measured:", *missing)
    names = [name for name in names if name in kept]
    with ProcessPoolExecutor(workers) as pool:
        for name, results in zip(names, pool.map(measure, names), strict=True):
            for difference in differences(name, kept[name], results):
                meant = is_intended(difference)
                unexpected += not meant
                print(difference, "(intended)" if meant else "", flush=True)
    print(f"{len(names)} cases, {unexpected} differences that are not on the list")
    return 1 if unexpected else 0


def main() -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["record", "compare"])
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    only = tuple(options.only)
    names = [name for name in case_names() if chosen(name, only)]
    if not names:
        parser.error(f"no case begins with {' or '.join(only)}")
    return (_record if options.what == "record" else _compare)(names, options.workers, only)


if __name__ == "__main__":
    sys.exit(main())
