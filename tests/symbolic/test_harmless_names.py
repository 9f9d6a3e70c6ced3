"""Titles and names that would leave the comments and strings of generated C, Python and LaTeX."""

import ctypes
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from cases import few
from spatial_models import body, joint, spatial

from structkin.errors import InputError
from structkin.model.harmless import plain
from structkin.multibody.file import from_dict
from structkin.symbolic import equations

CC = shutil.which("gcc") or shutil.which("cc")

C = "int pwned(void){return 1;}"
PYTHON = "import builtins; builtins.pwned = 1"
TITLES = (
    rf"*\ {C} /*", f"*/ {C} /*", f"*\\*/ {C} /*\\*", f"**\\/ {C}", f"??/\n*/ {C} /*", f"*??/\n/ {C} /*",
    f'"""\n{PYTHON}\n"""', f'\\"""\n{PYTHON}\n"""', f'""\\"""\n{PYTHON}\n"""', f"'''\n{PYTHON}\n'''", f"x\r{PYTHON}",
    f"x\x0c{PYTHON}", f"x\u2028{PYTHON}", "\\", '"', "*", "/", "\x00", "\ud800", "x" * 5000, "// /* */ //", "\\N{DASH}",
    r"}\input{/etc/passwd}", r"^^5cinput{x}", "x\r\\input{x}", "$\\write18{id}$", "%\n\\input{x}", "-- '' `` ?`",
)  # fmt: skip


def pendulum(name):
    """Return a bar of 2 kg m^2 on a pin, with everything named alike."""
    return spatial(name, [body(name, 1.0, [1, 0, 0], np.eye(3))], [joint(name, "ground", name, [0, 0, 0])])


@pytest.mark.parametrize("title", TITLES, ids=range(len(TITLES)))
def test_a_title_is_no_python(title):
    import builtins

    function = equations(pendulum(title)).function()
    assert not hasattr(builtins, "pwned")
    assert function(0.0, np.zeros(1), np.zeros(1))[0] == 2.0  # Steiner: 1 + 1*1^2


@pytest.mark.skipif(CC is None or sys.platform == "win32", reason="needs gcc or cc")
@pytest.mark.parametrize("shared", few([False, True], 1))
def test_a_title_is_no_c(shared, tmp_path):
    for n, title in enumerate(TITLES):
        source, library = tmp_path / f"{n}.c", tmp_path / f"{n}.so"
        model = pendulum(title)
        second = body(title + "*", 1.0, [0, 0, 1], np.eye(3))
        model = spatial(
            title, [*model.bodies.values(), second], [*model.joints.values(), joint("B", title, title + "*", [0, 0, 0])]
        )
        source.write_text(equations(model, shared=shared).c(), encoding="utf-8")
        # -std=c99 reads trigraphs: ??/ is a backslash
        flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        subprocess.run([CC, *flags, str(source), "-o", str(library), "-lm"], check=True)
        found = ctypes.CDLL(str(library))
        assert hasattr(found, "equations") and not hasattr(found, "pwned"), title


@pytest.mark.parametrize("title", TITLES, ids=range(len(TITLES)))
def test_a_title_is_no_latex(title):
    """Outside commands that are known, the text has no backslash, no unbalanced brace and no control character."""
    text = equations(pendulum(title)).latex(document=False)
    rest = text.replace(r"\textbackslash{}", "").replace(r"\{", "").replace(r"\}", "")
    known = {
        "section", "begin", "end", "mathrm", "left", "right", "cdot", "textasciicircum", "textasciitilde", "symbol",
        "textless", "textgreater", "textbar", "ddot", "dot", "sin", "cos", "quad",
    }  # fmt: skip
    assert set(re.findall(r"\\([A-Za-z]+)", rest)) <= known
    assert rest.count("{") == rest.count("}") and rest.replace("\n", " ").isprintable()
    assert not re.search(r"(?<!\\)%", text) and not re.search(r"\^\^", text)


def test_names_that_become_the_same_are_told_apart():
    bars = [body(name, 1.0, [1, 0, 0], np.eye(3)) for name in ("a*", "a?", "φ", "phi")]
    pins = [joint(bar.name, "ground", bar.name, [0, 0, 0]) for bar in bars]
    found = equations(spatial("four", bars, pins))
    comments = re.findall(r"double m_\w+; /\* (.*?) \[kg\] \*/", found.c())
    assert comments == ["mass of a_", "mass of a_ (2)", "mass of φ", "mass of phi"]
    rows = re.findall(r"mass of (.*?) \\\\", found.latex())
    assert rows == ["a*", "a?", "phi", "phi (2)"]
    assert "(phi), $q_{\\mathrm{phi,2}}$ (phi (2))." in found.latex()


def test_letters_of_all_scripts_and_plain_signs_stay():
    text = "Gelenk äöü, 四连杆 3-RRR (½), हिन्दी e\u0301: 50 % & more!"
    assert plain(text) == text


def test_a_title_with_control_characters_is_refused():
    bodies = {"rod": {"shape": "rod", "between": [[0, 0, 0], [1, 0, 0]], "mass": 1}}
    for title in ("\x1b[31m", "\ud800", "\u2028", "\x00"):
        with pytest.raises(InputError, match="title: a title cannot contain control characters"):
            from_dict({"title": title, "bodies": bodies})
    from_dict({"title": "Ein\u00a0Titel\nin zwei Zeilen", "bodies": bodies})
