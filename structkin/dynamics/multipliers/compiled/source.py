"""The text of the equations with multipliers, compiled and as plain Python, and the arrays that it works on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from inspect import isfunction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from structkin.dynamics import load_formulas
from structkin.dynamics.bodies import mass_table, moving_masses
from structkin.dynamics.compiled import curves_at, loads_at
from structkin.dynamics.compiled.packing import Laws, curve_parts, load_parts, mass_sums
from structkin.dynamics.compiled.source import memory_texts
from structkin.dynamics.driver_coordinates import lines
from structkin.dynamics.load_table import load_table
from structkin.dynamics.multipliers import whole
from structkin.dynamics.multipliers.compiled import equations_at, factors_at, memory, rows_at
from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory
from structkin.dynamics.multipliers.kkt import signs
from structkin.dynamics.multipliers.stabilisation import Augmented, Feedback, Partitioning, Projection
from structkin.kernels.text import Text
from structkin.model import formula_at
from structkin.model.topology import DRIVER_KINDS
from structkin.rows.affine import frames_in_slots

if TYPE_CHECKING:
    from structkin.dynamics.multipliers.multiplier_equations import Multipliers


def _memory_texts() -> Iterator[str]:
    yield from memory_texts()
    yield Path(memory.__file__).read_text(encoding="utf-8")


_PARTS = (load_formulas, formula_at, curves_at, loads_at, rows_at, factors_at, equations_at)
CONSTRAINED = Text("multipliers", "equations with multipliers", _PARTS, reads=_memory_texts, entries=True)

#: Functions of the text that plain Python replaces by methods of `Multipliers`: always, and by arrays.
_OWN = ("factor", "solve", "find_seconds", "part", "solve_parts", "apply_functions")
_BY_ARRAYS = ("find_frames", "add_frames", "find_rows", "find_masses", "find_gamma", "weigh_seconds")
_WHOLE = tuple(
    name for name, one in vars(whole).items() if isfunction(one) and one.__module__ == whole.__name__ and name[0] != "_"
)


@cache
def compiled_functions() -> Mapping[str, Any]:
    """Return the compiled functions; they are compiled at the first call on this machine."""
    from structkin.dynamics.compiled.native_memory import Functions

    return Functions(CONSTRAINED, ConstrainedMemory)


@cache
def plain_functions(*, by_arrays: bool) -> dict[str, Any]:
    """Return the functions as plain Python, number by number or by arrays."""
    names = CONSTRAINED.plain()
    names.update({name: _method(name) for name in (*_OWN, *(_BY_ARRAYS if by_arrays else ()))})
    if by_arrays:
        names.update({name: getattr(whole, name) for name in _WHOLE})
    return names


def _method(name: str) -> Callable[..., Any]:
    return lambda mem, *args: getattr(mem.own, name)(mem, *args)


# --- the arrays of equations ------------------------------------------------------------------------------------------


def packed(equations: Multipliers) -> ConstrainedMemory:
    """Return the arrays of equations; without rows where some have no formula."""
    c, masses, mechanism = equations.coordinates, equations.masses, equations.mechanism
    laws = Laws()
    loads = _loads(equations, laws)
    motion = [laws.add(law) for _, law in equations.prescribed]
    n, m, links, frames = c.n, c.m, len(c.links), 4 * len(c.links)
    q = c.start()
    X_rows, X_columns, entries = c.frame_map(q)
    first, second, factors, out = masses.terms
    how = equations.stabilisation
    gains = how.feedback if isinstance(how, Augmented) else how if isinstance(how, Feedback) else Feedback()
    solved, parts = n + m - equations.kkt.redundant, n if isinstance(how, Partitioning) else 0
    rows = c.arrays()
    return ConstrainedMemory({
        "n": n, "m": m, "linear_constant": m, "turning": [0, 0], "x": 3 * n, **rows,
        "entry": 2 * len(rows.get("entry_row", ())), "row_weight": len(rows.get("row_constant", ())),
        "closes": isinstance(how, Partitioning), "projects": isinstance(how, Projection),
        "map_row": X_rows, "map_column": X_columns, "map": np.append(entries[:, 0], rows.get("turned_entries", ())),
        "X": 3 * frames, "X_zero": (c.frames(0 * q))[:, 0], "theta": links, "omega": links, "pivot": 2 * links,
        "M": masses.entries(entries[:, 0]), "M_row": masses.pattern[0], "M_column": masses.pattern[1],
        "A": len(c.pattern[0]), "A_row": c.pattern[0], "A_column": c.pattern[1],
        "product_out": out, "product_one": first, "product_two": second, "product": factors,
        **mass_sums(range(0, frames, 2), moving_masses(mass_table(mechanism), frames_in_slots(c.links))),
        "weight": equations.frame_masses.weight,
        **laws.parts(), "motion": motion, "jolt": len(motion),
        **loads, "z": 3 * len(motion), "unit_q": c.column_units, "unit_row": c.row_units,
        "kept": solved - n, "kept_place": m, "signs": signs(solved - n), "right": solved,
        "phi": m, "nu": m, "gamma": m, "asked": m, "on_frames": 2 * frames, "force": n,
        "alpha": gains.alpha, "beta": gains.beta, "chosen": len(equations.free) if parts else 0,
        "part_signs": signs(parts), "part_right": parts, "near": parts, "least": np.inf,
        "drawn": np.angle([mechanism.links[link].direction for link in c.links]), "held": links,
        "turns": links, "turn_rates": links, "new_turns": links,
    })  # fmt: skip


def _loads(equations: Multipliers, laws: Laws) -> dict[str, Any]:
    """Return the loads and efforts on the frames of the links."""
    mechanism, links = equations.mechanism, equations.coordinates.links
    table = load_table(mechanism)
    frames, given = frames_in_slots(links), mechanism.forces.efforts
    for law in table.laws:
        laws.add(law)
    drives = [mechanism.drivers[id] for id in equations.order if id in given]
    read = lines(mechanism, frames, drives)
    places = table.expressions(frames)
    efforts = [
        (DRIVER_KINDS.index(line.kind), len(places) + 2 * k, len(places) + 2 * k + 1, laws.add(given[drive.id]))
        for k, (line, drive) in enumerate(zip(read, drives, strict=True))
    ]
    places = [*places, *(part for line in read for part in (line.first, line.second))]
    torsions = table.named.get("torsions", ())
    return (
        load_parts(equations, table, range(0, 4 * len(links), 2), places)
        | curve_parts(table.curves)
        | {
            "efforts": efforts,
            "torsion_links": [[links.index(x) if x in links else -1 for x in load.links] for load in torsions],
        }
    )
