"""Whether a follower can reach the profile of its cam at all, in any position of both.

The distance of the roller's centre (or the edge) from the cam's shaft has to equal that of some point of the curve on
which it runs; the distance of a face has to equal that of some tangent of the profile.
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

#: A follower has to miss by this fraction of the largest distance: more than extremes between samples can hide.
MARGIN = 1e-5


def require_reach(draft: Draft, made: ProfileCam) -> None:
    """Raise `Flaw` if the link that carries the cam's shaft always keeps the follower away from the profile.

    The distance of the roller's centre from the shaft is limited by its pin and its arm, or is at least that of the
    line along which it moves. A face on a pin is at a fixed distance h from it; a tangent of the profile at distance H
    from the shaft, which is D from the pin, can be at H - D to H + D. A face on a guide reaches any profile.
    """
    mounted = next(sketched_mountings(draft, draft.links, made.cam, made.follower), None)
    if mounted is None or (mounted[2].kind == "P" and (made.normal is not None or not isinstance(mounted[2], Guide))):
        return
    carrier, shaft, guide = mounted
    base, cam, follower = (draft.links[name] for name in (carrier, made.cam, made.follower))
    angles = np.linspace(0.0, TURN, 3601)
    away = made.contact_distance(angles)
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
        f"the follower can never reach the profile: {what} can be {can} from the cam's shaft, "
        f"but the profile needs {ends[2]} to {ends[3]}",
        "draw the follower where it touches the cam",
    )
