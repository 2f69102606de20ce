"""Violations in references to other bytes: values of the logical type FILE, and `ColumnChunk.file_path`."""

import functools

import pyarrow as pa
from engine.check import forged
from engine.check.violations import Violation
from engine.check.violations.encryption import FOOTER_KEY, UNIQUE, A, refootered, set_chunk
from made import ours

from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import FileMetaData
from pqexplore.engine.writer.options import Encryption, WriteOptions

FILE_FIELDS = {
    "inline": pa.binary(),
    "uri": pa.string(),
    "offset": pa.int64(),
    "size": pa.int64(),
    "checksum": pa.string(),
}


def reference(sealed: bool = False, **values: object) -> bytes:
    """A file of one FILE reference with these fields; `sealed`: encrypted, with a plaintext footer."""
    row = dict.fromkeys(FILE_FIELDS) | values
    columns = [pa.array([row[name]], kind) for name, kind in FILE_FIELDS.items()]
    group = pa.StructArray.from_arrays(columns, list(FILE_FIELDS))
    given = {"plaintext_footer": True, "file_unique": UNIQUE}
    made = Encryption(FOOTER_KEY, **given) if sealed else None
    return refootered(ours(pa.table({"f": group}), WriteOptions(encryption=made)), annotate, given if sealed else None)


def annotate(metadata: FileMetaData) -> None:
    metadata.schema[1].logicalType = structs.LogicalType(FILE=structs.FileType())


def elsewhere(path: str) -> bytes:
    """A file whose only chunk lies at a file_path."""
    return refootered(forged.one_column([forged.page([1, 2])]), set_chunk(file_path=path), None)


VIOLATIONS = [
    Violation("a reference to bytes of its own file, which is encrypted", "file-reference-encrypted",
        lambda: reference(sealed=True, offset=4, size=4), lambda: reference(offset=4, size=4), address="schema/1",
        keys={"footer_key": FOOTER_KEY}),
    Violation("a reference with an offset and no size", "file-reference", lambda: reference(uri="x", offset=1),
        lambda: reference(uri="x", offset=1, size=1), address="schema/1"),
    Violation("a reference to nothing", "file-reference", lambda: reference(), lambda: reference(inline=b""),
        address="schema/1"),
    Violation("a reference with an empty uri and a size", "file-reference", lambda: reference(uri="", size=5),
        lambda: reference(inline=b"abc", offset=4), address="schema/1"),
    Violation("a reference that reaches outside of its own file", "file-reference-outside",
        lambda: reference(offset=4, size=1 << 40), lambda: reference(uri="x", offset=4, size=1 << 40),
        address="schema/1"),
    Violation("a reference that begins before its own file", "file-reference-outside",
        lambda: reference(offset=-1, size=4), lambda: reference(offset=0, size=4), address="schema/1"),
    *(Violation(f"a checksum that is {name}", "file-checksum", functools.partial(reference, uri="x", checksum=wrong),
        functools.partial(reference, uri="x", checksum=right), "warning", "schema/1")
        for name, wrong, right in (
            ("too short", "MD5:0123", f"MD5:{'01' * 16}"),
            ("of no digits", "MD5:xyz", "ETAG:anything"),
            ("in uppercase", "CRC32:0123ABCD", "CRC32:0123abcd"),
            ("of no algorithm", "0123abcd", "CRC32C:0123abcd"),
        )
    ),
    *(Violation(f"a file_path that is {name}", "file-path-not-relative", functools.partial(elsewhere, wrong),
        functools.partial(elsewhere, right), address=f"{A}/metadata/file_path")
        for name, wrong, right in (
            ("absolute", "/data/part.parquet", "data/part.parquet"),
            ("absolute on another system", "C:/data/part.parquet", "C/data/part.parquet"),
            ("a URL", "s3://bucket/part.parquet", "../part.parquet"),
        )
    ),
]  # fmt: skip
