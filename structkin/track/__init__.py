"""Following a branch of poses: what all trackers share, from arrays and functions alone.

Contour integrals for analytic continuation around change points (`contour`, `continuation`, `tangents`), polynomials
for every zero of a discriminant (`chebyshev`), curves through folds (`arclength`), steps that become smaller (`steps`),
where drivers come back (`returns`) and least values between samples (`minima`).
"""
