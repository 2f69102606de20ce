"""Files that keep every rule give no finding."""

import datetime
import decimal

import numpy as np
import pyarrow as pa
import pytest
from engine.check import forged
from made import parquet
from needs import LOCAL_TIMES, ONE_COLUMN_METADATA, needs_pyarrow

UTC = datetime.UTC
TABLE = pa.table(
    {
        "int": pa.array([3, None, -1, 7], pa.int32()),
        "unsigned": pa.array([3, None, 2**32 - 1, 7], pa.uint32()),
        "double": pa.array([1.5, float("nan"), -0.0, None]),
        "half": pa.array(np.array([1.5, -2.0, 0.0, 4.0], np.float16)),
        "text": ["é", None, "", "x" * 100],
        "bytes": [b"\xff\x00", b"", None, b"a"],
        "decimal": [decimal.Decimal("-1.25"), None, decimal.Decimal("99.99"), decimal.Decimal(0)],
        "time": [datetime.datetime(2020, 1, 1, tzinfo=UTC), None, None, None],
        "local": [datetime.datetime(2020, 1, 1), None, None, None],
        "clock": [datetime.time(12, 30), None, None, None],
        "day": [datetime.date(2020, 1, 1), None, None, None],
        "nothing": pa.nulls(4, pa.int64()),
        "list": [[1, None], None, [], [3]],
        "map": pa.array([[("a", 1)], None, [], [("b", None)]], pa.map_(pa.string(), pa.int8())),
        "struct": [{"a": 1, "b": [True]}, None, {"a": None, "b": None}, {"a": 2, "b": []}],
    }
)


def by_arrow(**options):
    return parquet(TABLE, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"write_page_index": True, "data_page_size": 1},
        {"write_page_index": True, "data_page_size": 1, "write_batch_size": 1},  # an empty page
        {"use_dictionary": False, "compression": "zstd", "write_page_checksum": True},
    ],
)
@needs_pyarrow(18, "it writes no FLOAT16, no page checksums and a second copy of each ColumnMetaData")
def test_file_of_arrow_has_notes_only(options):
    notes = {"zero-bound", "local-time-converted-type"}
    assert {one.rule for one in forged.findings(by_arrow(**options))} <= notes


@LOCAL_TIMES
def test_arrow_is_named_for_what_it_writes():
    found = [one for one in forged.findings(by_arrow()) if one.rule == "local-time-converted-type"]
    assert [one.severity.level for one in found] == ["note"]
    assert "field `clock` is a local TIME" in found[0].message
    assert found[0].message.endswith("; a known fault of parquet-cpp-arrow (TIME columns)")


@ONE_COLUMN_METADATA
def test_v2_pages_counted_as_v1_are_a_note():
    found = forged.findings(by_arrow(data_page_version="2.0"))
    found = [one for one in found if one.rule != "local-time-converted-type"]
    assert {(one.rule, one.severity.level) for one in found} == {("page-versions-confused", "note")}
