"""The notebook of the lesson is its page, which test_docs runs; and it is a notebook."""

import importlib.util
import json
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "docs" / "lessons"
spec = importlib.util.spec_from_file_location("make_notebook", FOLDER / "make_notebook.py")
lesson = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lesson)


def test_the_notebook_is_made_from_the_page():
    assert lesson.NOTEBOOK.read_text(encoding="utf-8") == lesson.notebook_of(lesson.PAGE.read_text(encoding="utf-8"))


def test_the_code_of_the_notebook_runs(capsys):
    cells = json.loads(lesson.NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(cell["source"], names)
            assert capsys.readouterr().out == "".join(output["text"] for output in cell["outputs"])
    assert len([cell for cell in cells if cell["cell_type"] == "code"]) > 10
