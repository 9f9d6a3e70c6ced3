"""From equations with multipliers to the arrays of `memory`."""

from __future__ import annotations

from typing import Any

import numpy as np

from structkin.dynamics.bodies import mass_table, moving_masses
from structkin.dynamics.compiled.formulas import Laws
from structkin.dynamics.compiled.packing import DEEP, affine_terms, mass_sums
from structkin.dynamics.driver_coordinates import lines
from structkin.dynamics.multipliers.compiled.memory import ConstrainedMemory
from structkin.dynamics.multipliers.equations import Multipliers
from structkin.dynamics.multipliers.kkt import signs
from structkin.dynamics.multipliers.partitioning import Partitioning
from structkin.dynamics.multipliers.projection import Projection
from structkin.dynamics.multipliers.stabilisation import Feedback
from structkin.rows.affine import frames_in_slots

#: The kinds of drivers' coordinates, in the order of `equations_at.add_efforts`.
KINDS = ("angle", "slide", "distance")


def packed(equations: Multipliers) -> ConstrainedMemory | None:
    """Return the arrays of equations that were evaluated once; None where a row or a load is not a formula."""
    c, kkt, masses = equations.coordinates, equations.kkt, equations.masses
    rows = c.arrays()
    if rows is None or equations.users:
        return None
    laws = Laws()
    loads = _loads(equations, laws)
    motion = [laws.add(law) for _, law in equations.prescribed]
    form, scale, ptr, data = laws.arrays()
    n, m, frames = c.n, c.m, 4 * len(c.links)
    kept = np.arange(m) if kkt.rows is None else kkt.rows
    q = c.start()
    X_rows, X_columns, entries = c.frame_map(q)
    mass = np.zeros((n, n))
    mass[masses.pattern] = masses.entries(entries[:, 0])
    first, second, factors, out = masses.terms
    stabilisation = equations.stabilisation
    gains = stabilisation if isinstance(stabilisation, Feedback) else Feedback()
    chosen = stabilisation.chosen if isinstance(stabilisation, Partitioning) else None
    parts = 0 if chosen is None else n
    return ConstrainedMemory({
        "chosen": 0 if chosen is None else chosen, "parted": parts * n, "part_pivots": parts, "part_right": parts,
        "part_signs": signs(parts), "closed": 2 * parts,
        "n": n, "m": m, "linear_constant": m, "turning": [0, 0], "x": 3 * n, **rows,
        "map_row": X_rows, "map_column": X_columns, "map": np.append(entries[:, 0], rows.get("turned_entries", ())),
        "X": 3 * frames, "X_zero": (c.frames(0 * q))[:, 0], "theta": len(c.links), "omega": len(c.links),
        "pivot": 2 * len(c.links), "entry": 2 * len(rows["entry_row"]), "row_weight": len(rows["row_constant"]),
        "mass_terms": np.stack((masses.pattern[0][out], masses.pattern[1][out], first, second), axis=1),
        "mass_term": factors,
        **mass_sums(range(0, frames, 2), moving_masses(mass_table(equations.mechanism), frames_in_slots(c.links))),
        "weight": equations.frame_masses.weight,
        "law_form": form, "law_ptr": ptr, "law_scale": scale, "law_data": data, "stack": 3 * DEEP, "motion": motion,
        **loads, "z": 3 * len(motion), "kept": kept, "unit_q": c.column_units, "unit_row": c.row_units,
        "size": kkt.size, "signs": signs(len(kept)), "M": mass, "A": m * n, "K": (n + len(kept)) ** 2,
        "pivots": n + len(kept), "right": n + len(kept), "phi": m, "nu": m, "gamma": m, "asked": m,
        "on_frames": 2 * frames, "force": n, "second": n, "alpha": gains.alpha, "beta": gains.beta,
        "projects": isinstance(stabilisation, Projection), "drawn": equations.turns.sketch, "held": len(c.links),
        "turns": len(c.links), "turn_rates": len(c.links), "new_turns": len(c.links),
    })  # fmt: skip


def _loads(equations: Multipliers, laws: Laws) -> dict[str, Any]:
    """Return the loads and efforts on the frames of the links."""
    mechanism, links, table = equations.mechanism, equations.coordinates.links, equations.loads.table
    frames, given = frames_in_slots(links), mechanism.forces.efforts
    for law in table.laws:
        laws.add(law)
    drives = [mechanism.drivers[id] for id in equations.order if id in given]
    read = lines(mechanism, frames, drives)
    places = table.expressions(frames)
    efforts = [
        (KINDS.index(line.kind), len(places) + 2 * k, len(places) + 2 * k + 1, laws.add(given[drive.id]))
        for k, (line, drive) in enumerate(zip(read, drives, strict=True))
    ]
    places = [*places, *(part for line in read for part in (line.first, line.second))]
    ptr, rows, factors, constants = affine_terms(range(0, 4 * len(links), 2), places)
    torsions = table.named.get("torsions", ())
    return {
        **table.parts(), "term_ptr": ptr, "term_row": rows, "factor": factors, "const": constants,
        "places": 6 * len(places), "efforts": efforts,
        "torsion_links": [[links.index(x) if x in links else -1 for x in load.links] for load in torsions],
        "friction_limits": equations.loads.friction_limits,
        "met": [equations.impacts.get(id, np.nan) for id in equations.contacts],
        "touches": 2 * len(equations.contacts),
    }  # fmt: skip
