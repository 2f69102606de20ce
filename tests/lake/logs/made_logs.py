"""Logs that no library writes for us: actions by hand, deletion vectors, delete files, broken logs."""

import binascii
import json
import struct
import uuid

import pyarrow as pa
import pyarrow.parquet as pq

PROTOCOL = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}}
METADATA = {"metaData": {"id": "x"}}
_Z85 = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"


def add(name: str, rows: int | None = None, **more) -> dict:
    stats = None if rows is None else json.dumps({"numRecords": rows})
    return {"add": {"path": name, "size": 1, "dataChange": True, "stats": stats, **more}}


def remove(name: str, **more) -> dict:
    return {"remove": {"path": name, "dataChange": True, "deletionTimestamp": 1, **more}}


def commit(table, version: int, *actions) -> None:
    """Write a commit of a Delta table; text and bytes stand as they are."""
    log = table / "_delta_log"
    log.mkdir(parents=True, exist_ok=True)
    lines = [one if isinstance(one, str) else json.dumps(one) for one in actions]
    (log / f"{version:020}.json").write_text("\n".join(lines))


def data(table, *names: str, rows: int = 10) -> None:
    for name in names:
        (table / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"id": list(range(rows))}), table / name)


def bitmap(positions: list[int]) -> bytes:
    """The bytes of a deletion vector: its magic number and a Roaring bitmap."""
    from pyroaring import BitMap64

    return struct.pack("<i", 1681511377) + BitMap64(positions).serialize()


def z85(data: bytes) -> str:
    """Bytes, a multiple of 4, as text in Z85."""
    text = ""
    for start in range(0, len(data), 4):
        number, digits = int.from_bytes(data[start : start + 4], "big"), ""
        for _ in range(5):
            number, digit = divmod(number, 85)
            digits = _Z85[digit] + digits
        text += digits
    return text


def inline_vector(positions: list[int]) -> dict:
    """A deletion vector that stands in the log itself."""
    content = bitmap(positions)
    text = z85(content + b"\0" * (-len(content) % 4))
    return {"storageType": "i", "pathOrInlineDv": text, "sizeInBytes": len(content), "cardinality": len(positions)}


def framed(content: bytes) -> bytes:
    """A deletion vector as files have it: its size, its bytes, their checksum."""
    return struct.pack(">I", len(content)) + content + struct.pack(">I", binascii.crc32(content))


def filed_vector(table, positions: list[int], prefix: str = "") -> dict:
    """A deletion vector in a file of its own, behind another one, below the folder `prefix`."""
    name, other, content = uuid.uuid4(), framed(bitmap([0])), bitmap(positions)
    folder = table / prefix
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"deletion_vector_{name}.bin").write_bytes(b"\1" + other + framed(content))
    where = {"pathOrInlineDv": prefix + z85(name.bytes), "offset": 1 + len(other)}
    return {"storageType": "u", **where, "sizeInBytes": len(content), "cardinality": len(positions)}


def puffin(file: str, positions: list[int]) -> tuple[bytes, int, int]:
    """A Puffin file with a deletion vector of a data file; where its blob begins, and its bytes."""
    blob = framed(bitmap(positions))
    properties = {"referenced-data-file": file, "cardinality": str(len(positions))}
    about = {"type": "deletion-vector-v1", "fields": [2147483645], "snapshot-id": -1, "sequence-number": -1}
    blobs = [about | {"offset": 4, "length": len(blob), "properties": properties}]
    footer = json.dumps({"blobs": blobs, "properties": {}}).encode()
    end = struct.pack("<i", len(footer)) + b"\0\0\0\0PFA1"
    return b"PFA1" + blob + b"PFA1" + footer + end, 4, len(blob)


POSITIONS = pa.schema(
    [
        pa.field("file_path", pa.string(), False, {"PARQUET:field_id": "2147483546"}),
        pa.field("pos", pa.int64(), False, {"PARQUET:field_id": "2147483545"}),
    ]
)
"""Columns of a position delete file: https://iceberg.apache.org/spec/#position-delete-files."""


def delete_by(
    table,
    positions: dict[str, list[int]] | None = None,
    equal: list[int] | None = None,
    vector: tuple[str | None, list[int] | int] | None = None,
):
    """Commit a delete file to an Iceberg table of one partition: positions by data file, or ids that are equal.

    Or a deletion vector of format version 3, of a data file and with these positions; of a number of positions, its Puffin
    file is not written.
    """
    from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestContent, ManifestWriterV2
    from pyiceberg.typedef import Record

    class Deletes(ManifestWriterV2):
        def content(self):
            return ManifestContent.DELETES

        def new_writer(self):
            if vector is None:
                return super().new_writer()
            from pyiceberg.avro.file import AvroOutputFile

            schema = self._with_partition(3)
            return AvroOutputFile(self._output_file, schema, "manifest_entry", schema, metadata=self._meta)

        @property
        def _meta(self):
            return {**super()._meta, "content": "deletes"}

    if positions is not None:
        pairs = [(path, at) for path, some in positions.items() for at in some]
        columns = [p for p, _ in pairs], [at for _, at in pairs]
        rows = pa.table([pa.array(one) for one in columns], schema=POSITIONS)
    else:
        number = {"PARQUET:field_id": str(table.schema().find_field("id").field_id)}
        rows = pa.table([pa.array(equal or [], pa.int64())], pa.schema([pa.field("id", pa.int64(), metadata=number)]))
    snapshots = len(table.metadata.snapshots)
    path = f"{table.location()}/data/deletes-{snapshots}.parquet"
    content = None
    more = {} if vector is None else {"_table_format_version": 3, "referenced_data_file": vector[0]}
    if vector is not None and isinstance(vector[1], list):
        content, more["content_offset"], more["content_size_in_bytes"] = puffin(*vector)
        vector = vector[0], len(vector[1])
    with table.io.new_output(path).create() as sink:
        pq.write_table(rows, sink) if content is None else sink.write(content)
    file = DataFile.from_args(
        **more,
        content=DataFileContent.EQUALITY_DELETES if equal else DataFileContent.POSITION_DELETES,
        file_path=path,
        file_format=FileFormat.PARQUET if vector is None else FileFormat.PUFFIN,
        partition=Record(),
        record_count=len(rows) if vector is None else vector[1],
        file_size_in_bytes=len(table.io.new_input(path)),
        column_sizes={},
        value_counts={},
        null_value_counts={},
        nan_value_counts={},
        lower_bounds={},
        upper_bounds={},
        equality_ids=[1] if equal else None,
    )
    file.spec_id = table.spec().spec_id
    with table.transaction() as transaction:
        append = transaction.update_snapshot().fast_append()
        append.new_manifest_writer = lambda spec: Deletes(
            spec, table.schema(), append.new_manifest_output(), append.snapshot_id, "deflate"
        )
        with append as open_append:
            open_append.append_data_file(file)
    return path
