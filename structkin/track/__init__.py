"""Following a branch of poses: what all trackers share, from arrays and functions alone.

Contour integrals for analytic continuation around change points (`contour`, `continuation`, `tangents`) and
polynomials for every zero of a discriminant (`chebyshev`).
"""
