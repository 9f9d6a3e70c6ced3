"""The public mechanism, and what its verbs return besides motions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Self

from structkin import files, model, show
from structkin import solve as solved
from structkin.api.spatial import to_spatial
from structkin.api.verb import public, verb
from structkin.branches import assemblies as listings
from structkin.branches import limits as ranges
from structkin.branches.assemblies.tree_search import Leaf
from structkin.branches.circuits import by_closed_forms, followed
from structkin.branches.four_bar import four_bars, slider_cranks
from structkin.dynamics import simulate
from structkin.global_methods import compare
from structkin.global_methods.families import constraints
from structkin.global_methods.methods import solve
from structkin.report import report
from structkin.solve import solve_many, structure_of

if TYPE_CHECKING:
    from anywidget import AnyWidget
    from matplotlib.figure import Figure


class Limits(ranges.Limits):
    """The range of a driver from the sketch, in the sketch's assembly modes; see `Mechanism.limits`."""

    mechanism: Mechanism

    def plot(self) -> Figure:
        """Return a figure of the intervals and of what ends them."""
        return show.draw_limits(self)

    def _repr_html_(self) -> str:
        return show.html_table(show.limits_table([self]))


class Circuits(by_closed_forms.Circuits):
    """The branches over the range of one driver, and the circuits they form; see `Mechanism.circuits`."""

    mechanism: Mechanism

    def plot(self) -> Figure:
        """Return a figure of the branches as bars, joined where they meet."""
        return show.draw_circuits(self)

    def _repr_html_(self) -> str:
        return show.html_table(show.circuits_table(self))


class Assembly(listings.Assembly):
    """One way to assemble a mechanism at given driver values; see `Mechanism.assemblies`."""

    if TYPE_CHECKING:

        def mechanism(self) -> Mechanism:
            """Return the mechanism with this assembly as its sketch."""


class Assemblies(listings.Assemblies):
    """The assemblies of a mechanism, each computed on first access and then kept; see `Mechanism.assemblies`."""

    mechanism: Mechanism

    if TYPE_CHECKING:
        followed: Assembly | None

        def __iter__(self) -> Iterator[Assembly]:
            """Yield the assemblies."""

        def __getitem__(self, index: int) -> Assembly:
            """Return the assembly with this index."""

        def nearest(self, other: listings.Assembly | None = None) -> Assembly:
            """Return the assembly whose points are nearest to those of the other, by default the sketch."""

    def plot(self, *, most: int = 12) -> Figure:
        """Return a figure of the first assemblies side by side, all at one scale."""
        return show.draw_assemblies(self, most=most)

    def _repr_html_(self) -> str:
        return show.html_table(show.found_table(self))

    def _assembly(self, leaf: Leaf, place: int | None) -> Assembly:
        return public(Assembly, super()._assembly(leaf, place))


class Mechanism(model.Mechanism):
    """Links, joints and drivers with their geometry, and all that follows from them; immutable, compared by identity.

    The keyword arguments are the sections of the mechanism file; numbers are in SI and radians unless `units` says
    otherwise. Raises an `InputError` that lists every error.

    >>> m = Mechanism(
    ...     "Four-bar",
    ...     points={"A": (0, 0), "B": (1, 1), "C": (4, 3), "D": (5, 0)},
    ...     links={"ground": ["A", "D"], "crank": ["A", "B"], "coupler": ["B", "C"], "rocker": ["C", "D"]},
    ...     drivers={"motor": {"joint": "A", "speed": 1.0}},
    ... )
    >>> [group.kind for group in m.structure().groups], m.solve(samples=5)
    (['driven R', 'RRR'], <Motion of 'Four-bar': 5 of 5 samples ok>)
    """

    __slots__ = ()

    assemblies = verb(listings.assemblies, Assemblies)
    assembly = verb(listings.assembly, Assembly)
    circuits = verb(followed.circuits, Circuits)
    compare = compare
    constraints = constraints
    four_bars = four_bars
    limits = verb(ranges.limits, Limits)
    report = report
    simulate = simulate
    slider_cranks = slider_cranks
    solve = solve
    solve_many = solve_many
    structure = structure_of
    to_spatial = to_spatial

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Load a mechanism from a file: .toml or .json, or one of Linkage, PMKS, PMKS+, MotionGen or Pyslvs.

        For a file of another tool, `remarks` lists what was understood and what was not. The address by which PMKS+
        shares a mechanism may be given instead of a file; nothing is fetched. Raises an `InputError` that lists every
        error of the file, or says why it cannot be read.

        >>> m = Mechanism.load("https://pmks.org/?j=A,0,0,AB,R,t,0,0,t,%0AB,1,0,AB,R,f,0,0,f,&s=10")
        >>> m
        <Mechanism 'PMKS+': 2 links, 1 joint, 1 driver>
        >>> m.remarks
        ('a file of PMKS+: 1 moving link, 1 input', 'lengths are read as cm')
        >>> Mechanism.load("no_such_linkage.toml")
        Traceback (most recent call last):
        structkin.errors.InputError: no_such_linkage.toml: 1 error
          - there is no file 'no_such_linkage.toml'
        """
        sections, _ = files.read(path)
        return cls.from_dict(sections, source=str(path), folder=Path(path).parent)

    def save(self, path: str | Path, *, motion: solved.Motion | None = None) -> None:
        """Write the mechanism to a file; the suffix selects the format, see `structkin.files.FORMATS`.

        A mechanism file, .toml or .json, loads as the same mechanism: every number is the same to the last bit.
        Formats that show or hold a motion take `motion`. Raises an `InputError` that lists everything the format
        cannot hold; a file is written whole or not at all.

        >>> import tempfile
        >>> arm = Mechanism("Arm", points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "bar": ["A", "B"]})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     arm.save(f"{folder}/arm.toml")
        ...     Mechanism.load(f"{folder}/arm.toml")
        <Mechanism 'Arm': 2 links, 1 joint, 0 drivers>
        """
        files.write(self, path, motion=motion)

    def widget(self) -> AnyWidget:
        """Return the mechanism for a notebook: its drawing, which can be played (needs anywidget).

        It moves as `solve` moves it; a mechanism whose drivers do not determine it stands still. Raises `InputError`
        where anywidget is missing.
        """
        return show.widget(self)

    def plot(self, *, groups: bool = True) -> Figure:
        """Return a kinematic diagram of the mechanism as sketched, its links coloured by group.

        With `groups=False` all links have one colour and no group is named, for exercises.
        """
        return show.draw_schematic(self, groups=groups)

    def _repr_html_(self) -> str:
        return show.html_table(show.mechanism_table(self))
