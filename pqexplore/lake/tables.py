"""The eleven tables that a lake stores, one line for each column.

The lines of a table declare its columns: name, type, meaning (`table_definition`).

All tables except `schemas`, `tables`, `table_columns` and `runs` have `run_id`, the run in which the row was read, and `path`, the file.
`schema_id` joins files to schemas; `leaf`, the position among the schema's leaves, joins chunks to leaves. `column_name`
is the leaf's dotted path in the file; queries (`Lake.sql` and views) have in its place the name that the log of a Delta or
Iceberg table gives the column (`table_columns`). Offsets and sizes are in bytes. `min_key` and `max_key` are bytes that compare as the values
do, in the column's order (`keys`): null if the bounds are unknown or not trustworthy. Keys of columns of different
`logical_type` do not compare.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from pqexplore.lake.store.table_definition import TableDefinition, definition

SCHEMA_VERSION = 3
"""Changes when the meaning of a table changes. Files stored under another version are read again."""

ADDED = frozenset(
    {
        "table_path",
        "state",
        "state_reason",
        "deleted_rows",
        "footer",
        "kept_until",
        "other_files",
        "name",
        "live_bytes",
        "removed_bytes",
        "unreferenced_bytes",
        "retention",
        "retries",
        "footer_hash",
        "features",
    }
)
"""Columns that earlier versions did not have: null in the parts that they stored."""


_TABLES = {
    "runs": (
        "One row for each run: its options and its result.",
        """
        run_id: string — Name of the run; later runs sort after earlier ones.
        source: string — The source of the scan, as the caller wrote it.
        level: string — Depth of the scan: chunks (footers only) or pages (also page headers and indexes).
        engine: string — Version of pqexplore that read the files.
        started: timestamp — When the run began.
        finished: timestamp — When its tables were complete.
        num_files: bigint — Files of the lake after this run, without vanished ones and other_files.
        files_read: bigint — Files that this run read; the others had not changed.
        errors: bigint — Files that could not be read.
        vanished: bigint — Files that earlier runs read and that no longer exist.
        bytes_read: bigint — Bytes that the run read.
        seconds: double — Duration of the run.
        parent: string — The run that this one refreshed; null for a full scan.
        other_files: bigint — Files that were not taken for data by their names; files lists the first 10,000.
        """,
    ),
    "files": (
        "One row for each file, readable or not.",
        """
        run_id: string — The run in which the file was last read.
        path: string — The file, as the listing names it.
        partition_values: string — Partition values, key=value joined by slashes, percent-encoded: those of the table's log, else the folders of the path; empty if there are none.
        size: bigint — Bytes of the file; null if unknown.
        modified: timestamp — When the file was last changed.
        etag: string — The object store's ETag; null on file systems.
        hidden: boolean — Whether the name of the file, or of a folder in its path, begins with _ or a dot: Spark and Hive ignore such files, and a scan does not read them (state hidden) unless they are asked for.
        status: string — ok, error (see error), vanished (no longer exists), or not-read (not live data of its table, or not taken for Parquet by its name; see state).
        error_code: string — Kind of the error: not-parquet, corrupt, encrypted, unsupported, limit, missing, forbidden, unreadable, credentials (the store refuses access), network (no connection to the store, or it broke), timeout (the store did not answer, or the file took too long), throttled (the store asks for fewer requests), crashed (the process that read it died), outside (a log names it, but it is outside of the table's folder), internal.
        error: string — What is wrong, in a sentence.
        phase: string — Step that failed: listing, open, footer, schema, chunks, pages, check.
        address: string — Address of the error in the file's tree.
        error_offset: bigint — Byte offset of the error.
        format_version: int — FileMetaData.version.
        created_by: string — The writer and its version, as the footer says (FileMetaData.created_by).
        writer: string — The writer's name, without the version.
        writer_version: string — The writer's version.
        num_rows: bigint — Rows, as the footer says.
        num_row_groups: int — Number of row groups.
        num_columns: int — Number of leaf columns.
        schema_id: string — Fingerprint of the schema; files with equal fingerprints have identical schemas.
        key_value_keys: array<string> — Keys of the footer's key_value_metadata.
        encryption: string — none, columns (plaintext footer), or footer (encrypted footer: nothing is readable without a key).
        encryption_algorithm: string — AES_GCM_V1 or AES_GCM_CTR_V1; null if nothing is encrypted.
        footer_bytes: bigint — Length of the footer.
        compressed_bytes: bigint — Bytes of all column chunks in the file.
        uncompressed_bytes: bigint — The same, decompressed.
        index_bytes: bigint — Bytes of column and offset indexes.
        bloom_bytes: bigint — Bytes of the Bloom filters whose length is known.
        gap_bytes: bigint — Bytes that belong to no part of the file: neither magic, footer, chunks, indexes nor Bloom filters.
        listed_rows: bigint — Rows stored in the file, as the table's log says (Delta, Iceberg); null if no log was read.
        table_path: string — The table (a row of tables) whose folder contains the file, or whose log names it; null outside of tables.
        state: string — State in the table's log: live, removed (only earlier versions need it), deletes (a delete file in use), changes (for change data feed), unreferenced (the log does not name it), orphan (no version ever named it), other-version (if an older version was scanned: the newest or a later one has it), not-known (the log cannot be read). By its name, in and outside of tables: marker (_SUCCESS, _committed_…, .crc), summary (_metadata, _common_metadata). Outside of tables: other (not taken for Parquet by its name), null for the files that are read.
        state_reason: string — Reason for the state, in a sentence: the version or snapshot that removed the file, or the versions that were searched.
        deleted_rows: bigint — Rows of the file that deletion vectors or delete files delete; null if unknown, and outside of tables.
        bytes_read: bigint — Bytes that were read from the file.
        seconds: double — Time spent on reading the file.
        kept_until: timestamp — From when on VACUUM (Delta), expire_snapshots or remove_orphan_files (Iceberg) may delete the file, by the table's settings at the time of the run; null if they keep it without end, if this is unknown, and outside of tables.
        retries: bigint — Requests for the file that were repeated, because the store was busy or the connection broke.
        footer_hash: string — XXH3 of the footer's bytes, 128 bits in hexadecimal; null if the footer is encrypted or cannot be read, and in rows of earlier versions of pqexplore.
        """,
    ),
    "tables": (
        "One row for each Delta or Iceberg table whose log was read, or could not be read.",
        """
        run_id: string — The run in which the log was last read.
        path: string — The table's root folder.
        format: string — delta or iceberg.
        status: string — ok, or error (see error): then the live files are unknown, and all files are read.
        error_code: string — Kind of the error: corrupt, ambiguous, unsupported, missing-library, missing, outside, limit, forbidden, unreadable, credentials, network, timeout, throttled (see files).
        error: string — What is wrong with the log, in a sentence.
        whole: boolean — Whether the source is the whole table. If it is a part of the table, the counts below are for that part.
        version: bigint — Delta's version; null for Iceberg.
        snapshot_id: bigint — Iceberg's current snapshot; null for Delta, and for a table without one.
        metadata: string — The file of the log that defines this state.
        decided_by: string — Where the current version is recorded: log (Delta), catalog, version-hint.text, or metadata files.
        copied_from: string — The location that the metadata states, if it differs from path: files below that location are read below path.
        live_files: bigint — Files of the current version.
        live_rows: bigint — Rows of the live files, without deleted ones; null if unknown.
        stored_rows: bigint — Rows stored in the live files, as the log says; null if the log does not say.
        deleted_rows: bigint — Stored rows that deletion vectors or delete files delete; null if unknown.
        outside_files: bigint — Live files outside of the table's folder, which were not opened.
        removed_files: bigint — Files in the folder that only earlier versions need.
        unreferenced_files: bigint — Files that the log does not name; older parts of the log are gone.
        orphan_files: bigint — Files that no version of the log ever named.
        remarks: string — Other remarks about the log.
        name: string — The path relative to the folder of the source; its last name if the source is the table, or a part of it.
        live_bytes: bigint — Bytes of the live files that were listed; null if a size is unknown.
        removed_bytes: bigint — Bytes of removed_files.
        unreferenced_bytes: bigint — Bytes of unreferenced_files and orphan_files.
        retention: string — How long files that are not live are kept, by the table's settings.
        """,
    ),
    "table_columns": (
        "One row for each leaf of each schema of a Delta or Iceberg table whose name in the table is not that in the files: "
        "renamed by column mapping or field ids, or dropped.",
        """
        run_id: string — The run in which the log was last read.
        table_path: string — The table's root folder.
        schema_id: string — The schema of files of the table.
        leaf: int — Position among the leaves of the schema.
        column_name: string — The leaf's dotted path in the files, as in schemas.
        table_column: string — The same with the names that the table has now; null if the table no longer has the column.
        field_id: int — SchemaElement.field_id of the leaf.
        definition: string — As in schemas, with the names that the table has now; null if the table no longer has the column.
        """,
    ),
    "log_conflicts": (
        "One row for each statistic or type of a column in a Delta or Iceberg log that the file's footer contradicts.",
        """
        run_id: string — The run in which both were compared.
        path: string — The file.
        table_path: string — The table.
        leaf: int — Position of the leaf in the file.
        column_name: string — The leaf's dotted path in the file.
        statistic: string — minimum, maximum, null count or value count; type for a type that an engine refuses.
        log_value: string — What the log says, as text.
        footer_value: string — What the footer says.
        message: string — What is wrong, in a sentence.
        """,
    ),
    "schemas": (
        "One row for each leaf of each distinct schema.",
        """
        schema_id: string — Fingerprint of the schema, as in files.
        leaf: int — Position among the leaves of the schema.
        column_name: string — Dotted path: the names from below the root to the leaf.
        top_level: string — First name of the path.
        physical_type: string — How values are stored.
        logical_type: string — Meaning of the values, in short: TIMESTAMP(µs, UTC). If the annotation adds nothing, the physical type: INT64, also for INT(64, signed).
        type_length: int — Bytes of a FIXED_LEN_BYTE_ARRAY.
        field_id: int — SchemaElement.field_id: identifies the field when its name changes.
        definition: string — Repetition, name and annotation of each field from below the root to the leaf.
        max_definition_level: int — Fields of the path that are optional or repeated.
        max_repetition_level: int — Fields of the path that are repeated.
        column_order: string — The footer's order for bounds (ColumnOrder); null if absent or unknown.
        footer: binary — On leaf 0, a FileMetaData in Thrift with the whole schema and the column orders, and nothing else; null on other leaves, and if it is larger than 4 MiB.
        features: array<string> — What readers may refuse or misread in the type of the leaf and of the groups above it, by the names of the doctor's table of readers; null in rows of earlier versions of pqexplore.
        """,
    ),
    "row_groups": (
        "One row for each row group.",
        """
        run_id: string — The run in which this was read.
        path: string — The file.
        row_group: int — Position in the file.
        num_rows: bigint — Number of rows.
        num_chunks: int — Number of column chunks.
        uncompressed_bytes: bigint — RowGroup.total_byte_size.
        compressed_bytes: bigint — Sum of the chunks' total_compressed_size.
        file_offset: bigint — RowGroup.file_offset: offset of the first page.
        sorting_columns: array<string> — Declared sorting: column names, each followed by DESC if descending, and by NULLS FIRST or NULLS LAST.
        sorted_by: int — Leaf of the first sorting column; null if no sorting is declared.
        sorted_descending: boolean — Whether the first sorting column is descending.
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
        codec: string — Compression codec of the pages.
        encodings: array<string> — Encodings of values and levels.
        num_values: bigint — Values, nulls included.
        null_count: bigint — Nulls; null if the statistics do not say.
        distinct_count: bigint — Distinct values; null if the statistics do not say.
        nan_count: bigint — NaNs; null if the statistics do not say.
        compressed_bytes: bigint — Bytes in the file.
        uncompressed_bytes: bigint — Bytes when decompressed.
        unencoded_bytes: bigint — Bytes of decoded BYTE_ARRAY values, as the size statistics say.
        start_offset: bigint — Offset of the first page.
        data_page_offset: bigint — Offset of the first data page.
        dictionary_page_offset: bigint — Offset of the dictionary page; null if absent.
        data_pages: int — Data pages, as the encoding statistics say.
        dictionary_data_pages: int — Data pages that use the dictionary, as the encoding statistics say.
        has_dictionary: boolean — Whether there is a dictionary page.
        dictionary_fallback: boolean — Whether the writer started with a dictionary and then stopped using it; null if unknown.
        statistics: string — none, counts (no bounds), min_max, or legacy (the deprecated min and max).
        bounds: string — trusted, or why the bounds cannot be used: none, no-column-order, unordered-type, legacy, nan, nan-count-absent, min-above-max, damaged; in a VARIANT: variant-encoded (metadata and value are encoded), variant-value (the value column beside it has values), variant-value-unknown.
        min_text: string — Lower bound as readable text, truncated.
        max_text: string — Upper bound as readable text, truncated.
        min_raw: binary — Lower bound as stored, PLAIN without a length; truncated to 256 bytes.
        max_raw: binary — Upper bound as stored, likewise.
        min_key: binary — Lower bound as bytes that compare as values do; null if unknown or not trustworthy.
        max_key: binary — Upper bound likewise.
        min_exact: boolean — Whether the writer marks the lower bound as a value that occurs; null if it does not say.
        max_exact: boolean — Whether the writer marks the upper bound as a value that occurs; null if it does not say.
        column_index_offset: bigint — Offset of the column index; null if absent.
        column_index_bytes: bigint — Length of the column index.
        offset_index_offset: bigint — Offset of the offset index; null if absent.
        offset_index_bytes: bigint — Length of the offset index.
        bloom_filter_offset: bigint — Offset of the Bloom filter; null if absent.
        bloom_filter_bytes: bigint — Length of the Bloom filter, header included; null if the footer does not say.
        has_size_statistics: boolean — Whether there are size statistics.
        encryption: string — none, footer key, or column key.
        locked: boolean — Whether the chunk's metadata cannot be read without a key.
        file_path: string — Another file that holds the pages; normally null.
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
        num_rows: bigint — Rows that begin in the page; null if neither the header nor the offset index says.
        first_row: bigint — First row of the page, as the offset index says.
        null_count: bigint — Nulls, as the header says, or else the column index.
        page_offset: bigint — Offset of the page header.
        header_bytes: bigint — Length of the header.
        compressed_bytes: bigint — Bytes of the body in the file.
        uncompressed_bytes: bigint — Bytes of the body when decompressed.
        has_crc: boolean — Whether the header has a checksum.
        crc_ok: boolean — Whether the checksum is right; null if it was not computed.
        has_statistics: boolean — Whether the header has statistics.
        min_key: binary — Lower bound in the column index, as bytes that compare as values do.
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
        null_pages: int — Data pages that hold only nulls.
        boundary_order: string — UNORDERED, ASCENDING or DESCENDING; null without a column index.
        has_null_counts: boolean — Whether the column index counts nulls.
        bloom_blocks: bigint — Blocks of the Bloom filter, 32 bytes each.
        bloom_fill: double — Share of the Bloom filter's bits that are set, 0 to 1.
        """,
    ),
    "findings": (
        "One row for each problem or remark in a file.",
        """
        run_id: string — The run in which the rule fired.
        path: string — The file.
        rule: string — Stable name of the rule.
        severity: string — error, warning or note.
        address: string — Address in the file's tree.
        message: string — What is wrong, in a sentence.
        evidence: string — The values that show it, as JSON.
        specification: string — The text of the specification that the rule applies.
        """,
    ),
    "diagnoses": (
        "One row for each file that a scan diagnosed and each rule of the doctor that its footer triggers, and one with the "
        "rule `read` for the file. Of more than 500 files on a disk a scan diagnoses about 100, of fewer none: `Lake.diagnose` "
        "reads these itself.",
        """
        run_id: string — The run in which the row was made.
        path: string — The file.
        rule: string — The rule's name; read for the row of a file that was read.
        severity: string — damage, wrong answer possible, slow, wasteful, portability, note.
        places: bigint — How often the rule found something in the file.
        sentence: string — What it found, at the worst place.
        address: string — The worst place; empty for the file.
        columns: array<string> — The columns concerned, the first ones.
        bytes: bigint — Bytes wasted, or read in vain; null if unknown.
        requests: bigint — Requests in vain; null if unknown.
        row_groups: bigint — Row groups read in vain; null if unknown.
        rows: bigint — Rows that can be wrong or lost; null if unknown.
        writer: string — The writer and its version; empty if unknown.
        date: string — The file's date, YYYY-MM-DD; empty if unknown.
        dated_by: string — Where the date is from: partition folder, modification time; empty if unknown.
        details: string — The cost in words, the fix, the code by writer and the source, as JSON.
        """,
    ),
}


TABLES: dict[str, TableDefinition] = {
    name: definition(name, meaning, lines) for name, (meaning, lines) in _TABLES.items()
}
"""Every table by name."""

PER_FILE = ("row_groups", "column_chunks", "pages", "indexes", "findings", "diagnoses")
"""Tables whose rows belong to one file each, and are read with the file."""


NAME = 1_000
"""Characters that are stored of a name or a path: a file may hold names of megabytes, and each row would repeat them."""

IMPLAUSIBLE = 1 << 44
"""No chunk has so many values or bytes. Larger counts in a footer become null: their sums would overflow in queries."""


def plausible(values: Any) -> Any:
    """Counts and sizes as int64; null for one that is negative, or `IMPLAUSIBLE` or larger."""
    found = pa.array(values, pa.int64())
    ends = pc.min_max(found)
    if (ends["min"].as_py() or 0) >= 0 and (ends["max"].as_py() or 0) < IMPLAUSIBLE:
        return found
    fits = pc.and_(pc.greater_equal(found, 0), pc.less(found, IMPLAUSIBLE))
    return pc.if_else(fits, found, pa.scalar(None, pa.int64()))
