"""Whether a follower can reach the profile of its cam at all, in any position of both.

Seen from the cam's shaft, the roller's centre (or the edge) has to be as far away as some place of the curve that it
runs on, and a face as far as some tangent of the profile.
"""

from __future__ import annotations

import math

import numpy as np

from structkin.joints.cam_mountings import sketched_mountings
from structkin.joints.guide import Guide
from structkin.joints.profile_cam import ProfileCam
from structkin.model.draft import Draft
from structkin.model.flaw import Flaw
from structkin.rows.periodic import TURN

#: A follower has to miss by this part of the farthest distance, more than extremes between places hide.
MARGIN = 1e-5


def require_reach(draft: Draft, made: ProfileCam) -> None:
    """Raise `Flaw` where the link that carries the cam's shaft holds the follower away from the profile for ever.

    The distance of the roller's centre from the shaft is what its pin and its arm allow, or at least that of the line
    which it moves along. A face on a pin is at a fixed distance h from it; a tangent of the profile at the
    distance H from the shaft, which is D from the pin, can be at H - D to H + D. A face on a guide reaches any profile.
    """
    mounted = next(sketched_mountings(draft, draft.links, made.cam, made.follower), None)
    if mounted is None or (mounted[2].kind == "P" and (made.normal is not None or not isinstance(mounted[2], Guide))):
        return
    carrier, shaft, guide = mounted
    base, cam, follower = (draft.links[name] for name in (carrier, made.cam, made.follower))
    angles = np.linspace(0.0, TURN, 3601)
    away = made.met(angles)
    axes = np.exp(1j * angles)
    beside = cam.local[shaft.id] - made.centre
    if made.normal is None:
        away, what = np.abs(away * axes - beside), "the roller's centre" if made.radius else "the edge"
    else:
        away, what = away - (beside * axes.conj()).real, "the face"
    least, most = float(away.min()), float(away.max())
    if isinstance(guide, Guide):
        line = guide
        direction = line.direction if line.slider == made.follower else line.direction / (line.turn or 1)
        place = (follower.origin + follower.direction * made.touch - base.origin) / base.direction
        low, high = abs(((place - base.local[shaft.id]) / direction).imag), math.inf
    else:
        far, arm = abs(base.local[guide.id] - base.local[shaft.id]), made.touch - follower.local[guide.id]
        if made.normal is None:
            low, high = abs(far - abs(arm)), far + abs(arm)
        else:
            h = (arm * made.normal.conjugate()).real
            low, high = h - far, h + far
    if low <= most + MARGIN * abs(most) and high >= least - MARGIN * abs(most):
        return
    ends = [draft.show_length(length) for length in (low, high, least, most)]
    can = f"{ends[0]} to {ends[1]}" if math.isfinite(high) else f"{ends[0]} or more"
    raise Flaw(
        "the follower can never reach the profile: from the cam's shaft "
        f"{what} can be {can} away, and has to be {ends[2]} to {ends[3]}",
        "draw the follower where it touches the cam",
    )
