"""What a notebook saves of an explorer, and what the loader gets from the kernel."""

import json
import re

import nbformat
import pytest
from IPython.core.interactiveshell import InteractiveShell
from ipywidgets import Widget

import pqexplore
from pqexplore.widget.script_loader import STATIC, WIDGET, bundle


@pytest.fixture
def explorer(orders_bytes):
    return pqexplore.explore(orders_bytes)


@pytest.fixture
def lake(tmp_path, orders_bytes):
    (tmp_path / "orders.parquet").write_bytes(orders_bytes)
    return pqexplore.explore_lake(str(tmp_path))


@pytest.mark.parametrize("kind", ["explorer", "lake"])
def test_the_state_that_a_notebook_saves_has_at_most_20_kb(kind, request):
    widget = request.getfixturevalue(kind)
    saved = Widget.get_manager_state(widgets=[widget])
    assert widget.model_id in saved["state"]
    assert len(json.dumps(saved)) <= 20_000
    assert len((STATIC / "loader.js").read_bytes()) < 3_000


@pytest.mark.parametrize("kind", ["explorer", "lake"])
def test_the_loader_gets_the_explorer_from_the_kernel(kind, request):
    widget = request.getfixturevalue(kind)
    sent = []
    widget.send = lambda content, buffers=None: sent.append((content, buffers))
    widget._handle_custom_msg({"kind": "bundle"}, [])
    [(content, parts)] = sent
    assert content == {"kind": "bundle"}
    assert parts == [(STATIC / name).read_bytes() for name in ("index.js", "index.css")]
    assert widget._bundle == bundle()[0]
    sent.clear()
    widget._handle_custom_msg({"kind": "alive"}, [])
    assert sent == [({"kind": "alive"}, None)]


@pytest.fixture
def displayed(monkeypatch):
    """The outputs of what is displayed: their data by MIME type."""
    shell = InteractiveShell.instance()
    outputs = []

    def publish(data, metadata=None, **_):
        outputs.append(data)

    monkeypatch.setattr(shell.display_pub, "publish", publish)
    yield outputs
    InteractiveShell.clear_instance()


def test_a_cell_has_two_outputs_the_picture_and_the_widget(explorer, displayed):
    explorer._ipython_display_()
    picture, widget = displayed
    assert re.match(f'<div data-pqx-static="{explorer._picture}">', picture["text/html"])
    assert WIDGET not in picture and picture["text/plain"] == repr(explorer)
    assert set(widget) == {WIDGET, "text/plain"} and widget["text/plain"] == ""


def test_nbconvert_shows_the_picture_once_and_nothing_else(explorer, displayed):
    exporters = pytest.importorskip("nbconvert.exporters")
    explorer._ipython_display_()
    cell = nbformat.v4.new_code_cell("e")
    cell.outputs = [nbformat.v4.new_output("display_data", data) for data in displayed]
    notebook = nbformat.v4.new_notebook(cells=[cell])
    page, _ = exporters.HTMLExporter().from_notebook_node(notebook)
    body = page.partition("<body")[2]
    assert body.count("data:image/svg+xml;base64,") == 2  # the byte map, and the drawing of the lens
    assert body.count("1,000 rows") == 1 and repr(explorer) not in body


def test_databricks_gets_one_output(explorer, displayed, monkeypatch):
    monkeypatch.setenv("DATABRICKS_RUNTIME_VERSION", "17.3")
    explorer._ipython_display_()
    [output] = displayed
    assert set(output) == {WIDGET, "text/html", "text/plain"}
    assert "data-pqx-static" not in output["text/html"]


def test_each_explorer_has_a_picture_of_its_own(orders_bytes):
    assert pqexplore.explore(orders_bytes)._picture != pqexplore.explore(orders_bytes)._picture
