"""The statistics of logs against those of footers: sound tables give nothing, each planted error is found."""

import datetime
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_tables
from lake.conftest import Store
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, inline_vector, remove

from pqexplore.lake import scan
from pqexplore.lake.logs import log_vs_footer

NOON = datetime.datetime(2026, 11, 23, 12, 0, 0, 123_456, tzinfo=datetime.UTC)


def every_type(rows: int = 40) -> pa.Table:
    """Values of the types that logs keep bounds of, with nulls, NaN, long texts and numbers below zero."""
    span = range(-3, rows - 3)
    return pa.table(
        {
            "int": pa.array(span, pa.int32()),
            "long": pa.array([n << 40 for n in span]),
            "float": pa.array([n / 7 for n in span], pa.float32()),
            "double": pa.array([float("nan") if n == 5 else n / 7 for n in span]),
            "bool": pa.array([n % 2 == 0 for n in span]),
            "text": pa.array([f"{'ü' * 50}{n}" if n % 5 else None for n in span]),
            "day": pa.array([NOON.date() + datetime.timedelta(n) for n in span]),
            "at": pa.array([NOON + datetime.timedelta(n) for n in span], pa.timestamp("us", "UTC")),
            "local": pa.array([NOON.replace(tzinfo=None)] * rows, pa.timestamp("us")),
            "price": pa.array([Decimal(n) / 100 for n in span], pa.decimal128(9, 2)),
            "big": pa.array([Decimal(n << 70) for n in span], pa.decimal128(38, 2)),
            "inside": pa.array([{"x": n, "y": None} for n in span], pa.struct([("x", pa.int64()), ("y", pa.string())])),
            "list": pa.array([[n, None] for n in span]),
            "bytes": pa.array([bytes([n % 256]) * 40 for n in span]),
        }
    )


def conflicts(folder, **more) -> list[tuple]:
    lake = scan(None, folder, processes=0, **more)
    rows = lake.views["log_statistics"].to_pylist()
    return [(row["column_name"], row["statistic"], row["log_value"], row["footer_value"]) for row in rows]


@pytest.mark.parametrize("store", ["local", pytest.param("s3", marks=pytest.mark.full)], indirect=True)
def test_a_sound_table_gives_nothing(store):
    from deltalake import DeltaTable, write_deltalake

    options = store.deltalake or None
    write_deltalake(f"{store.url}/delta", every_type(), storage_options=options)
    write_deltalake(f"{store.url}/delta", every_type(3), mode="append", storage_options=options)
    DeltaTable(f"{store.url}/delta", storage_options=options).delete("int = 7")
    at = f"{store.url}/iceberg"
    table = made_tables.catalog(store).create_table(
        "n.t", schema=every_type().schema, location=at if "://" in at else f"file://{at}"
    )
    table.append(every_type())
    assert conflicts(store.url, storage_options=store.options) == []


def rewritten(table: pa.Table, change) -> pa.Table:
    """A checkpoint with the parsed statistics of each file as `change` gives them, in the types that they have."""
    rows = table.to_pylist()
    for row in rows:
        if row["add"] is not None:
            row["add"]["stats_parsed"] = change(row["add"]["stats_parsed"])
    return pa.Table.from_pylist(rows, schema=table.schema)


PARSED = {"delta.checkpoint.writeStatsAsStruct": "true", "delta.checkpoint.writeStatsAsJson": "false"}  # fmt: skip


@pytest.mark.parametrize("nulls", [False, True])  # the column `stats` is missing, or has only nulls
def test_statistics_that_a_checkpoint_has_as_columns(tmp_path, nulls):
    from deltalake import DeltaTable, write_deltalake

    def narrower(stats: dict) -> dict:
        low, high = stats["minValues"], stats["maxValues"]
        day = datetime.timedelta(days=1)
        changed = {"int": 0, "double": 1.5, "text": "ÿ", "inside": {"x": 9, "y": None}}
        low |= changed | {name: low[name] + day for name in ("day", "at", "local")}
        high["price"] = Decimal("0.01")
        return stats | {"numRecords": 41, "nullCount": stats["nullCount"] | {"text": 9}}

    write_deltalake(tmp_path, every_type(), configuration=PARSED)
    DeltaTable(tmp_path).create_checkpoint()
    [checkpoint] = (tmp_path / "_delta_log").glob("*.checkpoint.parquet")
    (tmp_path / "_delta_log" / f"{0:020}.json").unlink()
    sound = pq.read_table(checkpoint)
    if nulls:
        adds = sound["add"].combine_chunks()
        fields = [*adds.type, pa.field("stats", pa.string())]
        parts = [*map(adds.field, range(len(adds.type))), pa.nulls(len(adds), pa.string())]
        added = pa.StructArray.from_arrays(parts, fields=fields, mask=adds.is_null())
        sound = sound.set_column(sound.schema.get_field_index("add"), "add", added)
        pq.write_table(sound, checkpoint)
    assert conflicts(tmp_path) == []
    pq.write_table(rewritten(sound, narrower), checkpoint)
    found = {(one, two): three for one, two, three, _ in conflicts(tmp_path)}
    wrong = ("at", "day", "double", "inside.x", "int", "local", "text")
    assert set(found) == {
        *((name, "minimum") for name in wrong),
        *(("price", "maximum"), ("text", "null count"), (None, "row count")),
    }
    assert (found["price", "maximum"], found["day", "minimum"]) == ("0.01", "2026-11-21")


def test_without_readable_statistics_a_checkpoint_still_says_what_is_live(tmp_path):
    from deltalake import DeltaTable, write_deltalake

    write_deltalake(tmp_path, IDS, configuration=PARSED)
    DeltaTable(tmp_path).create_checkpoint()
    [checkpoint] = (tmp_path / "_delta_log").glob("*.checkpoint.parquet")
    (tmp_path / "_delta_log" / f"{0:020}.json").unlink()
    metadata = pq.read_metadata(checkpoint).row_group(0)
    [place] = [
        at
        for at in range(metadata.num_columns)
        if metadata.column(at).path_in_schema == "add.stats_parsed.minValues.id"
    ]
    broken = bytearray(checkpoint.read_bytes())
    start = metadata.column(place).data_page_offset
    broken[start : start + 8] = b"\xff" * 8
    checkpoint.write_bytes(broken)
    lake = scan(None, tmp_path, processes=0)
    [row] = lake.tables["tables"].to_pylist()
    assert (row["status"], row["live_files"], row["live_rows"]) == ("ok", 1, None)


def planted(tmp_path, rows: pa.Table, stats: dict, **more) -> list[tuple]:
    pq.write_table(rows, tmp_path / "a.parquet")
    action = add("a.parquet", **more)
    action["add"]["stats"] = json.dumps({"numRecords": len(rows)} | stats)
    commit(tmp_path, 0, PROTOCOL, METADATA, action)
    return conflicts(tmp_path)


IDS = pa.table({"id": [3, None, 7]})
TEXT = pa.table({"id": ["abcdef", "xyz"]})
STAMP = pa.table({"id": pa.array([NOON], pa.timestamp("us", "UTC"))})
PRICE = pa.table({"id": pa.array([Decimal("1.50")], pa.decimal128(9, 2))})
WRONG = {
    # rows, statistics in the log → column, statistic, log's value, footer's value
    "narrow minimum": (IDS, {"minValues": {"id": 4}}, [("id", "minimum", "4", "3")]),
    "wide minimum": (IDS, {"minValues": {"id": 2}}, []),
    "narrow maximum": (IDS, {"maxValues": {"id": 6}}, [("id", "maximum", "6", "7")]),
    "wide maximum": (IDS, {"maxValues": {"id": 8}}, []),
    "nulls": (IDS, {"nullCount": {"id": 0}}, [("id", "null count", "0", "1")]),
    "right nulls": (IDS, {"nullCount": {"id": 1}}, []),
    "nulls with wide bounds": (IDS, {"nullCount": {"id": 0}, "tightBounds": False}, []),
    "rows": (IDS, {"numRecords": 4}, [(None, "row count", "4", "3")]),
    "a truncated text": (TEXT, {"minValues": {"id": "abc"}, "maxValues": {"id": "xz"}}, []),
    "a text cut without rounding up": (TEXT, {"maxValues": {"id": "xx"}}, [("id", "maximum", "xx", "xyz")]),
    "milliseconds": (STAMP, {"minValues": {"id": "2026-11-23T12:00:00.123Z"}, "maxValues": {"id": "2026-11-23T12:00:00.123Z"}}, []),
    "a millisecond less": (STAMP, {"maxValues": {"id": "2026-11-23T12:00:00.122Z"}}, [("id", "maximum", "2026-11-23T12:00:00.122Z", "")]),
    "decimal": (PRICE, {"minValues": {"id": 1.51}}, [("id", "minimum", "1.51", "1.50")]),
    "sound decimal": (PRICE, {"minValues": {"id": 1.5}, "maxValues": {"id": 1.5}}, []),
    "of another type": (IDS, {"minValues": {"id": "four"}, "nullCount": {"id": "x"}}, []),
    "a column that is not there": (IDS, {"minValues": {"no": 4}}, []),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_planted_statistics_of_delta(tmp_path, what):
    rows, stats, expected = WRONG[what]
    found = planted(tmp_path, rows, stats)
    assert [one[:3] for one in found] == [one[:3] for one in expected]
    assert not expected or not expected[0][3] or found[0][3] == expected[0][3]


def test_bounds_of_a_file_with_a_deletion_vector_may_be_those_of_its_other_rows(tmp_path):
    vector = {"deletionVector": inline_vector([0])}
    assert planted(tmp_path, IDS, {"minValues": {"id": 7}, "nullCount": {"id": 1}}, **vector) == []


def test_planted_bounds_of_iceberg(tmp_path):
    import pyiceberg.io.pyarrow as writer

    here = Store(str(tmp_path), {}, {}, {})
    table = made_tables.catalog(here).create_table("n.t", schema=IDS.schema, location=f"file://{tmp_path}/t")
    sound = writer.DataFileStatistics.to_serialized_dict

    def wrong(self):
        made = sound(self)
        made["lower_bounds"][1] = (4).to_bytes(8, "little")
        made["null_value_counts"][1] = 0
        made["value_counts"][1] = 2
        return made

    writer.DataFileStatistics.to_serialized_dict = wrong
    try:
        table.append(IDS)
    finally:
        writer.DataFileStatistics.to_serialized_dict = sound
    assert conflicts(tmp_path / "t") == [
        ("id", "minimum", "4", "3"),
        ("id", "null count", "0", "1"),
        ("id", "value count", "2", "3"),
    ]


def test_bounds_of_every_type_are_compared(tmp_path):
    from deltalake import write_deltalake

    write_deltalake(tmp_path, every_type(), configuration={"delta.dataSkippingNumIndexedCols": "-1"})
    path = tmp_path / "_delta_log" / f"{0:020}.json"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    [action] = [one["add"] for one in lines if "add" in one]
    stats = json.loads(action["stats"])
    action["stats"] = json.dumps(stats | {"minValues": stats["maxValues"], "maxValues": stats["minValues"]})
    path.write_text("\n".join(map(json.dumps, lines)))
    found = {(name, statistic) for name, statistic, _, _ in conflicts(tmp_path)}
    names = {"int", "long", "float", "double", "day", "at", "price", "big", "inside.x"}
    expected = {(name, statistic) for name in names for statistic in ("minimum", "maximum")}
    expected.add(("text", "minimum"))  # the texts begin alike, and the footer's maximum is cut there
    assert {one for one in found if one[0] != "bool"} == expected  # `local` has one value


@pytest.mark.parametrize(
    ("columns", "options", "said"),
    [(33, {}, "only the first 32 columns"), (32, {}, ""), (33, {"delta.dataSkippingNumIndexedCols": "-1"}, "")],
)
def test_only_the_first_columns_have_statistics(tmp_path, columns, options, said):
    from deltalake import write_deltalake

    rows = pa.table({f"c{n}": [n] for n in range(columns)})
    write_deltalake(tmp_path, rows, configuration=options)
    [remarks] = scan(None, tmp_path, processes=0).tables["tables"]["remarks"].to_pylist()
    assert (remarks or "").startswith(said) and bool(said) == bool(remarks)


def test_beyond_a_limit_files_are_not_compared_and_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(log_vs_footer, "CHUNKS", 1)
    for name in ("a", "b"):
        pq.write_table(IDS, tmp_path / f"{name}.parquet")
    adds = [add(f"{name}.parquet", 3) for name in ("a", "b")]
    commit(tmp_path, 0, PROTOCOL, METADATA, *adds)
    [remarks] = scan(None, tmp_path, processes=0).tables["tables"]["remarks"].to_pylist()
    assert remarks == "the log's statistics of 1 file were not compared with footers"


def test_a_refresh_compares_again(tmp_path):
    pq.write_table(IDS, tmp_path / "a.parquet")
    right, wrong = add("a.parquet"), add("a.parquet")
    right["add"]["stats"], wrong["add"]["stats"] = (
        json.dumps({"numRecords": 3, "minValues": {"id": n}}) for n in (3, 4)
    )
    commit(tmp_path, 0, PROTOCOL, METADATA, wrong)
    lake = scan(None, tmp_path, processes=0)
    assert lake.tables["log_conflicts"].num_rows == 1
    assert lake.refresh().tables["log_conflicts"].num_rows == 1
    commit(tmp_path, 1, remove("a.parquet"), right)
    assert lake.refresh().tables["log_conflicts"].num_rows == 0
