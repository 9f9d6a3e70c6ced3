"""The effort of the driver of many variants at once, where it alone balances masses and gravity."""

from __future__ import annotations

import numpy as np

from structkin.dynamics.bodies import mass_table
from structkin.model.mechanism import GROUND
from structkin.numerical_tolerances import VISIBLE
from structkin.solve.many.together import Together
from structkin.types import Floats


def effort_of_variants(together: Together) -> Floats | None:
    """Return the torque or force (v, n) [N m or N] of the only driver, by the power that it supplies.

    That of all links is sum m (a - g) . v + I alpha omega, the driver's its effort times its rate. None where there are
    other loads or drivers, where masses differ in other ways than by dimensions, or where the driver rests at a sample.
    """
    m, plan = together.mechanism, together.many.plan
    if len(m.drivers) != 1 or m.forces.loads or not together.same_masses:
        return None
    mass_table(m)
    x, g = together.lanes.x, np.array([m.forces.gravity.real, m.forces.gravity.imag])
    item = next((item for item in plan.drivers if item.angular == (m.drivers[item.driver].kind == "angle")), None)
    if item is None:
        return None
    rows = plan.rows(item.register)
    if item.angular:
        (c, s), (dc, ds) = x[0, rows], x[1, rows]
        rate = item.sign * (c * ds - s * dc)
    else:
        rate = x[1, rows.start]
    rate = rate.reshape(together.count, -1)
    if not (np.abs(rate) > VISIBLE * np.abs(rate).max()).all():
        return None
    power = np.zeros(rate.shape)
    for name, link in together.many.links.items():
        if name == GROUND:
            continue
        if link.mass is not None and link.center is not None:
            v, a = together.rates(name, link.center)
            power += together.column(link.mass) * ((a - g) * v).sum(axis=-1)
        if link.inertia is not None:
            power += together.column(link.inertia) * (together.omega(name) * together.alpha(name))
    return np.asarray(power / rate)
