"""Pictures of small steps: errors over the stiffness of the joints, and what jumps cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from structkin.numerical_tolerances import ROUNDING_OF_ONE
from structkin.show.style import GROUND, PALETTE, SMALL, new_figure
from structkin.studies.jumps import JUMPS, JumpRun
from structkin.studies.pictures import tidy
from structkin.studies.small_steps import Deviation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKS = {"small steps": "o-", "DOP853": "s", "LSODA": "^", "DOP853, jumps located": "x-"}


def draw_convergence(found: Sequence[Deviation]) -> Figure:
    """Draw the errors over the stiffness, with the share of the time step, for each mechanism."""
    figure = new_figure(10.0, 3.6)
    names = list(dict.fromkeys(one.case for one in found))
    for k, (axes, name) in enumerate(zip(figure.subplots(1, len(names), sharey=True), names, strict=True)):
        ours = [one for one in found if one.case == name]
        stiffness = np.array([one.stiffness for one in ours])
        axes.loglog(stiffness, [one.error for one in ours], "o-", color=PALETTE[0], ms=4, label="of the stiffness")
        axes.loglog(stiffness, [one.stepping for one in ours], "s--", color=PALETTE[1], ms=4, label="of the step")
        slope = ours[-1].error * stiffness[-1] / stiffness
        axes.loglog(stiffness, slope, ":", color=GROUND, label="first order")
        tidy(axes, name, "stiffness of the softest joint [N/m]", "" if k else "error, in parts of the path")
    figure.axes[0].legend(fontsize=SMALL)
    return figure


def draw_jumps(found: Sequence[JumpRun]) -> Figure:
    """Draw the error at the end over the evaluations of the forces, for each jump and method."""
    figure = new_figure(10.0, 3.8)
    for axes, jump in zip(figure.subplots(1, len(JUMPS), sharey=True), JUMPS, strict=True):
        for k, (method, mark) in enumerate(MARKS.items()):
            ours = [one for one in found if (one.jump, one.method) == (jump, method)]
            calls, errors = [one.evaluations for one in ours], [max(one.error, ROUNDING_OF_ONE) for one in ours]
            axes.loglog(calls, errors, mark, color=PALETTE[k], ms=4, label=method)
        tidy(axes, jump, "evaluations of the forces", "error of the angle after 1 s [rad]" * (jump == JUMPS[0]))
    figure.axes[1].legend(fontsize=SMALL)
    return figure
