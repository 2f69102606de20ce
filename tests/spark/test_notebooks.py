"""The notebooks that use Spark run from top to bottom, and all notebooks run in one folder, in any order."""

import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
IPython = pytest.importorskip("IPython")

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
def test_it_runs(spark, path, tmp_path, monkeypatch):
    """In the session that is there, by IPython in this process; below, in a kernel with a session of its own."""
    from IPython.testing.globalipapp import start_ipython

    shell = start_ipython() or IPython.get_ipython()  # another test may have started it
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(type(spark), "stop", lambda self: None)  # other tests go on with it
    before = set(shell.user_ns)
    try:
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                shell.run_cell(cell.source).raise_error()
        assert shell.user_ns["spark"] is spark
    finally:
        shell.drop_by_id({name: shell.user_ns[name] for name in set(shell.user_ns) - before})


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
