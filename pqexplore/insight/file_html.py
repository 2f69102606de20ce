"""What a notebook shows of an open file and of its handles, as plain HTML; the explorer's summary begins with it, too.

The engine makes no HTML: this module registers itself with `Handle` when it is imported. `pqexplore.open` does that.
"""

from __future__ import annotations

from collections.abc import Sequence

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.referenced_files import in_other_files
from pqexplore.engine.format import types
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec
from pqexplore.engine.handle import Handle, show_as
from pqexplore.engine.text import clip, markup
from pqexplore.engine.tree.chunks import compression_ratio
from pqexplore.insight.html_table import html_table
from pqexplore.insight.wording import plural

COLUMNS_SHOWN = 50
"""Columns that are listed; the others are counted."""

CELL = 200
"""Max characters of a text from the file."""


ITEMS_SHOWN = 20
"""Items of a sequence that are listed."""


def handle_html(handle: Handle) -> str | None:
    """A handle as an HTML fragment: its cells, or a row for each of the first items of a sequence; None for its repr."""
    if isinstance(handle, ParquetFile):
        return file_html(handle)
    try:
        if not isinstance(handle, Sequence):
            cells = handle._cells()
            return html_table(("", ""), cells.items(), CELL) if cells else None
        rows = [one._cells() for one in handle[:ITEMS_SHOWN] if isinstance(one, Handle)]
        if not rows or not rows[0]:
            return None
        more = len(handle) - len(rows)
        table = html_table(list(rows[0]), (list(row.values()) for row in rows), CELL)
        return table + (f"<p>and {more:,} more</p>" if more > 0 else "")
    except ParquetError:
        return None


def file_html(file: ParquetFile) -> str:
    """Identity and columns as an HTML fragment. All text from the file is escaped, nothing in it took a key to read."""
    try:
        plain = file.without_keys()
        return heading(plain) + columns_html(plain, COLUMNS_SHOWN)
    except ParquetError:
        return markup(repr(file))


def heading(file: ParquetFile) -> str:
    """The file's name, size, counts and writer as a paragraph."""
    return f"<p><b>{markup(clip(file.name, CELL))}</b>: {markup(clip(_headline(file), 2 * CELL))}</p>"


def columns_html(file: ParquetFile, most: int) -> str:
    """The first columns, at most `most`, as a table; what prevents that as a paragraph."""
    try:
        rows = _rows(file, most)
        more = len(file.schema.leaves) - len(rows)
    except ParquetError as error:
        return f"<p>{markup(str(error))}</p>"
    table = html_table(("column", "type", "codec", "bytes", "ratio"), rows, CELL)
    return table + (f"<p>and {more:,} more columns</p>" if more > 0 else "")


def _headline(file: ParquetFile) -> str:
    """Size, rows, row groups, columns and writer in one line."""
    metadata = file.metadata
    if metadata is None:
        return f"{file.size:,} bytes, encrypted footer: {file.footer.locked}"
    try:
        columns = plural(len(file.schema.leaves), "column")
    except ParquetError as error:
        columns = f"a schema that cannot be read ({error.message})"
    rows = "? rows" if metadata.num_rows is None else plural(metadata.num_rows, "row")
    return (
        f"{file.size:,} bytes, {rows}, {plural(len(metadata.row_groups or ()), 'row group')}"
        f"{in_other_files(file.other_files)}, {columns}, written by "
        f"{metadata.created_by or 'an unnamed writer'}"
    )


def _rows(file: ParquetFile, most: int) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    groups = file.row_groups
    for leaf in file.schema.leaves[:most]:
        compressed = uncompressed = 0
        codecs: dict[str, None] = {}
        note = ""
        for group in groups:
            try:
                metadata = group.columns[leaf.leaf_index].metadata
            except ParquetError as error:
                note = error.message
                continue
            compressed += metadata.total_compressed_size
            uncompressed += metadata.total_uncompressed_size
            codecs[structs.enum_name(CompressionCodec, metadata.codec)] = None
        rows.append(
            (
                ".".join(leaf.path),
                types.describe(leaf),
                ", ".join(codecs) or note,
                f"{compressed:,}",
                "" if (ratio := compression_ratio(uncompressed, compressed)) is None else f"{ratio:.2f}",
            )
        )
    return rows


show_as(handle_html)
