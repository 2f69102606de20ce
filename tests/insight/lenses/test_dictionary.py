"""How often each entry of a dictionary is used, what it saves, and where pages do without it."""

import pyarrow as pa
import pytest

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight.lenses.dictionary import _distinct
from pqexplore.insight.lenses.dictionary import answer as answer_at


def finish(steps):
    """What a generator returns, and the steps on the way."""
    seen = []
    while True:
        try:
            seen.append(next(steps))
        except StopIteration as stop:
            return stop.value, seen


def counted(chunk):
    return answer_at(chunk.file, chunk.file.node(chunk.address))


def chunk_of(tmp_path, table, **options):
    path = tmp_path / "made.parquet"
    pqexplore.write(table, path, pqexplore.WriteOptions(**options))
    return pqexplore.open(path).row_groups[0].columns[0]


def test_uses_and_savings_are_counted(tmp_path):
    words = ["a"] * 50 + ["bb"] * 30 + ["ccc"] * 20
    answer, _ = finish(counted(chunk_of(tmp_path, pa.table({"word": words}))))
    picture = answer.picture
    assert [(one.value, one.uses) for one in picture.top] == [("a", 50), ("bb", 30), ("ccc", 20)]
    assert picture.dictionary_bytes == 3 * 4 + 1 + 2 + 3
    assert picture.plain_bytes == 50 * 5 + 30 * 6 + 20 * 7
    assert answer.table.column("uses") == [50, 30, 20]
    assert answer.table.column("share") == [0.5, 0.3, 0.2]
    assert answer.table.column("bytes") == [5, 6, 7]
    assert answer.sentence.startswith("3 entries for 100 values, 2 bits an index: 18 bytes of dictionary and ")
    assert "instead of 570 in PLAIN" in answer.sentence


def test_the_rows_of_the_table_have_the_bytes_of_the_entries(tmp_path):
    chunk = chunk_of(tmp_path, pa.table({"word": ["x", "yy"] * 9}), codec="UNCOMPRESSED")
    table = finish(counted(chunk))[0].table
    found = {a: chunk.file.bytes(s) for a, s in zip(table.addresses, table.spans, strict=True)}
    base = "row_groups/0/columns/0/pages/0/values"
    assert found == {f"{base}/0": b"\x01\0\0\0x", f"{base}/1": b"\x02\0\0\0yy"}


def test_the_fallback_is_told_with_page_and_row(tmp_path):
    path = tmp_path / "fallback.parquet"
    SAMPLES["dictionary-fallback"].write(path)
    answer, steps = finish(counted(pqexplore.open(path).row_groups[0].columns[0]))
    assert "From page 5 on (row 800) pages do without it: 6 pages of PLAIN, 1,200 values in" in answer.sentence
    pages = answer.picture.pages
    assert pages.names == ["RLE_DICTIONARY", "PLAIN"]
    assert pages.encoding == [0] * 4 + [1] * 6
    assert pages.start == list(range(0, 2000, 200))
    assert steps[0] == 0 and all(a < b < 1 for a, b in zip(steps, steps[1:], strict=False))


@pytest.mark.parametrize(("entries", "distinct"), [
    (pa.array([3, 1, 3, -1], pa.int32()), 3),
    (pa.array([0.5, float("nan"), 0.5, float("nan")]), 2),
    (pa.array(["a", "b", "a"]), 2),
    (pa.array([7, 8, 8], pa.int64())[1:], 1),
    (pa.array([], pa.int64()), 0),
])  # fmt: skip
def test_entries_that_repeat_another_one(entries, distinct):
    assert _distinct(entries) == distinct


def test_a_damaged_page_costs_only_itself(tmp_path):
    path = tmp_path / "made.parquet"
    table = pa.table({"word": ["a", "b"] * 100})
    pqexplore.write(table, path, pqexplore.WriteOptions(codec="UNCOMPRESSED", page_rows=100))
    with pqexplore.open(path) as file:
        last = list(file.row_groups[0].columns[0].pages)[-1]
        start, end = last.body.section("values").span.start, last.frame.end
    raw = bytearray(path.read_bytes())
    raw[start:end] = b"\xff" * (end - start)
    with pqexplore.open(bytes(raw)) as file:
        answer, _ = finish(counted(file.row_groups[0].columns[0]))
    assert [one.uses for one in answer.picture.top] == [50, 50]
    assert "1 page could not be read: " in answer.sentence
