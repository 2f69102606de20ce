"""Counts that disagree: what rows and bytes agree on is read, with a finding; else reading raises at the chunk."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from engine.check import forged
from made import ours
from needs import needs_pyarrow

import pqexplore
from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import LogicalType, Type
from pqexplore.engine.writer import assembly

CHUNK = "row_groups/0/columns/0"
OF_CHUNK = ("num-values-disagree", f"{CHUNK}/metadata/meta_data/num_values")


def of_page(number):
    return "page-num-values-disagree", f"{CHUNK}/pages/{number}/header"


def flat(*pages, rows=None, others=0, **options):
    """A file of one or more INT32 columns; the first has these pages, the others one page of its rows."""
    counted = rows if rows is not None else 4
    columns = [assembly.chunk("a", Type.INT32, list(pages), **options)]
    fields = [assembly.element("a", Type.INT32, 0)]
    for nth in range(others):
        name = f"b{nth}"
        fields.append(assembly.element(name, Type.INT32, 0))
        columns.append(assembly.chunk(name, Type.INT32, [forged.page(list(range(counted)))]))
    return assembly.file(
        [forged.root(1 + others), *fields],
        [assembly.row_group(columns, counted)],
        column_orders=[forged.TYPE_ORDER] * (1 + others),
    )


def says(values, count, **fields):
    """A V1 page of INT32 whose header counts other values."""
    return forged.page(values, num_values=count, **fields)


def text(values, count):
    return assembly.page_v1(forged.encoded(values, Type.BYTE_ARRAY), count)


def of_texts(page, rows):
    leaf = assembly.element("a", Type.BYTE_ARRAY, 0, logicalType=LogicalType(STRING=structs.StringType()))
    return forged.one_column([page], Type.BYTE_ARRAY, leaf=leaf, rows=rows)


def optional(present, count, values, rows):
    """A V1 page of an optional column: one run of definition levels 1, and another count in the header."""
    levels = assembly.levels_v1(forged.bits([1] * present), 1)
    page = assembly.page_v1(forged.encoded(values), count, definition_levels=levels)
    return forged.one_column(
        [page], leaf=assembly.element("a", Type.INT32, 1), rows=rows, metadata={"num_values": count}
    )


def v2(values, rows, stated):
    page = assembly.page_v2(forged.encoded(values), len(values), rows, num_rows=stated)
    return forged.one_column([page], rows=rows)


def lists(rows, num_rows=None, **options):
    column = assembly.chunk("a.list.element", Type.INT32, [forged.list_page(rows)], **options)
    return assembly.file(
        forged.LIST_ELEMENTS, [assembly.row_group([column], num_rows or len(rows))], column_orders=[forged.TYPE_ORDER]
    )


READ = {
    "all counts agree": (flat(forged.page([1, 2, 3, 4])), [1, 2, 3, 4], []),
    "the chunk counts too many": (flat(forged.page([1, 2]), rows=2, metadata={"num_values": 4}), [1, 2], [OF_CHUNK]),
    "the chunk counts too many, and another chunk follows": (
        flat(forged.page([1, 2]), rows=2, others=2, metadata={"num_values": 4}), [1, 2], [OF_CHUNK]),
    "the chunk counts far too many": (flat(forged.page([1]), forged.page([2]), rows=2, metadata={"num_values": 10**15}),
        [1, 2], [OF_CHUNK]),
    "the chunk counts too few": (flat(forged.page([1, 2]), forged.page([3, 4]), metadata={"num_values": 1}),
        [1, 2, 3, 4], [OF_CHUNK]),
    "the chunk counts none": (flat(forged.page([1, 2, 3, 4]), metadata={"num_values": 0}), [1, 2, 3, 4], [OF_CHUNK]),
    "the page counts too many": (flat(says([1, 2], 4), rows=2, metadata={"num_values": 2}), [1, 2], [of_page(0)]),
    "page and chunk count four where two are stored": (flat(says([1, 2], 4), rows=2), [1, 2], [of_page(0)]),
    "the last page counts too many": (flat(forged.page([1, 2]), says([3, 4], 9), others=1), [1, 2, 3, 4], [of_page(1)]),
    "the page counts too few": (flat(says([1, 2, 3, 4], 2)), [1, 2, 3, 4], [of_page(0)]),
    "the first page counts too few": (flat(says([1, 2, 3], 1), forged.page([4]), others=1), [1, 2, 3, 4], [of_page(0)]),
    "texts, and the page counts too many": (of_texts(text([b"a", b"bc"], 4), 2), ["a", "bc"], [of_page(0)]),
    "levels, and the page counts too many": (optional(20, 40, range(20), 20), [*range(20)], [of_page(0)]),
    "a V2 page counts other rows": (v2([1, 2, 3], 3, 7), [1, 2, 3], [("page-rows-disagree", f"{CHUNK}/pages/0")]),
    "a chunk of lists counts too many": (lists([[1, 2], [], [3]], metadata={"num_values": 9}), [[1, 2], [], [3]],
        [OF_CHUNK]),
    "a chunk of lists counts too few": (lists([[1, 2], [], [3]], metadata={"num_values": 2}), [[1, 2], [], [3]],
        [OF_CHUNK]),
}  # fmt: skip


@pytest.mark.parametrize(("data", "expected", "findings"), READ.values(), ids=READ)
def test_what_rows_and_bytes_agree_on_is_read(data, expected, findings):
    with pqexplore.open(data) as file:
        assert file.read().column(0).to_pylist() == expected
        assert {(one.rule, one.address) for one in file.findings} == set(findings)
        assert all(one.severity.level == "error" for one in file.findings)
        file.check()
        assert {(one.rule, one.address) for one in file.findings} == set(findings)
        pages = [page for page in file.row_groups[0].columns[0].pages if page.is_data]
        assert sum(len(page.values) for page in pages) == len(
            [one for row in expected for one in (row if isinstance(row, list) else [row])]
        )


RAISES = {
    "rows are more than pages, chunk and bytes": flat(forged.page([1, 2]), rows=3),
    "rows are fewer than pages, chunk and bytes": flat(forged.page([1, 2]), rows=1),
    "bytes hold neither the rows nor the count": flat(says([1, 2, 3], 4), rows=2),
    "bytes hold fewer than the rows": flat(says([1, 2], 4), rows=3),
    "two pages could be meant": flat(says([1], 2), says([2], 2), rows=3),
    "pages are missing": flat(forged.page([1, 2]), metadata={"num_values": 4}),
    "pages are missing, and another chunk follows": flat(forged.page([1, 2]), others=1, metadata={"num_values": 4}),
    "a chunk of lists with other rows": lists([[1, 2], [3]], 3),
    "a chunk of lists with other values and rows": lists([[1], [3]], 3, metadata={"num_values": 9}),
}


@pytest.mark.parametrize("data", RAISES.values(), ids=RAISES)
def test_else_reading_raises_at_the_chunk(data):
    with pqexplore.open(data) as file:
        with pytest.raises(pqexplore.ParquetError) as error:
            file.read()
        assert error.value.address is not None and error.value.address.startswith(CHUNK)
        assert {one.severity.level for one in file.check()} >= {"error"}


def test_a_page_that_was_read_by_its_header_alone_adds_no_findings():
    """The page of an offset index is read by the header's count; check() took what was decoded then for all values."""
    table = pa.table({"a": pa.array(range(1_000), pa.int32())})
    plain = pqexplore.WriteOptions(encoding="PLAIN", codec="UNCOMPRESSED", page_rows=250)
    data = bytearray(ours(table, plain))
    with pqexplore.open(bytes(data)) as file:
        place = file.node(f"{CHUNK}/pages/1/header/data_page_header/num_values").span
    data[place.end - 1] ^= 1  # 250 becomes 186
    with pqexplore.open(bytes(data)) as file:
        assert len(file.row_groups[0].columns[0].pages[1].values) == 186
        assert [(one.rule, one.address) for one in file.check()] == [of_page(1)]
        assert len(file.row_groups[0].columns[0].pages[1].values) == 250


def lists(stated, repetition, definition, values, rows):
    """A file of lists by an old writer, in one page: its header counts `stated` entries, the levels are packed in eights."""
    page = assembly.page_v1(
        forged.encoded(values),
        stated,
        repetition_levels=assembly.levels_v1(forged.bits(repetition), 1),
        definition_levels=assembly.levels_v1(forged.bits(definition), 3),
    )
    column = assembly.chunk("a.list.element", Type.INT32, [page])
    return assembly.file(forged.LIST_ELEMENTS, [assembly.row_group([column], rows)], column_orders=[forged.TYPE_ORDER],
        created_by="parquet-mr version 1.2.0")  # fmt: skip


LISTS = [{"a": [1, 2]}, {"a": [3, 4]}]


@needs_pyarrow(26, "it makes one more row of the padding")
@pytest.mark.parametrize("stated", [4, 5, 6, 8])
def test_levels_that_only_fill_a_group_are_no_rows_of_a_nested_column(stated):
    """The header counts some of the padding: as pyarrow, DuckDB and polars do, reading ends with the row group's rows."""
    data = lists(stated, [0, 1, 0, 1], [3, 3, 3, 3], [1, 2, 3, 4], 2)
    assert pq.read_table(io.BytesIO(data)).to_pylist() == LISTS
    with pqexplore.open(data) as file:
        assert file.read().to_pylist() == file.head(5).to_pylist() == LISTS
        assert [row for batch in file.iter_batches() for row in batch.to_pylist()] == LISTS
        met = {one.rule for one in file.findings}
        found = {one.rule: one for one in file.check()}
    assert ("rows-disagree" in met) == ("rows-disagree" in found) == (stated > 4)
    if stated > 4:
        assert found["rows-disagree"].evidence == {"pages": 2 + stated - 4, "num_rows": 2}
        assert "rows-disagree" in {one.rule for one in pqexplore.diagnose(data, "data").findings}


MORE_ROWS = {
    "a row with values": lists(4, [0, 1, 0, 1], [3, 3, 3, 3], [1, 2, 3, 4], 1),
    "more entries than padding has": lists(12, [0, 1] + [0] * 10, [3, 3] + [0] * 10, [1, 2], 1),
    "fewer rows than the row group has": lists(4, [0, 1, 0, 1], [3, 3, 3, 3], [1, 2, 3, 4], 3),
}


@pytest.mark.parametrize("data", MORE_ROWS.values(), ids=MORE_ROWS)
def test_other_counts_of_rows_that_disagree_are_an_error_of_read(data):
    with pqexplore.open(data) as file, pytest.raises(CorruptFileError, match="rows, the row group's num_rows is"):
        file.read()
