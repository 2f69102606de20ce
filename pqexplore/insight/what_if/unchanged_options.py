"""Options that keep what a file has, and the best choices of its columns among them."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.codecs import NAMES
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.engine.writer.rewriting import own_codec, own_version

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.insight.what_if.column import ColumnTrial


def best(kept: WriteOptions, columns: Sequence[ColumnTrial]) -> WriteOptions:
    """The options with the best choice of each column that was tried."""
    chosen = dict(kept.columns)
    chosen.update({one.path: one.best.options for one in columns if one.best})
    return dataclasses.replace(kept, columns=chosen)


def kept(file: ParquetFile) -> WriteOptions:
    """Options that keep the codecs that can be read, the version and the rows of a row group."""
    codecs: dict[str | tuple[str, ...], dict[str, str]] = {}
    for group in list(file.row_groups)[:1]:
        for index, leaf in enumerate(file.schema.leaves):
            with contextlib.suppress(ParquetError):
                codec = own_codec(group.columns[index])
                if codec in NAMES:
                    codecs[".".join(leaf.path)] = {"codec": codec}
    rows = max((group.num_rows for group in file.row_groups), default=0)
    return WriteOptions(columns=codecs, version=own_version(file), row_group_rows=max(1, rows))
