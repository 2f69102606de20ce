"""A file that is rewritten in another order: a stable sort in the column's order, every value and level as it was."""

import datetime
import decimal
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import ours
from needs import needs_pyarrow
from needs import sorting as sorting_column

import pqexplore
from pqexplore.engine.errors import CorruptFileError, LimitExceededError, UsageError
from pqexplore.engine.writer import rewriting, sorting

NAN = struct.unpack("<d", b"\1\0\0\0\0\0\xf8\xff")[0]
"""A NaN with a sign and other bits than numpy's."""


def sorted_file(table, sort, tmp_path, given=None, *, source=None, **options):
    """(the sorted table as pyarrow reads it, the new file's path)."""
    old, new = tmp_path / "old.parquet", tmp_path / "new.parquet"
    if source is None:
        pq.write_table(table, old, **({"row_group_size": 3} | (given or {})))
    else:
        old.write_bytes(source)
    chosen = pqexplore.WriteOptions(**options) if options else None
    pqexplore.rewrite(old, new, chosen, sort=sort, overwrite=True)
    return pq.ParquetFile(new).read(), new


D = decimal.Decimal
day = datetime.date.fromisoformat

ORDERS = {
    "integers": (pa.int32(), [3, -1, 2, -(2**31), 2**31 - 1], [-(2**31), -1, 2, 3, 2**31 - 1]),
    "unsigned": (pa.uint32(), [2**32 - 1, 0, 2**31, 7], [0, 7, 2**31, 2**32 - 1]),
    "unsigned long": (pa.uint64(), [2**64 - 1, 0, 2**63], [0, 2**63, 2**64 - 1]),
    "booleans": (pa.bool_(), [True, False, True], [False, True, True]),
    "text by bytes": (pa.string(), ["b", "é", "B", "", "bb"], ["", "B", "b", "bb", "é"]),
    "bytes": (pa.binary(), [b"\xff", b"\0", b"", b"\0\0"], [b"", b"\0", b"\0\0", b"\xff"]),
    "fixed": (pa.binary(2), [b"\xff\0", b"\0\0", b"\x80\0"], [b"\0\0", b"\x80\0", b"\xff\0"]),
    "decimals": (pa.decimal128(30, 2), [D("1.10"), D("-9.99"), D("0.00")], [D("-9.99"), D("0.00"), D("1.10")]),
    "short decimals": (pa.decimal128(5, 2), [D("1.10"), D("-9.99"), D("0.00")], [D("-9.99"), D("0.00"), D("1.10")]),
    "dates": (pa.date32(), [day("2024-02-29"), day("1960-01-01")], [day("1960-01-01"), day("2024-02-29")]),
    "nulls last": (pa.int64(), [None, 5, None, 1], [1, 5, None, None]),
    "only nulls": (pa.int64(), [None, None], [None, None]),
    "one row": (pa.string(), ["x"], ["x"]),
    "no rows": (pa.string(), [], []),
}  # fmt: skip


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("down", ["", "-"])
def test_each_type_is_sorted_in_its_own_order(name, down, tmp_path):
    kind, given, expected = ORDERS[name]
    if down:
        nulls = [value for value in expected if value is None]
        expected = [value for value in expected[::-1] if value is not None] + nulls
    found, _ = sorted_file(pa.table({"key": pa.array(given, kind)}), [f"{down}key"], tmp_path)
    assert found["key"].to_pylist() == expected


def test_floats_zeros_are_equal_and_nans_come_before_nulls_bit_for_bit(tmp_path):
    inf = float("inf")
    given = [NAN, None, 0.0, -0.0, inf, float("nan"), -inf, 1.5, 0.0]
    table = pa.table({"x": pa.array(given, pa.float64()), "row": range(9)})
    found, path = sorted_file(table, ["x"], tmp_path)
    assert found["row"].to_pylist() == [6, 2, 3, 8, 7, 4, 0, 5, 1]
    bits = [struct.pack("<d", value) for value in found["x"].to_pylist() if value is not None]
    assert bits == [struct.pack("<d", given[row]) for row in (6, 2, 3, 8, 7, 4, 0, 5)]
    found, path = sorted_file(table, ["-x"], tmp_path)
    assert found["row"].to_pylist() == [0, 5, 4, 7, 2, 3, 8, 6, 1]


@needs_pyarrow(15, "it has no FLOAT16")
def test_the_total_order_of_floats_and_half_floats(tmp_path):
    half = pa.array(np.array([1, -2, 0.5, -0.0, 0.0], np.float16))
    total = {"x": {"column_order": "IEEE_754_TOTAL_ORDER"}, "h": {"column_order": "TYPE_ORDER"}}
    table = pa.table({"x": [0.0, -0.0, NAN, 1.0, float("nan")], "h": half, "row": range(5)})
    data = ours(table, pqexplore.WriteOptions(columns=total))
    found, _ = sorted_file(table, ["x"], tmp_path, source=data, columns=total)
    assert found["row"].to_pylist() == [2, 1, 0, 3, 4]  # a NaN with a sign is the smallest
    found, _ = sorted_file(table, ["h"], tmp_path, source=data)
    assert found["row"].to_pylist() == [1, 3, 4, 2, 0]


def test_int96_by_time_and_decimals_of_any_length(tmp_path):
    times = pa.array([86_400 * 10**9, -1, 0, None, -(10**18)], pa.timestamp("ns"))
    given = {"use_deprecated_int96_timestamps": True}
    found, path = sorted_file(pa.table({"at": times}), ["at"], tmp_path, given)
    assert pq.ParquetFile(path).schema.column(0).physical_type == "INT96"
    assert found["at"].cast(pa.int64()).to_pylist() == [-(10**18), -1, 0, 86_400 * 10**9, None]
    numbers = [D(10**20), D(-1), D(0), D(-(10**20)), D(255), D(-129)]
    long = pqexplore.WriteOptions(columns={"n": {"physical_type": "BYTE_ARRAY"}})
    table = pa.table({"n": pa.array(numbers, pa.decimal128(38, 0))})
    found, _ = sorted_file(table, ["n"], tmp_path, source=ours(table, long))
    assert found["n"].to_pylist() == sorted(numbers)


TABLES = st.integers(0, 40).flatmap(
    lambda rows: st.fixed_dictionaries(
        {
            "small": _column(rows, st.none() | st.integers(0, 3)),
            "text": _column(rows, st.none() | st.text("aé", max_size=2)),
            "s": _column(rows, st.none() | st.fixed_dictionaries({"x": st.none() | st.integers(0, 2)})),
            "tags": _column(rows, st.none() | st.lists(st.none() | st.lists(st.none() | st.integers(0, 9), max_size=2), max_size=3)),
        }
    )
)  # fmt: skip


def _column(rows, each):
    return st.lists(each, min_size=rows, max_size=rows)


SCHEMA = pa.schema(
    [
        ("small", pa.int32()),
        ("text", pa.string()),
        ("s", pa.struct([("x", pa.int64())])),
        ("tags", pa.list_(pa.list_(pa.int8()))),
        ("row", pa.int64()),
    ]
)
KEYS = st.lists(st.tuples(st.sampled_from(["small", "text", "s.x"]), st.booleans()), min_size=1, max_size=2,
    unique_by=lambda key: key[0])  # fmt: skip


def _stable(table, keys):
    """The rows by a stable sort of Python, the last key first; nulls last."""
    order = list(range(table.num_rows))
    for path, down in reversed(keys):
        column = table["s"].combine_chunks().field("x") if path == "s.x" else table[path]
        values = column.to_pylist()
        if path == "s.x":
            values = [None if whole is None else whole["x"] for whole in table["s"].to_pylist()]
        present = [row for row in order if values[row] is not None]
        ranks = sorted({values[row] for row in present}, key=lambda v: v.encode() if isinstance(v, str) else v)  # fmt: skip
        places = {row: ranks.index(values[row]) * (-1 if down else 1) for row in present}
        present.sort(key=places.__getitem__)
        order = present + [row for row in order if values[row] is None]
    return order


@needs_pyarrow(15, "it shows no sorting_columns")
@settings(max_examples=20, deadline=None)
@given(TABLES, KEYS, st.sampled_from([4, 100]), st.sampled_from([7, 100]))
def test_any_table_is_what_a_stable_sort_makes_of_it(tmp_path_factory, columns, keys, before, after):  # fmt: skip
    table = pa.Table.from_pydict({**columns, "row": range(len(columns["small"]))}, SCHEMA)
    sort = ["-" * down + path for path, down in keys]
    found, path = sorted_file(
        table, sort, tmp_path_factory.mktemp("sort"), {"row_group_size": before}, row_group_rows=after
    )  # fmt: skip
    assert found.equals(table.take(pa.array(_stable(table, keys), pa.int64())))
    metadata = pq.ParquetFile(path).metadata
    for index in range(metadata.num_row_groups):
        declared = metadata.row_group(index).sorting_columns
        names = [metadata.schema.column(one.column_index).path for one in declared]
        assert [(name, one.descending, one.nulls_first) for name, one in zip(names, declared, strict=True)] == [(path, down, False) for path, down in keys]  # fmt: skip


def test_what_is_planned_is_what_is_written_and_progress_grows(tmp_path):
    table = pa.table({"a": [i * 7 % 100 for i in range(1_000)], "b": [[i] * (i % 3) for i in range(1_000)]})  # fmt: skip
    path = tmp_path / "old.parquet"
    pq.write_table(table, path, row_group_size=300)
    seen = []
    with pqexplore.open(path) as file:
        written = pqexplore.rewrite(file, tmp_path / "new.parquet", sort=["a"], progress=seen.append)
        assert rewriting.planned(file, sort=["a"]).chunks == written.chunks
        assert rewriting.planned(file, sort=["a"]).size == written.size
        last = rewriting.planned(file, row_groups=[3], sort=["a"])
    assert last.num_rows == 100 and last.chunks[0].compressed == written.chunks[-2].compressed
    assert seen == sorted(seen) and 0 < seen[0] < 0.3 and seen[-1] == 1
    with pqexplore.open(tmp_path / "new.parquet") as new:
        assert [group.num_rows for group in new.row_groups] == [300, 300, 300, 100]
        assert [one for one in new.check() if one.severity.level != "note"] == []


def test_sorting_columns_that_no_longer_hold_are_not_kept(tmp_path):
    table = pa.table({"a": [3, 2, 1], "b": [1, 2, 3]})
    given = {"sorting_columns": [sorting_column(1)]}
    _, path = sorted_file(table, ["a"], tmp_path, given)
    [declared] = pq.ParquetFile(path).metadata.row_group(0).sorting_columns
    assert declared.column_index == 0


WRONG = [
    (["tags.list.element"], "it is repeated; possible are a, -x, at"),
    (["nobody"], "there is no such column; possible are a, -x, at"),
    (["tags"], "there is no such column"),
    (["span"], "its values have no order"),
    (["a", "-a"], "the column is given twice"),
    ("a", r"not one string; did you mean \['a'\]\?"),
]


@pytest.fixture
def source(tmp_path):
    """A file with a column of each kind that matters for keys."""
    path = tmp_path / "source.parquet"
    table = pa.table(
        {
            "a": [2, 1, 2],
            "-x": [1, 3, 2],
            "at": pa.array([3, 1, 2], pa.timestamp("us")),
            "tags": [[1], [], [2, 3]],
            "span": pa.array([(1, 2, 3_000_000)] * 3, pa.month_day_nano_interval()),
        }
    )
    pqexplore.write(table, path)
    return path


@pytest.mark.parametrize("sort, message", WRONG)
def test_keys_that_rows_cannot_be_sorted_by(source, tmp_path, sort, message):
    with pytest.raises(UsageError, match=message):
        pqexplore.rewrite(source, tmp_path / "new.parquet", sort=sort, overwrite=True)
    assert not (tmp_path / "new.parquet").exists()


def test_a_name_that_begins_with_a_minus_is_that_column(source, tmp_path):
    for sort, rows in ((["-x"], [2, 2, 1]), (["--x"], [1, 2, 2])):
        pqexplore.rewrite(source, tmp_path / "new.parquet", sort=sort, overwrite=True)
        with pqexplore.open(tmp_path / "new.parquet") as new:
            assert new.read(["a"])["a"].to_pylist() == rows
    with pytest.raises(UsageError, match="the sorting columns are its keys"):
        options = pqexplore.WriteOptions(sorting_columns=[("a", False, False)])
        pqexplore.rewrite(source, tmp_path / "other.parquet", options, sort=["a"])


def test_a_column_that_is_too_large_says_which_limit_to_raise(tmp_path):
    path = tmp_path / "source.parquet"
    table = pa.table({"a": [f"{i:020}" for i in range(1_000)]})
    pq.write_table(table, path, row_group_size=100, use_dictionary=False)
    limits = pqexplore.Limits(read_bytes=12_000)
    with pqexplore.open(path, limits=limits) as file:
        with pytest.raises(LimitExceededError, match=r"column a is read whole.*read_bytes=") as caught:  # fmt: skip
            pqexplore.rewrite(file, tmp_path / "new.parquet", sort=["a"])
        assert caught.value.address.startswith("row_groups/4/columns/0")
        pqexplore.rewrite(file, tmp_path / "new.parquet")


@pytest.mark.parametrize("rows, error", [(1 << 40, LimitExceededError), (4, CorruptFileError)])
def test_rows_that_the_pages_do_not_have_are_refused_before_they_take_memory(source, tmp_path, rows, error):  # fmt: skip
    with pqexplore.open(source) as file:
        file.row_groups[0].metadata.num_rows = rows
        with pytest.raises(error, match="the order of the rows asks for|the pages of the chunk have"):
            pqexplore.rewrite(file, tmp_path / "new.parquet", sort=["a"])


def test_rows_that_are_in_a_wrong_place_are_not_kept(source, tmp_path, monkeypatch):
    take = sorting.Records.take
    made = []

    def wrong(self, records):
        made.append(records)
        return take(self, records[::-1] if len(made) == 1 else records)

    monkeypatch.setattr(sorting.Records, "take", wrong)
    with pytest.raises(CorruptFileError, match="differs from .* in column a, rows 0 to 3"):
        pqexplore.rewrite(source, tmp_path / "new.parquet", sort=["at"])
    assert [path.name for path in tmp_path.iterdir()] == ["source.parquet"]


def test_files_without_row_groups_or_columns(tmp_path):
    empty, none = tmp_path / "empty.parquet", tmp_path / "none.parquet"
    pqexplore.write(pa.table({"a": pa.array([], pa.int64())}), empty)
    plan = pqexplore.rewrite(empty, tmp_path / "new.parquet", sort=["a"])
    assert plan.num_rows == 0
    pq.write_table(pa.table({"a": [1, 2]}).select([]), none)
    with pytest.raises(UsageError, match="no such column; possible are none"):
        pqexplore.rewrite(none, tmp_path / "other.parquet", sort=["a"])


def test_an_encrypted_file_is_sorted_in_memory(source, tmp_path, monkeypatch):
    monkeypatch.setattr(rewriting, "IN_MEMORY", 1)
    rolled = []
    real = rewriting.tempfile.SpooledTemporaryFile.rollover
    monkeypatch.setattr(
        rewriting.tempfile.SpooledTemporaryFile, "rollover", lambda self: (rolled.append(1), real(self))
    )
    locked = pqexplore.WriteOptions(encryption=pqexplore.Encryption(b"k" * 16))
    keys = pqexplore.Decryption(footer_key=b"k" * 16)
    pqexplore.rewrite(source, tmp_path / "locked.parquet", locked, sort=["a"], decryption=keys)
    pqexplore.rewrite(tmp_path / "locked.parquet", tmp_path / "open.parquet", sort=["at"], decryption=keys)  # fmt: skip
    assert not rolled
    pqexplore.rewrite(source, tmp_path / "open.parquet", sort=["at"], overwrite=True)
    assert rolled
    with pqexplore.open(tmp_path / "open.parquet") as file:
        assert file.read(["a"])["a"].to_pylist() == [1, 2, 2]
