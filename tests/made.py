"""Files that the tests make for themselves, as bytes."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
from needs import has

CHECKSUMS = {"write_page_checksum": True} if has("pyarrow", "15") else {}
"""The option for page checksums, if this pyarrow writes them."""


def parquet(table: pa.Table, **options) -> bytes:
    """A table as pyarrow writes it."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def ours(table: pa.Table, *options) -> bytes:
    """A table as pqexplore writes it, with `WriteOptions` if they are given."""
    import pqexplore

    sink = io.BytesIO()
    pqexplore.write(table, sink, *options)
    return sink.getvalue()


def events(rows: int = 1000) -> pa.Table:
    """A table with what files usually have: numbers, text, nulls, lists, structs, maps."""
    numbers = list(range(rows))
    return pa.table(
        {
            "id": pa.array(numbers, pa.int64()),
            "name": pa.array([f"name {n % 7}" for n in numbers]),
            "score": pa.array([None if n % 5 == 0 else n / 3 for n in numbers], pa.float64()),
            "tags": pa.array(
                [None if n % 11 == 0 else [f"t{k}" for k in range(n % 4)] for n in numbers], pa.list_(pa.string())
            ),
            "place": pa.array(
                [None if n % 13 == 0 else {"x": n, "y": None if n % 3 else -n} for n in numbers],
                pa.struct([("x", pa.int32()), ("y", pa.int32())]),
            ),
            "counts": pa.array([[("a", n), ("b", None)][: n % 3] for n in numbers], pa.map_(pa.string(), pa.int64())),
        }
    )


def rebuilt(data: bytes, **changes) -> bytes:
    """The file with fields of its FileMetaData set to other values, the footer written anew."""
    from pqexplore.engine.format.thrift import encode, fast, structs

    length = int.from_bytes(data[-8:-4], "little")
    start = len(data) - 8 - length
    metadata, _ = fast.decode(structs.FileMetaData, data[start:-8])
    for path, value in changes.items():
        *above, last = path.split("__")
        target = metadata
        for part in above:
            target = target[int(part)] if part.isdecimal() else getattr(target, part)
        setattr(target, last, value(getattr(target, last)) if callable(value) else value)
    footer = encode.encode(metadata)
    return data[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1"
