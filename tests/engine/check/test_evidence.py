"""A message names the bound, the value that contradicts it, its row, and the writer if its fault is known."""

import pytest
from engine.check import forged
from engine.check.violations import geospatial, keys, page_index, row_groups, statistics

from pqexplore.engine.check.writers import named
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift.structs import Statistics, Type
from pqexplore.engine.rule import Severity
from pqexplore.engine.writer import assembly


def i32(low, high):
    return Statistics(min_value=forged.raw(low), max_value=forged.raw(high))


def two_pages(**metadata):
    """Rows 0 to 5: a null, 5, 3; then 9, a null, 4."""
    return forged.one_column(
        [forged.optional_page([None, 5, 3]), forged.optional_page([9, None, 4])],
        leaf=assembly.element("a", Type.INT32, 1),
        metadata=metadata,
    )


def lists(statistics):
    pages = [forged.list_page([[1, None], None]), forged.list_page([[], [2, 7, 3]])]
    return forged.list_column(pages, metadata={"statistics": statistics})


def by_dictionary():
    ids = b"\x01\x03\x02"
    page = assembly.page_v1(ids, 2, 8)
    pages = [assembly.dictionary_page(forged.encoded([1, 9]), 2), page, page]
    return forged.one_column(pages, metadata={"statistics": i32(1, 8)})


def nans(low):
    values = [float("nan"), 2.0, float("nan"), 1.0]
    raw = forged.raw(low, Type.DOUBLE)
    return forged.one_column(
        [forged.page(values, Type.DOUBLE)], Type.DOUBLE, metadata={"statistics": Statistics(min_value=raw)}
    )


def lost():
    """A page of lists that cannot be decoded, and one after it with a wrong bound."""
    page = forged.optional_page([1, 2], statistics=i32(1, 1))
    broken = assembly.page_v2(b"\1", 2, 2, 0)
    return forged.one_column([broken, page], leaf=assembly.element("a", Type.INT32, 1), offset_index=True)


MISSES = ": a query that trusts it misses"

MESSAGES = {
    "a maximum of the second page": (lambda: two_pages(statistics=i32(3, 8)),
        f"the max is 8, the largest value is 9 (row 3 of the file, data page 1){MISSES} 1 row"),
    "a minimum after a null": (lambda: two_pages(statistics=i32(4, 9)),
        f"the min is 4, the smallest value is 3 (row 2 of the file, data page 0){MISSES} 1 row"),
    "a null": (lambda: two_pages(statistics=Statistics(null_count=1)),
        "null_count is 1, 2 of 6 entries have no value, the first at row 0 of the file, data page 0"),
    "an element of a list": (lambda: lists(i32(1, 3)),
        f"the max is 3, the largest value is 7 (row 3 of the file, data page 1){MISSES} 1 value"),
    "a value by dictionary": (by_dictionary,
        f"the max is 8, the largest value is 9 (row 1 of the file, data page 0){MISSES} 2 rows"),
    "a number among NaNs": (lambda: nans(1.5),
        f"the min is 1.5, the smallest value is 1.0 (row 3 of the file, data page 0){MISSES} 1 row"),
    "after a page that cannot be read, the row is unknown": (lost,
        f"the max is 1, the largest value is 2 (data page 1){MISSES} 1 row"),
    "a key of a map": (lambda: keys.map_in_pages([[(0, 1), (0, 5), (1, 6)], [(1, 7), (1, 5), (0, 1)]]),
        "1 map has a key twice, the first is 5 (row 1 of the file, data page 1): readers keep the last value, or all"),
    "an entry of a dictionary": (lambda: keys.dictionary([1, 2, 1]),
        "1 entry of the dictionary repeats an earlier one; entry 2 is 1, as entry 0 is: a reader that takes entries for distinct values is wrong"),
    "a point": (lambda: geospatial.column([geospatial.point(1.0, 2.0), geospatial.point(3.0, 9.5)], geospatial.box()),
        "1 value of the chunk lies outside the bounding box; the first has y = 9.5, above ymax = 9.0 (row 1 of the file, data page 0): a query that trusts the box misses rows"),
    "pages of another file": (lambda: row_groups.made(file_path="part-0.parquet"),
        "the column chunk lies in another file, 'part-0.parquet', and was not checked: check that file"),
    "a size without the header": (
        lambda: page_index.located(
            lambda places: setattr(places[0], "compressed_page_size", len(page_index.pages()[0].body))
        ),
        "the compressed_page_size of data page 0 is 8, the page has 30 bytes; it leaves out the header",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("make", "message"), MESSAGES.values(), ids=MESSAGES)
def test_the_message_names_the_value_and_its_row(make, message):
    assert message in [one.message for one in forged.findings(make())]


def test_truncated_maximum_that_is_not_rounded_up_is_explained():
    (found,) = forged.findings(statistics.text(b"ab", b"ab", [b"abc"]))
    assert "it was cut short and not rounded up" in found.message
    place = {"row": 0, "row_of_file": 0, "page": 0, "at": "row_groups/0/columns/0/pages/0/values/0"}
    assert found.evidence == {"max": b"ab", "actual": b"abc", "rows": 1, **place}


def test_the_row_after_an_unreadable_page_is_not_called_wrong():
    assert [rule for rule, _ in forged.rules(lost())] == ["unreadable", "page-statistics-bound"]


FLT_MAX = bytes.fromhex("ffff7f7f")
WRITERS = [
    ("parquet-rs version 52.2.0", "null-page-bounds", {}, "before 53.0.0 (apache/arrow-rs#6310)"),
    ("parquet-rs version 53.0.0", "null-page-bounds", {}, None),
    ("parquet-rs", "null-page-bounds", {}, None),
    ("parquet-mr version 1.8.1 (build x)", "nan-bound", {}, "before 1.10.0 (PARQUET-1246)"),
    ("parquet-mr-trino version 1.8.1", "nan-bound", {}, None),
    ("Polars", "statistics-null-count", {"null_count": 6, "values": 2}, "of polars before 2.1.0 (pola-rs/polars#29321)"),
    ("Polars (python) version 2.0.1", "statistics-null-count", {"null_count": 6, "values": 2}, "#29321"),
    ("Polars (python) version 2.1.0", "statistics-null-count", {"null_count": 6, "values": 2}, None),
    ("Polars", "statistics-null-count", {"null_count": 7, "values": 2}, None),
    ("Polars", "statistics-null-count", {"null_count": 0, "values": 2}, None),
    ("parquet-go version latest", "offset-index-disagrees", {"without_header": True}, "xitongsys/parquet-go#547"),
    ("parquet-go version latest", "offset-index-disagrees", {}, None),
    ("parquet-go version 18.0.0-SNAPSHOT", "distinct-count-disagrees", {"distinct_count": 0}, "arrow-go#806"),
    ("parquet-go version latest", "distinct-count-disagrees", {"distinct_count": 0}, None),
    ("parquet-go version 18.0.0", "page-inside-record", {}, "arrow-go#887"),
    ("parquet-go version latest", "page-inside-record", {}, None),
    ("parquet-cpp-arrow version 20.0.0", "level-histogram-disagrees", {"levels": [9, 20_000]}, "before 26.0.1 from 19 on"),
    ("parquet-cpp-arrow version 18.0.0", "level-histogram-disagrees", {"levels": [9, 20_000]}, None),
    ("hyparquet", "statistics-bound", {"max": b"ab", "actual": b"abc"}, "hyparquet-writer#31"),
    ("hyparquet", "statistics-bound", {"min": b"ab", "actual": b"abc"}, None),
    ("parquet-mr version 1.12.2-amzn-athena-1 (build 1)", "needless-levels", {}, "(ARROW-17453)"),
    ("parquet-mr version 1.12.2 (build 1)", "needless-levels", {}, None),
    ("parquet-mr version 1.12.2", "row-group-size-disagrees", {"total_byte_size": -9, "column_chunks": 5}, "PARQUET-2164"),
    ("parquet-mr version 1.12.2", "row-group-size-disagrees", {"total_byte_size": 9, "column_chunks": 5}, None),
    ("parquet-cpp-arrow version 24.0.0", "statistics-exactness", {"min": FLT_MAX}, "apache/arrow#50182"),
    ("parquet-cpp-arrow version 24.0.0", "statistics-exactness", {"min": b"abcd"}, None),
    ("parquet-cpp-arrow version 25.0.0", "statistics-exactness", {"min": FLT_MAX}, None),
    ("parquet-cpp-arrow version 5.0.0", "statistics-null-count", {}, "PARQUET-2067"),
    ("parquet-cpp version 1.4.0", "dictionary-page-offset", {"dictionary_pages": []}, "PARQUET-1706"),
    ("parquet-cpp version 1.4.0", "dictionary-page-offset", {"dictionary_pages": [4]}, None),
    ("fastparquet-python version 2024.5.0", "zero-padding", {}, "writer.py"),
    ("impala version 2.11.0-SNAPSHOT", "nan-bound", {}, "IMPALA-6527"),
    ("impala version 3.0.0", "nan-bound", {}, None),
    ("cudf version 22.12.00", "statistics-null-count", {}, "rapidsai/cudf#9221"),
    ("ClickHouse v25.6.1.1-testing", "first-row-disagrees", {}, "#83876"),
    ("ClickHouse v25.9.1.1-testing", "first-row-disagrees", {}, None),
    ("Parquet.Net version 3.0.5 (build 'a')", "row-count-disagrees", {"num_rows": 0}, "#334"),
    ("Parquet.Net version 3.0.5 (build 'a')", "row-count-disagrees", {"num_rows": 1}, None),
    ("Parquet.Net v4.4.6", "created-by-format", {}, "parquet-dotnet#261"),
    ("", "nan-bound", {}, None),
    (None, "nan-bound", {}, None),
]  # fmt: skip


@pytest.mark.parametrize(("created_by", "rule", "evidence", "words"), WRITERS)
def test_the_writer_is_named_if_its_version_has_the_fault(created_by, rule, evidence, words):
    found = named(Finding(rule, "", "wrong", evidence, severity=Severity.DAMAGE), created_by)
    if words is None:
        assert found.message == "wrong"
    else:
        assert found.message.startswith("wrong; a known fault of ") and words in found.message
