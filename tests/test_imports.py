"""Imports point one way: no circles, nothing from above, no import by a string in an unexpected place.

Imports that run while a module is loaded count. A verb of a noun may import the packages above it when it is called.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import networkx as nx
import pytest
from cases import few

ROOT = Path(__file__).parent.parent
#: The packages of each layer, from the top to the bottom; those of one layer may import each other.
LAYERS = [
    ["cli"],
    ["bench", "studies", "studio"],
    ["examples"],
    ["report"],
    ["files"],
    ["design"],
    ["show"],
    ["design"],
    ["dynamics"],
    ["global_methods"],
    ["branches"],
    ["solve"],
    ["kernels"],
    ["plan", "track"],
    ["structure"],
    ["spatial", "symbolic"],
    ["multibody"],
    ["model", "joints", "groups"],
    ["rows"],
    ["compiled"],
    ["budget"],
    ["blas"],
    ["checked"],
    ["errors"],
    ["web"],
    ["numerical_tolerances", "types", "version"],
]
#: What packages must not load, even by way of others: groups know arrays only, independent methods check the others.
APART = {
    ("groups",): ("errors", "model"),
    ("spatial", "symbolic"): (
        *("groups", "rows", "joints", "plan", "kernels", "track", "solve", "branches", "global_methods", "dynamics"),
    ),
}
LEVEL = {name: level for level, row in enumerate(LAYERS) for name in row}
#: Where a string may name an import: the lazy names of packages, and the commands, each loaded when it is run.
BY_STRING = ("/__init__.py",)


def sources() -> Iterator[tuple[str, Path]]:
    """Yield every module with its file."""
    for folder, package in (("structkin", "structkin"), ("groups", "structkin.groups")):
        for file in (ROOT / folder).rglob("*.py"):
            inside = file.relative_to(ROOT / folder).with_suffix("")
            if package != "structkin" or inside.parts[0] not in ("groups", "examples"):
                yield ".".join((package, *inside.parts)).removesuffix(".__init__"), file


FILES = dict(sources())


@cache
def trees() -> dict[str, ast.Module]:
    """Return each module's syntax tree: a million objects, which only the worker that runs these tests holds."""
    return {module: ast.parse(file.read_text(encoding="utf-8")) for module, file in FILES.items()}


@pytest.fixture(scope="module", autouse=True)
def no_trees_afterwards() -> Iterator[None]:
    yield
    trees.cache_clear()


def imported(module: str, *, late: bool = False) -> Iterator[str]:
    """Yield the modules that a module imports while it is loaded, or anywhere where `late` ones count too."""
    rest: list[ast.AST] = [trees()[module]]
    while rest:
        node = rest.pop()
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in FILES)
        elif isinstance(node, ast.ImportFrom):
            source = node.module or ""
            if node.level:
                package = module.split(".") if FILES[module].name == "__init__.py" else module.split(".")[:-1]
                source = ".".join([*package[: len(package) - node.level + 1], *([source] if source else [])])
            names = (f"{source}.{alias.name}" for alias in node.names)
            yield from {name if name in FILES else source for name in names} & FILES.keys()
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and not late:
            rest += node.orelse
        elif late or not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            rest += ast.iter_child_nodes(node)


@cache
def imports() -> nx.DiGraph:
    """Return which module imports which."""
    return nx.DiGraph([(module, other) for module in FILES for other in imported(module)])


def package(module: str) -> str:
    """Return the package that a module is in, or a top-level module itself."""
    return module.split(".")[1]


def across() -> list[tuple[str, str]]:
    """Return the imports from one package to another; `structkin` itself loads the public names on first use."""
    return [(a, b) for a, b in imports().edges if a.count(".") and b.count(".") and package(a) != package(b)]


def test_there_is_no_circle_of_imports():
    assert imports().number_of_edges() > 1000
    assert not [sorted(part) for part in nx.strongly_connected_components(imports()) if len(part) > 1]


def test_no_module_loads_one_of_a_layer_above():
    assert {package(module) for module in FILES if module.count(".")} - LEVEL.keys() == {"__main__"}
    assert not [(a, b) for a, b in across() if package(a) in LEVEL and LEVEL[package(a)] > LEVEL[package(b)]]


@pytest.mark.parametrize("those", APART)
def test_packages_that_stand_apart_load_none_of_the_others(those):
    """Not even inside a function; the nouns that they load may do so there."""
    own = {module for module in FILES if module.count(".") and package(module) in those}
    own |= {other for module in own for other in imported(module, late=True)}
    reached = own.union(*(nx.descendants(imports(), module) for module in own & imports().nodes))
    assert not [module for module in reached if module.count(".") and package(module) in APART[those]]


@pytest.mark.full
def test_modules_can_be_imported_in_any_order():
    """A circle within a package always loads in the same order: Python loads a package before its modules.

    Loading each package alone shows that this order works. A module outside circles loads in any order.
    """
    names = {module: module.split(".") for module in FILES}
    graph = nx.DiGraph(
        (module, ".".join(names[other][: k + 1]))
        for module in FILES
        for other in (module, *imported(module))
        for k in range(len(names[other]))
    )
    circles = {min(part, key=len): part for part in nx.strongly_connected_components(graph) if len(part) > 1}
    assert not [part for first, part in circles.items() if any(not f"{name}.".startswith(f"{first}.") for name in part)]
    for module in (*(circles.keys() - {f"structkin.{name}" for name in LEVEL}), "structkin.model.draft"):
        subprocess.run([sys.executable, "-c", f"import {module}"], check=True, cwd="/")


def test_names_of_files_say_what_they_hold():
    """More than two files of one name are not told apart in an editor."""
    names = Counter(file.name for file in FILES.values() if file.name != "__init__.py")
    assert not [name for name, count in names.items() if count > 2]


def test_imports_by_a_string_are_in_few_places():
    """Imports of other packages by their full name do not count."""
    found = [
        f"{module}:{node.lineno}"
        for module, tree in trees().items()
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
        for module, tree in trees().items()
        for node in tree.body
        if (isinstance(node, ast.Assign) and any(isinstance(target, ast.Attribute) for target in node.targets))
        or (isinstance(node, ast.Expr) and ast.unparse(node).startswith(("setattr(", "object.__setattr__(")))
    ]
    assert not found


@pytest.mark.parametrize("name", few([*LEVEL], 3))
def test_a_package_alone_loads_none_above_it(name):
    above = tuple(f"structkin.{other}" for other in LEVEL if LEVEL[other] < LEVEL[name])
    code = f"import sys, structkin.{name}; print([m for m in sys.modules if m.startswith({above!r})])"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd="/")
    assert done.stdout.strip() == "[]"


def picture() -> str:
    """Return which package imports which, for Mermaid: packages in a circle are one box, implied arrows left out."""
    circles = nx.condensation(nx.DiGraph((package(a), package(b)) for a, b in across()))
    boxes = {number: sorted(members) for number, members in circles.nodes(data="members")}
    names = {k: f"{'_'.join(box)}[{' and '.join(box)}]" if len(box) > 1 else box[0] for k, box in boxes.items()}
    arrows = sorted((names[a], names[b]) for a, b in nx.transitive_reduction(circles).edges)
    return "\n".join(["```mermaid", "graph TD", *(f"    {a} --> {b}" for a, b in arrows), "```"])


def test_the_picture_of_the_packages_is_true():
    """If it is not, put the result of `picture()` into the page."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert picture() in page, picture()
