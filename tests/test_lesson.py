"""The notebook of the lesson has the contents of its page, which test_docs runs, and is a valid notebook."""

import importlib.util
import json
from pathlib import Path

from matplotlib.figure import Figure

FOLDER = Path(__file__).parents[1] / "docs" / "lessons"
spec = importlib.util.spec_from_file_location("make_notebook", FOLDER / "make_notebook.py")
lesson = importlib.util.module_from_spec(spec)
spec.loader.exec_module(lesson)


def test_the_notebook_is_made_from_the_page():
    assert lesson.NOTEBOOK.read_text(encoding="utf-8") == lesson.notebook_of(lesson.PAGE.read_text(encoding="utf-8"))


def test_the_notebook_for_students_has_no_answers():
    text = lesson.STUDENTS.read_text(encoding="utf-8")
    assert text == lesson.for_students(lesson.PAGE.read_text(encoding="utf-8"))
    cells, all_cells = (json.loads(one)["cells"] for one in (text, lesson.NOTEBOOK.read_text(encoding="utf-8")))
    words = "".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    assert "Answers" not in words and "Teacher" not in words and "## 6. Exercises" in words
    assert not any(cell.get("outputs") for cell in cells)
    code, all_code = (sum(cell["cell_type"] == "code" for cell in some) for some in (cells, all_cells))
    assert 0.8 * all_code < code < all_code


def test_the_code_of_the_notebook_runs(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = json.loads(lesson.NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    names = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec(cell["source"], names)
            assert capsys.readouterr().out == "".join(output.get("text", "") for output in cell["outputs"])
            if any("image/png" in output.get("data", {}) for output in cell["outputs"]):
                assert isinstance(eval(cell["source"].splitlines()[-1], names), Figure)
    assert len([cell for cell in cells if cell["cell_type"] == "code"]) > 10


def test_a_copy_of_the_notebook_needs_no_other_file():
    cells = json.loads(lesson.NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    words = "".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    assert "](" not in words
    pictures = [output["data"] for cell in cells for output in cell.get("outputs", []) if "data" in output]
    assert len(pictures) == lesson.PAGE.read_text(encoding="utf-8").count("![")
