"""Reads files one by one and builds their rows. A bad file never stops it.

A file that cannot be read, or whose footer lacks what its pages need, is a row of `files` with the error (`error_code`,
`error`, `phase`, `address`); a problem in a part of a file is a row of `findings`. Even an unexpected exception becomes the error of its file.

`Inspection.batches` yields record batches as they fill up, so many files, or one with a huge footer, need little memory.
"""

from __future__ import annotations

import dataclasses
import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.address import Address
from pqexplore.engine.errors import CorruptFileError, EncryptedFileError, within_memory
from pqexplore.engine.file.source import Source
from pqexplore.engine.finding import Finding
from pqexplore.engine.limits import Limits
from pqexplore.engine.rule import FOOTER, Severity
from pqexplore.engine.text import clip
from pqexplore.insight.trouble import error_code
from pqexplore.lake.footer_rows.chunk_rows import ChunkRows, start_offset
from pqexplore.lake.footer_rows.footers import Chunk, FileFooter, SortingColumn
from pqexplore.lake.footer_rows.schemas import LeafFacts, Schemas
from pqexplore.lake.listed_files import Entry, Options, writer
from pqexplore.lake.places.opening import explained, open_listed, opened_ahead, words
from pqexplore.lake.store.run_lock import Pulse
from pqexplore.lake.tables import IMPLAUSIBLE, NAME, TABLES

if TYPE_CHECKING:
    import pyarrow as pa

    from pqexplore.engine.file.file import ParquetFile

KINDS = 50
"""A task diagnoses the first file of each of so many kinds."""
MOST = 100
"""Findings of one rule in one file, notes and sorting columns that are kept."""
LONGEST = 4_000
"""Max characters of a stored text."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Opened:
    """A file that was opened at the time `begun`: its footer, or the phase and error of the failure."""

    begun: float
    source: Source | None
    footer: FileFooter | None = None
    failure: tuple[str, Exception] | None = None


Diagnosed = Callable[[str, Entry, "ParquetFile", str], list[dict[str, Any]]]
"""Gives the rows of `diagnoses` of a file in a run, by a level."""


class Inspection:
    """Builds rows of files in batches. With `diagnosed`, also what the doctor says of some (see `Options.sample`)."""

    def __init__(self, options: Options, pulse: Pulse | None = None, diagnosed: Diagnosed | None = None) -> None:
        self.options = options
        self._diagnosed = diagnosed
        self.run_id = options.run_id
        self._pulse = pulse or Pulse()
        self._limits = Limits(**dict(options.limits))
        self._schemas = Schemas(self._limits)
        self._chunks = ChunkRows(options.run_id)
        self._waiting: dict[str, dict[str, list[Any]]] = {
            name: {column.name: [] for column in TABLES[name].columns}
            for name in ("files", "schemas", "row_groups", "findings", "pages", "indexes", "diagnoses")
        }
        self._sent: set[str] = set()
        self._noted: Counter[str] = Counter()
        self._kinds: set[object] = set()
        self._readables = 0
        self._damage: Finding | None = None
        self.errors = self.bytes_read = 0

    # Files.

    def batches(self, entries: Iterable[Entry]) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Yields (table, record batch) for all files; rows of a file may be in several batches."""
        for entry, opened in opened_ahead(entries, self._open, self._pulse):
            yield from self._file(entry, opened)
        yield from self._flush(0)

    def _open(self, entry: Entry, enter: Callable[[str], None]) -> _Opened:
        begun = time.perf_counter()
        source: Source | None = None
        phase = "open"
        try:
            source = open_listed(entry, dict(self.options.storage_options))
            phase = "footer"
            enter(phase)
            with within_memory("footer", None):
                return _Opened(begun, source, FileFooter(source, self._schemas, self._limits))
        except Exception as error:
            address = getattr(error, "address", None) or ""
            if phase == "footer" and address.startswith("schema"):
                phase = "schema"
            return _Opened(begun, source, failure=(phase, explained(error, entry.path)))

    def _file(self, entry: Entry, opened: _Opened) -> Iterator[tuple[str, pa.RecordBatch]]:
        source = opened.source
        self._noted.clear()
        self._damage = None
        row: dict[str, Any] = {
            "run_id": self.options.run_id,
            "path": entry.path,
            "size": entry.size if source is None else source.size,
            "modified": entry.modified,
            "etag": entry.etag,
            "hidden": entry.hidden,
            "status": "ok",
            **entry.by_log(),
        }
        try:
            if opened.failure is not None:
                self._failed(row, *opened.failure)
            elif source is not None and opened.footer is not None:
                self._pulse.enter("chunks")
                with within_memory("", None):
                    yield from self._readable(row, source, opened.footer)
        except Exception as error:  # any error stays with its file
            self._failed(row, row.pop("phase", None) or "chunks", error)
        if row["status"] == "ok":
            row.pop("phase", None)
        if source is not None:
            row["bytes_read"], row["retries"] = source.bytes_read, source.retries
            self.bytes_read += source.bytes_read
            if self._diagnosed is not None and row["status"] == "ok" and opened.footer is not None:
                self._diagnose(self._diagnosed, entry, row, source, opened.footer)
            source.close()
        row["seconds"] = time.perf_counter() - opened.begun
        self._add("files", row)
        yield from self._flush(self.options.batch_rows)

    def _failed(self, row: dict[str, Any], phase: str, error: BaseException) -> None:
        self.errors += row["status"] != "error"
        row |= {
            "status": "error",
            "error_code": error_code(error),
            "error": words(error),
            "phase": phase,
            "address": getattr(error, "address", None),
            "error_offset": getattr(error, "offset", None),
        }
        if isinstance(error, EncryptedFileError):
            row["encryption"] = "footer"

    # One readable file.

    def _readable(
        self, row: dict[str, Any], source: Source, footer: FileFooter
    ) -> Iterator[tuple[str, pa.RecordBatch]]:
        metadata, facts = footer.metadata, footer.schema
        if facts.schema_id not in self._sent:
            self._sent.add(facts.schema_id)
            for name, values in facts.rows.items():
                self._waiting["schemas"][name].extend(values)
        writer_name, version = writer(footer.created_by)
        row |= {
            "format_version": metadata.version,
            "created_by": footer.created_by,
            "writer": writer_name,
            "writer_version": version,
            "num_rows": metadata.num_rows,
            "num_row_groups": len(footer.row_groups),
            "num_columns": len(facts.leaves),
            "schema_id": facts.schema_id,
            "key_value_keys": [clip(pair.key, NAME) for pair in (metadata.key_value_metadata or ())[:MOST] if pair.key],
            "encryption": footer.encryption,
            "encryption_algorithm": footer.encryption_algorithm,
            "footer_bytes": footer.end - footer.start,
            "footer_hash": footer.hash,
            "phase": "chunks",
        }
        totals = _Totals()
        for index in range(len(footer.row_groups)):
            yield from self._row_group(row, footer, index, totals)
        self._row_count(row["path"], footer)
        row |= totals.columns(footer)
        if self._damage is not None:  # a part cannot be read, so the doctor calls the file unreadable
            where, message = self._damage.address, self._damage.message
            self._failed(row, "chunks", CorruptFileError(message, address=where))
        if self.options.level == "pages":
            from pqexplore.lake.footer_rows import pages

            row["phase"] = "pages"
            self._pulse.enter("pages")
            yield from pages.add(self, row["path"], source, self._limits)
        if self.options.check:
            row["phase"] = "check"
            self._pulse.enter("check")
            self._check(row["path"], source)

    def _row_group(
        self, row: dict[str, Any], footer: FileFooter, index: int, totals: _Totals
    ) -> Iterator[tuple[str, pa.RecordBatch]]:
        group, leaves, path = footer.row_groups[index], footer.schema.leaves, row["path"]
        address = Address.of("row_groups", index)
        if group is None:
            return
        count = len(group.columns or ())
        if group.num_rows is None or group.num_rows < 0:
            self._lost(path, _damage("required-field", address, "the row group does not say how many rows it has"))
        sound = count == len(leaves)
        if not sound:
            message = (
                f"the row group lists {count:,} column chunks, the schema has {len(leaves):,} leaves; they are bound "
                "by position, so no one knows which is which"
            )
            self._lost(path, _damage("unreadable", address, message))
        needed = {leaf.value_leaf for leaf in leaves} - {None} if sound else set()
        beside = {i: one for i, one in enumerate(footer.chunks(index)) if i in needed} if needed else {}
        compressed = 0
        chunks: list[Chunk] = []
        first = 0
        for place, chunk in enumerate(footer.chunks(index)):
            compressed += self._chunk(path, footer, address, place, chunk, totals)
            chunks.append(chunk)
            if sound and len(chunks) + len(self._chunks) >= self.options.batch_rows:
                self._chunks.add(path, index, leaves[first : place + 1], chunks, beside)
                yield "column_chunks", self._chunks.batch()
                chunks, first = [], place + 1
        if sound:
            self._chunks.add(path, index, leaves[first:], chunks, beside)
        sorting = (group.sorting_columns or ())[:MOST]
        self._add(
            "row_groups",
            {
                "run_id": self.options.run_id,
                "path": path,
                "row_group": index,
                "num_rows": group.num_rows,
                "num_chunks": count,
                "uncompressed_bytes": group.total_byte_size,
                "compressed_bytes": compressed,
                "file_offset": group.file_offset,
                "sorting_columns": [_sorting(one, leaves) for one in sorting],
                "sorted_by": sorting[0].column_idx if sorting else None,
                "sorted_descending": sorting[0].descending if sorting else None,
            },
        )

    def _chunk(self, path: str, footer: FileFooter, address: str, place: int, chunk: Chunk, totals: _Totals) -> int:
        """Add a chunk's bytes to the sums, and report its problems. Returns its size in the file."""
        totals.indexes += (chunk.column_index_length or 0) + (chunk.offset_index_length or 0)
        metadata = chunk.meta_data
        if metadata is None:
            where = Address.of(address, "columns", place)
            if chunk.encrypted_column_metadata is None:
                message = "the ColumnChunk has no meta_data; where its pages are is lost"
                self._lost(path, _damage("required-field", where, message))
            else:
                message = "the column's metadata is encrypted, and there is no key"
                self.note(path, Finding("locked", where, message))
            return 0
        size, start = metadata.total_compressed_size, start_offset(metadata)
        totals.bloom += metadata.bloom_filter_length or 0
        totals.uncompressed += metadata.total_uncompressed_size or 0
        if size is None or start is None or metadata.num_values is None or metadata.codec is None:
            where = Address.of(address, "columns", place)
            message = "the ColumnMetaData lacks a required field: size, offset, codec or number of values"
            self._lost(path, _damage("required-field", where, message))
            return 0
        if chunk.file_path:
            where = Address.of(address, "columns", place)
            message = f"the column chunk lies in another file, {chunk.file_path!r}: scan that file"
            self.note(path, Finding("pages-elsewhere", where, message))
        elif (size or metadata.num_values) and not 4 <= start <= start + size <= footer.start:
            where = Address.of(address, "columns", place)
            message = (
                f"the chunk is said to lie at bytes [{start:,}, {start + size:,}); pages lie between byte 4 and the "
                f"footer at byte {footer.start:,}"
            )
            self.note(path, _damage("chunk-outside", where, message))
        totals.compressed += size
        return int(size)

    def _row_count(self, path: str, footer: FileFooter) -> None:
        if footer.metadata.row_groups is None:
            self._lost(path, _damage("required-field", "footer", "the FileMetaData lacks its required row_groups"))
        said = footer.metadata.num_rows
        rows = sum(group.num_rows or 0 for group in footer.row_groups if group is not None)
        if said is None or not 0 <= said < IMPLAUSIBLE:
            known = "lacks its required num_rows" if said is None else f"says {said:,} rows"
            message = f"the FileMetaData {known}"
            self.note(path, _damage("required-field", "footer", message))
        elif rows != said:
            message = f"the footer's num_rows is {said:,}, its row groups have {rows:,} rows"
            self.note(path, _damage("row-count-disagrees", "footer/num_rows", message))

    def _check(self, path: str, source: Source) -> None:
        """Add every finding of the engine; reads the whole file."""
        from pqexplore.engine.file.file import ParquetFile

        for finding in ParquetFile(source, limits=self._limits).check():
            self.note(path, finding)

    def _diagnose(
        self, diagnosed: Diagnosed, entry: Entry, row: dict[str, Any], source: Source, footer: FileFooter
    ) -> None:
        """Add what the doctor says of one of so many files, and of the first of each kind."""
        from pqexplore.engine.file.file import ParquetFile

        self._readables += 1
        kind = row["schema_id"], row["writer"], row["writer_version"], min(row["num_row_groups"], 2), _chunks(footer)
        known = kind in self._kinds or len(self._kinds) >= KINDS
        if known and (self._readables - 1) % self.options.sample:
            return
        try:
            with within_memory("", None):
                rows = diagnosed(self.options.run_id, entry, ParquetFile(source, limits=self._limits), FOOTER)
        except Exception:
            # Any fault of a rule stays with its file, whose other rows are right. The kind stays without a diagnosis, so that
            # `Lake.diagnose` reads one of its files, and says what failed.
            return
        self._kinds.add(kind)
        for one in rows:
            for name, values in self._waiting["diagnoses"].items():
                values.append(one.get(name))

    def _lost(self, path: str, finding: Finding) -> None:
        """Add a finding of a part of the footer without which its pages cannot be read."""
        self._damage = self._damage or finding
        self.note(path, finding)

    # Pending rows.

    def note(self, path: str, finding: Finding) -> None:
        """Add a finding; for each rule only the first ones of a file."""
        self._noted[finding.rule] += 1
        if self._noted[finding.rule] > MOST:
            return
        evidence = {name: value for name, value in finding.evidence.items() if value is not None}
        self._add(
            "findings",
            {
                "run_id": self.options.run_id,
                "path": path,
                "rule": finding.rule,
                "severity": finding.severity.level,
                "address": finding.address,
                "message": finding.message,
                "evidence": clip(json.dumps(evidence, default=str), LONGEST) if evidence else None,
                "specification": finding.specification or None,
            },
        )

    def _add(self, table: str, row: dict[str, Any]) -> None:
        for name, values in self._waiting[table].items():
            value = row.get(name)
            if type(value) is int and name != "modified" and not 0 <= value < IMPLAUSIBLE:
                value = None
            elif type(value) is str:
                value = clip(value, LONGEST)
            values.append(value)

    def add_rows(self, table: str, rows: Sequence[dict[str, Any]]) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Add rows of a table. Yields batches when there are many rows."""
        for row in rows:
            self._add(table, row)
        yield from self._flush(self.options.batch_rows)

    def _flush(self, least: int) -> Iterator[tuple[str, pa.RecordBatch]]:
        """Yields batches of the tables with at least so many pending rows; with 0, of all that have any."""
        if len(self._chunks) and len(self._chunks) >= least:
            yield "column_chunks", self._chunks.batch()
        for table, columns in self._waiting.items():
            count = len(next(iter(columns.values())))
            if count and count >= least:
                made = TABLES[table].batch(columns)
                for start in range(0, count, self.options.batch_rows):
                    yield table, made.slice(start, self.options.batch_rows)
                for values in columns.values():
                    values.clear()


@dataclasses.dataclass
class _Totals:
    """Bytes of a file by purpose."""

    compressed: int = 0
    uncompressed: int = 0
    indexes: int = 0
    bloom: int = 0

    def columns(self, footer: FileFooter) -> dict[str, Any]:
        """Columns of the table `files`."""
        claimed = 12 + footer.end - footer.start + self.compressed + self.indexes + self.bloom
        return {
            "compressed_bytes": self.compressed,
            "uncompressed_bytes": self.uncompressed,
            "index_bytes": self.indexes,
            "bloom_bytes": self.bloom,
            "gap_bytes": max(0, footer.size - claimed),
        }


def _chunks(footer: FileFooter) -> tuple[frozenset[object], bool, bool]:
    """The codecs of a file, and whether a chunk has bounds, and an offset index."""
    some = [chunk for index in range(len(footer.row_groups)) for chunk in footer.chunks(index)]
    metadata = [chunk.meta_data for chunk in some if chunk.meta_data is not None]
    return (
        frozenset(one.codec for one in metadata),
        any(one.statistics is not None for one in metadata),
        any(chunk.offset_index_offset is not None for chunk in some),
    )


def _damage(rule: str, address: str, message: str) -> Finding:
    return Finding(rule, address, message, severity=Severity.DAMAGE)


def _sorting(column: SortingColumn, leaves: Sequence[LeafFacts]) -> str:
    index = column.column_idx
    name = leaves[index].name if index is not None and 0 <= index < len(leaves) else f"column {index}"
    direction = " DESC" if column.descending else ""
    return f"{name}{direction} NULLS {'FIRST' if column.nulls_first else 'LAST'}"
