"""Make the notebook of the lesson from its page: `python docs/lessons/make_notebook.py`; a test compares the two.

The pictures are drawn by the code above them, and are part of the notebook, so that it can be copied anywhere.
"""

import ast
import base64
import contextlib
import io
import json
import re
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image

from structkin.show import save_figure

PAGE = Path(__file__).parent / "structural_groups.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")
#: The same for students: without teacher's notes, answers and outputs, except the pictures of the questions.
STUDENTS = PAGE.with_name(f"{PAGE.stem}_student.ipynb")
#: A paragraph for the teacher; the answers, up to the next section.
TEACHER = re.compile(r"^\*Teacher's note\.\*.*?\n\n", re.MULTILINE | re.DOTALL)
ANSWERS = re.compile(r"^### Answers\n.*?(?=^## |\Z)", re.MULTILINE | re.DOTALL)
#: What a command prints.
PRINTED = re.compile(r"(?<=^```console\n)(\$ .*\n)(?:(?!```).*\n)*", re.MULTILINE)
#: A code block, with what it prints, or with the words and the file of the picture it draws.
CODE = re.compile(
    r"^```python\n(.*?)\n```\n(?:\n```text\n(.*?)\n```\n|\n!\[(.*?)\]\((.*?)\)\n)?", re.MULTILINE | re.DOTALL
)
#: A link that would lead nowhere from a copy of the notebook.
LINK = re.compile(r"\[([^\]]*)\]\((?!https?:)[^)]*\)")


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
        add("markdown", LINK.sub(r"\1", page[end : block.start()]))
        outputs: list[dict[str, Any]] = []
        if block[2]:
            outputs = [{"output_type": "stream", "name": "stdout", "text": f"{block[2]}\n"}]
        if block[4]:
            picture = base64.b64encode((PAGE.parent / block[4]).read_bytes()).decode("ascii")
            data = {"image/png": picture, "text/plain": block[3]}
            outputs = [{"output_type": "display_data", "data": data, "metadata": {}}]
        add("code", block[1], execution_count=None, outputs=outputs)
        end = block.end()
    add("markdown", LINK.sub(r"\1", page[end:]))
    return cells


def notebook_of(page: str) -> str:
    """Return the text of the notebook of a page."""
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = {"cells": cells_of(page), "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def for_students(page: str) -> str:
    """Return the text of the notebook of a page that students complete."""
    notebook = json.loads(notebook_of(PRINTED.sub(r"\1", ANSWERS.sub("", TEACHER.sub("", page)))))
    for cell in notebook["cells"]:
        # a picture in one colour is a question; coloured by group it is an answer
        if cell["cell_type"] == "code" and "groups=False" not in cell["source"]:
            cell["outputs"] = []
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def draw_pictures(page: str) -> None:
    """Run the code of a page, and save each picture that a block ends with under the name that the page gives it."""
    names: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        for block in CODE.finditer(page):
            *before, last = ast.parse(block[1]).body
            if block[4] and isinstance(last, ast.Expr):
                exec(compile(ast.Module(before, []), "lesson", "exec"), names)
                file = PAGE.parent / block[4]
                save_figure(eval(compile(ast.Expression(last.value), "lesson", "eval"), names), file)
                # A palette makes the files, and with them the notebook, a third as large.
                Image.open(file).convert("RGB").quantize(128).save(file, optimize=True)
            else:
                exec(block[1], names)


if __name__ == "__main__":
    draw_pictures(PAGE.read_text(encoding="utf-8"))
    text = PAGE.read_text(encoding="utf-8")
    NOTEBOOK.write_text(notebook_of(text), encoding="utf-8", newline="\n")
    STUDENTS.write_text(for_students(text), encoding="utf-8", newline="\n")
