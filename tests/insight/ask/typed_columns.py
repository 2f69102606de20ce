"""A file with a column of each type, and what a condition about it accepts."""

import datetime
import functools
import math
import uuid
from decimal import Decimal

import numpy as np
import pyarrow as pa
from made import ours

import pqexplore
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.ordering import is_nan, order_key
from pqexplore.engine.format.value_text import python_value, stored_bytes
from pqexplore.insight.ask import sql
from pqexplore.insight.ask.binding import bind

DAY = datetime.date(2020, 1, 1)
NOON = datetime.datetime(2020, 1, 1, 12)
IDS = [uuid.UUID(int=n) for n in (0, 1, 0xFF << 120)]

COLUMNS = {
    "flag": pa.array([False, True]),
    "i8": pa.array([-128, 0, 127], pa.int8()),
    "i32": pa.array([-5, 0, 1, 2, 3], pa.int32()),
    "i64": pa.array([-(1 << 63), 0, 1 << 53, (1 << 53) + 1, (1 << 63) - 1], pa.int64()),
    "u8": pa.array([0, 5, 255], pa.uint8()),
    "u64": pa.array([0, 5, (1 << 64) - 1], pa.uint64()),
    "half": pa.array(np.array([-1.0, 0.1, 2.0], np.float16)),
    "f": pa.array([-0.5, 0.1, 2.0, 16777216.0], pa.float32()),
    "d": pa.array([-math.inf, -0.0, 0.0, 0.1, 2.0, math.inf, math.nan], pa.float64()),
    "price": pa.array([Decimal("-1.50"), Decimal("0.00"), Decimal("0.10"), Decimal("9.99")]),
    "wide": pa.array([Decimal("-1.5"), Decimal("0.1"), Decimal(10) ** 20], pa.decimal128(38, 10)),
    "s": pa.array(["", "a", "ab", "abc", "b", "ä", "z\U0001f600"]),
    "raw": pa.array([b"", b"a", b"a\xff", b"b\x00"]),
    "fixed": pa.array([b"\0\0", b"ab"], pa.binary(2)),
    "id": pa.array([one.bytes for one in IDS], pa.binary(16)),
    "day": pa.array([DAY, DAY + datetime.timedelta(1)]),
    "clock": pa.array([NOON, NOON + datetime.timedelta(milliseconds=1)], pa.timestamp("ms")),
    "at": pa.array([NOON, NOON + datetime.timedelta(microseconds=1)], pa.timestamp("us", "UTC")),
    "fine": pa.array([1577880000 * 10**9, 1577880000 * 10**9 + 1], pa.timestamp("ns")),
    "time": pa.array([datetime.time(10), datetime.time(10, 0, 1)], pa.time64("us")),
    "li": pa.array([[1, 5], [], None, [None, 7]], pa.list_(pa.int32())),
    "st": pa.array(
        [{"x": 1, "In Ner": "p"}, None, {"x": None, "In Ner": "q"}],
        pa.struct([("x", pa.int64()), ("In Ner", pa.string())]),
    ),
    "sl": pa.array([[{"x": 1}, {"x": 2}], None], pa.list_(pa.struct([("x", pa.int32())]))),
    "m": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int32())),
    "a.b": pa.array([1, 2]),
    "Case": pa.array([1, 2]),
    "case": pa.array([1, 2]),
}


@functools.cache
def schema():
    """The schema of a file with all columns."""
    rows = max(len(column) for column in COLUMNS.values())
    columns = {
        name: pa.concat_arrays([column, pa.nulls(rows - len(column), column.type)]) for name, column in COLUMNS.items()
    }
    return pqexplore.open(ours(pa.table(columns), columns={"id": {"logical_type": "UUID"}})).schema


def one_column(name, values=None):
    """A file with one column, and a null after its values."""
    column = COLUMNS[name] if values is None else values
    options = {"columns": {name: {"logical_type": "UUID"}}} if name == "id" else {}
    table = pa.table({name: pa.concat_arrays([column, pa.nulls(1, column.type)])})
    return pqexplore.open(ours(table, **options))


def bound(condition, timezone=None):
    """The condition about the columns of the file."""
    return bind(sql.parse(condition, timezone), schema())


def stored(file, leaf: Leaf):
    """The physical values of a leaf, without nulls."""
    chunk = file.row_groups[0].columns[leaf.leaf_index]
    pages = (page for page in chunk.pages if not page.header.dictionary_page_header)
    return [value for page in pages for value in page.physical.to_pylist()]


def takes(test, physical):
    """Whether the order key of a value, or its being NaN, is accepted."""
    raw = stored_bytes(test.leaf, physical)
    if is_nan(test.leaf, raw):
        return test.accepts.nan
    key = order_key(test.leaf, raw, test.accepts.order)
    return key is None or test.accepts.takes(key)


def accepted_values(test):
    """The values of a column, as Python objects, that a test accepts; None for null."""
    file = one_column(test.column)
    leaf = file.schema.leaves[0]
    taken = [python_value(leaf, one) for one in stored(file, leaf) if takes(test, one)]
    return [*taken, None] if test.accepts.null else taken
