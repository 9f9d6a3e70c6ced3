"""Imports point one way: no large circles, nothing from above, no import by a string in an unexpected place."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import pytest
from cases import few

ROOT = Path(__file__).parent.parent
LAYERS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"][0]["layers"]
#: The packages of each layer, from the top to the bottom; those of one layer do not import each other.
ORDER = [[name.strip() for name in row.split(":")] for row in LAYERS]
#: Where a string may name an import: the lazy names of packages, and the commands, each loaded when it is run.
BY_STRING = ("/__init__.py",)
#: Files of the largest circle of imports; those inside functions and for type checkers count.
LARGEST = 3


def sources() -> Iterator[tuple[str, Path]]:
    """Yield every module with its file."""
    for folder, package in (("structkin", "structkin"), ("groups", "structkin.groups")):
        for file in (ROOT / folder).rglob("*.py"):
            inside = file.relative_to(ROOT / folder).with_suffix("")
            if package != "structkin" or inside.parts[0] not in ("groups", "examples"):
                yield ".".join((package, *inside.parts)).removesuffix(".__init__"), file


FILES = dict(sources())
TREES = {module: ast.parse(file.read_text(encoding="utf-8")) for module, file in FILES.items()}


def imported(module: str) -> Iterator[str]:
    """Yield the modules that a module imports, wherever it does so."""
    for node in ast.walk(TREES[module]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                package = module.split(".") if FILES[module].name == "__init__.py" else module.split(".")[:-1]
                source = ".".join([*package[: len(package) - node.level + 1], *([source] if source else [])])
            names = (f"{source}.{alias.name}" for alias in node.names)
            yield from (name if name in FILES else source for name in names)


def test_there_is_no_large_circle_of_imports():
    graph = nx.DiGraph([(module, other) for module in FILES for other in imported(module) if other in FILES])
    assert graph.number_of_edges() > 1000
    circles = [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > LARGEST]
    assert not circles


def loading(module: str) -> Iterator[str]:
    """Yield the modules that a module needs while it is loaded, the packages of all of them included."""
    rest: list[ast.AST] = [TREES[module]]
    names = {module}
    while rest:
        node = rest.pop()
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            rest += node.orelse
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            rest += ast.iter_child_nodes(node)
    for name in names & FILES.keys():
        parts = name.split(".")
        yield from (".".join(parts[: k + 1]) for k in range(len(parts)))


def circles_of_loading() -> dict[str, list[str]]:
    """Return the circles of imports outside functions, each with the module that has the shortest name."""
    graph = nx.DiGraph([(module, other) for module in FILES for other in loading(module)])
    circles = [sorted(part) for part in nx.strongly_connected_components(graph) if len(part) > 1]
    return {min(part, key=len): part for part in circles}


def test_modules_can_be_imported_in_any_order():
    """A circle within a package always loads in the same order: Python loads a package before its modules.

    Loading each package alone shows that this order works. A module outside circles loads in any order.
    """
    circles = circles_of_loading()
    assert [
        part for first, part in circles.items() if any(not f"{name}.".startswith(f"{first}.") for name in part)
    ] == []
    packages = {name for row in ORDER for name in row}
    for module in (*(circles.keys() - packages), "structkin.model.draft"):
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True, cwd="/")


def test_imports_by_a_string_are_in_few_places():
    """Imports of other packages by their full name do not count."""
    found = [
        f"{module}:{node.lineno}"
        for module, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and ast.unparse(node.func).rpartition(".")[2] in ("import_module", "__import__", "resolve_name")
        and (not isinstance(node.args[0], ast.Constant) or str(node.args[0].value).startswith("structkin"))
        and not FILES[module].as_posix().endswith(BY_STRING)
    ]
    assert not found


def test_no_module_sets_attributes_of_a_class_from_outside():
    found = [
        f"{module}:{node.lineno}"
        for module, tree in TREES.items()
        for node in tree.body
        if (isinstance(node, ast.Assign) and any(isinstance(target, ast.Attribute) for target in node.targets))
        or (isinstance(node, ast.Expr) and ast.unparse(node).startswith(("setattr(", "object.__setattr__(")))
    ]
    assert not found


@pytest.mark.parametrize("package", few([name for row in ORDER for name in row], 8))
def test_a_package_alone_loads_none_above_it(package):
    level = next(k for k, row in enumerate(ORDER) if package in row)
    above = tuple(name for row in ORDER[:level] for name in row)
    code = f"import sys, {package}; print([m for m in sys.modules if m.startswith({above!r})])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd="/")
    assert done.stdout.strip() == "[]"


def package(module: str) -> str:
    """Return the package that a module is in, or a top-level module itself."""
    return module.split(".")[1]


def picture() -> str:
    """Return which package imports which, for Mermaid: packages in a circle are one box, implied arrows left out."""
    within = [(module, other) for module in FILES for other in imported(module) if other in FILES]
    pairs = {(package(a), package(b)) for a, b in within if a.count(".") and b.count(".")}
    circles = nx.condensation(nx.DiGraph((a, b) for a, b in pairs if a != b))
    boxes = {number: sorted(members) for number, members in circles.nodes(data="members")}
    names = {k: f"{'_'.join(box)}[{' and '.join(box)}]" if len(box) > 1 else box[0] for k, box in boxes.items()}
    arrows = sorted((names[a], names[b]) for a, b in nx.transitive_reduction(circles).edges)
    return "\n".join(["```mermaid", "graph TD", *(f"    {a} --> {b}" for a, b in arrows), "```"])


def test_the_picture_of_the_packages_is_true():
    """If it is not, put the result of `picture()` into the page."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert picture() in page, picture()
