"""What `compare_commits.py` measures, and the process that measures it.

Each case makes its mechanism and returns the timed work: a public call, and every array of its result. The names of
public calls appear only here: each commit is measured with its own copy of this file.

As a program it reads lines of JSON from standard input, {"case": name, "repeats": k}, and answers {"seconds":
processor time of one call}. Before a case is first timed it runs once, so that kernels are compiled; the previous
case is dropped.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import structkin as sk
from structkin.bench.dynamics.cases import four_bar, windows
from structkin.bench.groups import platforms
from structkin.bench.mechanism import scalable_four_bar
from structkin.dynamics import simulate  # the method is newer than some commits that this has to run in
from structkin.examples import path

#: The timed work, and what prepares it.
Work = Callable[[], object]
Make = Callable[[], Work]

DYADS = ("crank_rocker", "jansen_leg", "whitworth_shaper", "geneva", "planetary_train", "excavator")
#: Dyads of the scalable four-bar and the samples they are solved at.
CHAINS = ((17, 3600), (71, 3600), (500, 720))


def cases() -> Iterator[tuple[str, Make]]:
    """Yield name and maker of each case."""
    for name in DYADS:
        for samples in (1, 100, 10_000):
            yield f"solve/{name}/{samples}", partial(_solve, partial(_example, name), samples)
    for dyads, samples in CHAINS:
        # earlier commits have these names
        for name, engine in (("numpy", "python"), ("numba", "compiled")):
            chain = partial(scalable_four_bar, dyads)
            yield f"chain/{name}/{dyads}", partial(_solve, chain, samples, engine=engine)
            yield (
                f"chain-kl/{name}/{dyads}",
                partial(_solve, chain, samples, engine=engine, method="topological-kl"),
            )
    for title, make in (
        ("general", partial(_example, "elliptic_trammel")),
        ("triad", partial(_example, "stephenson_iii_triad")),
        ("triads", partial(platforms, 1, 5)),
        ("class IV", class_iv),
        ("double triad", partial(_example, "eight_bar_double_triad")),
    ):
        for samples in (100, 3600):
            yield f"group/{title}/{samples}", partial(_solve, make, samples)
    for method in ("global", "global-sparse", "global-triangular"):
        for name in ("crank_rocker", "eight_bar_double_triad"):
            yield f"{method}/{name}", partial(_solve, partial(_example, name), 200, method=method)
    for name in ("triple_rocker", "stephenson_iii_triad", "excavator"):
        yield f"limits/{name}", partial(_limits, name)
    for name in ("crank_rocker", "platform_3rrr"):
        yield f"assemblies/{name}", partial(_assemblies, name)
    for name in ("watt_six_bar", "stephenson_iii_triad"):
        yield f"circuits/{name}", partial(_circuits, name)
    for name in ("crank_rocker", "planetary_train", "stephenson_iii_triad"):
        yield f"forces/{name}", partial(_forces, name)
    yield "simulate/reduced/four-bar", partial(_simulate, four_bar, 0.3, "reduced")
    yield "simulate/reduced/windows", partial(_simulate, partial(windows, 40), 0.1, "reduced")
    yield "simulate/reduced compiled/four-bar", partial(_simulate, four_bar, 2.0, "reduced", engine="compiled")
    yield "simulate/multipliers/four-bar", partial(_simulate, four_bar, 0.3, "multipliers")
    yield "simulate/reduced/two discs", partial(_simulate, two_discs, 0.001, "reduced")
    # Dyads, a triad, cams, a slot along a curve, two freedoms; then a function of the user's, and a fixed step.
    for name in ("jansen_leg", "stephenson_iii_triad", "cam_lever_press", "garage_door", "five_bar_two_drivers"):
        yield f"simulate/python/{name}", partial(_simulate, partial(released, name), 0.3, "reduced", engine="python")
    yield "simulate/python/own load", partial(_simulate, four_bar, 0.3, "reduced", engine="python", loads=[wind])
    yield (
        "simulate/python/rk4",
        partial(_simulate, four_bar, 0.3, "reduced", engine="python", integrator="rk4", step=1e-3),
    )


def _example(name: str) -> sk.Mechanism:
    return sk.load(path(name))


def released(name: str) -> sk.Mechanism:
    """An example whose drivers are free, with a mass in each link that has none, and gravity."""
    data = _example(name).source_dict
    for driver in data["drivers"].values():
        for key in ("speed", "law", "table", "start"):
            driver.pop(key, None)
    for link, given in data["links"].items():
        entry = data["links"][link] = given if isinstance(given, dict) else {"points": given}
        if link != "ground" and not entry.keys() & {"mass", "shape", "density", "point_masses"}:
            entry |= {"mass": 1.0, "center": [0.01, 0.02], "inertia": 0.01}
    data["forces"] = {"gravity": [0, -9.81]}
    return sk.Mechanism.from_dict(data)


def wind(t: Any, state: Any) -> list[sk.Force]:
    """A force on the coupler's end."""
    return [sk.Force("C", (0.1, 0.0))]


def class_iv() -> sk.Mechanism:
    """A crank and a group of class IV: two three-pin links and two bars between them, in a ring."""
    return sk.Mechanism(
        "Class IV",
        points={
            "A": (0, 0), "B": (0.1, 0), "C": (0.5, 2), "D": (1.5, 2.4), "E": (1, 4), "F": (2.6, 3.2), "G": (3, 1),
        },
        links={
            "ground": ["A", "G"], "crank": ["A", "B"], "left": ["B", "C", "D"], "right": ["G", "E", "F"],
            "bar": ["C", "E"], "rod": ["D", "F"],
        },
        drivers={"motor": {"joint": "A", "speed": 1.0}},
    )  # fmt: skip


def two_discs() -> sk.Mechanism:
    """Two free discs of 0.1 m on the ground, the left one rolling up against the right one, which is at rest."""
    points: dict[str, Any] = {"A": (0, 0), "B": (1, 0)}
    links: dict[str, Any] = {"ground": ["A", "B"]}
    joints, drivers, forces = {}, {}, dict[str, Any](gravity=(0, -9.81))
    for k, x in enumerate((0.0, 0.2002)):
        points |= {f"F{k}": (x, 0.1), f"P{k}": (x, 0.1)}
        links |= {f"slide{k}": [f"F{k}"], f"lift{k}": [f"P{k}"]}
        links[f"disc{k}"] = {"points": [f"P{k}"], "mass": 2, "inertia": 0.01}
        joints[f"x{k}"] = {"type": "prismatic", "links": ["ground", f"slide{k}"], "at": f"F{k}", "axis": [1, 0]}
        joints[f"y{k}"] = {"type": "prismatic", "links": [f"slide{k}", f"lift{k}"], "at": f"P{k}", "axis": [0, 1]}
        drivers |= {f"along{k}": {"joint": f"x{k}"}, f"up{k}": {"joint": f"y{k}"}}
        drivers[f"turn{k}"] = {"links": ["ground", f"disc{k}"]}
        line = {"center": f"P{k}", "radius": 0.1, "along": ["A", "B"], "links": [f"disc{k}", "ground"]}
        forces[f"floor{k}"] = {"type": "contact", "stiffness": 1e7, "friction": 0.3, **line}
    circles = {"centers": ["P0", "P1"], "radii": [0.1, 0.1], "links": ["disc0", "disc1"]}
    forces["touch"] = {"type": "contact", "stiffness": 1e7, "restitution": 0.8, **circles}
    sunk = (2 * 9.81 / 1e7) ** (1 / 1.5)
    initial = {"along0": {"speed": 0.3}, "turn0": {"speed": -3.0}, "up0": {"value": -sunk}, "up1": {"value": -sunk}}
    return sk.Mechanism(
        "Two discs", points=points, links=links, joints=joints, drivers=drivers, forces=forces, initial=initial
    )


def _solve(make: Callable[[], sk.Mechanism], samples: int, **how: Any) -> Work:
    m = make()
    drivers: dict[str, Any] | None = None
    if not all(drive.law for drive in m.drivers.values()):
        drivers = {id: [0.01 * k for k in range(samples)] for id in m.drivers}
    call = partial(m.solve, drivers=drivers, **how) if drivers else partial(m.solve, samples, **how)
    try:
        call()
    except sk.InputError:
        call = partial(call, duration=1.0)
    return lambda: _read(call())


def _read(motion: Any) -> list[Any]:
    """Read every array of a motion, of its points and links."""
    m = motion.mechanism
    of_points = (motion.position, motion.velocity, motion.acceleration)
    of_links = (motion.angle, motion.omega, motion.alpha)
    found = [read(point) for point in m.points for read in of_points]
    return found + [read(link) for link in m.links for read in of_links] + [motion.status, motion.failed_group]


def _limits(name: str) -> Work:
    m = _example(name)
    return lambda: [m.limits(driver).intervals for driver in m.drivers]


def _assemblies(name: str) -> Work:
    m = _example(name)
    return lambda: [found.position(point) for found in m.assemblies() for point in m.points]


def _circuits(name: str) -> Work:
    m = _example(name)
    return lambda: m.circuits().report


def _forces(name: str) -> Work:
    m = _example(name)
    motion = m.solve(1000)
    pins = [(joint.id, joint.links[0]) for joint in m.topology.joints if joint.kind == "R"]

    def work() -> object:
        forces = motion.forces()
        return [forces.driver(id) for id in m.drivers] + [forces.reaction(*pin) for pin in pins]

    return work


def _simulate(make: Callable[[], sk.Mechanism], end: float, formulation: str, **how: Any) -> Work:
    m = make()
    run = getattr(m, "simulate", None) or partial(simulate, m)
    return lambda: _read(run(end, samples=21, formulation=formulation, **how))


def serve() -> None:
    """Answer requests until there are no more."""
    known, ready = dict(cases()), dict[str, Work]()
    for line in sys.stdin:
        request = json.loads(line)
        name = request["case"]
        try:
            if name not in ready:
                ready.clear()
                ready[name] = known[name]()
                ready[name]()
            answer = {"seconds": seconds(ready[name], request["repeats"])}
        except Exception as error:  # a case unknown to one of the commits does not end the comparison
            answer = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
        print(json.dumps(answer), flush=True)


def seconds(work: Work, repeats: int) -> float:
    """Return the processor time of one call [s]."""
    gc.collect()
    began = time.process_time()
    for _ in range(repeats):
        work()
    return (time.process_time() - began) / repeats


if __name__ == "__main__":
    serve()
