"""The notebooks that use Spark run from top to bottom."""

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = [
    path
    for path in sorted((ROOT / "notebooks").glob("*.ipynb"))
    if "local_session" in path.read_text("utf-8")
]


def test_there_is_one():
    assert NOTEBOOKS


@pytest.mark.skipif(
    "PQEXPLORE_SPARK_REMOTE" in os.environ, reason="a notebook brings its own session"
)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path, tmp_path, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    nbclient.NotebookClient(
        nbformat.read(path, as_version=4),
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(tmp_path)}},
        store_widget_state=False,
    ).execute()
