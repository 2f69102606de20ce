"""A Parquet file that is open: the handle from which everything else is reached."""

from __future__ import annotations

import builtins
import threading
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pqexplore.engine import footer as footers
from pqexplore.engine import schema
from pqexplore.engine.cache import Cache
from pqexplore.engine.chunk import ColumnChunk
from pqexplore.engine.errors import (
    CorruptFileError,
    EncryptedFileError,
    NotParquetError,
    ParquetError,
    UsageError,
    within_memory,
)
from pqexplore.engine.findings import failure
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.page import Page
from pqexplore.engine.page_sequence import index_findings
from pqexplore.engine.pages import Walk
from pqexplore.engine.row_group import RowGroup
from pqexplore.engine.source import Source, open_source
from pqexplore.engine.thrift import structs
from pqexplore.engine.tree import FILE, Finding, LazySequence, Node, Span

if TYPE_CHECKING:
    import pyarrow as pa

    from pqexplore.engine.encryption.keys import Decryption

# What reads values, checks, or lays a file out is imported by the method that needs it: to open takes a tenth of that.


def open(
    source: Any,
    *,
    decryption: Decryption | None = None,
    limits: Limits | None = None,
    filesystem: Any = None,
    storage_options: dict[str, Any] | None = None,
) -> ParquetFile:
    """Open a Parquet file: a path, URL, bytes, file object or pyarrow NativeFile.

    Reads the footer and nothing else. `decryption` has the keys of an encrypted file; without them the file opens
    as far as it can. `limits` bounds what a hostile file may cost. `filesystem` is an fsspec or pyarrow filesystem in
    which `source` is a path; `storage_options` are fsspec's.

    Raises NotParquetError, CorruptFileError or LimitExceededError where there is no usable footer, OSError where the
    source cannot be read. Where the footer is lost and pages are there, the message says that `salvage` may help.
    """
    opened = open_source(source, filesystem=filesystem, storage_options=storage_options)
    try:
        return ParquetFile(opened, decryption=decryption, limits=limits or DEFAULT)
    except (NotParquetError, CorruptFileError) as error:
        from pqexplore.engine.salvage import unusable  # needed only now, and it needs this module

        unusable(error, opened, limits or DEFAULT)
        opened.close()
        raise
    except BaseException:
        opened.close()
        raise


class ParquetFile:
    """One Parquet file, open. Use `pqexplore.open`; it is a context manager, and safe to use from several threads."""

    def __init__(
        self, source: Source, *, decryption: Decryption | None = None, limits: Limits = DEFAULT
    ) -> None:
        self.source = source
        self.limits = limits
        self.cache = Cache()
        self._lock = threading.RLock()
        self._findings: dict[tuple[str, str], Finding] = {}
        self._schema: schema.Schema | None = None
        self.footer = footers.load(source, decryption, limits)

    # What the footer says.

    @property
    def metadata(self) -> structs.FileMetaData | None:
        """The FileMetaData; None where the footer is locked."""
        return self.footer.metadata

    @property
    def footer_damage(self) -> ParquetError | None:
        """What is wrong with a large footer beyond its beginning, which is read only now; None where nothing is.

        Such a file opens, because its first row groups can be read; the others cannot.
        """
        try:
            self.footer.complete()
        except ParquetError as error:
            return error
        return None

    @property
    def footer_metadata(self) -> structs.FileMetaData:
        """The FileMetaData; EncryptedFileError where the footer is locked."""
        metadata = self.open_footer.metadata
        assert metadata is not None
        return metadata

    @property
    def open_footer(self) -> footers.Footer:
        """The footer; EncryptedFileError where it is locked."""
        locked = self.footer.locked
        if locked is not None:
            raise EncryptedFileError(locked.message, offset=locked.offset, address=locked.address)
        return self.footer

    @property
    def schema(self) -> schema.Schema:
        """The schema: `.root`, `.leaves`, `.leaf(path)`. CorruptFileError where it is no tree."""
        with self._lock:
            if self._schema is None:
                footer = self.open_footer
                try:
                    self._schema = schema.build(
                        footer.schema_elements,
                        limits=self.limits,
                        column_orders=lambda: self.footer_metadata.column_orders,
                    )
                except ParquetError as error:
                    self.locate_in_schema(error)
                    raise
            return self._schema

    def locate_in_schema(self, error: ParquetError) -> None:
        """Give an error about a schema element, which has its address, the byte where the element lies."""
        if error.offset is None and error.address is not None:
            _, _, index = error.address.partition("/")
            number = int(index) if index.isdecimal() else 0
            error.offset = footers.schema_element_start(self.footer, number)

    @property
    def name(self) -> str:
        """What the source calls itself: the path or URL."""
        return self.source.name

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.source.size

    @property
    def data_end(self) -> int:
        """The byte before which all pages lie: where the footer begins."""
        return self.footer.start

    @property
    def num_rows(self) -> int:
        """Rows as the footer counts them."""
        rows = self.open_footer.num_rows
        if rows is None:
            raise CorruptFileError(
                "FileMetaData lacks its required num_rows",
                offset=self.footer.start,
                address="footer",
            )
        return rows

    @property
    def created_by(self) -> str | None:
        """The writer, in its own words."""
        writer: str | None = self.footer_metadata.created_by
        return writer

    @property
    def key_value_metadata(self) -> dict[str, str | None]:
        """What writers left in the footer; of a key that is there twice, the last value."""
        pairs = self.footer_metadata.key_value_metadata or ()
        return {pair.key: pair.value for pair in pairs if pair.key is not None}

    @property
    def row_groups(self) -> Sequence[RowGroup]:
        """The row groups in the footer's order."""
        groups = self.open_footer.num_row_groups
        if groups is None:
            raise CorruptFileError(
                "FileMetaData lacks its required row_groups",
                offset=self.footer.start,
                address="footer",
            )
        return LazySequence(groups, lambda index: RowGroup(self, index))

    def chunk(self, row_group: RowGroup, index: int) -> ColumnChunk:
        """The chunk of a column; the same object while it is in use."""
        chunk: ColumnChunk = self.cache.get(
            (row_group.index, index), lambda: ColumnChunk(row_group, index), lambda _: 2048
        )
        return chunk

    def chunks(self) -> Iterator[ColumnChunk]:
        """Every column chunk, row group by row group."""
        for group in self.row_groups:
            yield from group.columns

    # Values.

    def read(
        self,
        columns: Sequence[str | tuple[str, ...]] | None = None,
        row_groups: Sequence[int] | None = None,
    ) -> pa.Table:
        """The rows as an Arrow table, decoded by this engine, in storage types.

        `columns` are names of leaves, groups or top-level columns (dotted, or tuples); `row_groups` are indexes.
        All or nothing: raises on the first thing that cannot be read. A wrong checksum is a finding, no error.
        """
        from pqexplore.engine import reading

        with within_memory(None, None):
            return reading.read(self, columns, row_groups)

    def variant_get(
        self,
        column: str | tuple[str, ...],
        path: str = "$",
        type: pa.DataType | None = None,
        *,
        strict: bool = False,
        row_groups: Sequence[int] | None = None,
    ) -> pa.ChunkedArray:
        """The value at a path (`$.a.b[0]`) in each Variant of a column, null where there is none.

        Only the columns that hold it are read. `column` is a Variant, or a group that has its fields without the
        annotation, at the top or inside structs. Without `type` the result is `struct<metadata, value>`; with it,
        an array of that type, and null (with `strict` a UsageError) where a value is not of it.
        """
        from pqexplore.engine import variant_reading

        return variant_reading.variant_get(self, column, path, type, strict, row_groups)

    def without_keys(self) -> ParquetFile:
        """The file as it is for those who have no keys; itself where nothing is encrypted.

        For what is kept: summaries, saved pages. It shares the source, which is closed once.
        """
        if self.footer.cipher is None:
            return self
        return ParquetFile(self.source, limits=self.limits)

    # The file as a tree of bytes.

    @property
    def root(self) -> Node:
        """The file as the root of its tree."""
        from pqexplore.engine import outline

        return outline.file_node(self)

    def node(self, address: str) -> Node:
        """The node at an address, such as `row_groups/0/columns/4/pages/2/values/17`; KeyError where there is none."""
        from pqexplore.engine import outline

        return outline.find(self, address)

    def bytes(self, span: Span) -> bytes:
        """The bytes of a span: of the file, or of a page's decrypted or decompressed body."""
        if span.space == FILE:
            return builtins.bytes(self.source.read(span.start, len(span)))
        from pqexplore.engine import outline

        data = outline.space(self, span.space)
        if not 0 <= span.start <= span.end <= len(data):
            raise UsageError(f"{span} is outside; {span.space} has {len(data):,} bytes")
        return builtins.bytes(data[span.start : span.end])

    def space_size(self, space: str) -> int:
        """How many bytes a space has."""
        if space == FILE:
            return self.size
        from pqexplore.engine import outline

        return len(outline.space(self, space))

    def layout(self, level: str = "pages") -> pa.Table:
        """Who owns each byte: start, end, kind, address; sorted, tiling `[0, size)` exactly.

        `level` "chunks" takes only what the footer says; "pages" walks through all page headers.
        """
        from pqexplore.engine import layout

        return layout.table(self, level)

    # What is wrong.

    @property
    def findings(self) -> list[Finding]:
        """What is wrong or noteworthy, as far as it was met so far."""
        with self._lock:
            return list(self._findings.values())

    def note(self, finding: Finding) -> None:
        """Remember a finding; one of a rule at an address is kept once."""
        with self._lock:
            self._findings.setdefault((finding.rule, finding.address), finding)

    def note_walk(self, chunk: ColumnChunk, found: Walk) -> None:
        """Remember what walking through a chunk's pages showed: damage, or an offset index that disagrees."""
        if found.error is not None:
            self.note(failure(found.error, chunk.address))
        for finding in index_findings(chunk, found):
            self.note(finding)

    def checked_crc(self, page: Page) -> bool | None:
        """False where a page's checksum was found wrong before; nothing is read."""
        with self._lock:
            return False if ("crc-mismatch", page.address) in self._findings else None

    def check(self) -> list[Finding]:
        """Look everywhere, and give all findings: reads every page of the file."""
        from pqexplore.engine.check import check

        for finding in check(self):
            self.note(finding)
        return self.findings

    # The rest.

    @property
    def bytes_read(self) -> int:
        """Bytes read from the source so far."""
        return self.source.bytes_read

    def close(self) -> None:
        """Close the source, if it was opened here; nothing more can be read."""
        self.cache.clear()
        self.source.close()

    def __enter__(self) -> ParquetFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if not hasattr(self, "footer"):  # a traceback that shows variables, while opening fails
            return "<ParquetFile that is being opened>"
        known = f"<ParquetFile {self.name}: {self.size:,} bytes"
        try:
            metadata = self.metadata
        except ParquetError as error:
            return f"{known}, damaged footer: {error}>"
        if metadata is None:
            return f"{known}, encrypted footer, no key>"
        if self.footer.crypto_metadata is not None:  # logs and saved notebooks keep what is shown
            return f"{known}, encrypted footer>"
        groups = len(metadata.row_groups or ())
        rows = metadata.num_rows
        return (
            f"{known}, {'?' if rows is None else format(rows, ',')} rows, "
            f"{groups:,} row group{'' if groups == 1 else 's'}, written by {metadata.created_by or 'an unnamed writer'}>"
        )

    def _repr_html_(self) -> str:
        from pqexplore.engine.summary import html_summary

        try:
            return html_summary(self.without_keys())
        except ParquetError:
            from html import escape

            return escape(repr(self))
