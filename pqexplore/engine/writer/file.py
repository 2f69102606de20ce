"""Writes a table as a file: row groups with their Bloom filters, then indexes, then the footer.

First `prepare` builds the schema and checks the options. Then each chunk is encoded in memory and written; only its
structs are kept. A file appears under its name only when it is complete.
"""

from __future__ import annotations

import dataclasses
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.format import bloom
from pqexplore.engine.format.encryption.encryptor import ColumnEncryptor, FileEncryptor
from pqexplore.engine.format.encryption.modules import ModuleType
from pqexplore.engine.format.nesting.record_shredding import shred
from pqexplore.engine.format.nesting.shape import LeafColumn
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.output_file import OutputFile, source_names, writing
from pqexplore.engine.tables import Rows, as_table
from pqexplore.engine.writer import extension, footer_builder, index
from pqexplore.engine.writer.chunk_encoding import EncodedChunk, encode_chunk
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.physical import to_physical
from pqexplore.engine.writer.plan import ChunkPlan, Plan
from pqexplore.engine.writer.prepare import Prepared, prepare, row_group_ranges

MAGIC, ENCRYPTED_MAGIC = b"PAR1", b"PARE"

IN_MEMORY = 64 << 20
"""Bytes of a file that are held in memory before it is handed to a sink that is not a path."""


class Sink(Protocol):
    """What bytes can be written to."""

    def write(self, data: bytes, /) -> Any:
        """Take the bytes."""


def write(
    table: Rows, sink: str | os.PathLike[str] | Sink, options: WriteOptions | None = None, *, overwrite: bool = False
) -> Plan:
    """Write a table as a Parquet file; returns the sizes of each column.

    `table` is a table of Arrow, pandas or polars, an open file, or anything else that gives an Arrow stream. `sink` is a path or has a method `write`. The file is renamed to its path when it is complete; another sink gets all
    bytes at the end. So a failed write leaves nothing. A file that exists is replaced only with `overwrite`, and never
    if it is `table` itself. Raises UsageError, with the rule, if the options, the schema or the values do not fit, or if
    `sink` is no place for a file; FileExistsError if it exists; OSError if it cannot be written.
    """
    with destination(sink, overwrite=overwrite, sources=source_names(table)) as out:
        prepared = prepare(as_table(table), options or WriteOptions())
        return _write(prepared, out, written=True)


def plan(table: Rows, options: WriteOptions | None = None) -> Plan:
    """The result of `write`, to the byte, without writing; takes as long as `write`, and raises the same errors."""
    return _write(prepare(as_table(table), options or WriteOptions()), Nowhere(), written=False)


class Nowhere:
    """A sink that keeps nothing."""

    def write(self, data: bytes, /) -> None:
        """Discard the bytes."""


@contextmanager
def destination(sink: Any, *, overwrite: bool = False, sources: Iterable[str] = ()) -> Iterator[Sink]:
    """What to write a whole file to: a path, which gets it when it is complete, or something with a method `write`."""
    if isinstance(sink, OutputFile):  # who opened it completes it
        yield sink
        return
    if hasattr(sink, "write"):
        with tempfile.SpooledTemporaryFile(IN_MEMORY) as spool:
            yield spool
            spool.seek(0)
            shutil.copyfileobj(spool, sink)
        return
    with writing(sink, overwrite=overwrite, sources=sources) as out:
        yield out


@dataclasses.dataclass(slots=True)
class _WrittenChunk:
    """A chunk that is written: its struct, its indexes, which are written later, and its plan."""

    struct: structs.ColumnChunk
    metadata: structs.ColumnMetaData
    column_index: structs.ColumnIndex | None
    offset_index: structs.OffsetIndex | None
    encryptor: ColumnEncryptor | None
    plan: ChunkPlan


def _write(prepared: Prepared, out: Sink, *, written: bool) -> Plan:
    return write_groups(prepared, _table_groups(prepared), out, written=written)


RowGroupData = tuple[int, Iterable[LeafColumn]]
"""The number of rows of a row group, and its columns in the schema's order, with physical values."""


def write_groups(
    prepared: Prepared, groups: Iterable[RowGroupData], out: Sink, *, written: bool = True, before: int = 0
) -> Plan:
    """Write row groups that come one after the other; a row group's columns are encoded as they come.

    A plan of a part of a file counts its offsets as if so many bytes came `before` it: larger offsets take more bytes.
    """
    options = prepared.options
    encryptor = None if options.encryption is None else options.encryption.encryptor()
    writer = _Writer(prepared, out, encryptor)
    hidden = encryptor is not None and not encryptor.plaintext_footer
    writer.put(ENCRYPTED_MAGIC if hidden else MAGIC)
    writer.position += before
    for ordinal, (num_rows, columns) in enumerate(groups):
        writer.row_group(ordinal, num_rows, columns)
    writer.indexes()
    footer_start = writer.position
    writer.footer()
    writer.put(ENCRYPTED_MAGIC if hidden else MAGIC)
    return Plan(
        written=written,
        num_rows=sum(group.num_rows for group in writer.structs),
        num_row_groups=len(writer.groups),
        chunks=tuple(chunk.plan for chunks in writer.groups for chunk in chunks),
        footer_bytes=writer.position - footer_start - 8,
        size=writer.position - before,
    )


def _table_groups(prepared: Prepared) -> Iterator[RowGroupData]:
    """The row groups of a table."""
    for start, stop in row_group_ranges(prepared):
        yield stop - start, _columns(prepared, prepared.table.slice(start, stop - start))


def _columns(prepared: Prepared, rows: pa.Table) -> Iterator[LeafColumn]:
    for position, field in enumerate(prepared.schema.root.children):
        array = rows.column(position)
        if isinstance(array, pa.ChunkedArray):
            array = _one_array(array)
        for column in shred(array, field):
            yield dataclasses.replace(column, values=to_physical(column.values, column.leaf))


def _one_array(column: pa.ChunkedArray) -> pa.Array:
    """The chunks as one array; text of more than 2 GB gets 64-bit offsets."""
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray) and whole.num_chunks == 1:
        return whole.chunk(0)
    if isinstance(whole, pa.ChunkedArray):
        wide = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}.get(column.type)
        if wide is None:
            raise UsageError("the values of a row group do not fit into one Arrow array; set a smaller row_group_rows")
        whole = pa.concat_arrays(column.cast(wide).chunks)
    return whole


class _Writer:
    """Writes the parts of a file in order; keeps the position and the structs of the written chunks."""

    def __init__(self, prepared: Prepared, out: Sink, encryptor: FileEncryptor | None) -> None:
        self.prepared = prepared
        self.options = prepared.options
        self.out = out
        self.encryptor = encryptor
        self.position = 0
        self.groups: list[list[_WrittenChunk]] = []
        self.structs: list[structs.RowGroup] = []

    def put(self, data: bytes) -> None:
        """Write bytes, and count them."""
        self.out.write(data)
        self.position += len(data)

    def module(self, struct: structs.Struct, encryptor: ColumnEncryptor | None, kind: ModuleType) -> tuple[int, int]:
        """Write a struct, encrypted if the column is; returns (offset, length)."""
        extension.attach(struct, self.options.extensions)
        data = encode(struct)
        start = self.position
        self.put(data if encryptor is None else encryptor.encrypt(kind, data))
        return start, self.position - start

    def row_group(self, ordinal: int, num_rows: int, columns: Iterable[LeafColumn]) -> None:
        """Write the chunks of a row group, and their Bloom filters."""
        chunks: list[_WrittenChunk] = []
        filters: list[EncodedChunk] = []
        begin = None
        for column in columns:
            encoded = self._encode(column, ordinal, num_rows)
            self._align()
            begin = self.position if begin is None else begin
            chunks.append(self._put_chunk(encoded, ordinal))
            filters.append(encoded)
        for chunk, encoded in zip(chunks, filters, strict=True):
            self._put_bloom_filter(chunk, encoded)
        for chunk in chunks:
            self._finish_chunk(chunk)
        self.groups.append(chunks)
        group = structs.RowGroup(
            columns=[chunk.struct for chunk in chunks],
            total_byte_size=sum(chunk.metadata.total_uncompressed_size for chunk in chunks),
            num_rows=num_rows,
            sorting_columns=footer_builder.sorting_columns(self.options, self.prepared.schema.leaves),
            file_offset=begin,
            total_compressed_size=sum(chunk.metadata.total_compressed_size for chunk in chunks),
            ordinal=ordinal if ordinal < 1 << 15 else None,
        )
        self.structs.append(group)

    def _encode(self, column: LeafColumn, ordinal: int, num_rows: int) -> EncodedChunk:
        leaf = column.leaf
        encryptor = None
        if self.encryptor is not None:
            encryptor = self.encryptor.column(leaf.path, ordinal, leaf.leaf_index)
        chosen = self.prepared.columns[leaf.leaf_index]
        return encode_chunk(column, num_rows, chosen, encryptor, dict(self.options.extensions))

    def _align(self) -> None:
        self.put(bytes(-self.position % self.options.alignment))

    def _put_chunk(self, encoded: EncodedChunk, ordinal: int) -> _WrittenChunk:
        start = self.position
        for piece in encoded.stored:
            self.put(piece)
        metadata = footer_builder.column_metadata(encoded, start)
        struct = structs.ColumnChunk(file_offset=0, meta_data=metadata)
        if encoded.options.metadata_copy:
            struct.file_offset = self.module(metadata, encoded.encryptor, ModuleType.COLUMN_METADATA)[0]
        self.put(bytes(self.options.padding))
        return _WrittenChunk(
            struct,
            metadata,
            index.column_index(encoded),
            index.offset_index(encoded, start),
            encoded.encryptor,
            ChunkPlan.of(encoded, ordinal),
        )

    def _put_bloom_filter(self, chunk: _WrittenChunk, encoded: EncodedChunk) -> None:
        bitset = encoded.bloom_filter
        if bitset is None:
            return
        header = bloom.new_header(len(bitset))
        start, _ = self.module(header, encoded.encryptor, ModuleType.BLOOM_FILTER_HEADER)
        encryptor = encoded.encryptor
        if encryptor is not None:
            bitset = encryptor.encrypt(ModuleType.BLOOM_FILTER_BITSET, bitset)
        self.put(bitset)
        chunk.metadata.bloom_filter_offset = start
        chunk.metadata.bloom_filter_length = self.position - start
        chunk.plan = dataclasses.replace(chunk.plan, bloom_filter=self.position - start)

    def _finish_chunk(self, chunk: _WrittenChunk) -> None:
        """Encrypt the metadata of an encrypted column, which is complete now."""
        encryptor = self.encryptor
        if chunk.encryptor is None or encryptor is None:
            return
        path = tuple(chunk.metadata.path_in_schema)
        chunk.struct.crypto_metadata = encryptor.column_crypto_metadata(path)
        if encryptor.hides_column_metadata(path):
            extension.attach(chunk.metadata, self.options.extensions)
            chunk.struct.encrypted_column_metadata = chunk.encryptor.encrypt(
                ModuleType.COLUMN_METADATA, encode(chunk.metadata)
            )
            chunk.struct.meta_data = footer_builder.redacted(chunk.metadata) if encryptor.plaintext_footer else None

    def indexes(self) -> None:
        """Write all column indexes, then all offset indexes."""
        chunks = [chunk for group in self.groups for chunk in group]
        for chunk in chunks:
            if chunk.column_index is not None:
                start, length = self.module(chunk.column_index, chunk.encryptor, ModuleType.COLUMN_INDEX)
                chunk.struct.column_index_offset, chunk.struct.column_index_length = start, length
                chunk.plan = dataclasses.replace(chunk.plan, column_index=length)
        for chunk in chunks:
            if chunk.offset_index is not None:
                start, length = self.module(chunk.offset_index, chunk.encryptor, ModuleType.OFFSET_INDEX)
                chunk.struct.offset_index_offset, chunk.struct.offset_index_length = start, length
                chunk.plan = dataclasses.replace(chunk.plan, offset_index=length)

    def footer(self) -> None:
        """Write the footer, and its length."""
        prepared, encryptor = self.prepared, self.encryptor
        metadata = footer_builder.file_metadata(
            prepared.schema, self.structs, self.options, prepared.orders, prepared.arrow_schema
        )
        start = self.position
        if encryptor is not None and encryptor.plaintext_footer:
            metadata.encryption_algorithm = encryptor.algorithm
            metadata.footer_signing_key_metadata = encryptor.footer_key_metadata
        extension.attach(metadata, self.options.extensions)
        data = encode(metadata)
        if encryptor is None:
            self.put(data)
        elif encryptor.plaintext_footer:
            self.put(data + encryptor.sign_footer(data))
        else:
            crypto = encryptor.file_crypto_metadata
            extension.attach(crypto, self.options.extensions)
            self.put(encode(crypto) + encryptor.encrypt_footer(data))
        length = self.position - start
        if length >= 1 << 31:
            raise UsageError(
                f"the footer has {length:,} bytes, a signed 32-bit length allows {(1 << 31) - 1:,}; write fewer row "
                "groups or columns"
            )
        self.put(length.to_bytes(4, "little"))
