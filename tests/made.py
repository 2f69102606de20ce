"""Files that the tests make for themselves, as bytes."""

import functools
import io

import pyarrow as pa
import pyarrow.parquet as pq
from needs import has

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES, SICK

CHECKSUMS = {"write_page_checksum": True} if has("pyarrow", "15") else {}
"""The option for page checksums, if this pyarrow writes them."""


def parquet(table: pa.Table, **options) -> bytes:
    """A table as pyarrow writes it."""
    sink = io.BytesIO()
    pq.write_table(table, sink, **options)
    return sink.getvalue()


def grouped(schema: pa.Schema, *tables: pa.Table, **options) -> bytes:
    """A file of pyarrow with a row group for each table."""
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, schema, **options) as writer:
        for table in tables:
            writer.write_table(table, row_group_size=1 << 20)
    return sink.getvalue()


def one_column(kind: pa.DataType, *groups, **options) -> bytes:
    """A file of pyarrow with a column `x` and a row group for each list of its values."""
    tables = [pa.table({"x": pa.array(values, kind)}) for values in groups]
    return grouped(pa.schema([("x", kind)]), *tables, **options)


def ours(table: pa.Table, *given, **options) -> bytes:
    """A table as our writer writes it, with `WriteOptions` or what they are made of."""
    sink = io.BytesIO()
    pqexplore.write(table, sink, *(given or [pqexplore.WriteOptions(**options)]))
    return sink.getvalue()


@functools.cache
def sample(name: str) -> bytes:
    """The bytes of a sample, healthy or sick."""
    return {**SAMPLES, **SICK}[name].data()


def open_sample(name: str, keys: bool = True, **more) -> pqexplore.ParquetFile:
    """A sample from memory, opened with its keys if it has some; `more` has other keys in their place."""
    own = SAMPLES[name].keys if keys and name in SAMPLES else None
    return pqexplore.open(sample(name), decryption=pqexplore.Decryption(**own | more) if own else None)


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
