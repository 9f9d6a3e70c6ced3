"""The linkages of a batch in chunks, which other processes or a cluster solve."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.model.frozen import read_only
from structkin.solve.batch.linkages import Linkages
from structkin.solve.batch.mechanisms import Mechanisms
from structkin.types import Floats


@dataclass(frozen=True)
class Share:
    """What is done with a chunk: its linkages are solved, and what is wanted of their motions is kept.

    `keep` are the joints whose paths are kept as float32; None for all with their rates, as they are. `total` is the
    number of linkages of the batch, by which it is decided whether the loop is compiled, and `triads` whether it solves
    them. Those that the loop does not decide are solved `one_by_one`, or left out.
    """

    angles: Floats
    speed: float
    total: int
    triads: bool
    one_by_one: bool = True
    keep: int | slice | None = None

    def rows(self, arrays: Mapping[str, NDArray[Any]], /) -> dict[str, NDArray[Any]]:
        """Return `motions` and `status` of the linkages with these arrays, and `faults`, None where there is none."""
        from structkin.solve.batch.batch import Batch

        # Numba compiles the loop again for arrays that may be written.
        source = (
            Mechanisms(tuple(arrays["items"]))
            if "items" in arrays
            else Linkages(**{name: read_only(array) for name, array in arrays.items()})
        )
        motions, statuses, faults = [], [], np.full(len(source), None)
        for block in Batch(source, self.angles, self.speed)._parts(self):
            three = (block.position, block.velocity, block.acceleration)
            motions.append(
                np.stack(three, axis=1) if self.keep is None else block.position[:, self.keep].astype(np.float32)
            )
            statuses.append(block.status.copy())
            for k, fault in block.faults.items():
                faults[k] = fault
        return {"motions": np.concatenate(motions), "status": np.concatenate(statuses), "faults": faults}


def chunked(source: Linkages | Mechanisms, size: int) -> Iterator[tuple[int, dict[str, NDArray[Any]]]]:
    """Yield the numbers of chunks, of so many linkages each, and their arrays."""
    for number in range(-(-len(source) // size)):
        yield number, source.take(slice(number * size, (number + 1) * size)).arrays
