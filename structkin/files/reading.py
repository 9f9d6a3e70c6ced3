"""Reading a mechanism from a file of structkin or of another tool.

Parts of a drawing that nothing attaches to the ground are left out, or they would stop everything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from structkin.errors import printable, raise_problems
from structkin.files.readers import Reader, reader_of
from structkin.files.readers.address import is_address, whole
from structkin.files.readers.imported import Imported, counted, listed
from structkin.files.readers.regular_sketch import with_regular_sketch
from structkin.files.writers import FORMATS
from structkin.model.file import SUFFIXES, check_length, parse_data
from structkin.model.flaw import Flaw
from structkin.model.mechanism import GROUND
from structkin.model.tables import BEGUN, read_text


def leave_out_strays(found: Imported) -> None:
    """Leave out the links that no points, joints or drivers connect to the ground, with a note.

    If nothing moves on the ground, nothing is left out: the ground itself is missing.

    >>> found = Imported(points={"A": [0, 0], "B": [1, 0], "C": [5, 5], "D": [6, 6]})
    >>> found.links = {"ground": ["A"], "arm": ["A", "B"], "bar": ["C", "D"]}
    >>> leave_out_strays(found)
    >>> found.links, list(found.points), found.notes
    ({'ground': ['A'], 'arm': ['A', 'B']}, ['A', 'B'], ['attached to nothing, so left out: bar'])
    """
    held: dict[str, set[str]] = {}
    for link, points in found.links.items():
        for point in points:
            held.setdefault(point, set()).add(link)
    groups = [
        *held.values(),
        *(_links_of(found, held, one) for one in (*found.joints.values(), *found.drivers.values())),
    ]
    groups_of: dict[str, list[set[str]]] = {}
    for group in groups:
        for link in group:
            groups_of.setdefault(link, []).append(group)
    reached, waiting = {GROUND}, [GROUND]
    while waiting:
        for group in groups_of.pop(waiting.pop(), ()):
            waiting += group - reached
            reached |= group
    strays = [link for link in found.links if link not in reached]
    if not strays or len(reached) == 1:
        return
    found.notes.append(f"attached to nothing, so left out: {listed(strays)}")
    for entries in (found.forces, found.drivers, found.joints):  # forces and drivers name joints
        for name in [name for name, entry in entries.items() if not _links_of(found, held, entry) & reached]:
            del entries[name]
    for link in strays:
        for point in found.links.pop(link):
            found.points.pop(point, None)


def _links_of(found: Imported, held: Mapping[str, set[str]], entry: Mapping[str, Any]) -> set[str]:
    """Return the links that an entry names, itself or by a point or a joint."""
    joint = found.joints.get(entry.get("joint", ""), {})
    return set().union(
        *({name} & found.links.keys() | held.get(name, set()) for name in (*_names(entry), *_names(joint)))
    )


def _names(entry: Mapping[str, Any]) -> Iterator[str]:
    for value in entry.values():
        yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, str))


#: What files of other kinds are that people try.
NOT_READ = {
    **{suffix: one.name for suffix, one in FORMATS.items() if suffix not in SUFFIXES},
    **dict.fromkeys((".xlsx", ".xls", ".xlsm", ".ods", ".numbers"), "workbook"),
    **dict.fromkeys((".doc", ".docx", ".odt", ".rtf"), "text document"),
    **dict.fromkeys((".ppt", ".pptx", ".odp"), "presentation"),
    **dict.fromkeys((".md", ".rst"), "text"),
    ".csv": "table, CSV",
    ".tsv": "table, tabs",
    **dict.fromkeys((".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".avif", ".ico"), "picture"),
    **dict.fromkeys((".svgz", ".eps", ".ps", ".emf", ".wmf", ".ai", ".psd", ".xcf", ".cdr"), "picture"),
    **dict.fromkeys((".mp4", ".mov", ".avi", ".webm", ".mkv", ".wmv", ".mpg"), "video"),
    **dict.fromkeys((".html", ".htm"), "page, such as a report"),
    **dict.fromkeys((".py", ".jl", ".js", ".c", ".cpp"), "program"),
    ".ipynb": "notebook",
    **dict.fromkeys((".npz", ".npy"), "arrays of a motion"),
    **dict.fromkeys((".h5", ".hdf5", ".parquet", ".tdms", ".pkl", ".pickle"), "measured or computed data"),
    ".xml": "XML, such as MuJoCo MJCF",
    ".mjcf": "MuJoCo MJCF",
    ".urdf": "robot in space, URDF",
    ".xacro": "robot in space, Xacro",
    ".sdf": "robot or world in space, SDF",
    ".wbt": "world in space, Webots",
    ".dwg": "drawing, DWG",
    **dict.fromkeys((".dgn", ".slddrw", ".idw"), "drawing, CAD"),
    **dict.fromkeys((".step", ".stp", ".igs", ".iges", ".x_t", ".x_b", ".sat", ".jt", ".brep", ".ifc"), "CAD model"),
    **dict.fromkeys((".sldprt", ".sldasm"), "CAD model, SolidWorks"),
    **dict.fromkeys((".ipt", ".iam"), "CAD model, Inventor"),
    **dict.fromkeys((".f3d", ".f3z"), "CAD model, Fusion"),
    **dict.fromkeys((".catpart", ".catproduct"), "CAD model, CATIA"),
    **dict.fromkeys((".prt", ".asm", ".par", ".psm"), "CAD model, such as of Creo, NX or Solid Edge"),
    ".fcstd": "CAD model, FreeCAD",
    ".3dm": "CAD model, Rhino",
    ".skp": "CAD model, SketchUp",
    ".scad": "CAD model, OpenSCAD",
    **dict.fromkeys((".stl", ".obj", ".3mf", ".ply", ".off", ".amf"), "surface of a body"),
    **dict.fromkeys((".gltf", ".glb"), "scene in space, glTF"),
    **dict.fromkeys((".usd", ".usda", ".usdc", ".usdz"), "scene in space, USD"),
    **dict.fromkeys((".dae", ".fbx", ".3ds", ".wrl", ".blend"), "scene in space"),
    **dict.fromkeys((".adm", ".cmd"), "model in space, Adams"),
    ".bin": "binary data, such as a model of Adams",
    ".osim": "model in space, OpenSim",
    **dict.fromkeys((".bvh", ".c3d", ".trc"), "captured motion"),
    **dict.fromkeys((".slx", ".mdl", ".mlx", ".m"), "model or script, MATLAB"),
    ".mat": "data, MATLAB",
    ".mo": "model, Modelica",
    ".fmu": "model, FMI",
    **dict.fromkeys((".wm2d", ".wm3"), "model, Working Model"),
    ".inp": "model of finite elements",
    **dict.fromkeys((".nb", ".cdf"), "notebook, Mathematica"),
    **dict.fromkeys((".mw", ".mws"), "notebook, Maple"),
    ".ggb": "construction, GeoGebra",
    **dict.fromkeys((".yaml", ".yml"), "data, YAML"),
    **dict.fromkeys((".zip", ".gz", ".tgz", ".bz2", ".xz", ".7z", ".rar", ".tar"), "archive"),
}

#: The encoding of old Windows programs, for files that are not in UTF-8.
WINDOWS = "cp1252"


def read(path: str | Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the sections of a mechanism file, and notes on what was understood of a file of another tool.

    The suffix gives the format, or else the content does. A PMKS+ share address may take the place of a file: it
    contains the mechanism itself, and nothing is fetched. Raises `InputError`, which lists every error.

    >>> sections, notes = read("https://pmks.org/?j=A,0,0,AB,R,t,0,0,t,%0AB,1,0,AB,R,f,0,0,f,&l=AB,1,1,0,0,A,B,&s=10")
    >>> sections["links"], notes[0]
    ({'ground': ['A'], 'AB': ['A', 'B']}, 'a file of PMKS+: 1 moving link, 1 input')
    """
    try:
        return _read(path)
    except Flaw as flaw:
        raise flaw.error(whole(str(path))) from None


def _read(path: str | Path) -> tuple[dict[str, Any], tuple[str, ...]]:
    if is_address(str(path)):
        reader = reader_of("", str(path))
        if reader is None:
            raise Flaw("this address holds no mechanism", "a PMKS+ share address contains one after the '?'")
        return _foreign(reader, str(path), whole(str(path)), reader.tool)
    path = Path(path)
    suffix = path.suffix.lower()
    try:
        text = read_text(path, None if suffix in SUFFIXES else WINDOWS)
    except Flaw:
        if suffix in NOT_READ and os.path.isfile(path):
            raise _not_read(path, suffix) from None
        raise
    reader = None if suffix == ".toml" else reader_of(suffix, text)
    if reader is not None:
        return _foreign(reader, text, str(path), path.stem)
    if suffix in NOT_READ:
        raise _not_read(path, suffix)
    if suffix not in SUFFIXES:
        hint = "rename it if it is TOML or JSON; files of Linkage, PMKS, PMKS+, MotionGen and Pyslvs can also be read"
        raise Flaw(f"expected a .toml or .json file, found the suffix '{path.suffix}'", hint)
    return parse_data(text, suffix), ()


def _not_read(path: Path, suffix: str) -> Flaw:
    hint = f"{BEGUN}; files of Linkage, PMKS, PMKS+, MotionGen and Pyslvs can also be read"
    if suffix == ".csv":
        hint = (
            f'{BEGUN}; a driver or a force reads its columns: csv = "{path.name}"; structkin structure reads a matrix'
        )
    elif NOT_READ[suffix].startswith(("picture", "video", "page")):
        hint = "name the file that it was drawn from: .toml or .json"
    return Flaw(f"a {suffix} file ({NOT_READ[suffix]}) has no mechanism that can be read", hint)


def _foreign(reader: Reader, text: str, source: str, title: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    check_length(text, reader.longest)
    found = reader.read(text)
    raise_problems(found.problems, source)
    leave_out_strays(found)
    found.title = printable(found.title or title)
    counts = f"{counted(len(found.links) - 1, 'moving link')}, {counted(len(found.drivers), 'input')}"
    sections, moved = with_regular_sketch(found.sections, source)
    said = (f"a file of {reader.tool}: {counts}", *found.notes, *((moved,) if moved else ()))
    notes = tuple(map(printable, said))
    return {**sections, "notes": list(notes)}, notes
