"""Which package of structkin imports which: the picture in architecture.md, written from the imports themselves.

python docs/package_graph.py
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import networkx as nx

DOCS = Path(__file__).parent
CODE = DOCS.parent / "structkin"
PAGE = DOCS / "architecture.md"
BLOCK = re.compile(r"```mermaid\n.*?```", re.DOTALL)


def package_of(module: str) -> str | None:
    """Return the package, or the module, below structkin that a dotted name is in.

    >>> package_of("structkin.model.units"), package_of("numpy")
    ('model', None)
    """
    parts = module.split(".")
    return parts[1] if parts[0] == "structkin" and len(parts) > 1 else None


def imports() -> nx.DiGraph:
    """Return the packages, an edge from each to those that it imports: lazily and for types as well."""
    graph = nx.DiGraph()
    for file in sorted(CODE.rglob("*.py")):
        own = file.relative_to(CODE).parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        graph.add_node(own)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if isinstance(node, ast.ImportFrom) and node.module == "structkin":
                names = [f"structkin.{alias.name}" for alias in node.names if (CODE / alias.name).is_dir()]
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            graph.add_edges_from((own, other) for name in names if (other := package_of(name)) not in (None, own))
    return graph


def picture() -> str:
    """Return the graph for Mermaid: an arrow that follows from others is left out, packages in a circle are one box."""
    circles = nx.condensation(imports())
    name = {number: " and ".join(sorted(members)) for number, members in circles.nodes(data="members")}
    arrows = sorted((name[a], name[b]) for a, b in nx.transitive_reduction(circles).edges)
    lines = [f"    {_box(a)} --> {_box(b)}" for a, b in arrows]
    return "\n".join(["```mermaid", "graph TD", *lines, "```"])


def _box(name: str) -> str:
    return f"{name.replace(' ', '_')}[{name}]" if " " in name else name


if __name__ == "__main__":
    PAGE.write_text(BLOCK.sub(picture(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
