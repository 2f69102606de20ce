"""The chapters that use Spark run with their solutions, and all notebooks run in one folder, in any order."""

import contextlib
import io
import os

import pytest
from course.harness import NOTEBOOKS, ON_SPARK, assert_right, cells_to_run

from pqexplore.course.exercise import CHAPTERS

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
IPython = pytest.importorskip("IPython")

ALL = sorted(NOTEBOOKS.glob("*.ipynb"))

pytestmark = pytest.mark.skipif("PQEXPLORE_SPARK_REMOTE" in os.environ, reason="a notebook brings its own session")


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


@pytest.mark.full
@pytest.mark.parametrize("number", ON_SPARK)
def test_solutions_are_right_and_wrong_answers_wrong(spark, number, tmp_path, monkeypatch):
    """In the session that is there, by IPython in this process; below, in a kernel with a session of its own."""
    from IPython.testing.globalipapp import start_ipython

    shell = start_ipython() or IPython.get_ipython()  # another test may have started it
    chapter = CHAPTERS[number]
    (tmp_path / chapter.file).write_bytes((NOTEBOOKS / chapter.file).read_bytes())
    (tmp_path / "solutions").mkdir()
    monkeypatch.chdir(tmp_path / "solutions")
    monkeypatch.setenv("PQEXPLORE_COURSE", str(tmp_path / "course.json"))
    before = set(shell.user_ns)
    shown = []
    try:
        for cell in cells_to_run(chapter):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                shell.run_cell(cell).raise_error()
            shown.append(out.getvalue().strip())
        assert shell.user_ns["spark"] is spark
    finally:
        shell.drop_by_id({name: shell.user_ns[name] for name in set(shell.user_ns) - before})
    assert_right(chapter, shown)


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
