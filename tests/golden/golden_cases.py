"""The mechanisms whose results are stored: every example, and two hundred random ones with all kinds of joints."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import structkin as sk
from structkin.examples import names, path

sys.path.insert(0, str(Path(__file__).parents[1] / "solve"))
sys.path.insert(0, str(Path(__file__).parents[1] / "dynamics"))
sys.path.insert(0, str(Path(__file__).parents[1] / "global_methods"))
from cam_samples import KINDS, cam_file
from coordinate_samples import MIXED, SLOTS, circular_slot, three_cranks
from geneva_samples import geneva, geneva_linkage
from loaded import loaded, named, released
from random_mechanisms import DRIVEN, DYADS, OTHERS, Menu, build

del sys.path[:3]

Make = Callable[[], sk.Mechanism]

#: Elements of the random mechanisms, in turn: the ordinary mixture, wheels, triads and larger groups, chains of dyads.
MENUS: tuple[Menu | None, ...] = (None, MIXED, OTHERS, (*DYADS, *DRIVEN))
RANDOM, LOADED = 200, 40


def compiled(name: str) -> bool:
    """Whether the compiled engines are compared too: for one in ten random ones, as each compiles separately."""
    kind, _, number = name.partition("/")
    return kind != "random" or int(number) % 10 == 0


def with_circuits(name: str) -> bool:
    """Whether all circuits are searched: of the examples and one in ten random ones, as some take minutes."""
    kind, _, number = name.partition("/")
    return kind == "example" or (kind == "random" and int(number) % 20 in (0, 3))


def kinematic() -> Iterator[tuple[str, Make]]:
    """Yield name and maker of each mechanism whose motion is stored."""
    for name in names():
        yield f"example/{name}", lambda name=name: sk.load(path(name))
    for seed in range(RANDOM):
        menu = MENUS[seed % len(MENUS)]
        elements = 1 + seed // len(MENUS) % 4
        yield f"random/{seed}", lambda seed=seed, n=elements, menu=menu: _random(seed, n, menu)
    for seed, (kind, contact) in enumerate(KINDS):
        rng = np.random.default_rng(seed)
        yield (
            f"cam/{kind}-{contact}",
            lambda k=kind, c=contact, rng=rng: sk.Mechanism.from_dict(cam_file(k, c, rng)),
        )
    yield "geneva", geneva
    yield "geneva-linkage", geneva_linkage
    for where in SLOTS:
        yield f"circular-slot/{where}", lambda where=where: circular_slot(where)
    yield "three-cranks", three_cranks


def _random(seed: int, elements: int, menu: Menu | None) -> sk.Mechanism:
    """A random mechanism; K distinguishes points from links by their names, so these differ."""
    return sk.Mechanism.from_dict(named(build(seed, elements, menu=menu).data))


def dynamic() -> Iterator[tuple[str, Make, Make]]:
    """Yield name, a mechanism with prescribed drivers under loads, and the same with some of them free."""
    for seed in range(LOADED):
        menu = MIXED if seed % 2 else None
        yield (
            f"loaded/{seed}",
            lambda seed=seed, menu=menu: loaded(seed, menu=menu),
            lambda seed=seed, menu=menu: released(seed, menu=menu),
        )
