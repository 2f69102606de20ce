"""What is stored of a lake: eight tables, a line for each column.

Read a table's lines from top to bottom and you know what can be asked. The Arrow schema of a table is made of them, and
Spark's DDL of the Arrow schema, so that both sides agree on every type: Spark takes batches of exactly the declared
types and no others.

All tables but `schemas` and `runs` have `run_id`, the run in which the row was read, and `path`, the file. Files are
bound to schemas by `schema_id`, chunks to leaves by `leaf`, the position among the schema's leaves. `column_name` is the
leaf's dotted path. Offsets and sizes are bytes. `min_key` and `max_key` are bytes that compare as the values do, in the
column's order (`keys`): they are null where nothing is known, or nothing that a careful reader may believe. Keys of
columns of different `logical_type` do not compare.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

SCHEMA_VERSION = 1
"""Changes when a table's meaning does; what was stored under another version is read again."""

_TYPES: dict[str, Any] = {
    "string": pa.string(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "binary": pa.binary(),
    "timestamp": pa.timestamp("us", "UTC"),
    "array<string>": pa.list_(pa.field("element", pa.string())),
}
"""Spark's name of each type in use, and Arrow's type."""

_LINE = re.compile(r"(\w+): (\w+(?:<\w+>)?) — (.+)")

_TABLES = {
    "runs": (
        "One row for each run: what was asked, and what came of it.",
        """
        run_id: string — Name of the run; later runs sort after earlier ones.
        source: string — What was scanned, in the caller's words.
        level: string — How deep it went: chunks (footers alone) or pages (page headers and indexes too).
        engine: string — Version of pqexplore that read.
        started: timestamp — When the run began.
        finished: timestamp — When its tables were complete.
        num_files: bigint — Files of the lake after this run, vanished ones left out.
        files_read: bigint — Files that were read in this run; the others were as they had been.
        errors: bigint — Files that could not be read.
        vanished: bigint — Files that earlier runs saw and that are gone.
        bytes_read: bigint — Bytes that reading cost.
        seconds: double — How long the run took.
        parent: string — The run that this one refreshed; null for a full scan.
        """,
    ),
    "files": (
        "One row for each file, readable or not.",
        """
        run_id: string — The run in which the file was last read.
        path: string — The file, as the listing names it.
        partition_values: string — The key=value folders of the path, joined by slashes; empty where there are none.
        size: bigint — Bytes of the file; null where not even that is known.
        modified: timestamp — When the file was last changed.
        etag: string — The object store's fingerprint of the content; null on file systems.
        hidden: boolean — Whether the name, or a folder's, begins with _ or a dot: Spark and Hive do not see it.
        status: string — ok, error (see error), vanished (gone since it was read), or orphan (in the folder of a table whose log does not have it; not read).
        error_code: string — Kind of the error: not-parquet, corrupt, encrypted, unsupported, limit, missing, forbidden, unreadable, crashed, internal.
        error: string — What is wrong, in a sentence.
        phase: string — What was being done: listing, open, footer, schema, chunks, pages, check.
        address: string — Where in the file's tree the error lies.
        error_offset: bigint — The byte where it lies.
        format_version: int — FileMetaData.version.
        created_by: string — The writer, in its own words.
        writer: string — The writer's name alone.
        writer_version: string — The writer's version.
        num_rows: bigint — Rows by the footer.
        num_row_groups: int — Row groups.
        num_columns: int — Leaves of the schema.
        schema_id: string — Fingerprint of the schema; files with the same have the same schema to the last bit.
        key_value_keys: array<string> — Keys of the footer's notes.
        encryption: string — none, columns (plaintext footer), or footer (nothing is readable without a key).
        encryption_algorithm: string — AES_GCM_V1 or AES_GCM_CTR_V1; null where nothing is encrypted.
        footer_bytes: bigint — Length of the footer.
        compressed_bytes: bigint — Bytes of all column chunks in the file.
        uncompressed_bytes: bigint — The same, decompressed.
        index_bytes: bigint — Bytes of column and offset indexes.
        bloom_bytes: bigint — Bytes of Bloom filters, where their length is known.
        gap_bytes: bigint — Bytes that nothing claims: the file without magic, footer, chunks, indexes and Bloom filters.
        listed_rows: bigint — Rows by the table's log (Delta, Iceberg); null where no log was asked.
        bytes_read: bigint — Bytes that reading the file cost.
        seconds: double — Time that reading the file took.
        """,
    ),
    "schemas": (
        "One row for each leaf of each distinct schema.",
        """
        schema_id: string — Fingerprint of the schema, as in files.
        leaf: int — Position among the leaves.
        column_name: string — Names from below the root to the leaf, joined by dots.
        top_level: string — The first of these names.
        physical_type: string — How values are stored.
        logical_type: string — What they mean, in a few words: TIMESTAMP(µs, UTC); the physical type where nothing is said.
        type_length: int — Bytes of a FIXED_LEN_BYTE_ARRAY.
        field_id: int — The number that identifies the field when names change.
        definition: string — Repetition, name and annotation of each field from below the root to the leaf.
        max_definition_level: int — Fields of the path that may be absent.
        max_repetition_level: int — Fields of the path that repeat.
        column_order: string — In which order the footer says bounds are; null where it says nothing known.
        """,
    ),
    "row_groups": (
        "One row for each row group.",
        """
        run_id: string — The run in which this was read.
        path: string — The file.
        row_group: int — Position in the file.
        num_rows: bigint — Rows.
        num_chunks: int — Column chunks listed.
        uncompressed_bytes: bigint — RowGroup.total_byte_size.
        compressed_bytes: bigint — Sum of the chunks' total_compressed_size.
        file_offset: bigint — Where the first page is said to begin.
        sorting_columns: array<string> — Declared sorting: names, each followed by DESC where so, and NULLS FIRST or NULLS LAST.
        sorted_by: int — The leaf of the first sorting column; null where no sorting is declared.
        sorted_descending: boolean — Whether that column descends.
        """,
    ),
    "column_chunks": (
        "One row for each column chunk.",
        """
        run_id: string — The run in which this was read.
        path: string — The file.
        row_group: int — Position of the row group.
        leaf: int — Position of the leaf.
        column_name: string — The leaf's dotted path.
        physical_type: string — How values are stored.
        logical_type: string — What they mean.
        codec: string — How pages are compressed.
        encodings: array<string> — Encodings of values and levels.
        num_values: bigint — Values, nulls included.
        null_count: bigint — Nulls; null where the statistics do not say.
        distinct_count: bigint — Different values; null where the statistics do not say.
        nan_count: bigint — NaNs; null where the statistics do not say.
        compressed_bytes: bigint — Bytes in the file.
        uncompressed_bytes: bigint — Bytes when decompressed.
        unencoded_bytes: bigint — Bytes of BYTE_ARRAY values when decoded, by the size statistics.
        start_offset: bigint — Where the first page begins.
        data_page_offset: bigint — Where the first data page begins.
        dictionary_page_offset: bigint — Where the dictionary page begins.
        data_pages: int — Data pages, by the encoding statistics.
        dictionary_data_pages: int — Data pages that use the dictionary, by the encoding statistics.
        has_dictionary: boolean — Whether there is a dictionary page.
        dictionary_fallback: boolean — Whether the writer began with a dictionary and gave it up; null where that cannot be told.
        statistics: string — none, counts (no bounds), min_max, or legacy (the deprecated min and max).
        bounds: string — trusted, or why the bounds are of no use: none, no-column-order, unordered-type, legacy, nan, nan-count-absent, min-above-max, damaged.
        min_text: string — Lower bound for people, clipped.
        max_text: string — Upper bound for people, clipped.
        min_raw: binary — Lower bound as stored, PLAIN without a length; clipped to 256 bytes.
        max_raw: binary — Upper bound as stored.
        min_key: binary — Lower bound as bytes that compare as values do; null where unknown or not to be believed.
        max_key: binary — Upper bound likewise.
        min_exact: boolean — Whether the lower bound is a value that occurs; null where the writer does not say.
        max_exact: boolean — Whether the upper bound is a value that occurs.
        column_index_offset: bigint — Where the column index begins; null where there is none.
        column_index_bytes: bigint — Its length.
        offset_index_offset: bigint — Where the offset index begins; null where there is none.
        offset_index_bytes: bigint — Its length.
        bloom_filter_offset: bigint — Where the Bloom filter begins; null where there is none.
        bloom_filter_bytes: bigint — Its length, header included; null where the footer does not say.
        has_size_statistics: boolean — Whether there are size statistics.
        encryption: string — none, footer key, or column key.
        locked: boolean — Whether the chunk's metadata cannot be read without a key.
        file_path: string — The other file that holds the pages; null as it should be.
        """,
    ),
    "pages": (
        "One row for each page; only at level pages.",
        """
        run_id: string — The run in which this was read.
        path: string — The file.
        row_group: int — Position of the row group.
        leaf: int — Position of the leaf.
        column_name: string — The leaf's dotted path.
        page: int — Position in the chunk, the dictionary page included.
        page_type: string — DATA_PAGE, DATA_PAGE_V2, DICTIONARY_PAGE.
        encoding: string — Encoding of the values.
        num_values: bigint — Values, nulls included.
        num_rows: bigint — Rows that begin in the page; null where neither header nor offset index says.
        first_row: bigint — The first row by the offset index.
        null_count: bigint — Nulls by the header, or else by the column index.
        page_offset: bigint — Where the header begins.
        header_bytes: bigint — Length of the header.
        compressed_bytes: bigint — Bytes of the body in the file.
        uncompressed_bytes: bigint — Bytes of the body when decompressed.
        has_crc: boolean — Whether the header has a checksum.
        crc_ok: boolean — Whether it is right; null where it was not computed.
        has_statistics: boolean — Whether the header has statistics.
        min_key: binary — Lower bound by the column index, as bytes that compare as values do.
        max_key: binary — Upper bound likewise.
        """,
    ),
    "indexes": (
        "One row for each column chunk that has a page index or a Bloom filter; only at level pages.",
        """
        run_id: string — The run in which this was read.
        path: string — The file.
        row_group: int — Position of the row group.
        leaf: int — Position of the leaf.
        column_name: string — The leaf's dotted path.
        index_pages: int — Data pages in the page index.
        null_pages: int — Of these, pages of nulls alone.
        boundary_order: string — UNORDERED, ASCENDING or DESCENDING; null without a column index.
        has_null_counts: boolean — Whether the column index counts nulls.
        bloom_blocks: bigint — Blocks of 32 bytes of the Bloom filter.
        bloom_fill: double — Part of its bits that are set, 0 to 1.
        """,
    ),
    "findings": (
        "One row for each thing that is wrong or noteworthy in a file.",
        """
        run_id: string — The run in which this was found.
        path: string — The file.
        rule: string — Short stable name of the rule.
        severity: string — error, warning or note.
        address: string — Where in the file's tree.
        message: string — What is wrong, in a sentence.
        evidence: string — The values that show it, as JSON.
        specification: string — The words of the specification that it rests on.
        """,
    ),
}


@dataclasses.dataclass(frozen=True)
class Column:
    """A column of a table: its name, Spark's name of its type, and what it means."""

    name: str
    type: str
    meaning: str


@dataclasses.dataclass(frozen=True)
class TableDefinition:
    """A table: what a row is, and its columns."""

    name: str
    meaning: str
    columns: tuple[Column, ...]

    @functools.cached_property
    def schema(self) -> Any:
        """The Arrow schema; every column may be null."""
        return pa.schema([pa.field(c.name, _TYPES[c.type]) for c in self.columns])

    @property
    def ddl(self) -> str:
        """The same schema as Spark writes it."""
        return ddl(self.schema)

    def batch(self, columns: Mapping[str, Any]) -> Any:
        """A record batch of exactly these types from a list or an Arrow array for each column."""
        arrays = [
            array(columns[field.name], field.type)
            if field.name in columns
            else pa.nulls(len(next(iter(columns.values()))), field.type)
            for field in self.schema
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)


def _definition(name: str, meaning: str, lines: str) -> TableDefinition:
    columns = []
    for line in lines.strip().splitlines():
        match = _LINE.fullmatch(line.strip())
        if match is None or match[2] not in _TYPES:
            raise TypeError(f"{name}: not the declaration of a column: {line.strip()!r}")
        columns.append(Column(*match.groups()))
    return TableDefinition(name, meaning, tuple(columns))


TABLES: dict[str, TableDefinition] = {
    name: _definition(name, meaning, lines) for name, (meaning, lines) in _TABLES.items()
}
"""Every table by name."""

PER_FILE = ("row_groups", "column_chunks", "pages", "indexes", "findings")
"""Tables whose rows are those of single files, read when the file is."""


def array(values: Any, type: Any) -> Any:
    """Values as an Arrow array of exactly that type; text that is no UTF-8 is shown with replacement characters."""
    if isinstance(values, (pa.Array, pa.ChunkedArray)):
        found = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
        return found if found.type == type else found.cast(type)
    try:
        return pa.array(values, type)
    except (UnicodeEncodeError, pa.ArrowInvalid):
        return pa.array([_encodable(value) for value in values], type)


IMPLAUSIBLE = 1 << 44
"""No chunk has so many values or bytes. What a footer says beyond is not kept: sums of it would break a query."""


def plausible(values: Any) -> Any:
    """Counts and sizes as int64, null where one is negative or beyond all measure."""
    found = pa.array(values, pa.int64())
    ends = pc.min_max(found)
    if (ends["min"].as_py() or 0) >= 0 and (ends["max"].as_py() or 0) < IMPLAUSIBLE:
        return found
    fits = pc.and_(pc.greater_equal(found, 0), pc.less(found, IMPLAUSIBLE))
    return pc.if_else(fits, found, pa.scalar(None, pa.int64()))


def clip(text: str | None, most: int = 1_000) -> str | None:
    """Text of at most so many characters: a file may hold names of megabytes, and each row would have one."""
    if text is None or len(text) <= most:
        return text
    return text[: most - 1] + "…"


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode(errors="replace").decode()
    return value


def ddl(schema: Any) -> str:
    """Spark's DDL of an Arrow schema made of the types in use here."""
    spark_names = {str(arrow): name for name, arrow in _TYPES.items()}
    return ", ".join(f"`{field.name}` {spark_names[str(field.type)]}" for field in schema)
