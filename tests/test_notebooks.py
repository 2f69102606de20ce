"""The notebooks run from top to bottom, and are committed without outputs."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = sorted((Path(__file__).resolve().parents[1] / "notebooks").glob("*.ipynb"))


def test_there_are_notebooks():
    assert NOTEBOOKS


@pytest.fixture(params=NOTEBOOKS, ids=lambda path: path.stem)
def notebook(request):
    return nbformat.read(request.param, as_version=4)


def needs_spark(path):
    """Whether it asks for a session; tests/spark runs those, in an environment that has one."""
    return "local_session" in path.read_text("utf-8")


def test_those_with_spark_are_run_where_spark_is():
    assert [path.stem for path in NOTEBOOKS if needs_spark(path)] == ["07-a-lake-on-spark"]
    assert (Path(__file__).parent / "spark" / "test_notebooks.py").exists()


@pytest.mark.parametrize(
    "path", [path for path in NOTEBOOKS if not needs_spark(path)], ids=lambda path: path.stem
)
def test_it_runs(path, tmp_path, monkeypatch):
    notebook = nbformat.read(path, as_version=4)
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    NotebookClient(
        notebook,
        timeout=120,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
        store_widget_state=False,
    ).execute()


def test_it_is_committed_without_outputs(notebook):
    nbformat.validate(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert not cell.outputs and cell.execution_count is None
    assert "widgets" not in notebook.metadata


def test_it_names_no_absolute_paths(notebook):
    for cell in notebook.cells:
        assert not any(
            root in cell.source for root in ("/home/", "/work/", "/Users/", "C:\\", "/tmp/")
        )
