"""Make the notebook of the lesson from its page: `python docs/lessons/make_notebook.py`; a test compares the two."""

import json
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "structural_groups.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")
#: A code block, with what it prints.
CODE = re.compile(r"^```python\n(.*?)\n```\n(?:\n```text\n(.*?)\n```\n)?", re.MULTILINE | re.DOTALL)


def cells_of(page: str) -> list[dict[str, Any]]:
    """Return the cells of a page: code with what it prints, and Markdown between."""
    cells: list[dict[str, Any]] = []

    def add(kind: str, text: str, **more: Any) -> None:
        if text.strip():
            cells.append(
                {"id": f"cell-{len(cells)}", "cell_type": kind, "metadata": {}, "source": text.strip(), **more}
            )

    end = 0
    for block in CODE.finditer(page):
        add("markdown", page[end : block.start()])
        printed = {"output_type": "stream", "name": "stdout", "text": f"{block[2]}\n"}
        add("code", block[1], execution_count=None, outputs=[printed] if block[2] else [])
        end = block.end()
    add("markdown", page[end:])
    return cells


def notebook_of(page: str) -> str:
    """Return the text of the notebook of a page."""
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = {"cells": cells_of(page), "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook_of(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
