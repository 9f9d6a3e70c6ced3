"""Every figure shows itself, with any letters in its names."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib as mpl
import pytest
from matplotlib import font_manager
from matplotlib.figure import Figure
from matplotlib.text import Text

import structkin as sk
import structkin.show as show
from structkin.examples import path
from structkin.show import letters

#: Hieroglyphs, and the remark on letters that no font has.
BOXES = "\U00013000\U0001313f"
REMARK = "some letters are in no installed font"


def renamed(word):
    """Return a four-bar with masses, all of whose names begin with a word."""
    name = word.__add__
    return sk.Mechanism(
        name("four-bar"),
        points={name("A"): (0, 0), name("B"): (0, 1), name("C"): (3, 2), name("D"): (4, 0)},
        links={
            "ground": [name("A"), name("D")],
            name("crank"): {"points": [name("A"), name("B")], "mass": 1.0, "shape": "rod"},
            name("coupler"): [name("B"), name("C")],
            name("rocker"): [name("C"), name("D")],
        },
        drivers={name("motor"): {"joint": name("A"), "speed": 1.0}},
    )


#: What a video tracker wrote.
DATA = Path(tempfile.mkdtemp()) / "tracker.csv"
DATA.write_text("time;px\n0;1.01\n0.5;0.89\n1;0.55\n")


def figures(m):
    """Return what makes each figure of a mechanism."""
    motion, (motor,) = m.solve(5), m.drivers
    free = m.with_drivers({motor: {"joint": m.drivers[motor].joint}})
    simulation = free.simulate(0.1, samples=3)
    compared = free.compare(3, simulate=0.1, methods=["multipliers"], coordinates=["natural"])
    forces, limits, structure = motion.forces(), m.limits(motor), m.structure()
    measured = m.compare_measured(DATA, columns={"t": "time", f"{list(m.points)[2]}.x": "px"})
    return {
        "Motion.plot": motion.plot,
        "Kinetostatics.plot": forces.plot,
        "Limits.plot": limits.plot,
        "Simulation.plot": simulation.plot,
        "draw_schematic": lambda: show.draw_schematic(m, motion=motion),
        "draw_structure": lambda: show.draw_structure(structure, mechanism=m),
        "draw_matrices": lambda: show.draw_matrices(structure),
        "draw_inputs": lambda: show.draw_inputs(m.rank_inputs(), mechanism=m),
        "draw_chains": lambda: show.draw_chains(sk.chains(6), m.title),
        "draw_groups": lambda: show.draw_groups(sk.atlas(5, 0), m.title),
        "draw_limits": lambda: show.draw_limits(limits),
        "draw_circuits": lambda: show.draw_circuits(m.circuits(motor)),
        "draw_assemblies": lambda: show.draw_assemblies(m.assemblies()),
        "plot_motion": lambda: show.plot_motion(motion),
        "plot_forces": lambda: show.plot_forces(forces),
        "plot_simulation": lambda: show.plot_simulation(simulation),
        "plot_formulations": lambda: show.plot_formulations(compared),
        "plot_measured": lambda: show.plot_measured(measured),
        "plot_free_bodies": lambda: show.plot_free_bodies(forces.equilibrium()),
    }


@pytest.mark.full
def test_every_figure_shows_itself(capsys):
    cam = sk.load(path("cam_roller_follower"))
    (id,) = [joint.id for joint in cam.joints.values() if joint.kind == "C"]
    made = figures(renamed(""))
    made |= {"CamMotion.plot": cam.solve(5).cam(id).plot, "plot_cam": lambda: show.plot_cam(cam.joints[id])}
    variants = sk.study(sk.load(path("crank_rocker")), {"lengths.B-C": [0.11, 0.12]}, samples=3, measures=["path.P"])
    spread = variants.mechanism.tolerances({"lengths.B-C": 1e-4}, ["x.P"], samples=3, variants=16)
    made |= {"plot_study": lambda: show.plot_study(variants),
             "draw_variants": lambda: show.draw_variants(variants, [0], [variants.motion(0)], "reached"),
             "plot_tolerances": lambda: show.plot_tolerances(spread)}  # fmt: skip
    assert {name for name in show.__all__ if name.startswith(("draw_", "plot_"))} <= set(made)
    for name, make in made.items():
        figure = make()
        assert figure._repr_png_().startswith(b"\x89PNG"), name
        figure.show()
        assert "has no windows; save it" in capsys.readouterr().err, name
        figure.show(warn=False)
        assert not any(capsys.readouterr()), name


def test_a_notebook_shows_a_figure(monkeypatch):
    shown = []

    class Shell:
        kernel = "running"

    class IPython:
        get_ipython = Shell
        display = type("display", (), {"display": shown.append})

    figure = renamed("").solve(5).plot()
    figure.show(warn=False)  # matplotlib has chosen its backend, and does not need IPython
    monkeypatch.setitem(sys.modules, "IPython", IPython)
    figure.show()
    assert shown == [figure]


WINDOWS = '''
"""A backend whose windows are lines on stdout."""
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg


class FigureManager(FigureManagerBase):
    @classmethod
    def start_main_loop(cls):
        print("waits until the windows are closed")

    def show(self):
        print(f"window {self.num} of {len(self.canvas.figure.axes)} axes")


class FigureCanvas(FigureCanvasAgg):
    manager_class = FigureManager
'''
SCRIPT = """
import matplotlib.pyplot
import structkin as sk
m = sk.Mechanism(points={"A": (0, 0), "B": (1, 0)}, links={"ground": ["A"], "bar": ["A", "B"]},
                 drivers={"motor": {"joint": "A", "speed": 1.0}})
figure = m.solve(5).plot()
figure.show()
figure.show()
matplotlib.pyplot.close("all")
figure.savefig("afterwards.png")
figure.show()
"""


def run_with_backend(text, folder):
    (folder / "windows.py").write_text(text, encoding="utf-8")
    environment = os.environ | {"MPLBACKEND": "module://windows", "PYTHONPATH": str(folder)}
    command = [sys.executable, "-W", "error", "-c", SCRIPT]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True, timeout=120)


@pytest.mark.full
def test_a_backend_with_windows_opens_one(tmp_path):
    run = run_with_backend(WINDOWS, tmp_path)
    window = ["window 1 of 6 axes", "waits until the windows are closed"]
    assert run.stdout.splitlines() == 3 * window and not run.stderr
    assert (tmp_path / "afterwards.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.full
def test_a_backend_that_cannot_be_loaded_is_reported(tmp_path):
    run = run_with_backend("raise ImportError('no toolkit here')", tmp_path)
    assert run.stderr.splitlines()[0].startswith("the figure cannot be shown: no toolkit here; save it")
    assert len(run.stderr.splitlines()) == 3 and not run.stdout


NO_BACKEND = """
import structkin as sk
from structkin.examples import path, spatial
m = sk.load(path("crank_rocker"))
motion, engine = m.solve(samples=5), sk.load(path("one_cylinder_engine")).solve(samples=3)
for draw in (m.plot, m.structure().plot, motion.plot, motion.schematic, motion.animate, m.limits().plot,
             m.circuits().plot, m.assemblies().plot, engine.forces().plot, lambda: m.save("a.png"),
             sk.SpatialModel.load(spatial.path("spinning_top")).plot):
    try:
        draw()
    except sk.InputError as error:
        print(error.problems[0])
"""


def test_a_backend_that_does_not_exist_is_one_problem(tmp_path):
    """Importing matplotlib failed, with a ValueError of its own."""
    environment = os.environ | {"MPLBACKEND": "nonsense"}
    command = [sys.executable, "-c", NO_BACKEND]
    run = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    said = "MPLBACKEND: 'nonsense' is not a backend of matplotlib; unset it, or choose one, such as Agg for files"
    assert [line.removesuffix(" or TkAgg for windows") for line in run.stdout.splitlines()] == 11 * [said]
    assert not os.listdir(tmp_path) and not run.stderr


@pytest.fixture
def remarks(caplog):
    letters.families_with.cache_clear()
    letters._warn.cache_clear()
    caplog.set_level(logging.WARNING)
    yield caplog
    letters.families_with.cache_clear()
    letters._warn.cache_clear()


@pytest.mark.full
def test_letters_that_no_font_has_get_one_warning(remarks, tmp_path, monkeypatch):
    """Warnings are errors here: matplotlib's own would fail."""
    plain = [font for font in font_manager.fontManager.ttflist if font.name == "DejaVu Sans"]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", plain)
    for name, make in figures(renamed(BOXES)).items():
        show.save_figure(make(), tmp_path / f"{name}.png")
    assert [line[: len(REMARK)] for line in remarks.messages] == [REMARK]


def test_letters_of_many_scripts_need_no_warning(remarks):
    for word in ("Жуковский ", "Ἀρχιμήδης ", "Čebyšëv ł ", "ω₁² "):
        crank = renamed(word).solve(5).plot()
        assert not letters.lacking(crank)
    assert not remarks.messages


@pytest.mark.full
def test_another_font_has_the_letters(remarks):
    """Matplotlib ships fonts with letters that its default one lacks."""
    usual = letters._letters_of(font_manager.findfont("DejaVu Sans"))
    # in any slant and weight
    faces = [(style, weight) for style in ("normal", "italic") for weight in ("normal", "bold")]
    files = [font_manager.FontProperties(family="STIXGeneral", style=style, weight=weight) for style, weight in faces]
    other = frozenset.intersection(*(letters._letters_of(font_manager.findfont(file)) for file in files))
    word = "".join(sorted(map(chr, other - usual))[:3])
    assert word
    m = renamed(word)
    before = list(mpl.rcParams["font.family"])
    for name, make in figures(m).items():
        assert not letters.lacking(make()), name
    own = Figure()
    show.draw_schematic(m, ax=own.add_subplot())
    assert not letters.lacking(own) and len(own.axes) == 1
    assert sum(word + "A" == text.get_text() for text in own.findobj(Text)) == 1
    assert mpl.rcParams["font.family"] == before and not remarks.messages


def test_names_not_imported_yet_are_listed():
    code = "import structkin, structkin.show as show; print(*dir(structkin)); print(*dir(show))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    first, second = (line.split() for line in run.stdout.splitlines())
    assert set(sk.__all__) <= set(first) and {"load", "Mechanism", "__version__"} <= set(first)
    assert set(show.__all__) <= set(second)
    assert "groups" in dir(renamed("").structure())


def test_lines_between_branches_do_not_lie_on_each_other():
    """A brace that a cylinder folds: branches 1 and 3, and 2 and 4, meet at its shortest length, in one picture."""
    brace = sk.Mechanism(
        points={"A": (0, 0), "B": (0, -0.9), "C": (1, 0), "K": (0.48, -0.42), "S": (0.62, -0.15), "T": (0.2, 0.06)},
        links={"ground": ["A", "C", "T"], "strut": ["A", "B"], "upper": ["C", "K", "S"], "lower": ["K", "B"]},
        drivers={"ram": {"between": ["T", "S"]}},
    )
    found = brace.circuits()
    (at,) = show.draw_circuits(found).axes
    rows = {}
    for line in at.lines:
        ends = line.get_transform().transform(line.get_xydata())
        rows.setdefault(round(float(ends[0, 0]), 3), []).append(sorted(line.get_ydata()))
    assert sum(map(len, rows.values())) == len(found.branch_points) == 4
    for spans in rows.values():
        assert all(one[1] <= other[0] or other[1] <= one[0] for one in spans for other in spans if one is not other)


def test_an_axis_of_turns_has_tenths_of_a_turn():
    """It had whole radians: 0.1592, 0.3183, ..., and ended before the turn."""
    data = sk.load(path("crank_rocker")).source_dict
    data["units"]["angle"] = "rev"
    (at,) = sk.Mechanism.from_dict(data).limits().plot().axes
    assert at.get_xticks() == pytest.approx([k / 10 for k in range(11)])
