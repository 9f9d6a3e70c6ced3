"""The installed package: nothing missing, nothing superfluous."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]


def sources() -> set[str]:
    """Every file that users need, by its installed name."""
    folders = {
        "structkin": ROOT / "structkin",
        "structkin/groups": ROOT / "groups",
        "structkin/examples": ROOT / "examples",
    }
    found = set()
    for name, folder in folders.items():
        for file in folder.rglob("*"):
            inside = file.relative_to(folder)
            if (name == "structkin" and inside.parts[0] in {"groups", "examples"}) or "node_modules" in inside.parts:
                continue
            if file.suffix in {".py", ".pyi", ".toml", ".csv", ".typed"} or inside.parts[:-1] == ("web", "dist"):
                found.add(f"{name}/{inside.as_posix()}")
    return found | {"structkin/web/LICENSES.txt", "structkin/mechanism.schema.json"}


def test_every_folder_with_modules_is_a_listed_package():
    packages = {".".join(Path(name).parent.parts) for name in sources() if name.endswith((".py", ".toml"))}
    assert packages == set(SETTINGS["packages"])


@pytest.mark.slow
def test_the_wheel_built_from_the_sdist_holds_every_module(tmp_path):
    subprocess.run([sys.executable, "-m", "build", "--outdir", tmp_path, ROOT], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert held == sources()


def run_python(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd="/"
    ).stdout.strip()


def test_the_top_level_folders_do_not_become_modules():
    code = (
        "import structkin, structkin.groups, structkin.examples, sys; print({'groups', 'examples'} & set(sys.modules))"
    )
    assert run_python(code) == "set()"


def test_importing_structkin_is_light():
    code = "import structkin, sys; print([m for m in ('scipy', 'matplotlib', 'pandas', 'numba') if m in sys.modules])"
    assert run_python(code) == "[]"


def test_solving_closed_forms_needs_no_scipy_or_matplotlib():
    code = (
        "import structkin as sk, sys; from structkin.examples import path; sk.load(path('crank_rocker')).solve();"
        "print([m for m in ('scipy', 'matplotlib', 'pandas', 'numba') if m in sys.modules])"
    )
    assert run_python(code) == "[]"
