"""The plotly figures of the lake's panels: their numbers are those of the panel."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.answer import Answer
from pqexplore.lake.figures import CHARTS
from pqexplore.lake.panels import LAKE, STORE, skipping
from pqexplore.lake.scanning.scan import scan

BOLD = "<b>extra</b>"


@pytest.fixture(scope="module")
def explorer(tmp_path_factory):
    """The explorer of four files of 100 to 400 rows; the last has another column; one that is no Parquet."""
    root = tmp_path_factory.mktemp("lake")
    for i in range(4):
        n = 100 * (i + 1)
        made = {"id": np.arange(i * 1_000, i * 1_000 + n), "city": ["Oslo", "Lima"] * (n // 2)}
        if i == 3:
            made[BOLD] = np.ones(n)
        pq.write_table(pa.table(made), root / f"{i}.parquet")
    (root / "broken.parquet").write_bytes(b"PAR1 no footer PAR1")
    out = tmp_path_factory.mktemp("tables")
    return pqexplore.explore_lake(scan(None, str(root), out=out, processes=0))


@pytest.mark.parametrize("panel, column, axis, trace", [
    ("columns", "compressed_bytes", "x", 1),
    ("columns", "uncompressed_bytes", "x", 0),
    ("overlap", "point_share", "x", 0),
    ("fleet", "size", "y", 0),
    ("fleet", "num_rows", "x", 0),
])  # fmt: skip
def test_the_numbers_are_those_of_the_table(explorer, panel, column, axis, trace):
    made = explorer.answer(panel)
    drawn = list(made.figure().data[trace][axis])
    assert drawn and drawn == [v for v in made.table.column(column) if v is not None or axis != "x" or panel == "fleet"][: len(drawn)]  # fmt: skip


def test_drift_draws_the_files_of_each_schema(explorer):
    (bars,) = explorer.answer("drift").figure().data
    assert list(bars.x) == [3, 1]
    assert bars.hovertext[0].endswith(": the most common schema")
    assert "1 file of 4" in bars.hovertext[1] and "also has " in bars.hovertext[1]


def test_health_counts_places_by_rule(explorer):
    made = explorer.answer("health")
    (bars,) = made.figure().data
    assert sum(bars.x) == made.table.total


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("panel", [name for name in CHARTS.by_name if name in LAKE])
def test_a_figure_is_valid_and_names_are_only_text(explorer, panel, theme):
    import plotly.io

    figure = asked(explorer, panel).figure(theme)
    assert "<div" in plotly.io.to_html(figure, include_plotlyjs=False, full_html=False)
    assert "<b>" not in json.dumps(figure.to_plotly_json(), default=list)


def test_every_panel_has_a_chart_or_says_why_not(explorer):
    assert sorted([*CHARTS.by_name, *CHARTS.without]) == sorted({*LAKE, *STORE})
    with pytest.raises(UsageError, match="the panel doctor has no chart: it is a list of findings"):
        explorer.answer("doctor").figure()
    with pytest.raises(UsageError, match="nothing to draw: Type a condition"):
        explorer.answer("query").figure()


def asked(explorer, panel):
    """The answer of a panel; `query` is asked a condition."""
    explorer.where = "id < 1500" if panel == "query" else ""
    made = explorer.answer(panel)
    explorer.where = ""
    return made


def test_query_counts_the_files_that_each_stage_leaves(explorer):
    made = asked(explorer, "query")
    before, after = made.figure().data
    stages = made.picture.stages
    assert list(before.x) == [one.files_in for one in stages]
    assert list(after.x) == [one.files_out for one in stages]
    read = [kept for kept in made.table.column("kept") if kept]
    assert 0 < after.x[-1] == len(read) < before.x[0]


def test_a_lake_without_problems_has_nothing_to_draw(tmp_path):
    pq.write_table(pa.table({"x": [1]}), tmp_path / "a.parquet")
    lake = scan(None, str(tmp_path), out=tmp_path / "tables", processes=0)
    with pytest.raises(UsageError, match="nothing to draw: There are no errors"):
        pqexplore.explore_lake(lake).answer("health").figure()


def test_skipping_counts_objects_by_verdict():
    picture = skipping.Picture("x > 1", "sound", [2, 7, 1], [], [])
    made = Answer("7 of 10 are skipped.", picture, lens="skipping", charts=CHARTS)
    (bars,) = made.figure().data
    assert bars.x == (2, 7, 1)
    none = Answer("Type a condition.", skipping.Picture("", "sound", [], [], []), lens="skipping", charts=CHARTS)  # fmt: skip
    with pytest.raises(UsageError, match=r"nothing to draw: Type a condition\."):
        none.figure()
