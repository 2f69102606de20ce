"""Tables with a log whose one file stores the column `a` in another type than the log has."""

import datetime as dt
import json
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
from lake.logs.made_logs import add, commit

DAY, MOMENT = dt.date(2024, 1, 1), dt.datetime(2024, 1, 1, 5)
UTC, LOCAL, NANOS = pa.timestamp("us", "UTC"), pa.timestamp("us"), pa.timestamp("ns", "UTC")
TEXT = pa.string()

DELTA = {
    # the type in the log, the type in the file, a value, whether Spark refuses it
    "text for a number": ("long", TEXT, "7", True),
    "number for text": ("string", pa.int64(), 7, True),
    "INT64 for an integer": ("integer", pa.int64(), 7, True),
    "INT32 for a long": ("long", pa.int32(), 7, False),
    "DOUBLE for a float": ("float", pa.float64(), 0.5, True),
    "FLOAT for a double": ("double", pa.float32(), 0.5, False),
    "DOUBLE for a long": ("long", pa.float64(), 1.0, True),
    "longer decimal": ("decimal(9,2)", pa.decimal128(18, 2), Decimal("1.25"), True),
    "shorter decimal": ("decimal(18,2)", pa.decimal128(9, 2), Decimal("1.25"), False),
    "more after the point": ("decimal(12,2)", pa.decimal128(14, 4), Decimal("1.2500"), True),
    "INT64 for a decimal": ("decimal(12,2)", pa.int64(), 7, True),
    "timestamp for a date": ("date", LOCAL, MOMENT, True),
    "nanoseconds": ("timestamp", NANOS, 1000, True),
    "number for a boolean": ("boolean", pa.int32(), 1, True),
    "boolean for a number": ("integer", pa.bool_(), True, True),
    "bytes for text": ("string", pa.binary(), b"x", False),
    "text for bytes": ("binary", TEXT, "x", False),
    "list for a number": ("long", pa.list_(pa.int64()), [7], True),
    "the same": ("timestamp", UTC, MOMENT, False),
}

ICEBERG = {
    # the type in the log, the type in the file, a value, whether pyiceberg refuses it
    "text for a number": (pa.int64(), TEXT, "7", True),
    "number for text": (TEXT, pa.int64(), 7, True),
    "INT64 for an int": (pa.int32(), pa.int64(), 7, True),
    "INT32 for a long": (pa.int64(), pa.int32(), 7, False),
    "FLOAT for a double": (pa.float64(), pa.float32(), 0.5, False),
    "DOUBLE for a float": (pa.float32(), pa.float64(), 0.5, True),
    "longer decimal": (pa.decimal128(9, 2), pa.decimal128(18, 2), Decimal("1.25"), True),
    "shorter decimal": (pa.decimal128(18, 2), pa.decimal128(9, 2), Decimal("1.25"), False),
    "number for a boolean": (pa.bool_(), pa.int32(), 1, True),
    "the same": (pa.int64(), pa.int64(), 7, False),
}


def delta(root, name):
    log, kind, value, _ = DELTA[name]
    root.mkdir(parents=True)
    pq.write_table(pa.table({"a": pa.array([value], kind)}), root / "f.parquet")
    schema = {"type": "struct", "fields": [{"name": "a", "type": log, "nullable": True, "metadata": {}}]}
    about = {"id": "x", "partitionColumns": [], "configuration": {}, "schemaString": json.dumps(schema)}
    about |= {"format": {"provider": "parquet", "options": {}}, "createdTime": 1}
    action = add("f.parquet", 1, partitionValues={}, modificationTime=1)
    action["add"]["size"] = (root / "f.parquet").stat().st_size
    commit(root, 0, {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}, {"metaData": about}, action)


def iceberg(root, name):
    """An Iceberg table, one of whose files was written anew; pyiceberg's Table."""
    from lake import made_tables
    from lake.conftest import Store

    log, kind, value, _ = ICEBERG[name]
    here = Store(str(root.parent), {}, {}, {})
    table = made_tables.catalog(here).create_table("n.t", schema=pa.schema([("a", log)]), location=f"file://{root}")
    table.append(pa.table({"a": pa.array([value], kind).cast(log)}))
    [file] = [task.file.file_path.removeprefix("file://") for task in table.scan().plan_files()]
    stored = pa.schema([pa.field("a", kind, metadata={"PARQUET:field_id": "1"})])
    pq.write_table(pa.table([pa.array([value], kind)], schema=stored), file)
    return table
