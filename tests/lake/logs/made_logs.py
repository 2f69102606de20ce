"""Logs that no library writes for us: actions by hand, deletion vectors, delete files, broken logs."""

import json
import struct

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


def inline_vector(positions: list[int]) -> dict:
    """A deletion vector that stands in the log itself."""
    from pyroaring import BitMap64

    content = struct.pack("<i", 1681511377) + BitMap64(positions).serialize()
    padded, text = content + b"\0" * (-len(content) % 4), ""
    for start in range(0, len(padded), 4):
        number, digits = int.from_bytes(padded[start : start + 4], "big"), ""
        for _ in range(5):
            number, digit = divmod(number, 85)
            digits = _Z85[digit] + digits
        text += digits
    return {"storageType": "i", "pathOrInlineDv": text, "sizeInBytes": len(content), "cardinality": len(positions)}


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
    vector: tuple[str, int] | None = None,
):
    """Commit a delete file to an Iceberg table of one partition: positions by data file, or ids that are equal.

    Or a deletion vector of format version 3, of a data file and with so many positions; its Puffin file is not written.
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
        rows = pa.table({"id": equal or []})
    snapshots = len(table.metadata.snapshots)
    path = f"{table.location()}/data/deletes-{snapshots}.parquet"
    with table.io.new_output(path).create() as sink:
        pq.write_table(rows, sink)
    more = {} if vector is None else {"_table_format_version": 3, "referenced_data_file": vector[0]}
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
