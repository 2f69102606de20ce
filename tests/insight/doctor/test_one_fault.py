"""One fault is one finding, with the names of what it is about: columns, row groups, data pages, rows, values."""

import json

import numpy as np
import pyarrow as pa
import pytest
from insight.doctor.doctor_cases import written
from made import rebuilt
from needs import ONE_COLUMN_METADATA, sorting

import pqexplore
from pqexplore.insight.doctor.report_text import report_document, report_lines
from pqexplore.insight.lenses import LENSES, answer_of
from pqexplore.insight.steps import finish

ROWS = 4_000
TEN = pa.table({f"c{i}": pa.array(np.arange(ROWS), pa.int32()) for i in range(10)})
ONE = pa.table({"n": pa.array(np.arange(ROWS), pa.int32())})
PAGES = {"use_dictionary": False, "data_page_size": 2_000, "write_batch_size": 500, "compression": "none"}
"""Eight data pages of 500 rows in a chunk of 4,000."""


def low(value):
    return value.to_bytes(4, "little", signed=True)


def bounded(table, columns, group=0, **options):
    """Says of columns that their largest value is 3,500."""
    path = f"row_groups__{group}__columns__{{}}__meta_data__statistics__{{}}"
    said = {path.format(one, field): low(3_500) for one in columns for field in ("max_value", "max")}
    return rebuilt(written(table, **options), **said)


def spoiled(table, at, *, group=0, column=0, **options):
    """Changes a byte in the body of the data page with number `at`, so that its checksum is wrong."""
    data = bytearray(written(table, write_page_checksum=True, **{**PAGES, **options}))
    with pqexplore.open(bytes(data)) as file:
        frames = [one for one in file.row_groups[group].columns[column].frames.frames if one.is_data]
        data[frames[at].header_end + 100] ^= 1
    return bytes(data)


def torn(table, at, **options):
    """Overwrites the body of a page of the first chunk: it does not decompress."""
    data = bytearray(written(table, **{**PAGES, "compression": "gzip", **options}))
    with pqexplore.open(bytes(data)) as file:
        frame = file.row_groups[0].columns[0].frames.frames[at]
        data[frame.header_end : frame.end] = bytes(frame.end - frame.header_end)
    return bytes(data)


def of_index(hidden):
    """Says in the column index that the values of a data page end earlier."""
    data = bytearray(written(ONE, write_page_index=True, **PAGES))
    with pqexplore.open(bytes(data)) as file:
        start = file.node("row_groups/0/columns/0/column_index").span.start
        end = file.node("row_groups/0/columns/0/column_index").span.end
        said, true = low(500 * hidden + 99), low(500 * hidden + 499)
    assert data.count(true, start, end) == 1
    at = data.index(true, start, end)
    data[at : at + 4] = said
    return bytes(data)


CASES = {
    # what is wrong: the file; the rule; how many places have it; how the first sentence begins; what else it says
    "a false max in one column": (
        lambda: bounded(ONE, [0]), "statistics-bound", 1,
        "`n`, row group 0: the max is 3500, the largest value is 3999 (row 3,999 of the file, data page 0): a query that "
        "trusts it misses 499 rows; or the value was changed later: its page has no checksum.", "a condition on this column may skip rows that match",
    ),
    "the same in ten columns": (lambda: bounded(TEN, range(10)), "statistics-bound", 10,
        "`c0`, row group 0: the max is 3500, ", "The same fault is in 9 more columns: `c1`, `c2`, `c3` and 6 more."),
    "in three of ten": (lambda: bounded(TEN, [2, 5, 7]), "statistics-bound", 3, "`c2`, row group 0: the max is 3500, ",
        "The same fault is in 2 more columns: `c5` and `c7`."),
    "in the second row group: rows are those of the file": (
        lambda: bounded(ONE, [0], 1, row_group_size=2_000), "statistics-bound", 1,
        "`n`, row group 1: the max is 3500, the largest value is 3999 (row 3,999 of the file, data page 0)", "misses 499 rows",
    ),
    "in two row groups": (
        lambda: rebuilt(
            written(ONE, row_group_size=1_000),
            **{f"row_groups__{one}__columns__0__meta_data__statistics__{field}": low(1_000 * one + 500) for one in (1, 3) for field in ("max", "max_value")},
        ), "statistics-bound", 2, "`n`, row group 1: the max is 1500, ", "The same fault is in row group 3.",
    ),
    "a page index that hides 400 rows": (lambda: of_index(3), "column-index-bound", 1,
        "`n`, row group 0, column index of data page 3: the max is 1599, ", "a query that trusts it misses 400 rows"),
    "a page with a wrong checksum": (lambda: spoiled(ONE, 3), "crc-mismatch", 1,
        "`n`, row group 0, data page 3 (rows 1,500 to 1,999 of the file): the page header stores",
        "the bytes or the checksum were changed"),
    "two such pages": (
        lambda: spoiled(pa.table({"n": np.arange(ROWS, dtype=np.int32), "m": np.arange(ROWS, dtype=np.int32)}), 1, column=1), "crc-mismatch", 1,
        "`m`, row group 0, data page 1 (rows 500 to 999 of the file): ", "",
    ),
    "a page that does not decode": (lambda: torn(ONE, 2), "unreadable", 1,
        "`n`, row group 0, data page 2 (rows 1,000 to 1,499 of the file) cannot be read: ", ""),
    "a page that does not decode, and whose checksum is wrong": (lambda: torn(ONE, 2, write_page_checksum=True),
        "crc-mismatch", 1,
        "`n`, row group 0, data page 2 (rows 1,000 to 1,499 of the file): the page header stores the CRC32",
        "were changed; "),
    "a dictionary that does not decode, and so no page of it": (
        lambda: torn(pa.table({"s": [f"value {n % 50}" for n in range(ROWS)]}), 0, use_dictionary=True), "unreadable", None,
        "`s`, row group 0, dictionary page cannot be read: ", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("checksums", [False, True])
def test_a_value_is_doubted_only_where_nothing_shows_that_it_was_not_changed(checksums):
    """A page with a right checksum has the values that were written: the bound is wrong."""
    [found] = [
        one
        for one in pqexplore.diagnose(bounded(ONE, [0], write_page_checksum=checksums)).findings
        if one.rule == "statistics-bound"
    ]
    assert ("or the value was changed later: its page has no checksum" in found.message) is not checksums


@pytest.mark.parametrize("name", CASES)
def test_one_fault_is_one_finding_with_names(name):
    make, rule, places, begins, says = CASES[name]
    report = pqexplore.diagnose(make())
    found = [one for one in report.findings if one.rule == rule]
    assert len(found) == 1
    assert places in (None, 1 + len(found[0].alike))
    assert report.findings[0] is found[0]
    assert report.sentence.startswith(begins), report.sentence
    assert says in report.sentence


@ONE_COLUMN_METADATA
@pytest.mark.parametrize(
    "name", ["the same in ten columns", "a page that does not decode, and whose checksum is wrong"]
)
def test_text_cards_and_json_say_it_alike(name):
    data = CASES[name][0]()
    report = pqexplore.diagnose(data)
    sentence = report.findings[0]
    document = report_document(report)["findings"]
    with pqexplore.open(data) as file:
        cards = finish(answer_of(file, file.root, LENSES["overview"])).picture.cards.problems
    assert len(cards) == len(document) == len({one.rule for one in report.findings}) == 1
    text = " ".join(" ".join(report_lines(report, 100)).split())
    assert cards[0].sentence in report.sentence and cards[0].sentence in text
    assert document[0]["sentence"].endswith(sentence.also)
    assert len(document[0]["alike"]) == len(sentence.alike)
    assert json.dumps(document)


@ONE_COLUMN_METADATA
def test_json_has_the_places_with_what_each_shows():
    report = pqexplore.diagnose(bounded(TEN, range(10)))
    (found,) = report_document(report)["findings"]
    assert [one["column"] for one in found["alike"]] == [f"c{i}" for i in range(1, 10)]
    assert {one["rows"] for one in found["alike"]} == {499}
    assert found["alike"][3]["address"] == "row_groups/0/columns/4/metadata/meta_data/statistics/max_value"
    assert found["evidence"]["row_of_file"] == 3_999


def test_two_faults_of_one_column_are_two():
    field = "row_groups__0__columns__0__meta_data__statistics__"
    report = pqexplore.diagnose(rebuilt(written(ONE), **{f"{field}max_value": low(3_500), f"{field}min_value": low(9)}))
    assert [one.rule for one in report.findings if one.rule == "statistics-bound"] == ["statistics-bound"] * 2


def test_each_column_has_its_own_figures():
    """Where one looks at a place, it has what is wrong there, and not what is wrong with the first of the columns."""
    with pqexplore.open(bounded(TEN, [3, 4])) as file:
        pqexplore.diagnose(file)
        answer = finish(answer_of(file, file.node("row_groups/0/columns/4"), LENSES["statistics"]))
    assert [one.column for one in answer.findings if one.rule == "statistics-bound"] == ["c4"]


def test_sorting_is_declared_of_one_row_group():
    """A near miss: two rules about one column are two findings."""
    table = pa.table({"n": np.random.default_rng(3).permutation(ROWS).astype(np.int32)})
    data = rebuilt(
        written(table, sorting_columns=[sorting(0)]), row_groups__0__columns__0__meta_data__statistics__max_value=low(5)
    )
    assert {"not-sorted", "statistics-bound"} <= {one.rule for one in pqexplore.diagnose(data).findings}
