"""Reads a footer into light objects, with only the fields that the tables need.

`fast` gives structs with every field of the format. A lake needs some fields of very many chunks, so the C reader gets
separate classes here, whose defaults are class attributes, and skips the other fields. A footer that is too large for
this is read one column chunk at a time. If this reader fails, `engine.footer` reads the footer, and reports what is wrong
and where.
"""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, Protocol, cast

import xxhash

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, located
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC, MAGIC
from pqexplore.engine.file.footer_tail import locate
from pqexplore.engine.file.source import Source
from pqexplore.engine.format.thrift import c_reader, encode, fast, structs
from pqexplore.engine.format.thrift.declaration import Field, Struct
from pqexplore.engine.limits import Limits
from pqexplore.lake.footer_rows.schemas import SchemaFacts, Schemas

SMALL = 256 << 10
"""A footer up to this size is read at once: so few bytes cannot become too many objects."""
SMALL_CHUNK = 1 << 20
"""Bytes from one column chunk to the next up to which a chunk is read without a budget."""

_LEFT_OUT = {
    "ColumnMetaData": {"path_in_schema", "key_value_metadata", "type", "index_page_offset"},
    "SizeStatistics": {"repetition_level_histogram", "definition_level_histogram"},
    "EncryptionWithColumnKey": {"path_in_schema", "key_metadata"},
    "KeyValue": {"value"},
    "GeospatialStatistics": {"bbox", "geospatial_types"},
}
"""Fields that no table needs."""


class _Placed(type):
    """Class of a class whose call gives the position of the stream at hand: where a schema element begins."""


class _SchemaElement(metaclass=_Placed):
    """Stands for SchemaElement; only its position is needed."""


def _light(struct: type[Struct]) -> Any:
    if struct.NAME == "SchemaElement":
        return _SchemaElement
    return type(struct.NAME, (), {field.name: field.default for field in struct.FIELDS})


def _keep(field: Field, struct: str) -> bool:
    return struct != "SchemaElement" and field.name not in _LEFT_OUT.get(struct, ())


_CLASSES = {name: _light(struct) for name, struct in structs.STRUCTS.items()}
_SPECIFICATION = c_reader.specify(lambda struct: _CLASSES[struct.NAME], _keep)
_lock = threading.Lock()

NO_METADATA: ChunkMetadata = _CLASSES["ColumnMetaData"]()
"""Stands for the ColumnMetaData that a chunk does not have: every field is None."""


class FileFooter:
    """The footer of one file: `metadata` with the fields that tables ask for, and `schema`.

    `[start, end)` are its bytes in the file, `encryption` is none or columns.
    """

    def __init__(self, source: Source, schemas: Schemas, limits: Limits) -> None:
        self.phase = "footer"
        found, self._raw = locate(source, limits)
        self.start, self.end, self.size = found.start, found.end, source.size
        metadata: FileMetadata | None = None
        stored = b""
        self._elements: Sequence[int] | Sequence[structs.SchemaElement] = ()
        if found.magic == MAGIC and len(self._raw) <= SMALL and c_reader.WORKS:
            with contextlib.suppress(CorruptFileError):  # the engine says what is wrong
                metadata, stored = self._at_once()
        if metadata is None:
            if found.magic == ENCRYPTED_MAGIC:
                found.open_encrypted(self._raw, None)
            else:
                found.open_plain(self._raw, None)
            if found.metadata is None:
                assert found.locked is not None
                raise EncryptedFileError(
                    found.locked.message, offset=found.locked.offset, address=found.locked.address or "footer"
                )
            metadata = cast(FileMetadata, found.metadata)
            self._elements = found.metadata.schema
            stored = b"".join(encode.encode(one) for one in found.metadata.schema)
            self._offsets: Sequence[Sequence[int]] | None = found.chunk_offsets
        else:
            self._offsets = None
        self.metadata: FileMetadata = metadata
        self.created_by = metadata.created_by
        self.phase = "schema"
        with located("schema", self.start):
            self.schema: SchemaFacts = schemas.facts(
                stored, self._read_elements, self.metadata.column_orders or (), self.created_by
            )

    def _at_once(self) -> tuple[FileMetadata, bytes]:
        """The footer, and the bytes of its schema."""
        stream = BytesIO(self._raw)
        with _lock:
            _Placed.__call__ = stream.tell  # type: ignore[assignment]
            metadata = c_reader.run(_SPECIFICATION["FileMetaData"], stream)
        places = metadata.schema
        if not places:
            raise CorruptFileError("no schema", offset=0)
        stream.seek(places[-1])
        c_reader.skip(stream)
        self._elements = places
        return metadata, bytes(self._raw[places[0] : stream.tell()])

    def _read_elements(self) -> list[structs.SchemaElement]:
        return [
            fast.decode(structs.SchemaElement, self._raw, one)[0] if isinstance(one, int) else one
            for one in self._elements
        ]

    @functools.cached_property
    def hash(self) -> str:
        """XXH3 of the footer's bytes, 128 bits in hexadecimal."""
        return xxhash.xxh3_128_hexdigest(self._raw)

    @property
    def encryption(self) -> str:
        """`none`, or `columns` where columns are encrypted and the footer is not."""
        return "none" if self.metadata.encryption_algorithm is None else "columns"

    @property
    def encryption_algorithm(self) -> str | None:
        """AES_GCM_V1, AES_GCM_CTR_V1, or None."""
        algorithm = self.metadata.encryption_algorithm
        if algorithm is None:
            return None
        chosen = [f.name for f in structs.EncryptionAlgorithm.FIELDS if getattr(algorithm, f.name) is not None]
        return chosen[0] if chosen else "unknown"

    @property
    def row_groups(self) -> Sequence[RowGroup | None]:
        """The row groups."""
        return self.metadata.row_groups or ()

    def chunks(self, group: int) -> Iterator[Chunk]:
        """The column chunks of a row group, one after the other."""
        if self._offsets is None:
            found = self.row_groups[group]
            yield from () if found is None else found.columns or ()
            return
        offsets = self._offsets[group]
        stream = BytesIO(self._raw) if c_reader.WORKS else None
        for place, offset in enumerate(offsets):
            following = offsets[place + 1] if place + 1 < len(offsets) else offset + SMALL
            with located(Address.of("row_groups", group, "columns", place), self.start):
                if stream is not None and following - offset <= SMALL_CHUNK:
                    stream.seek(offset)
                    try:
                        yield c_reader.run(_SPECIFICATION["ColumnChunk"], stream)
                        continue
                    except CorruptFileError:
                        pass
                yield cast(Chunk, fast.decode(structs.ColumnChunk, self._raw, offset)[0])


# Protocols of the footer structs that the tables of a lake need, as `footers` reads them.
#
# The classes are built for the C reader, or come from `engine.format.thrift.structs`. Any field may be None: a struct
# from a file can lack what the specification requires.


class Statistics(Protocol):
    """Bounds and counts of a column chunk."""

    min: bytes | None
    max: bytes | None
    min_value: bytes | None
    max_value: bytes | None
    null_count: int | None
    distinct_count: int | None
    nan_count: int | None
    is_min_value_exact: bool | None
    is_max_value_exact: bool | None


class SizeStatistics(Protocol):
    """Sizes of a column chunk's values."""

    unencoded_byte_array_data_bytes: int | None


class EncodingStats(Protocol):
    """How many pages of a type have an encoding."""

    page_type: int
    encoding: int
    count: int | None


class ChunkMetadata(Protocol):
    """ColumnMetaData."""

    codec: int | None
    encodings: Sequence[int] | None
    encoding_stats: Sequence[EncodingStats] | None
    num_values: int | None
    total_compressed_size: int | None
    total_uncompressed_size: int | None
    data_page_offset: int | None
    dictionary_page_offset: int | None
    bloom_filter_offset: int | None
    bloom_filter_length: int | None
    statistics: Statistics | None
    size_statistics: SizeStatistics | None


class Crypto(Protocol):
    """ColumnCryptoMetaData: the kind of key that encrypts a column."""

    ENCRYPTION_WITH_COLUMN_KEY: object | None


class Chunk(Protocol):
    """ColumnChunk."""

    file_path: str | None
    meta_data: ChunkMetadata | None
    column_index_offset: int | None
    column_index_length: int | None
    offset_index_offset: int | None
    offset_index_length: int | None
    crypto_metadata: Crypto | None
    encrypted_column_metadata: bytes | None


class SortingColumn(Protocol):
    """A column by which rows are sorted."""

    column_idx: int | None
    descending: bool | None
    nulls_first: bool | None


class RowGroup(Protocol):
    """RowGroup."""

    columns: Sequence[Chunk] | None
    num_rows: int | None
    total_byte_size: int | None
    file_offset: int | None
    sorting_columns: Sequence[SortingColumn] | None


class KeyValue(Protocol):
    """KeyValue, without its value."""

    key: str | None


class FileMetadata(Protocol):
    """FileMetaData."""

    version: int | None
    num_rows: int | None
    row_groups: Sequence[RowGroup | None] | None
    key_value_metadata: Sequence[KeyValue] | None
    created_by: str | None
    column_orders: Sequence[structs.ColumnOrder] | None
    encryption_algorithm: structs.EncryptionAlgorithm | None
