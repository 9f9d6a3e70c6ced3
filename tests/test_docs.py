"""The documentation runs: its code, its files, its commands and their stated output.

Blocks of a page are worked through from top to bottom in an empty folder:

- ```python runs; the blocks of a page share their names. A ```text block right below is what it prints.
- ```toml is read as TOML. With [points] and [links] it is a whole mechanism and has to load, unless its first
  line says that it has mistakes. A first line such as "# four_bar.toml" also saves it under that name.
- ```json is read as JSON, as a mechanism if it is one; ```csv is saved under the name in its first line.
- ```console and ```sh: lines that begin with "structkin" or "$ structkin" run. They end with exit code 0, or with
  that of a comment "# exits 2"; the text below "$ structkin ..." is what it prints.

In what is printed, "..." stands for anything, and spaces count as one.
"""

import contextlib
import doctest
import io
import json
import re
import shlex
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest
from cases import few
from commands import structkin

import structkin as sk
from structkin.cli import main
from structkin.examples import path
from structkin.joints.registry import JOINT_TYPES

ROOT = Path(__file__).parents[1]
#: Pages that take long: what they show is tested in shorter ways as well.
LONG = {
    *("command-line.md", "python.md", "studies.md", "many-variants.md"),
    *("excavator-report.md", "equations.md", "data-set.md", "leg-with-optax.md", "descent-in-jax.md"),
    *("linkage-for-a-curve.md", "lamp-arm.md", "dwell.md", "atlas.md"),
}
#: Pages that need a package which is too large for the extra "test".
NEEDS = {"torch-layer.md": "torch"}
PAGES = sorted(ROOT.glob("docs/**/*.md")) + [page for page in (ROOT / "README.md",) if page.exists()]
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ ]*$", re.MULTILINE | re.DOTALL)
NAME = re.compile(r"#\s*([\w-]+\.(?:toml|csv))\b")
COMMAND = re.compile(r"(\$ )?(structkin\b.*)")
SAME = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, its line, and whether it directly follows another block."""

    language: str
    text: str
    line: int
    follows: bool


def blocks_of(text):
    blocks, end = [], 0
    for match in FENCE.finditer(text):
        follows = bool(blocks) and not text[end : match.start()].strip()
        blocks.append(Block(match[1], match[2], text[: match.start()].count("\n") + 1, follows))
        end = match.end()
    return blocks


def run_python(code, names, where):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, where, "exec"), names)
    return said.getvalue()


def run_command(line):
    """Return exit code and output of a command line, in this process."""
    said, argv = io.StringIO(), sys.argv
    sys.argv = shlex.split(line, comments=True)
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            main()
        code = 0
    except SystemExit as exit_:
        code = exit_.code or 0
    finally:
        sys.argv = argv
    return code, said.getvalue()


def commands_of(text):
    """Yield (line, exit code, expected output or "") of the structkin commands of a console block."""
    found = []
    for line in text.splitlines():
        match = COMMAND.fullmatch(line)
        if match:
            code = re.search(r"# exits (\d)", line)
            found.append([match[2], int(code[1]) if code else 0, "", bool(match[1])])
        elif line.startswith("$ "):
            found.append(["", 0, "", False])
        elif found and found[-1][3]:
            found[-1][2] += line + "\n"
    return [(line, code, output if output.strip() else "") for line, code, output, _ in found if line]


def assert_printed(want, got, where):
    assert doctest.OutputChecker().check_output(want, got, SAME), f"{where}\n--- the page\n{want}\n--- printed\n{got}"


def read_toml(block, where, unnamed):
    data = tomllib.loads(block.text)
    first = block.text.splitlines()[0]
    name = NAME.match(first)
    if name:
        Path(name[1]).write_text(block.text)
    if not {"points", "links"} <= data.keys():
        return
    if "with mistakes" in first:
        with pytest.raises(sk.InputError):
            sk.Mechanism.from_dict(data, source=where, folder=Path())
        return
    sk.Mechanism.from_dict(data, source=where, folder=Path())
    if not name:
        unnamed.append(block.text)


def save_for(line, unnamed):
    """Save the last mechanism without a name as the file that a command reads."""
    for word in shlex.split(line, comments=True)[2:3]:
        if unnamed and word.endswith(".toml") and not Path(word).exists():
            Path(word).write_text(unnamed[-1])


@pytest.fixture
def kinds_of_joints():
    """Forget the kinds of joints that a page adds."""
    known = dict(JOINT_TYPES)
    yield
    JOINT_TYPES.clear()
    JOINT_TYPES.update(known)


@pytest.mark.usefixtures("kinds_of_joints", "timed_once")
@pytest.mark.parametrize(
    "page",
    few([pytest.param(page, marks=pytest.mark.full) if page.name in LONG else page for page in PAGES], 4),
    ids=lambda page: page.name,
)
def test_every_block_runs(page, tmp_path, monkeypatch):
    if page.name in NEEDS:
        pytest.importorskip(NEEDS[page.name])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names, unnamed, printed = {"__name__": "__main__"}, [], None
    for block in blocks_of(page.read_text(encoding="utf-8")):
        where = f"{page.name}, line {block.line}"
        if block.language == "python":
            printed = run_python(block.text, names, where)
        elif block.language == "text" and block.follows and printed is not None:
            assert_printed(block.text, printed, where)
            printed = None
        else:
            printed = None
        if block.language == "toml":
            read_toml(block, where, unnamed)
        elif block.language == "json":
            data = json.loads(block.text)
            if {"points", "links"} <= data.keys():
                sk.Mechanism.from_dict(data, source=where)
        elif block.language == "csv":
            Path(NAME.match(block.text)[1]).write_text(block.text)
        elif block.language in ("console", "sh"):
            for line, code, output in commands_of(block.text):
                save_for(line, unnamed)
                found, said = run_command(line)
                assert found == code, f"{where}: {line}\nexit code {found}, not {code}\n{said}"
                if output:
                    assert_printed(output, said, f"{where}: {line}")


def slug(heading):
    """Return the anchor that a forge gives a heading."""
    text = re.sub(r"[`*_]|\[|\]\([^)]*\)", "", heading).strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def links_of(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    targets = re.findall(r"!?\[[^\]]*\]\(([^)\s]+)\)", text)
    return [target for target in targets if not re.match(r"[a-z]+:", target)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_have_targets(page):
    for target in links_of(page):
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        if re.match(r"(\.\./|docs/)?img/", path):
            continue  # pictures of the gallery are made with it
        assert file.exists(), f"{page.name}: {target}"
        if anchor and file.suffix == ".md":
            text = FENCE.sub("", file.read_text(encoding="utf-8"))
            assert anchor in {slug(line) for line in re.findall(r"^#+ (.*)$", text, re.MULTILINE)}, target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_row_belongs_to_a_table(page):
    """Below an empty line a row is shown as a sentence with bars, unless a rule follows it."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    assert not [row for row, below in re.findall(r"\n\n(\| .*)\n(.*)", text) if not re.fullmatch(r"[|: -]+", below)]


def test_the_index_leads_to_every_page():
    docs = ROOT / "docs"
    linked = {target.partition("#")[0] for page in ("index.md", "api.md") for target in links_of(docs / page)}
    assert {page.relative_to(docs).as_posix() for page in docs.rglob("*.md")} - {"index.md"} <= linked


def test_extras_are_installed_in_double_quotes():
    """Bare brackets are patterns of some shells, and single quotes are part of the name in a prompt of Windows."""
    texts = [*PAGES, *ROOT.glob("structkin/**/*.py")]
    found = [line for page in texts for line in re.findall(r"pip install .*", page.read_text(encoding="utf-8"))]
    extras = [line for line in found if "structkin[" in line]
    assert len(extras) > 15
    assert not [
        line for line in extras if line.count("structkin[") != len(re.findall(r'"structkin\[[\w,{}]+\]"', line))
    ]


def test_the_table_of_commands_has_them_all():
    """Each is a row at the top of the page, with a link to where it is described."""
    from structkin.cli import COMMANDS

    table = (ROOT / "docs/command-line.md").read_text(encoding="utf-8").split("\n## ")[0]
    assert set(re.findall(r"^\| \[`structkin ([\w-]+)", table, re.MULTILINE)) == set(COMMANDS)


def test_the_commands_and_sections_are_all_documented():
    """A new command, option, section or public name has to be written about."""
    import typer.main

    from structkin.cli import app
    from structkin.model.entry import SECTIONS

    said = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
    for name, command in typer.main.get_command(app).commands.items():
        assert f"structkin {name}" in said["command-line.md"]
        for option in (text for item in command.params for text in item.opts if text.startswith("--")):
            assert option in said["command-line.md"], f"{name} {option}"
    assert not [section for section in SECTIONS if section not in said["file-format.md"]]
    assert not [
        name for name in sk.__all__ if f"`{name}" not in said["python.md"] and f"sk.{name}" not in said["python.md"]
    ]
    for noun in (sk.Topology, sk.Mechanism, sk.KinematicStructure, sk.Motion, sk.Builder):
        public = [name for name in vars(noun) if not name.startswith("_")]
        assert not [name for name in public if name not in said["python.md"]], noun.__name__


def test_the_files_that_architecture_names_exist():
    files = [path.as_posix() for path in ROOT.rglob("*") if path.suffix in {".py", ".ts", ".tsx", ".toml"}]
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([\w/]+\.(?:py|tsx?|toml))`", text)) - {"four_bar.toml"}
    assert len(named) > 100
    assert not [name for name in sorted(named) if not any(file.endswith(f"/{name}") for file in files)]


def keys_of(data, names):
    """Return the keys of plain data that are not names of parts of the mechanism."""
    if isinstance(data, dict):
        own = set(data) - names
        return own.union(*(keys_of(value, names) for value in data.values()))
    return set().union(*(keys_of(value, names) for value in data)) if isinstance(data, list) else set()


@pytest.mark.parametrize(
    ("words", "example", "heading"),
    [
        ("structure", "stephenson_iii_triad", "### JSON of a structure"),
        ("inputs", "stephenson_iii_triad", "### JSON of inputs"),
        ("solve --samples 13 --kl --time-ratio rocker", "crank_rocker", "### JSON of a motion"),
        ("compare --samples 9 --method global --coordinates natural", "crank_rocker", "## Compare"),
        ("assemblies", "crank_rocker", "## Assemblies"),
        ("limits --circuits", "triple_rocker", "## Limits"),
        ("limits", "slider_crank_offset", "## Limits"),
    ],
)
def test_the_keys_of_json_are_documented(words, example, heading):
    """Each is named in a sentence or a table, not in an example alone."""
    m = sk.load(path(example))
    names = {"ground", *m.points, *m.links, *m.joints, *m.drivers}
    command, *options = words.split()
    found = keys_of(json.loads(structkin(command, path(example), *options, "--json").stdout), names)
    level = heading.split()[0]
    page = FENCE.sub("", (ROOT / "docs/command-line.md").read_text(encoding="utf-8"))
    section = re.split(rf"^#{{2,{len(level)}}} ", page.split(f"\n{heading}\n")[1], maxsplit=1, flags=re.MULTILINE)[0]
    assert len(found) > 5
    said = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", section))))
    assert not sorted({part for key in found for part in key.split(".")} - said)
