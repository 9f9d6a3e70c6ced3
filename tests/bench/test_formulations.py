"""All formulations of one four-bar agree within their tolerances, and count their unknowns."""

from __future__ import annotations

import numpy as np
import pytest

from structkin.bench import formulations
from structkin.bench.formulations import _Case, _planar, _small, _tree, table_lines


@pytest.mark.full
@pytest.mark.compiled  # small steps
def test_formulations_agree_on_one_mechanism(monkeypatch):
    monkeypatch.setattr(formulations, "engine_here", lambda: "python")
    case = _Case.over(np.linspace(0.0, 0.05, 6))
    planar = _planar(case)
    assert [one.name for one in planar[:2]] == ["reduced", "multipliers, natural"] and len(planar) == 1 + 3 * 4
    assert [one.unknowns for one in planar] == [1, *(3 * [7, 17, 23, 5])]
    assert [one.drift is None for one in planar] == [True, *(12 * [False])]
    found = [*planar, _tree(case, "explicit"), _tree(case, "multipliers")]
    assert [one.unknowns for one in found[-2:]] == [1, 5]
    assert all(one.error < 1e-8 and one.opening < 1e-9 and one.evaluations > 10 for one in found)
    small = _small(case)
    assert small.unknowns == 18 and small.evaluations == 5000 and 1e-9 < small.error < 1e-4
    assert [len(line) for line in table_lines([*found, small])] == [8] * 17
