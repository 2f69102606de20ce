"""The notebooks that use Spark run from top to bottom, and all notebooks run in one folder, in any order."""

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

ROOT = Path(__file__).resolve().parents[2]
ALL = sorted((ROOT / "notebooks").glob("*.ipynb"))
WITH_SPARK = [path for path in ALL if "local_session" in path.read_text("utf-8")]

pytestmark = pytest.mark.skipif(
    "PQEXPLORE_SPARK_REMOTE" in os.environ, reason="a notebook brings its own session"
)


def run(path, folder):
    nbclient.NotebookClient(
        nbformat.read(path, as_version=4),
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        store_widget_state=False,
    ).execute()


@pytest.fixture(autouse=True)
def ipython_folder(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path_factory.mktemp("ipython")))


def test_there_is_one():
    assert WITH_SPARK


@pytest.mark.parametrize("path", WITH_SPARK, ids=lambda path: path.stem)
def test_it_runs(path, tmp_path):
    run(path, tmp_path)


ORDERS = {"forwards, then backwards": [*ALL, *reversed(ALL)], "backwards": [*reversed(ALL)]}


@pytest.mark.full
@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS)
def test_all_run_in_one_folder(order, tmp_path):
    for path in order:
        try:
            run(path, tmp_path)
        except nbclient.exceptions.CellExecutionError as error:
            pytest.fail(f"{path.stem}, among the files of those before it: {error}")
    left = [one.name for one in tmp_path.iterdir() if one.is_file()]
    assert all(name.endswith((".parquet", ".html")) for name in left), "git ignores what they leave"
