"""What the values are is what pyarrow computes from them, and is said beside what the statistics claim."""

import made
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import pqexplore
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.across import true_statistics
from pqexplore.insight.across.scope import scope_of
from pqexplore.insight.steps import finish

ROWS = 1_000


def table():
    """Numbers, texts and lists with nulls; the longest text and list are in the second row group."""
    texts = ["ab" * (i % 7) if i % 11 else None for i in range(ROWS)]
    texts[777] = "ü" * 100
    lists = [None if i % 5 == 0 else [j if j % 3 else None for j in range(i % 4)] for i in range(ROWS)]
    lists[888] = list(range(40))
    return pa.table(
        {
            "n": pa.array([(i * 37) % 501 - 250 for i in range(ROWS)], pa.int32()),
            "x": pa.array([None if i % 13 == 0 else float("nan") if i % 17 == 0 else i / 4 for i in range(ROWS)]),
            "text": pa.array(texts, pa.string()),
            "list": pa.array(lists, pa.list_(pa.int64())),
        }
    )


def answer(file, **options):
    return finish(true_statistics.over(scope_of(file, file.root), **options))


def by_column(listed):
    names = [column.name for column in listed.columns]
    return {row[names.index("column")]: dict(zip(names, row, strict=True)) for row in listed.rows}


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("dictionary", [True, False])
def test_true_statistics_are_those_of_pyarrow(version, dictionary):
    whole = table()
    data = made.parquet(
        whole,
        row_group_size=600,
        data_page_version=version,
        use_dictionary=dictionary,
        data_page_size=200,
        write_batch_size=10,
    )
    found = answer(pqexplore.open(data))
    assert len(found.table.rows) == 8 and not any(found.table.column("differs"))
    columns = by_column(found.totals.by_column)
    for name, path in (("n", "n"), ("x", "x"), ("text", "text"), ("list", "list.list.element")):
        column, own = whole[name].combine_chunks(), columns[path]
        flat = pc.list_flatten(column) if name == "list" else column
        values = flat.drop_null()
        if name == "x":
            assert own["true_nans"] == pc.sum(pc.is_nan(values)).as_py()
            values = values.filter(pc.invert(pc.is_nan(values)))
        ends = pc.min_max(values).as_py()
        assert (own["true_min"], own["true_max"]) == (ends["min"], ends["max"])
        if name != "list":
            assert own["true_nulls"] == own["nulls"] == column.null_count
            assert own["true_distinct"] == pc.count_distinct(column).as_py()
            assert own["min_row"] == pc.index(column, ends["min"]).as_py()
            assert own["max_row"] == pc.index(column, ends["max"]).as_py()
    lengths = [len(one or ()) for one in whole["list"].to_pylist()]
    own = columns["list.list.element"]
    assert (own["min_elements"], own["max_elements"], own["max_elements_row"]) == (0, 40, 888)
    assert own["mean_elements"] == round(sum(lengths) / ROWS, 3)
    sizes = [len(one.encode()) for one in whole["text"].to_pylist() if one is not None]
    own = columns["text"]
    assert (own["min_bytes"], own["max_bytes"], own["max_bytes_row"]) == (0, 200, 777)
    assert own["mean_bytes"] == round(sum(sizes) / len(sizes), 3)
    assert "The row with the most elements has 40 elements (`list.list.element`, row 888)." in found.sentence
    assert "The longest value has 200 bytes (`text`, row 777)." in found.sentence


def test_what_differs_is_first(tmp_path):
    write_sample("sick-statistics", tmp_path / "sick.parquet")
    found = answer(pqexplore.open(tmp_path / "sick.parquet"))
    assert found.table.column("differs") == ["max"]
    assert "`n`, row group 0: the max is -1, the largest value is 1999." in found.sentence


def test_a_column_chunk_that_cannot_be_read_costs_only_itself():
    data = bytearray(made.parquet(table(), row_group_size=600, use_dictionary=False))
    at = pqexplore.open(bytes(data)).row_groups[1].columns[0].pages[0].span.start
    data[at : at + 4] = b"\xff" * 4
    found = answer(pqexplore.open(bytes(data)))
    assert [bool(one) for one in found.table.column("remark")] == [True] + [False] * 7
    assert "1 column chunk cannot be read; the first: " in found.sentence


def test_no_more_is_read_than_allowed():
    found = answer(pqexplore.open(made.parquet(table(), row_group_size=600)), most=1)
    assert len(found.table.rows) == 1
    assert "7 column chunks were not read" in found.sentence
