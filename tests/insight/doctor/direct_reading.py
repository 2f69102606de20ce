"""Reads files by the most ordinary call of one reader, each in a fork: JSON on stdin, its values as plain JSON in `out`.

It knows nothing of pqexplore: it is the judge of what `report.readers(run=True)` says. Values of different libraries get
one plain form, so that they can be compared as they are.
"""

import base64
import datetime
import decimal
import json
import math
import os
import signal
import sys
import uuid


def by_pyarrow(path):
    import pyarrow.parquet as pq

    table = pq.ParquetFile(path).read()
    return [[row[name] for name in table.column_names] for row in table.to_pylist()]


def by_duckdb(path):
    import duckdb

    duckdb.sql("SET TimeZone = 'UTC'")
    return duckdb.sql(f"SELECT * FROM read_parquet('{path}', hive_partitioning = false)").fetchall()


def by_polars(path):
    import polars

    return polars.read_parquet(path, glob=False, hive_partitioning=False).rows()


def by_fastparquet(path):
    import fastparquet

    frame = fastparquet.ParquetFile(path).to_pandas(index=False)
    parts = [str(name).split(".") for name in frame.columns]
    rows = frame.astype(object).values.tolist()
    if any(len(one) > 1 for one in parts):  # the fields of a struct come as columns
        return [[{one[-1]: cell for one, cell in zip(parts, row, strict=True)}] for row in rows]
    return rows


def by_datafusion(path):
    import datafusion

    frame = datafusion.SessionContext().read_parquet(path, file_extension="")
    names = frame.schema().names
    return [[row[name] for name in names] for row in frame.to_pylist()]


READERS = {
    "pyarrow": by_pyarrow,
    "DuckDB": by_duckdb,
    "polars": by_polars,
    "fastparquet": by_fastparquet,
    "DataFusion": by_datafusion,
}


def plain(value):
    """A value in the one form that is compared: null, bool, number as text, bytes as text, or a list of these."""
    if hasattr(value, "item") and not hasattr(value, "isoformat"):
        value = value.item()
    if hasattr(value, "tolist"):
        value = value.tolist()
    name = type(value).__name__
    if value is None or name in ("NaTType", "NAType"):
        return None
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float | decimal.Decimal):
        number = float(value)
        if math.isnan(number):
            return "nan"
        whole = isinstance(value, int) or number.is_integer()
        return str(int(value)) if math.isfinite(number) and whole else f"{number:.12g}"
    if isinstance(value, uuid.UUID):
        value = value.bytes
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes | bytearray | memoryview):
        return "bytes " + base64.b64encode(bytes(value)).decode()
    if isinstance(value, datetime.timedelta):
        value = (datetime.datetime.min + value).time()
    if hasattr(value, "isoformat"):
        if getattr(value, "tzinfo", None) is not None:  # all are in UTC
            value = value.replace(tzinfo=None)
        text = value.isoformat().replace("T00:00:00", "")
        return text.rstrip("0") if "." in text else text
    if isinstance(value, dict):
        if value.keys() == {"key", "value"}:
            return [plain(value["key"]), plain(value["value"])]
        return [[plain(key), plain(one)] for key, one in value.items()]
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return str(value)


def main():
    """Do the jobs on the standard input."""
    order = json.loads(sys.stdin.read())
    __import__(order["engine"].lower())
    for path, out in order["jobs"]:
        child = os.fork()
        if not child:
            signal.alarm(60)
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 2)
            try:
                rows = READERS[order["engine"]](path)
                text = json.dumps([plain(list(row)) for row in rows])
                with open(out, "w") as written:
                    written.write(text)
            finally:
                os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main()
