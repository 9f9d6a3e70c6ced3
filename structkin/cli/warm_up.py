"""`structkin warm-up`: compile at once what is compiled once for an installation."""

from __future__ import annotations

import errno
import os
from concurrent.futures import as_completed

import numpy as np

from structkin.cli.terminal import progress, say
from structkin.compiled import cache_folder, private_folder
from structkin.errors import InputError, Problem
from structkin.examples import names, path
from structkin.kernels.choice import check_engine
from structkin.model import Mechanism

#: What is compiled besides what the examples need.
_EQUATIONS, _LINKAGES, _TRIADS = "equations of motion", "loops over linkages", "loop over linkages with triads"


def warm_up() -> None:
    """Compile at once what is compiled once for this installation: for images, clusters and demonstrations."""
    check_engine("compiled", "warm-up")
    try:
        folder = private_folder(cache_folder())
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        hint = "STRUCTKIN_CACHE names another folder"
        raise InputError([Problem(str(cache_folder()), f"cannot be used: {error.strerror or error}", hint)]) from None
    from structkin.solve.compiled_run import thread_count
    from structkin.solve.study.work import processes

    work = [_TRIADS, _EQUATIONS, _LINKAGES, *names()]  # the longest first
    with progress("compiling") as report, processes(thread_count()) as submit:
        for done, task in enumerate(as_completed([submit(_compile, name) for name in work]), 1):
            task.result()
            report(done / len(work))
    say(f"compiled, and kept in {folder}")


def _compile(name: str) -> None:
    """Compile what an example needs; or the equations of motion, or a loop over linkages, each one text for all."""
    if name == _EQUATIONS:
        # So short a time [s] is one step: every function is called.
        _pendulum().simulate(1e-6, samples=2, engine="compiled")
        return
    if name in (_LINKAGES, _TRIADS):
        from structkin.solve.batch import Linkages, solve_batch
        from structkin.solve.batch.runner import COMPILING, FEW_TRIADS, LEAST

        if name == _TRIADS:
            linkages = Linkages.random(2 * FEW_TRIADS, 6, turning=True, triads=1.0)
            _ = solve_batch(linkages, angles=np.linspace(0, 2 * np.pi, 3)).status
            return
        count = int(COMPILING / LEAST) + 1  # so many that they are not solved one by one
        for sliders in (0.0, 1.0):
            _ = solve_batch(Linkages.random(count, 4, turning=True, sliders=sliders), angles=[0.0, 0.1]).status
        return
    from structkin.dynamics.compiled.source import kind_of
    from structkin.solve.special_geometry import compile_plan

    mechanism = Mechanism.load(path(name))
    for method in ("topological", "topological-kl"):
        motion = mechanism.solve(3, method=method, engine="compiled", duration=1e-3)
    for point in mechanism.points:
        motion.K(point)
    plan = compile_plan(mechanism)
    for step in plan.steps:
        kind = kind_of(plan, step)
        if kind is not None:
            _ = kind[0].loaded("step").address


def _pendulum() -> Mechanism:
    return Mechanism(
        points={"A": (0, 0), "B": (1, 0)},
        links={"ground": ["A"], "rod": {"points": ["A", "B"], "mass": 1.0, "shape": "rod"}},
        drivers={"swing": {"joint": "A"}},
        forces={"gravity": (0, -9.81)},
    )
