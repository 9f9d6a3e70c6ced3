"""Many linkages of different topologies in one call, from arrays as data sets store them."""

from structkin.solve.batch.batch import Batch, BatchBlock, solve_batch
from structkin.solve.batch.linkages import Linkages

__all__ = ["Batch", "BatchBlock", "Linkages", "solve_batch"]
