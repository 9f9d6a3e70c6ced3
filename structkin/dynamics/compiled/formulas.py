"""Laws as numbers: lines of a table, which `law_at` reads in the compiled module."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from structkin.model.laws import ConstantSpeed, ExpressionLaw, ScaledLaw, TableLaw
from structkin.types import Floats, Ints


@dataclass
class Laws:
    """Laws one below the other: `form` 0 is linear, 1 a formula, 2 a table; `data` holds five numbers per line.

    >>> from structkin.model.expression import Expression
    >>> laws = Laws()
    >>> laws.add(ExpressionLaw(Expression("3 + 2*t")))
    0
    >>> [line[:2] for line in laws.data]
    [[0.0, 3.0], [0.0, 2.0], [1.0, 0.0], [4.0, 0.0], [2.0, 0.0]]
    """

    form: list[int] = field(default_factory=list)
    scale: list[float] = field(default_factory=list)
    ptr: list[int] = field(default_factory=lambda: [0])
    data: list[list[float]] = field(default_factory=list)

    def add(self, law: Any) -> int:
        """Return the number of a law."""
        scale = 1.0
        while isinstance(law, ScaledLaw):
            law, scale = law.law, scale * law.factor
        if isinstance(law, ConstantSpeed):
            form, lines = 0, [[law.start, law.speed]]
        elif isinstance(law, ExpressionLaw):
            scale *= law.scale
            form, lines = 1, [[float(code), number] for code, number in law.expression.tape]
        else:
            assert isinstance(law, TableLaw)
            # Piece by piece; the last line is the end.
            columns = np.vstack((law.pieces.x[:-1], law.pieces.c)).T
            form, lines = 2, [*columns.tolist(), [law.pieces.x[-1]]]
        self.form.append(form)
        self.scale.append(scale)
        self.data += [line + [0.0] * (5 - len(line)) for line in lines]
        self.ptr.append(len(self.data))
        return len(self.form) - 1

    def arrays(self) -> tuple[Ints, Floats, Ints, Floats]:
        """Return form, scale, the first line of each law, and the lines (n, 5)."""
        return (
            np.array(self.form, np.int64),
            np.array(self.scale, np.float64),
            np.array(self.ptr, np.int64),
            np.array(self.data, np.float64).reshape(-1, 5),
        )
