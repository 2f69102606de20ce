"""The notebooks and their solutions are committed without outputs, and import public names; tests/course runs them."""

import ast
import importlib

import nbformat
import pytest
from course.harness import NOTEBOOKS, ON_SPARK

CHAPTERS = sorted(NOTEBOOKS.glob("*.ipynb"))
ALL = [*CHAPTERS, *sorted(NOTEBOOKS.glob("solutions/*.ipynb"))]


def test_there_are_notebooks():
    assert CHAPTERS


@pytest.fixture(params=ALL, ids=lambda path: f"{path.parent.name}-{path.stem}")
def notebook(request):
    return nbformat.read(request.param, as_version=4)


def test_those_with_spark_are_run_where_spark_is():
    """tests/spark runs those that ask for a session, in an environment that has one."""
    asking = [path for path in CHAPTERS if "local_session" in path.read_text("utf-8")]
    assert tuple(path.name[:2] for path in asking) == ON_SPARK


def test_it_is_committed_without_outputs(notebook):
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None
    assert "widgets" not in notebook.metadata


def test_it_names_no_absolute_paths(notebook):
    for cell in notebook.cells:
        assert not any(root in cell.source for root in ("/home/", "/work/", "/Users/", "C:\\", "/tmp/"))


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
