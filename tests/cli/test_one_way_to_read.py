"""A page whose header counts other values than its bytes hold is read by all that read, and all read the same."""

import json

import pytest
from engine.hostile.broken import THREE, integers, leaf, levels, one_column, root

import pqexplore
from pqexplore import cli
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.writer.assembly import page_v1, page_v2
from pqexplore.insight import some_rows

OPTIONAL = root(leaf(repetition_type=1))
DELTAS = bytes([128, 1, 4, 3, 2, 2, 0, 0, 0, 0])
"""1, 2, 3 in DELTA_BINARY_PACKED."""

COUNTED = {
    "too few": (one_column(page_v1(THREE, 2)), [1, 2, 3]),
    "too many": (one_column(page_v1(THREE, 5)), [1, 2, 3]),
    "none": (one_column(page_v1(THREE, 0)), [1, 2, 3]),
    "none, with nulls": (one_column(page_v1(levels(1, 0, 1) + integers(1, 2), 0), schema=OPTIONAL), [1, None, 2]),
    "too few in one of two pages": (
        one_column(page_v1(integers(1, 2), 1), page_v1(THREE, 3), num_values=5, num_rows=5),
        [1, 2, 1, 2, 3],
    ),
    "too many in one of two pages": (
        one_column(page_v1(integers(1, 2), 3), page_v1(THREE, 3), num_values=5, num_rows=5),
        [1, 2, 1, 2, 3],
    ),
    "differences": (one_column(page_v1(DELTAS, 2, 5)), [1, 2, 3]),
    "V2, values": (one_column(page_v2(THREE, 2, 3)), [1, 2, 3]),
    "V2, rows": (one_column(page_v2(THREE, 3, 5)), [1, 2, 3]),
    "V2, nulls": (one_column(page_v2(THREE, 3, 3, 4)), [1, 2, 3]),
    "the footer": (one_column(num_values=5), [1, 2, 3]),
}
"""Files whose counts contradict their bytes, and the values that the bytes hold."""


def of_command(capsys, *words):
    assert cli.main(list(words)) == cli.DONE
    return capsys.readouterr().out


@pytest.mark.parametrize("name", COUNTED)
def test_all_that_read_a_file_read_the_same_of_it(name, tmp_path, capsys):
    data, values = COUNTED[name]
    path, new = (str(tmp_path / one) for one in ("counted.parquet", "new.parquet"))
    (tmp_path / "counted.parquet").write_bytes(data)

    def held(file):
        with pqexplore.open(file) as opened:
            return opened.read()["a"].to_pylist()

    assert held(path) == values
    lines = of_command(capsys, "cat", path).splitlines()
    assert [json.loads(line)["a"] for line in lines] == values
    rows = json.loads(of_command(capsys, "head", "--json", path))["rows"]
    assert [row["a"] for row in rows] == values

    of_command(capsys, "rewrite", path, new)
    assert held(new) == values
    assert cli.main(["diff", "--level", "data", path, new]) == cli.FOUND
    assert "new.parquet holds the same rows as" in capsys.readouterr().out
    of_command(capsys, "salvage", path, new, "--force")
    assert held(new) == values


def indexed(*firsts, **wrong):
    """Two pages of three values, whose offset index says that they begin at these rows."""
    pages = [page_v1(integers(1, 2, 3), 3), page_v1(integers(4, 5, 6), 3)]
    data = one_column(*pages, num_values=6, num_rows=6)
    with pqexplore.open(data) as opened:
        spans = [page.span for page in opened.row_groups[0].columns[0].pages]
    locations = [
        structs.PageLocation(offset=span.start, compressed_page_size=span.end - span.start, first_row_index=first)
        for span, first in zip(spans, firsts, strict=True)
    ]
    index = structs.OffsetIndex(page_locations=locations)
    return one_column(*pages, num_values=6, num_rows=6, offset_index=index, **wrong)


@pytest.mark.parametrize(
    "data",
    [
        indexed(0, 3),
        indexed(0, 2),
        indexed(0, 5),
        indexed(3, 0),
        indexed(0, 1 << 40),
        indexed(0, 3, offset_index_offset=-5),
        indexed(0, 3, offset_index_length=-1),
        indexed(0, 3, offset_index_offset=4),
    ],
    ids=["right", "too low", "too high", "swapped", "huge", "before the file", "negative length", "no index"],
)
def test_rows_are_those_of_the_pages_whatever_the_offset_index_says(data, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(some_rows, "BATCH", 4)
    path = str(tmp_path / "indexed.parquet")
    (tmp_path / "indexed.parquet").write_bytes(data)
    lines = of_command(capsys, "cat", path).splitlines()
    assert [json.loads(line)["a"] for line in lines] == [1, 2, 3, 4, 5, 6]
    assert [json.loads(line)["a"] for line in of_command(capsys, "cat", path, "--rows", "2:5").splitlines()] == [
        3,
        4,
        5,
    ]
