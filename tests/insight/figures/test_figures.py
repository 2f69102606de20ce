"""The plotly figures of answers: their numbers are the table's, and a text of a file is only text."""

import json
import re

import pyarrow as pa
import pytest
from made import parquet

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.diff.second_file import compared_with
from pqexplore.insight.figures.bars import MOST
from pqexplore.insight.figures.lens_charts import placed
from pqexplore.insight.figures.style import plain
from pqexplore.insight.lenses import LENSES

CHUNK = "row_groups/0/columns"
PLACES = [
    # lens, sample, address, column of the table, axis of the figure, index of the trace
    ("overview", "events", "", "size", "x", 2),
    ("layout", "events", f"{CHUNK}/1", "size", "x", 0),
    ("page_index", "events", f"{CHUNK}/1", "size", "y", 0),
    ("page_index", "events", f"{CHUNK}/1", "rows", "y", 1),
    ("compare", "events", "schema/2", "compressed", "y", 1),
    ("compare", "events", "schema/2", "ratio", "y", 2),
    ("dictionary", "events", f"{CHUNK}/3", "uses", "x", 0),
    ("bloom", "bloom-filter", f"{CHUNK}/0", "bits_set", "y", 0),
    ("nesting", "nested", f"{CHUNK}/0", "entries", "x", 0),
    ("column", "events", f"{CHUNK}/2", "compressed", "y", 1),
    ("column", "events", f"{CHUNK}/2", "ratio", "y", 2),
    ("row_group", "events", "row_groups/1", "compressed", "x", 1),
    ("row_group", "events", "row_groups/1", "uncompressed", "x", 0),
    ("contents", "events", "footer", "size", "x", 0),
    ("query", "events", "", "rows", "x", 1),
    ("query", "events", "", "num_rows", "x", 0),
    ("what_if", "events", "", "bytes", "x", 1),
    ("what_if", "events", "", "without", "x", 0),
    ("what_if", "events", f"{CHUNK}/9", "bytes", "x", 0),
    ("thrift", "events", f"{CHUNK}/3/pages/1/header", "bytes", "x", 0),
    ("encoding", "events", f"{CHUNK}/0/pages/0/values", "bytes", "x", 0),
    ("variant", "variant-shredded", f"{CHUNK}/1", "fits", "x", 0),
    ("encryption", "encrypted-columns", "", "size", "x", 0),
    ("diff", "events", f"{CHUNK}/2", "bytes", "x", 0),
]


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """Sample files by name, open."""
    folder = tmp_path_factory.mktemp("samples")
    files = {}
    for name in dict.fromkeys(place[1] for place in PLACES):
        write_sample(name, folder / f"{name}.parquet")
        files[name] = pqexplore.open(folder / f"{name}.parquet")
    rows = files["events"].read()
    later = parquet(pa.concat_tables([rows, rows.slice(0, 8_000)]), row_group_size=8_000)
    files["later"] = pqexplore.open(later)
    yield files
    for file in files.values():
        file.close()


@pytest.mark.parametrize(("lens", "sample", "at", "column", "axis", "trace"), PLACES)
def test_the_numbers_of_a_figure_are_those_of_the_table(opened, lens, sample, at, column, axis, trace):
    made = answer(opened, lens, sample, at)
    drawn = list(made.figure().data[trace][axis])
    assert drawn
    listed = [one for one in made.table.column(column) if one is not None or axis == "y"]
    assert drawn == listed[: len(drawn)]
    assert len(drawn) == min(len(listed), MOST) or axis == "y" or lens == "overview"


def answer(opened, lens, sample, at):
    """The answer of a lens; `query` is asked a condition, `diff` has a second file."""
    where = "id < 1005000" if lens == "query" else ""
    with compared_with(opened["later"] if lens == "diff" else None):
        return opened[sample].view(lens, at, where=where)


def test_every_lens_has_a_chart_and_a_case_or_says_why_not():
    drawn = {name for name, lens in LENSES.items() if lens.figure}
    assert {place[0] for place in PLACES} | {"statistics"} == drawn
    assert drawn == {name for name, lens in LENSES.items() if not lens.no_figure}


def test_a_lens_without_a_chart_says_why(opened):
    with pytest.raises(UsageError, match="the lens rows has no chart: it shows values, as `read` gives them"):
        opened["events"].view("rows").figure()
    with pytest.raises(UsageError, match="nothing to draw: Type a condition"):
        opened["events"].view("query").figure()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("lens", "sample", "at"), [*dict.fromkeys(place[:3] for place in PLACES), ("statistics", "events", "schema/2")]
)
def test_a_figure_is_valid_and_says_what_the_answer_says(opened, lens, sample, at, theme):
    import plotly.io

    made = answer(opened, lens, sample, at)
    figure = made.figure(theme)
    text = json.dumps(figure.to_plotly_json(), default=list)
    assert "NaN" not in text
    title = figure.layout.annotations[0].text.replace("<br>", " ")
    assert title.startswith(plain(made.sentence[:60]))
    dark = "#14171a" in (figure.layout.paper_bgcolor, figure.layout.plot_bgcolor)
    assert dark is (theme == "dark")
    assert "<div" in plotly.io.to_html(figure, include_plotlyjs=False, full_html=False)


def test_ranges_are_those_of_the_statistics(opened):
    made = opened["events"].view("statistics", "schema/2")
    (trace,) = made.figure().data
    low, high = made.table.column("min")[0], made.table.column("max")[0]
    assert trace.x[:2] == tuple(one.replace(tzinfo=None).isoformat() for one in (low, high))
    assert len(trace.x) == 3 * len(made.table.rows)


def test_the_icicle_has_the_bytes_of_the_file(opened):
    file = opened["events"]
    icicle = file.view("overview").figure().data[0]
    assert icicle["values"][0] == file.size
    assert len(icicle.ids) == len(file.view("overview").picture.tiles)


def test_the_row_group_that_stands_out_has_another_colour():
    numbers = [i * 7919 % 100_003 for i in range(9_000)]
    table = pa.table({"x": pa.array([None] * 3_000 + numbers, pa.int64())})
    data = parquet(table, row_group_size=3_000, use_dictionary=False)
    with pqexplore.open(data) as file:
        made = file.view("compare", "schema/1")
        marker = made.figure().data[1].marker
    assert made.picture.outlier == 0
    assert len(set(marker.color)) == 2 and marker.color[0] != marker.color[1]
    assert marker.pattern.shape[:2] == ("/", "")


@pytest.mark.parametrize(("text", "shown"), [
    ("a b", "a b"),
    ("<b>x</b>", "&#60;b&#62;x&#60;/b&#62;"),
    ("&lt;", "&#38;lt;"),
    ("$x$", "&#36;x&#36;"),
    ("%{label}", "&#37;{label}"),
    ("5 %", "5 %"),
    ("\u202ex", "\\u202ex"),
])  # fmt: skip
def test_markup_of_plotly_becomes_text(text, shown):
    assert plain(text) == shown


HOSTILE = "<b>bold</b><script>alert(1)</script>$\\alpha$%{x}\u202e"


def texts(part):
    """Every text of a figure."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for name, value in part.items():
            if name != "texttemplate":  # ours
                yield from texts(value)
    elif isinstance(part, (list, tuple)):
        for value in part:
            yield from texts(value)


@pytest.mark.parametrize(("lens", "at"), [
    ("overview", ""),
    ("statistics", "schema/1"),
    ("compare", "schema/1"),
    ("dictionary", "row_groups/0/columns/0"),
    ("layout", "row_groups/0"),
    ("row_group", "row_groups/0"),
    ("column", "row_groups/0/columns/0"),
    ("what_if", ""),
    ("page_index", "row_groups/0/columns/0"),
])  # fmt: skip
def test_text_of_a_file_is_inert_in_a_figure(lens, at):
    table = pa.table({HOSTILE: [HOSTILE, f"{HOSTILE}2"] * 50})
    data = parquet(table, row_group_size=50, write_page_index=True)
    with pqexplore.open(data) as file:
        figure = file.view(lens, at).figure().to_plotly_json()
    everything = list(texts(json.loads(json.dumps(figure, default=list))))
    assert any("bold" in text for text in everything)
    for text in everything:
        assert not re.search(r"<(?!br>)|\$|%\{|\u202e", text), text


@pytest.mark.parametrize(("pairs", "drawn", "title"), [
    ([(1, 2.5), (None, 3)], [(1, 2.5), None], "bounds"),
    ([(float("nan"), 1), (1, float("inf"))], [None, None], "bounds"),
    ([("b", "c"), ("a", "b")], [(1, 2), (0, 1)], "bounds, by rank: distances mean nothing"),
    ([(b"\xff", b"\x00")], [(1, 0)], "bounds, by rank: distances mean nothing"),
    ([(None, None)], [None], "bounds, by rank: distances mean nothing"),
])  # fmt: skip
def test_values_have_places_on_an_axis(pairs, drawn, title):
    found, axis = placed(pairs, "bounds")
    assert found == drawn and axis["title_text"] == title


@pytest.mark.parametrize(("call", "words"), [
    (lambda f: f.view("facts").figure(), "the lens facts has no chart: its values are of many kinds"),
    (lambda f: f.view("overview").figure("blue"), "there is no theme 'blue'"),
    (lambda f: f.view("overvew"), "there is no lens 'overvew'"),
    (lambda f: f.view("page", "footer"), "does not apply"),
    (lambda f: f.view("facts", "row_groups/9"), "nothing at 'row_groups/9'"),
    (lambda f: f.view("page_index", f"{CHUNK}/0").figure(), "nothing to draw: This file has no page index"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_a_usage_error(call, words):
    with pqexplore.open(parquet(pa.table({"x": [1]}))) as file, pytest.raises(UsageError) as error:
        call(file)
    assert words in str(error.value)


def test_a_view_of_a_file_answers_a_question(opened):
    made = opened["events"].view("query", where="id < 0")
    assert made.lens == "query" and made.sentence == opened["events"].view("query", where="id < 0").sentence
    assert made.sentence != opened["events"].view("query").sentence
