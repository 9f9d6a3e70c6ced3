"""Dyad RPP: a link on a known pin, a slide between it and the second link, which runs on a known guide.

Both prismatic joints keep orientations, so the first link's direction, and with its pin its place, follow from the
known guide at once; the second link is where its two guides cross. What remains to be solved is the pair of lines of
the dyad PRP. Source: scotch yoke and Oldham coupling.
"""

from __future__ import annotations

from .prp import PRP


class RPP(PRP):
    """Two lines: a point C of the second link from the known guide and the first link's guide.

    >>> RPP().name, RPP().modes
    ('RPP', 1)
    """

    name = "RPP"
    aliases: tuple[str, ...] = ("PPR",)
