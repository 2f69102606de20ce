"""The explorer beside other widgets: its traits are linked, and docs/compose.md runs."""

import re
from pathlib import Path

import pyarrow as pa
import pytest
import traitlets
from made import parquet

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.lenses import LENSES
from pqexplore.lake import figures as lake_figures

PAGE = Path(__file__).parents[1] / "docs" / "compose.md"
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.S)


@pytest.fixture
def explorer():
    return pqexplore.explore(parquet(pa.table({"x": [1, 2]})))


@pytest.fixture
def sample(tmp_path, monkeypatch):
    write_sample("events", tmp_path / "events.parquet")
    monkeypatch.chdir(tmp_path)


def test_lens_is_another_name_for_view(explorer):
    changes = []
    explorer.observe(lambda change: changes.append((change.name, change.new)), ["lens", "view"])
    explorer.lens = "rows"
    assert explorer.view == "rows"
    explorer.view = "facts"
    assert explorer.lens == "facts"
    explorer.view = ""
    assert explorer.lens == ""
    assert sorted(changes) == sorted((name, value) for value in ("rows", "facts", "") for name in ("lens", "view"))
    assert pqexplore.explore(explorer.file, view="rows").lens == "rows"


@pytest.mark.parametrize("trait", ["lens", "view"])
def test_an_unknown_lens_leaves_both_as_they_were(explorer, trait):
    explorer.lens = "rows"
    with pytest.raises(UsageError, match="there is no view 'rowz'"):
        setattr(explorer, trait, "rowz")
    assert (explorer.lens, explorer.view) == ("rows", "rows")


def test_two_explorers_can_be_linked(explorer):
    other = pqexplore.explore(explorer.file)
    for name in ("selection", "lens", "where"):
        traitlets.link((explorer, name), (other, name))
    explorer.selection, other.lens, other.where = "schema/1", "statistics", "x > 1"
    assert (other.selection, explorer.view, explorer.where) == ("schema/1", "statistics", "x > 1")


def test_the_answer_is_that_of_the_present_view(explorer):
    explorer.selection, explorer.lens = "schema/1", "statistics"
    assert explorer.answer().lens == "statistics"
    assert explorer.answer("facts", at="").lens == "facts"
    assert list(explorer.answer().table.column("min")) == list(explorer.to_frame()["min"])
    with pytest.raises(UsageError, match="nothing at 'schema/7'"):
        explorer.answer(at="schema/7")


def test_the_example_runs_and_its_chart_follows(sample, monkeypatch):
    drawn = []
    monkeypatch.setattr("IPython.display.display", drawn.append)
    names = {}
    exec(BLOCKS[0], names)
    explorer, column, condition = names["explorer"], names["column"], names["condition"]
    first = len(drawn)
    assert first and explorer.selection == column.value == "schema/1"
    column.value = "schema/2"
    assert explorer.selection == "schema/2" and len(drawn) > first
    assert drawn[-1].to_plotly_json() == explorer.answer("statistics").figure().to_plotly_json()
    condition.value = "id < 1000005"
    assert explorer.where == "id < 1000005"
    explorer.where = ""
    assert condition.value == ""
    explorer.selection = "row_groups/0/columns/1/pages/1"
    assert column.value == "schema/2"


def test_the_example_without_the_explorer_runs(sample):
    names = {}
    exec(BLOCKS[1], names)
    assert names["figure"].layout.width == 900


@pytest.mark.parametrize("head, none, drawn, without", [
    ("| chart of a lens |", "`rows`, `schema`", [name for name, lens in LENSES.items() if lens.figure],
        [name for name, lens in LENSES.items() if lens.no_figure]),
    ("| chart of a panel", "`today`, `doctor`, `asked`", lake_figures.CHARTS.by_name, lake_figures.CHARTS.without),
])  # fmt: skip
def test_the_page_names_the_charts_that_there_are_and_those_that_there_are_not(head, none, drawn, without):
    page = PAGE.read_text("utf-8")
    table = page.split(head)[1].split("\n\n", 1)[0]
    named = [re.findall(r"`(\w+)`", line.split("|")[1]) for line in table.splitlines()[2:]]
    assert sorted(one for names in named for one in names) == sorted(drawn)
    text = page.split(none)[1].partition(" none")[0]
    assert set(re.findall(r"`(\w+)`", none + text)) == set(without)
