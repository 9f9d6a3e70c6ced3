"""The notebook of the lesson has the contents of its page, which test_docs runs, and is a valid notebook."""

import importlib.util
import json
import re
from pathlib import Path

import pytest
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
    assert not re.search("answer|teacher|student", words, re.IGNORECASE) and "## 6. Exercises" in words
    assert "$ structkin explain" in words and "1. crank: driven" not in words
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert {output["output_type"] for output in outputs} == {"display_data"}
    # pictures of the questions, in one colour, also on paper; those coloured by group are answers
    questions = re.findall(r"!\[(.* in one colour)\]", lesson.PAGE.read_text(encoding="utf-8"))
    assert [output["data"]["text/plain"] for output in outputs] == questions and len(questions) == 5
    code, all_code = (sum(cell["cell_type"] == "code" for cell in some) for some in (cells, all_cells))
    assert 0.8 * all_code < code < all_code


@pytest.mark.full
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
