"""The handle of an open Parquet file, from which everything else is reached. `FileMetadata` has what the footer says."""

from __future__ import annotations

import builtins
import dataclasses
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, cast

from pqexplore.engine.address import Address
from pqexplore.engine.budget import Budget
from pqexplore.engine.errors import (
    CorruptFileError,
    EncryptedFileError,
    NoNodeError,
    NotParquetError,
    ParquetError,
    UsageError,
    within_memory,
)
from pqexplore.engine.file import counts, footer_tail
from pqexplore.engine.file.chunk_pages import index_findings
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.footer import Footer, schema_element_start
from pqexplore.engine.file.opening import open_source
from pqexplore.engine.file.page import Page
from pqexplore.engine.file.page_headers import Walk
from pqexplore.engine.file.referenced_files import ELSEWHERE, Neighbours, in_other_files, other_files
from pqexplore.engine.file.row_group import RowGroup
from pqexplore.engine.file.source import Cache, Source
from pqexplore.engine.file.tabular import Tabular
from pqexplore.engine.finding import DICTIONARY, WHOLE_PAGE, Finding, failure
from pqexplore.engine.format import schema
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import PageType
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.limits import DEFAULT, Limits
from pqexplore.engine.span import FILE, Span
from pqexplore.engine.text import plural, printable

if TYPE_CHECKING:
    import pyarrow as pa

    from pqexplore.engine.file.caller_types import FileSystem, Readable, StorageOptions
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.tree.node import Node
    from pqexplore.insight.answer import Answer
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.insight.diff.diff import Diff
    from pqexplore.insight.doctor.diagnose import Report


class Answering(Tabular):
    """Questions to an open file; the functions of the same names in `pqexplore` ask paths, and many files."""

    __slots__ = ()

    def view(self, name: str, at: str = "", *, where: str = "", engine: str = "") -> Answer:
        """What the lens `name` says of the node at the address `at`: a sentence, a table, a figure (`Answer`).

        The lenses are those of the explorer: overview, rows, statistics, … `where` and `engine` are the question of the lens
        `query` (see `pqexplore.ask`). Raises UsageError for a lens that does not exist or does not apply there, and for an
        address that names nothing; what reading the node raises.
        """
        from pqexplore.insight.view import view

        return view(_file(self), name, at, where, engine)

    def ask(
        self,
        where: str,
        columns: Sequence[str | tuple[str, ...]] | None = None,
        engine: str = "format",
        *,
        timezone: str | None = None,
    ) -> Plan:
        """What a query with the condition `where` reads of this file, what it skips, and why; see `pqexplore.ask`.

        Raises UsageError for a condition that cannot be asked.
        """
        from pqexplore.insight.ask.planning import steps
        from pqexplore.insight.steps import finish

        return finish(steps(_file(self), where, columns, engine, timezone))

    def diagnose(self, level: str = "footer", *, progress: Callable[[float], None] | None = None) -> Report:
        """What is wrong with this file, what it costs, and what to do: the worst first; see `pqexplore.diagnose`.

        `level` says what is read: `footer`, `pages` or `data`; UsageError for another one.
        """
        from pqexplore.insight.doctor.diagnose import diagnose

        return diagnose(_file(self), level, progress=progress)

    def diff(
        self,
        other: Readable | ParquetFile,
        level: str | None = None,
        *,
        columns: Sequence[str] | None = None,
        decryption: Decryption | None = None,
    ) -> Diff:
        """What differs between this file and another one; see `pqexplore.diff`.

        `other` is what `pqexplore.open` takes, with the keys `decryption`, or an open file. `level` says what is read:
        `footer`, `pages`, `data`, or None for as much as explains the sizes of small files. Raises what `pqexplore.open`
        raises, and UsageError for an unknown level or column.
        """
        from pqexplore.insight.diff.diff import diff

        return diff(_file(self), other, level, columns=columns, decryption=decryption)


def _file(asked: Answering) -> ParquetFile:
    return cast("ParquetFile", asked)


class FileMetadata(Answering):
    """An open file without its column chunks: what is read from the footer alone."""

    footer: Footer

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._lock = threading.RLock()
        self._schema: schema.Schema | None = None
        self._schema_error: ParquetError | None = None
        self._other_files: tuple[str, ...] | None = None

    @property
    def metadata(self) -> structs.FileMetaData | None:
        """The FileMetaData; None if the footer needs a key."""
        return self.footer.metadata

    @property
    def footer_damage(self) -> ParquetError | None:
        """The damage in the later part of a large footer, which is read only now; None if there is none.

        Such a file opens, because its first row groups can be read; the others cannot.
        """
        try:
            self.footer.complete()
        except ParquetError as error:
            return error
        return None

    @property
    def footer_metadata(self) -> structs.FileMetaData:
        """The FileMetaData; EncryptedFileError if the footer needs a key."""
        metadata = self.open_footer.metadata
        assert metadata is not None
        return metadata

    @property
    def open_footer(self) -> Footer:
        """The footer; EncryptedFileError if it needs a key."""
        locked = self.footer.locked
        if locked is not None:
            raise EncryptedFileError(locked.message, offset=locked.offset, address=locked.address)
        return self.footer

    @property
    def schema(self) -> schema.Schema:
        """The schema: `.root`, `.leaves`, `.leaf(path)`. CorruptFileError if it is no tree."""
        with self._lock:
            if self._schema_error is not None:
                raise self._schema_error
            if self._schema is None:
                footer = self.open_footer  # not the file: who keeps a leaf does not keep the file
                try:
                    self._schema = schema.build(
                        footer.schema_elements,
                        limits=self.limits,
                        column_orders=lambda: None if footer.metadata is None else footer.metadata.column_orders,
                    )
                except ParquetError as error:
                    self.locate_in_schema(error)
                    self._schema_error = error
                    raise
            return self._schema

    def locate_in_schema(self, error: ParquetError) -> None:
        """Gives an error that has the address of a schema element the element's byte offset, too."""
        if error.offset is None and error.address is not None:
            _, _, index = error.address.partition("/")
            number = int(index) if index.isdecimal() else 0
            error.offset = schema_element_start(self.footer, number)

    @property
    def num_rows(self) -> int:
        """Rows by the footer. CorruptFileError if the number is missing."""
        rows = self.open_footer.num_rows
        if rows is None:
            raise CorruptFileError(
                "the FileMetaData lacks its required num_rows", offset=self.footer.start, address="footer"
            )
        return rows

    @property
    def other_files(self) -> tuple[str, ...]:
        """The files that hold the column chunks of a data set's footer (`_metadata`): every `ColumnChunk.file_path`.

        In the footer's order, each once, relative to this file's folder. Empty for a file whose first column chunk is its own.
        """
        if self._other_files is None:
            self._other_files = other_files(self.footer)
        return self._other_files

    @property
    def created_by(self) -> str | None:
        """The writer's name and version, as it wrote them; None if absent."""
        return self.footer_metadata.created_by

    @property
    def key_value_metadata(self) -> dict[str, str | None]:
        """The footer's key-value pairs; if a key occurs twice, its last value."""
        pairs = self.footer_metadata.key_value_metadata or ()
        return {pair.key: pair.value for pair in pairs if pair.key is not None}


# Methods import what reads values, checks or lays out a file: opening takes a tenth of that time.


def open(
    source: Readable,
    *,
    decryption: Decryption | None = None,
    limits: Limits | None = None,
    filesystem: FileSystem | None = None,
    storage_options: StorageOptions | None = None,
    follow_file_path: bool = False,
) -> ParquetFile:
    """Open a Parquet file: a path, URL, bytes, file object or pyarrow NativeFile.

    An Arrow, pandas or polars table is opened as the file that `pqexplore.write` makes of it, in memory; a Spark DataFrame
    as the file that it reads, if that is one.

    Reads only the footer. `decryption` has the keys of an encrypted file; without them, the parts that need no key can
    be read. `limits` bounds what a hostile file may cost. `filesystem` is an fsspec or pyarrow filesystem in which
    `source` is a path; `storage_options` are fsspec's. For http and https there are two more: `timeout`, the seconds to
    wait for a server (30), and `follow_outside`, whether to follow a redirect to another host, or from https to http
    (False).

    `follow_file_path` is for the footer of a data set (`_metadata`), whose column chunks lie in other files: these are
    then read, if they lie below the folder of `source`. Links, `..`, absolute paths and URLs that lead out of the folder
    are never followed.

    `/dev/stdin` and `/dev/fd/N` are the descriptors of this process. A pipe there, or a file object that cannot seek, is
    read to its end first, up to 4 GiB, and kept in memory or in a temporary file.

    Raises NotParquetError, CorruptFileError or LimitExceededError if there is no usable footer, NotParquetError for a
    named pipe, a socket or a device, UsageError for a folder, OSError if the source cannot be read. If the footer is
    lost and there are pages, the message says that `salvage` may help.
    """
    opened = open_source(source, filesystem=filesystem, storage_options=storage_options)
    return file_of(opened, decryption=decryption, limits=limits, follow_file_path=follow_file_path)


def file_of(
    source: Source,
    *,
    decryption: Decryption | None = None,
    limits: Limits | None = None,
    follow_file_path: bool = False,
) -> ParquetFile:
    """The file of a source, which is closed if that is none. Raises as `open` does."""
    try:
        with within_memory("footer", None):
            return ParquetFile(
                source, decryption=decryption, limits=limits or DEFAULT, follow_file_path=follow_file_path
            )
    except (NotParquetError, CorruptFileError) as error:
        _say_what_salvage_finds(error, source, limits or DEFAULT)
        source.close()
        raise
    except BaseException:
        source.close()
        raise


def _say_what_salvage_finds(error: ParquetError, source: Source, limits: Limits) -> None:
    from pqexplore.engine.salvage import unusable  # needed only for a damaged file

    unusable(error, source, limits)


class ParquetFile(FileMetadata):
    """An open Parquet file, made by `pqexplore.open`. It is a context manager and safe to use from several threads."""

    INTERNAL = frozenset(
        {
            *("budget", "cache", "checked_crc", "chunk", "data_end", "finding_count", "footer", "footer_metadata"),
            *("local_names", "locate_in_schema", "located", "neighbours", "note", "note_walk", "open_footer", "source"),
        }
    )

    def __init__(
        self,
        source: Source,
        *,
        decryption: Decryption | None = None,
        limits: Limits = DEFAULT,
        follow_file_path: bool = False,
    ) -> None:
        super().__init__(limits)
        self.source = source
        self.neighbours = Neighbours(source) if follow_file_path else None
        """The files that hold column chunks, if they are followed."""
        self.cache = Cache()
        self._findings: dict[tuple[str, str], Finding] = {}
        self._noted = 0
        self._row_groups: Sequence[RowGroup] | None = None
        self.footer = footer_tail.load(source, decryption, limits)
        self.footer.on_damage = lambda error: _say_what_salvage_finds(error, source, limits)
        self.budget = Budget(limits, self.footer.start)

    @property
    def name(self) -> str:
        """The path or URL, or a word such as "bytes"."""
        return self.source.name

    @property
    def local_names(self) -> list[str]:
        """The paths of the files of this machine that are read: its own, and those of its column chunks, if they are followed."""
        own = self.source.path
        if own is None:
            return []
        others = () if self.neighbours is None else self.other_files
        return [own, *(os.path.join(os.path.dirname(own), other) for other in others)]

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return self.source.size

    @property
    def data_end(self) -> int:
        """The offset of the footer; all pages are before it."""
        return self.footer.start

    @property
    def row_groups(self) -> Sequence[RowGroup]:
        """The row groups in the footer's order; each is the same object while it is kept.

        CorruptFileError if the list is missing.
        """
        if self._row_groups is None:
            groups = self.open_footer.num_row_groups
            if groups is None:
                raise CorruptFileError(
                    "the FileMetaData lacks its required row_groups", offset=self.footer.start, address="footer"
                )
            self._row_groups = LazySequence(groups, self._row_group, "row group")
        return self._row_groups

    def _row_group(self, index: int) -> RowGroup:
        def make() -> RowGroup:
            made = RowGroup(self, index)
            self.budget.charge(nodes=1, address=made.address)
            return made

        group: RowGroup = self.cache.get(("row group", index), make, lambda _: 512)
        return group

    def chunk(self, row_group: RowGroup, index: int) -> ColumnChunk:
        """The chunk of a column; the same object while it is kept."""
        chunk: ColumnChunk = self.cache.get(
            (row_group.index, index), lambda: self._make_chunk(row_group, index), lambda _: 2048
        )
        return chunk

    def _make_chunk(self, row_group: RowGroup, index: int) -> ColumnChunk:
        made = ColumnChunk(row_group, index)
        self.budget.charge(nodes=1, address=made.address)
        return made

    def chunks(self) -> Iterator[ColumnChunk]:
        """Every column chunk, row group by row group."""
        for group in self.row_groups:
            yield from group.columns

    # Values.

    def read(
        self, columns: Sequence[str | tuple[str, ...]] | None = None, row_groups: Sequence[int] | None = None
    ) -> pa.Table:
        """The rows as an Arrow table in storage types, decoded by this engine.

        `columns` are names of leaves, groups or top-level columns (dotted, or tuples); `row_groups` are indexes.
        All or nothing: raises ParquetError for the first thing that cannot be read, UsageError for a name or an index that
        does not exist. A wrong checksum is a finding, not an error.

        A column with a decimal beyond its declared precision has a wider type, the same for all rows that are read: a
        decimal of 38 digits, of 76 digits, or binary; `findings` says where.
        """
        from pqexplore.engine.file import table_reader

        with self.budget.asking("read()", counted=False):
            return table_reader.read(self, columns, row_groups)

    def variant_get(
        self,
        column: str | tuple[str, ...],
        path: str = "$",
        type: pa.DataType | None = None,
        *,
        strict: bool = False,
        row_groups: Sequence[int] | None = None,
    ) -> pa.ChunkedArray:
        """The value at a path (`$.a.b[0]`) in each Variant of a column; null if absent.

        Reads only the columns that can hold it. `column` is a Variant, or a group that has a Variant's fields without
        the annotation, at the top or inside structs. Without `type` the result is `struct<metadata, value>`; with it, an
        array of that type, with null (with `strict`, a UsageError) for a value of another type.
        """
        from pqexplore.engine.file import variant_reader

        with self.budget.asking("variant_get()", counted=False):
            return variant_reader.variant_get(self, column, path, type, strict, row_groups)

    def without_keys(self) -> ParquetFile:
        """The file opened without keys; the same object if nothing is encrypted.

        For what is kept: summaries, saved pages. It shares the source, so only one of the two is closed.
        """
        if self.footer.cipher is None:
            return self
        return ParquetFile(self.source, limits=self.limits, follow_file_path=self.neighbours is not None)

    # The file as a tree of bytes.

    @property
    def root(self) -> Node:
        """The file as the root of its tree."""
        from pqexplore.engine.tree import file_nodes

        return file_nodes.file_node(self)

    def node(self, address: str) -> Node:
        """The node at an address, such as `row_groups/0/columns/4/pages/2/values/17`.

        A column chunk may be named: `row_groups/0/columns/country/pages/0`. Also `columns/country` and `country`, a column;
        `rows/172`, a row, `rows/172/country`, its value; `@1234`, what owns this byte. NoNodeError, a KeyError, if there is
        no such node.
        """
        from pqexplore.engine.tree import resolve_address

        with self.budget.asking("node()", address):
            try:
                return resolve_address.find(self, address)
            except NoNodeError as error:
                from pqexplore.insight.places import resolve  # the other ways to write an address

                with suppress(UsageError, ParquetError):  # names need a schema that can be read
                    return resolve(self, address)
                raise error from None

    def bytes(self, span: Span) -> bytes:
        """The bytes of a span of the file, or of a page's decrypted or decompressed body.

        NoNodeError if there is no such space, UsageError if the span is outside.
        """
        if span.space == FILE:
            return builtins.bytes(self.source.read(span.start, len(span)))
        if self.neighbours is not None and span.space.startswith(ELSEWHERE):
            source = self.neighbours.source(span.space.removeprefix(ELSEWHERE))
            return builtins.bytes(source.read(span.start, len(span)))
        from pqexplore.engine.tree import resolve_address

        data = resolve_address.space(self, span.space)
        if not 0 <= span.start <= span.end <= len(data):
            raise UsageError(f"{span} is outside; {span.space} has {len(data):,} bytes")
        return builtins.bytes(data[span.start : span.end])

    def space_size(self, space: str) -> int:
        """The size of a space in bytes; NoNodeError if absent."""
        if space == FILE:
            return self.size
        if self.neighbours is not None and space.startswith(ELSEWHERE):
            return self.neighbours.source(space.removeprefix(ELSEWHERE)).size
        from pqexplore.engine.tree import resolve_address

        return len(resolve_address.space(self, space))

    def layout(self, level: str = "pages") -> pa.Table:
        """The owner of each byte: start int64, end int64, kind string, address string; sorted, tiles `[0, size)` exactly.

        `level` "chunks" uses only the footer; "pages" reads all page headers.
        """
        from pqexplore.engine.tree import layout

        with self.budget.asking("layout()"):
            return layout.table(self, level)

    # Findings.

    @property
    def findings(self) -> list[Finding]:
        """What is wrong or noteworthy in the parts that were read so far."""
        with self._lock:
            return list(self._findings.values())

    @property
    def finding_count(self) -> int:
        """A number that grows whenever there are more `findings`, or another one in place of one."""
        return self._noted

    def located(self, finding: Finding) -> Finding:
        """The finding with the column, the row group, the page and the rows that its address and its evidence name."""
        parts = str(Address(finding.address)).removeprefix("footer/").split("/")
        if finding.row_groups or parts[0] != "row_groups" or not parts[1:2] or not parts[1].isdecimal():
            return finding
        column, rows, page, first_row = "", finding.evidence.get("rows"), None, None
        if parts[2:3] == ["columns"] and parts[3:4] and parts[3].isdecimal():
            with suppress(ParquetError, IndexError):
                column = ".".join(self.schema.leaves[int(parts[3])].path)
            if parts[4:5] == ["pages"] and parts[5:6] and parts[5].isdecimal():
                page, first_row, counted = self._page(int(parts[1]), int(parts[3]), int(parts[5]))
                if finding.rule in WHOLE_PAGE and rows is None:
                    rows = counted
                else:
                    first_row = None
        return dataclasses.replace(
            finding,
            column=column,
            row_groups=(int(parts[1]),),
            rows=rows if type(rows) is int else None,
            page=page,
            first_row=first_row,
        )

    def _page(self, group: int, leaf: int, index: int) -> tuple[int | None, int | None, int | None]:
        """A page's number among the data pages, its first row in the file, and its rows; by what was read, None if that does not say."""
        with suppress(ParquetError, IndexError):
            chunk = self.row_groups[group].columns[leaf]
            walk = chunk.walked
            frames = () if walk is None else walk.frames
            if index < len(frames) and frames[index].ordinal is None:
                return (DICTIONARY if frames[index].header.type == PageType.DICTIONARY_PAGE else None), None, None
            number = sum(one.is_data for one in frames[:index])
            start = chunk.row_group.first_row
            if start is None or chunk.leaf.max_repetition_level or index >= len(frames):
                return (number if frames else None), None, None
            first = start + sum(one.num_values for one in frames[:index] if one.is_data)
            return number, first, frames[index].num_values
        return None, None, None

    def note(self, finding: Finding) -> None:
        """Keeps a finding; the second one of a rule at an address is dropped, unless the first was made from some values only."""
        finding = self.located(finding)
        with self._lock:
            known = self._findings.get((finding.rule, finding.address))
            if known is None or ("some" in known.evidence and "some" not in finding.evidence):
                self._findings[finding.rule, finding.address] = finding
                self._noted += 1

    def note_walk(self, chunk: ColumnChunk, walk: Walk) -> None:
        """Keeps what a walk through a chunk's pages showed: damage, counts or an offset index that disagree."""
        if walk.error is not None:
            self.note(failure(walk.error, chunk.address))
        for finding in (*index_findings(chunk, walk), *counts.findings(chunk, walk)):
            self.note(finding)

    def checked_crc(self, page: Page) -> bool | None:
        """False if a page's checksum is known to be wrong, else None; reads nothing."""
        with self._lock:
            return False if ("crc-mismatch", page.address) in self._findings else None

    def check(self) -> list[Finding]:
        """Reads every page of the file, and returns all findings.

        If that is more work than the limits allow, a finding `not-everything-checked` says so.
        """
        from pqexplore.engine.check.file_check import noted

        noted(self)
        return self.findings

    # Cost, closing, display.

    @property
    def bytes_read(self) -> int:
        """Bytes read so far, from the source and from files that are followed."""
        beside = 0 if self.neighbours is None else self.neighbours.bytes_read
        return self.source.bytes_read + beside

    def close(self) -> None:
        """Closes the source if it was opened here; nothing more can be read."""
        self.cache.clear()
        if self.neighbours is not None:
            self.neighbours.close()
        self.source.close()

    def __enter__(self) -> ParquetFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        if not hasattr(self, "footer"):  # in a traceback that shows variables, if opening fails
            return "<ParquetFile that is being opened>"
        known = f"<ParquetFile {printable(self.name)}: {self.size:,} bytes"
        try:
            metadata = self.metadata
        except ParquetError as error:
            return f"{known}, damaged footer: {error}>"
        if metadata is None:
            return f"{known}, encrypted footer, no key>"
        if self.footer.crypto_metadata is not None:  # logs and saved notebooks keep a repr
            return f"{known}, encrypted footer>"
        groups = len(metadata.row_groups or ())
        rows = metadata.num_rows
        writer = printable(metadata.created_by or "an unnamed writer")
        return (
            f"{known}, {'? rows' if rows is None else plural(rows, 'row')}, "
            f"{plural(groups, 'row group')}{in_other_files(self.other_files)}, written by {writer}>"
        )
