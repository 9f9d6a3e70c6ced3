"""Bilinear forms of vectors (..., 2, n) side by side, and their derivatives by the product rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


def cross(a: Any, b: Any) -> Any:
    """Return a_x b_y - a_y b_x."""
    return a[..., 0, :] * b[..., 1, :] - a[..., 1, :] * b[..., 0, :]


def dot(a: Any, b: Any) -> Any:
    """Return a_x b_x + a_y b_y."""
    return a[..., 0, :] * b[..., 0, :] + a[..., 1, :] * b[..., 1, :]


def times(a: Any, b: Any) -> Any:
    """Return the product of a and b as complex numbers."""
    x = a[..., 0, :] * b[..., 0, :] - a[..., 1, :] * b[..., 1, :]
    y = a[..., 0, :] * b[..., 1, :] + a[..., 1, :] * b[..., 0, :]
    return np.stack((x, y), axis=-2)


def turned(a: Any) -> Any:
    """Return a, turned by a right angle to the left."""
    return np.stack((-a[..., 1, :], a[..., 0, :]), axis=-2)


@dataclass(frozen=True)
class Jet:
    """A quantity with its derivatives along v, along w, and the mixed second one."""

    x: Any
    v: Any
    w: Any
    vw: Any

    def __sub__(self, other: Jet) -> Jet:
        """Return the difference."""
        return Jet(self.x - other.x, self.v - other.v, self.w - other.w, self.vw - other.vw)

    def take(self, index: Any) -> Jet:
        """Return some of the quantities."""
        return Jet(self.x[index], self.v[index], self.w[index], self.vw[index])


def mixed(form: Any, a: Jet, b: Jet) -> Any:
    """Return the mixed second derivative of a bilinear form."""
    return form(a.vw, b.x) + form(a.v, b.w) + form(a.w, b.v) + form(a.x, b.vw)


def product(form: Any, a: Jet, b: Jet) -> Jet:
    """Return a bilinear form with its derivatives."""
    return Jet(form(a.x, b.x), form(a.v, b.x) + form(a.x, b.v), form(a.w, b.x) + form(a.x, b.w), mixed(form, a, b))
