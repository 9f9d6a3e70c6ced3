"""The arrays of the data sets LINKS and LInK, as three files of NumPy in a folder.

`connectivity.npy` (m, n, n) is the adjacency, `x0.npy` (m, n, 2) the places in the sketch, and `node_types.npy`
(m, n, 1) is 1 for a fixed joint. The motor turns joint 1 about joint 0, and each joint from the fourth on that is not
fixed has its two bars to joints before it. Linkages with fewer joints are padded by joints on no bar.
Source: A. H. Nobari et al., LInK: Learning joint representations of design and performance spaces through contrastive
learning for mechanism synthesis, 2024, and its code, https://github.com/ahnobari/LInK.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from structkin.errors import InputError, Problem, raise_problems

CONNECTIVITY, PLACES, TYPES = "connectivity.npy", "x0.npy", "node_types.npy"


def read_arrays(folder: Path) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], tuple[int, int]]:
    """Return adjacency, points, fixed and motor; `InputError` lists the files that cannot be read."""
    found, problems = {}, []
    for name in (CONNECTIVITY, PLACES, TYPES):
        try:
            found[name] = np.load(folder / name, allow_pickle=False)
        except FileNotFoundError:
            problems.append(Problem(name, f"there is no such file in {folder}", "LInK's data are three files"))
        except (OSError, ValueError) as error:
            problems.append(Problem(name, f"cannot be read: {error}", "np.save(...) writes it"))
    raise_problems(problems, str(folder))
    bars, fixed = found[CONNECTIVITY], found[TYPES]
    if fixed.ndim == 3 and fixed.shape[2] == 1:
        fixed = fixed[..., 0]
    if bars.ndim == 3 and fixed.shape == bars.shape[:2]:
        # Joints that only fill the array take no part, wherever they are.
        fixed = np.where(bars.any(axis=2), fixed, 1)
    return bars, found[PLACES], fixed, (0, 1)


def write_arrays(folder: Path, bars: NDArray[Any], places: NDArray[Any], fixed: NDArray[Any]) -> None:
    """Write the files into a folder, which is made if need be; `InputError` if that cannot be."""
    from structkin.show.files import whole_file

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        message = f"{folder} cannot be written: {getattr(error, 'strerror', None) or error}"
        raise InputError([Problem("folder", message, "name another one")], "linkages") from None
    arrays = {CONNECTIVITY: bars.astype(np.int8), PLACES: places, TYPES: fixed.astype(np.int8)[..., None]}
    for name, array in arrays.items():
        with whole_file(folder / name, "wb") as file:
            np.save(file, array)
