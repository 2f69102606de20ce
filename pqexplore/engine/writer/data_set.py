"""Writes the footer of a data set (`_metadata`): the row groups of many files in one footer, without their pages.

Each ColumnChunk gets a `file_path`, the file that holds it, relative to the folder of the new file.
See https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift, ColumnChunk.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.file.referenced_files import strays
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.encode import encode
from pqexplore.engine.output_file import writing
from pqexplore.engine.writer.file import MAGIC

MAX_ORDINAL = (1 << 15) - 1
"""The largest RowGroup.ordinal, which is an i16."""


def write_summary(
    files: Sequence[str | os.PathLike[str]], target: str | os.PathLike[str], *, overwrite: bool = False
) -> None:
    """Write the footer of a data set, such as `_metadata`: all row groups of `files`, in their order.

    `files` are paths below the folder of `target`; only their footers are read. They must have the same schema. Of their
    key-value metadata the pairs remain that all of them have. `pqexplore.open(target, follow_file_path=True)` reads the
    data set. A file that exists is replaced only with `overwrite`. Raises UsageError if a file does not fit, is encrypted,
    or is the footer of a data set itself, FileExistsError if `target` exists, and what `pqexplore.open` raises.
    """
    if isinstance(files, (str, bytes, os.PathLike)):
        raise UsageError("files is a list of paths")
    folder = Path(os.path.abspath(target)).parent
    with writing(target, overwrite=overwrite, sources=map(os.fsdecode, files)) as out:
        parts = [_part(file, folder) for file in files]
        if not parts:
            raise UsageError("there are no files to summarise")
        footer = encode(_merged(parts))
        out.write(MAGIC + footer + len(footer).to_bytes(4, "little") + MAGIC)


@dataclasses.dataclass(frozen=True, slots=True)
class _Part:
    path: str
    footer: structs.FileMetaData


def _part(file: str | os.PathLike[str], folder: Path) -> _Part:
    """The footer of a file, whose chunks name the file."""
    path = Path(os.path.relpath(os.path.abspath(file), folder)).as_posix()
    why = strays(path)
    if why:
        raise UsageError(f"{path!r} cannot be a part of a data set in {folder}: {why}")
    with open_file(file) as opened:
        return _Part(path, _footer(opened, path))


def _footer(file: ParquetFile, path: str) -> structs.FileMetaData:
    if file.footer.cipher is not None:
        raise UsageError(f"{path!r} is encrypted: a footer of its own could not say how to decrypt it")
    raw = file.footer.raw
    assert raw is not None  # only a footer that needs a key has none
    footer, _ = fast.decode(structs.FileMetaData, raw)
    if missing := structs.missing(footer):
        raise UsageError(f"the footer of {path!r} lacks {', '.join(missing)}")
    for at, group in enumerate(footer.row_groups):
        if missing := structs.missing(group):
            raise UsageError(f"row group {at:,} in the footer of {path!r} lacks {', '.join(missing)}")
        for chunk in group.columns:
            if chunk.file_path:
                raise UsageError(f"{path!r} is the footer of a data set itself: name the files that hold its chunks")
            chunk.file_path = path
    return footer


def _merged(parts: list[_Part]) -> structs.FileMetaData:
    first = parts[0].footer
    for part in parts[1:]:
        for name in ("schema", "column_orders"):
            if getattr(part.footer, name) != getattr(first, name):
                raise UsageError(f"{part.path!r} and {parts[0].path!r} differ in their {name}")
    groups = [group for part in parts for group in part.footer.row_groups]
    for position, group in enumerate(groups):
        group.ordinal = position if position <= MAX_ORDINAL else None
    pairs = [
        pair
        for pair in first.key_value_metadata or ()
        if all(pair in (part.footer.key_value_metadata or ()) for part in parts)
    ]
    return structs.FileMetaData(
        version=max(part.footer.version for part in parts),
        schema=first.schema,
        num_rows=sum(part.footer.num_rows for part in parts),
        row_groups=groups,
        key_value_metadata=pairs or None,
        created_by=_created_by(parts),
        column_orders=first.column_orders,
    )


def _created_by(parts: list[_Part]) -> str | None:
    """The writer of the files, by which readers decide which statistics to trust; a list if there is more than one."""
    names = list(dict.fromkeys(part.footer.created_by for part in parts))
    return names[0] if len(names) == 1 else f"[{', '.join(str(name) for name in names)}]"
