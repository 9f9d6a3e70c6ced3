"""Signatures in the documentation are those of the program: names, order, keyword-only arguments, defaults."""

import ast
import builtins
import importlib
import inspect
import pkgutil
import re
from collections import defaultdict
from functools import partial
from pathlib import Path

import pytest

import structkin

PAGES = sorted((Path(__file__).parents[1] / "docs").rglob("*.md"))
#: A call in the text, or alone in a block without a language.
CALL = re.compile(r"`((?:\w+\.)*)(\w+)\(([^`]*?)\)`|^```\n((?:\w+\.)*)(\w+)\((.*?)\)\n```$", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^```\w+\n.*?^```[ ]*$", re.MULTILINE | re.DOTALL)
#: Functions of the reader, of Python and of other packages.
FOREIGN = {"where", "len", "read_csv"}


@pytest.fixture(scope="module")
def program():
    """Every function of the package and every method of its classes, by name; classes by their constructor."""
    found = defaultdict(list)
    for module in pkgutil.walk_packages(structkin.__path__, "structkin."):
        if ".bench" in module.name or module.name.endswith("__main__"):
            continue
        for name, thing in vars(importlib.import_module(module.name)).items():
            if callable(thing) and getattr(thing, "__module__", "") == module.name:
                found[name].append(thing)
            if inspect.isclass(thing):
                for own, member in vars(thing).items():
                    if inspect.isfunction(member):
                        found[own].append(partial(member, None))  # the dot before it implies the object
                    elif inspect.isfunction(getattr(member, "__func__", None)):
                        found[own].append(getattr(thing, own))
    found["law"] = found["lift"] + [partial(structkin.CamLaw.__call__, None)]
    return found


def documented(text):
    """Yield name and arguments (an `ast.arguments`) of each signature on a page; calls with values do not count."""
    for match in CALL.finditer(FENCE.sub("", text)):
        name, stated = match[2] or match[5], (match[3] or match[6] or "").replace("\n", " ")
        stated = re.sub(r"=\s*(?=,|$)", "=...", stated)
        stated = re.sub(r"(^|, )\.\.\.(?=,|$)", r"\1*rest", stated)
        if name in FOREIGN:
            continue
        try:
            yield name, match[0], ast.parse(f"def f({stated}): pass").body[0].args
        except SyntaxError:
            assert re.search(r"[\"'\[({0-9.]", stated), match[0]


def differences(stated, function):
    """Return the errors in a documented signature, or in a call that shows one value."""
    actual = inspect.signature(function).parameters
    ordered = [name for name, item in actual.items() if item.kind in (item.POSITIONAL_OR_KEYWORD, item.POSITIONAL_ONLY)]
    takes_any = any(item.kind == item.VAR_KEYWORD for item in actual.values())
    values = dict(zip([item.arg for item in stated.args][::-1], stated.defaults[::-1], strict=False))
    values |= {item.arg: value for item, value in zip(stated.kwonlyargs, stated.kw_defaults, strict=True) if value}
    by_name = {name for name, value in values.items() if ast.dump(value) == DOTS}
    is_call = stated.vararg is not None or len(values) == 1
    found = []
    for name, value in values.items():
        if name not in actual:
            found += [] if takes_any else [f"{name} is not an argument"]
        elif name not in by_name and ast.unparse(value) != repr(actual[name].default):
            found += [] if is_call else [f"{name} is {actual[name].default!r}"]
            by_name.add(name)
    by_place = [item.arg for item in stated.args if item.arg not in by_name]
    if stated.vararg is None and by_place != ordered[: len(by_place)]:
        found.append(f"positional arguments are {ordered}")
    return found + [f"{item.arg} may be positional" for item in stated.kwonlyargs if item.arg in ordered]


DOTS = ast.dump(ast.Constant(...))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_documented_signatures(page, program):
    wrong = []
    for name, said, stated in documented(page.read_text(encoding="utf-8")):
        if not program[name]:
            wrong.append(f"{said}: there is no {name}")
            continue
        found = [differences(stated, function) for function in program[name]]
        if all(found):
            wrong.append(f"{said}: {min(found, key=len)}")
    assert not wrong, "\n".join(wrong)


def test_the_names_on_the_page_about_python_exist():
    """A class is named as it is reached: from `structkin`, from the package that is named, or as a joint's."""
    page = (Path(__file__).parents[1] / "docs" / "python.md").read_text(encoding="utf-8")
    for name in set(re.findall(r"\bsk\.(\w+)", page)):
        assert hasattr(structkin, name), name
    places = (structkin, structkin.joints, structkin.branches.homotopy, builtins)
    for span in re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)):
        for path in re.findall(r"\bstructkin(?:\.\w+)+", span):
            assert pkgutil.resolve_name(path), path
        for name in re.findall(r"(?<![\w.\"])([A-Z][a-z]\w+)(?![\w\"])", span):
            assert any(hasattr(place, name) for place in places), span
