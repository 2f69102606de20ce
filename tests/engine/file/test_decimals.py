"""Decimals beyond their declared precision: read in a wider type on every path, with a finding at the value."""

import decimal

import numpy as np
import pyarrow as pa
import pytest
from engine.check import forged
from made import ours, rebuilt

import pqexplore
from pqexplore.engine.format.statistics import bounds
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import LogicalType, Type
from pqexplore.engine.writer import assembly

CONTEXT = decimal.Context(prec=100)
STORED = {
    "INT32": {"physical_type": "INT32"},
    "INT64": {"physical_type": "INT64"},
    "FIXED_LEN_BYTE_ARRAY": {"physical_type": "FIXED_LEN_BYTE_ARRAY"},
    "FIXED_LEN_BYTE_ARRAY(20)": {"physical_type": "FIXED_LEN_BYTE_ARRAY", "type_length": 20},
    "BYTE_ARRAY": {"physical_type": "BYTE_ARRAY"},
}
ENCODED = {"plain": {"encoding": "PLAIN"}, "dictionary": {"encoding": "RLE_DICTIONARY"}}


def file(numbers, precision=9, declared=5, group=None, kind=None, **options):
    """A file of unscaled numbers, stored as DECIMAL(precision, 2) and declared as DECIMAL(declared, 2)."""
    if kind is None:
        scaled = [None if n is None else decimal.Decimal(n).scaleb(-2, CONTEXT) for n in numbers]
        wide = pa.decimal128 if precision <= 38 else pa.decimal256
        numbers = pa.array(scaled, wide(precision, 2))
    chosen = pqexplore.WriteOptions(row_group_rows=group or 1 << 20, **options)
    data = ours(pa.table({"a": numbers}), chosen)
    changes = {"schema__1__logicalType__DECIMAL__precision": declared, "schema__1__precision": declared}
    return pqexplore.open(rebuilt(data, **changes))


def unscaled(column):
    return [None if one is None else int(one.scaleb(2, CONTEXT)) for one in column.to_pylist()]


def beyond(file):
    return [one for one in file.findings if one.rule == "decimal-beyond-precision"]


@pytest.mark.parametrize("encoded", ENCODED.values(), ids=ENCODED)
@pytest.mark.parametrize("stored", STORED.values(), ids=STORED)
def test_every_path_reads_a_wider_type_with_one_finding(stored, encoded):
    numbers = [1, -99_999, None, 99_999, 7, None, 5, 100_000, -123_456_789]
    with file(numbers, group=4, page_rows=2, **stored, **encoded) as f:
        narrow, wide = pa.decimal128(5, 2), pa.decimal128(38, 2)
        right = f.read(row_groups=[0])
        assert right["a"].type == narrow and unscaled(right["a"]) == numbers[:4]
        assert beyond(f) == []
        table = f.read()
        table.validate(full=True)
        assert table["a"].type == wide and unscaled(table["a"]) == numbers
        first, second = beyond(f)
        assert (first.severity.level, first.evidence["row"], second.evidence["row"]) == ("error", 3, 0)
        assert first.message == (
            "1000.00 in row 3 of the row group has more digits than the precision, 5, allows; the column is read in a wider type"
        )
        assert f.node(first.address).kind == "value"
        pages = [page for page in f.row_groups[1].columns[0].pages if page.is_data]
        assert [page.values.type for page in pages] == [narrow, wide]
        assert first.address == f"{pages[1].address}/values/1"
        f.check()
        assert beyond(f) == [first, second], "one finding for one fault"


@pytest.mark.parametrize("stored", STORED.values(), ids=STORED)
def test_check_alone_finds_the_same(stored):
    with file([1, 99_999, 100_000, -123_456_789], **stored) as f:
        f.check()
        (found,) = beyond(f)
        assert found.evidence["values"] == 2 and found.evidence["row"] == 2
        assert found.message.endswith("; the page has 2 such values")
    with file([1, 99_999, -99_999], **stored) as f:
        f.check()
        assert beyond(f) == []


@pytest.mark.parametrize("stored", STORED.values(), ids=STORED)
@pytest.mark.parametrize("encoded", ENCODED.values(), ids=ENCODED)
@pytest.mark.parametrize("nulls", [False, True])
def test_large_chunks_that_arrow_decodes(stored, encoded, nulls):
    numbers = np.tile(np.array([5, -99_999, 99_999, 3]), 1 << 15).tolist()
    numbers[100_000] = -100_000
    if nulls:
        numbers[50_000] = None
    with file(numbers, page_rows=30_000, codec="SNAPPY", **stored, **encoded) as f:
        column = f.read()["a"]
        assert column.type == pa.decimal128(38, 2)
        assert column[100_000].as_py() == decimal.Decimal(-1000)
        assert column[99_999].as_py() == decimal.Decimal("0.03")
        (found,) = beyond(f)
        assert found.evidence["row"] == 100_000
        assert "/pages/" in found.address and found.message.startswith("-1000.00 in row 100,000 of")


@pytest.mark.parametrize(
    ("precision", "declared", "number", "expected"),
    [
        (38, 38, 10**38 - 1, pa.decimal128(38, 2)),
        (39, 38, 10**38, pa.decimal256(76, 2)),
        (76, 5, -(10**75), pa.decimal256(76, 2)),
        (76, 39, 10**38, pa.decimal256(39, 2)),
        (76, 39, 10**39, pa.decimal256(76, 2)),
    ],
)
@pytest.mark.parametrize("stored", ["FIXED_LEN_BYTE_ARRAY", "BYTE_ARRAY"])
def test_wide_decimals(precision, declared, number, expected, stored):
    with file([1, number], precision, declared, physical_type=stored) as f:
        column = f.read()["a"]
        assert column.type == expected and unscaled(column) == [1, number]
        assert len(beyond(f)) == (abs(number) >= 10**declared)


def stored_bytes(values, declared, length=None, group=None):
    """A file of BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY values, as they are, in row groups of one page."""
    kind = Type.BYTE_ARRAY if length is None else Type.FIXED_LEN_BYTE_ARRAY
    logical = LogicalType(DECIMAL=structs.DecimalType(precision=declared, scale=2))
    leaf = assembly.element("a", kind, 0, logicalType=logical, type_length=length)
    size = group or len(values)
    parts = [values[start : start + size] for start in range(0, len(values), size)]
    groups = [
        assembly.row_group([assembly.chunk("a", kind, [forged.page(part, kind, length)])], len(part)) for part in parts
    ]
    return pqexplore.open(assembly.file([forged.root(), leaf], groups, column_orders=[forged.TYPE_ORDER]))


@pytest.mark.parametrize("length", [None, 40])
def test_more_than_76_digits_are_binary(length):
    one, huge = ((1).to_bytes(40), (10**80).to_bytes(40))
    with stored_bytes([one, huge], 5, length, group=1) as f:
        column = f.read()["a"]
        assert column.type == pa.binary() and column.to_pylist() == [one, huge]
        (found,) = beyond(f)
        assert found.address == "row_groups/1/columns/0/pages/0/values/0"
        assert f.read(row_groups=[0])["a"].type == pa.decimal128(5, 2)
        assert f.row_groups[1].columns[0].pages[0].values.type == pa.binary()


def test_a_precision_beyond_76_is_binary_with_a_note():
    value = (10**80).to_bytes(40)
    for read in (lambda f: f.read(), lambda f: f.row_groups[0].columns[0].pages[0].values):
        with stored_bytes([value], 81, 40) as f:
            read(f)
            (found,) = f.findings
            assert (found.rule, found.severity.level) == ("decimal-as-binary", "note")
            assert found.address == "schema/1"
            assert f.check() == [found]


def test_a_decimal_of_no_bytes_is_read_as_0_with_a_finding():
    with stored_bytes([b"\x05", b"", b"\x07", b""], 5) as f:
        assert unscaled(f.read()["a"]) == [5, 0, 7, 0]
        (found,) = f.findings
        assert (found.rule, found.severity.level) == ("decimal-no-bytes", "error")
        assert found.address == "row_groups/0/columns/0/pages/0/values/1"
        assert found.message == (
            "0.00 in row 1 of the row group is a decimal of no bytes; some readers take it for 0, as it is read here, and others fail; "
            "the page has 2 such values"
        )
        f.check()
        assert f.findings == [found]


def test_the_row_of_a_value_in_a_list():
    kind = pa.list_(pa.decimal128(9, 2))
    lists = pa.array([[decimal.Decimal(1)], [], None, [decimal.Decimal(2), decimal.Decimal(5000)]], kind)
    data = ours(pa.table({"a": lists}), pqexplore.WriteOptions(page_rows=2))
    leaf = {"schema__3__logicalType__DECIMAL__precision": 5, "schema__3__precision": 5}
    with pqexplore.open(rebuilt(data, **leaf)) as f:
        column = f.read()["a"]
        assert column.type.value_type == pa.decimal128(38, 2)
        assert column.to_pylist() == lists.to_pylist()
        (found,) = beyond(f)
        assert found.evidence["row"] == 3


def test_a_bound_beyond_the_precision_is_read_as_it_is():
    with file([1, 100_000]) as f:
        chunk = f.row_groups[0].columns[0]
        found = bounds(chunk.leaf, chunk.statistics, f.created_by)
        assert (found.min, found.max) == (decimal.Decimal("0.01"), decimal.Decimal(1000))
