"""The diagram of packages as SVG: Mermaid's own script is loaded from another host, and this site loads none."""

import re

import networkx as nx

ARROW = re.compile(r"^\s*(\w+)(?:\[[^\]]*\])? --> (\w+)(?:\[[^\]]*\])?$", re.MULTILINE)
LABEL = re.compile(r"(\w+)\[([^\]]*)\]")
FENCE = re.compile(r"^```mermaid\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROW, COLUMN, WIDTH, HEIGHT = 56, 150, 128, 28


def with_diagrams(page: str) -> str:
    """Return a page with each `graph TD` of Mermaid as an SVG picture."""
    return FENCE.sub(lambda match: picture(match[1]), page)


def picture(source: str) -> str:
    """Return the SVG of a graph whose arrows point down, a row for each layer."""
    graph = nx.DiGraph(ARROW.findall(source))
    layer_of = {name: k for k, layer in enumerate(nx.topological_generations(graph)) for name in layer}
    chains = [[a, *((a, b, k) for k in range(layer_of[a] + 1, layer_of[b])), b] for a, b in graph.edges]
    paths: nx.DiGraph = nx.DiGraph()  # with a stop in each layer that an arrow passes, so that it crosses no box
    for chain in chains:
        nx.add_path(paths, chain)
    layers = [sorted(layer, key=str) for layer in nx.topological_generations(paths)]
    place: dict[object, tuple[float, float]] = {}
    for k, layer in enumerate(layers):
        above = {name: [place[user][0] for user in paths.predecessors(name)] for name in layer}
        layer.sort(key=lambda name: (sum(above[name]) / len(above[name]) if above[name] else 0, str(name)))
        for i, name in enumerate(layer):
            place[name] = (COLUMN * (i - (len(layer) - 1) / 2), k * ROW)
    labels = dict(LABEL.findall(source))
    lines = [line([place[name] for name in chain]) for chain in chains]
    boxes = [
        f'<rect x="{x - WIDTH / 2:g}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="4"/>'
        f'<text x="{x:g}" y="{y + 20:g}">{labels.get(name, name)}</text>'
        for name, (x, y) in place.items()
        if isinstance(name, str)
    ]
    wide, tall = COLUMN * max(map(len, layers)), len(layers) * ROW - ROW + HEIGHT
    head = '<path d="M0 0L8 4L0 8z"/>'
    marker = f'<marker id="arrow" orient="auto" markerWidth="8" markerHeight="8" refX="1" refY="4">{head}</marker>'
    size = f'width="{wide}" viewBox="{-wide / 2:g} -4 {wide} {tall + 8}"'
    shapes = "".join([marker, *lines, *boxes])
    return f'<svg class="packages" xmlns="http://www.w3.org/2000/svg" {size} role="img">{shapes}</svg>'


def line(places: list[tuple[float, float]]) -> str:
    """Return the SVG of an arrow from the foot of its first box to the head of its last, through the places between."""
    (x, y), *stops, (to_x, to_y) = places
    corners = [(x, y + HEIGHT), *((x, y + HEIGHT / 2) for x, y in stops), (to_x, to_y - 7)]
    return f'<polyline points="{" ".join(f"{x:g},{y:g}" for x, y in corners)}"/>'
