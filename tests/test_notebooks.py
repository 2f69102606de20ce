"""Chapters are committed with what they show, as texts and pictures; solutions without. tests/course runs them."""

import ast
import importlib
import importlib.util
import re

import nbformat
import pytest
from course.harness import NOTEBOOKS, ON_SPARK

CHAPTERS = sorted(NOTEBOOKS.glob("*.ipynb"))
SOLUTIONS = sorted(NOTEBOOKS.glob("solutions/*.ipynb"))
ALL = [*CHAPTERS, *SOLUTIONS]

LARGEST = 150_000
"""Bytes of a chapter with its outputs."""
ACTIVE = re.compile(r"<script|<iframe|\bon\w+=|javascript:", re.I)
WITHOUT_PICTURES = ("07", "08")
"""Chapters about many files: what a lake's explorer leaves has no drawing."""

spec = importlib.util.spec_from_file_location("course_outputs", NOTEBOOKS.parent / "tools" / "course_outputs.py")
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)


def test_there_are_notebooks():
    assert CHAPTERS


@pytest.fixture(params=ALL, ids=lambda path: f"{path.parent.name}-{path.stem}")
def notebook(request):
    return nbformat.read(request.param, as_version=4)


def test_those_with_spark_are_run_where_spark_is():
    """tests/spark runs those that ask for a session, in an environment that has one."""
    asking = [path for path in CHAPTERS if "local_session" in path.read_text("utf-8")]
    assert tuple(path.name[:2] for path in asking) == ON_SPARK


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_solutions_are_committed_without_outputs(path):
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_opens_with_what_it_shows_where_nothing_is_installed(path):
    """A forge runs no script and no kernel: outputs are texts and pictures, of the code that the notebook has."""
    notebook = nbformat.read(path, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert notebook.metadata["pqexplore"]["outputs_of"] == tool.code_of(notebook), (
        f"make chapters CHAPTERS={path.name[:2]}"
    )
    assert path.stat().st_size < LARGEST
    outputs = [output for cell in code for output in cell.outputs]
    assert len(outputs) >= len(code) / 2
    for one in outputs:
        assert one.output_type in ("stream", "execute_result", "display_data"), "an error is shown"
        assert set(one.get("data", {})) <= set(tool.STATIC)
        assert not ACTIVE.search(one.get("data", {}).get("text/html", ""))
    pictures = [
        one
        for one in outputs
        if "<img" in one.get("data", {}).get("text/html", "") or "image/png" in one.get("data", {})
    ]
    assert bool(pictures) is not (path.name[:2] in WITHOUT_PICTURES), "an exception that is not needed"
    assert all(cell.execution_count == place for place, cell in enumerate(code, 1)), "it ran in another order"


def test_what_a_cell_shows_is_kept_as_texts_and_pictures():
    made = nbformat.v4.new_output
    widget = {"application/vnd.jupyter.widget-view+json": {"model_id": "x"}, "text/plain": ""}
    assert tool.static(made("display_data", widget), "/here") is None
    assert tool.static(made("stream", name="stderr", text="a log"), "/here") is None
    assert tool.static(made("stream", name="stdout", text="/here/a"), "/here").text == "…/a"
    chart = {"application/vnd.plotly.v1+json": {}, "text/html": "<p>/here</p>", "text/plain": "a"}
    assert tool.static(made("display_data", chart), "/here").data == {"text/html": "<p>…</p>", "text/plain": "a"}


def test_it_is_a_notebook_without_the_state_of_widgets(notebook):
    nbformat.validate(notebook)
    assert "widgets" not in notebook.metadata


def test_it_names_no_absolute_paths(notebook):
    for cell in notebook.cells:
        texts = cell.source + str(cell.get("outputs", ""))
        assert not any(root in texts for root in ("/home/", "/work/", "/Users/", "C:\\", "/tmp/", "tmp/tmp", "/root/"))


PUBLIC = {
    *("pqexplore", "pqexplore.course", "pqexplore.format", "pqexplore.glossary"),
    *("pqexplore.lake", "pqexplore.lake.metadatastore", "pqexplore.samples"),
}
"""The modules that a user imports; each lists its names in `__all__`, but for the course."""


def imported(source):
    """The modules of the package that a cell imports, each with the names that it takes of them."""
    code = "\n".join(line for line in source.split("\n") if not line.startswith(("%", "!")))
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pqexplore"):
            for alias in node.names:
                yield node.module, alias.name
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("pqexplore"):
                    yield alias.name, None


def test_imports_are_found():
    cell = "%load_ext x\nimport pqexplore.engine.span\nfrom pqexplore.lake import scan"
    assert set(imported(cell)) == {("pqexplore.engine.span", None), ("pqexplore.lake", "scan")}


def test_it_imports_public_names_only(notebook):
    for cell in notebook.cells:
        if cell.cell_type != "code" or cell.source.startswith("%%"):
            continue
        for module, name in imported(cell.source):
            known = importlib.import_module(module)
            assert module in PUBLIC
            assert name is None or name in dir(known)
            assert name is None or name in {*known.__all__, *getattr(known, "_MODULES", ())}
