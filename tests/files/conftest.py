"""The random mechanisms are shared with the tests of `solve`, random topologies with those of the structure."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / name) for name in ("solve", "structure_oracle")]
