"""The value of a law at one time. The text of this module becomes part of the compiled one."""

from __future__ import annotations

from math import nan

from structkin.dynamics.compiled.memory import LoadMemory
from structkin.model.formula_at import formula_at
from structkin.numerical_tolerances import ROUNDING


def law_at(mem: LoadMemory, law: int, t: float) -> tuple[float, float, float]:
    """Return value, rate and second rate of a law at a time; NaN outside its table."""
    form, scale = mem.law_form[law], mem.law_scale[law]
    first, last = mem.law_ptr[law], mem.law_ptr[law + 1]
    data = mem.law_data
    if form == 0:
        start, speed = data[first][0], data[first][1]
        return scale * (start + speed * t), scale * speed, 0.0
    if form == 1:
        v, d, dd, _ = formula_at(data, first, last, t, mem.stack)
        return scale * v, scale * d, scale * dd
    begin, end = data[first][0], data[last - 1][0]
    inside = min(max(t, begin), end)
    # As in `structkin.model.laws`: a time beyond an end by rounding only counts as the end.
    if not abs(t - inside) <= ROUNDING * max(abs(begin), abs(end)):
        return nan, nan, nan
    # The last piece of the table that begins at or before t: the times are in order.
    low, high = first, last - 1
    while high - low > 1:
        middle = (low + high) // 2
        if data[middle][0] <= inside:
            low = middle
        else:
            high = middle
    s = inside - data[low][0]
    a, b, c, d = data[low][1], data[low][2], data[low][3], data[low][4]
    return scale * (((a * s + b) * s + c) * s + d), scale * ((3 * a * s + 2 * b) * s + c), scale * (6 * a * s + 2 * b)
