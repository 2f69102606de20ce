"""Savings by row groups and pages: the sizes that documentation and other writers take, each with what it costs and buys."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.insight.doctor.rules.layout import FEW_ROWS, LARGE, SPLIT, USUAL_ROWS
from pqexplore.insight.doctor.rules.pages import SMALL
from pqexplore.insight.what_if.compared import instead, predicted
from pqexplore.insight.what_if.saving import Kind, Saving
from pqexplore.insight.what_if.unchanged_options import best, kept
from pqexplore.insight.wording import size

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.writer.options import WriteOptions
    from pqexplore.insight.what_if.budget import Clock
    from pqexplore.insight.what_if.column import ColumnTrial
    from pqexplore.insight.what_if.predict import Prediction
    from pqexplore.insight.what_if.saving import Steps

ARROW_ROWS = 1 << 20
"""Rows of a row group of pyarrow (`write_table`, row_group_size: "the minimum of the table size and 1024 * 1024")."""

MIDDLE = 64 << 10
"""Bytes of a page between the specification's 8 KiB and the MiB of most writers; the smallest pages of Amazon Data Firehose."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Change:
    """Other row groups or pages; `why` says whose choice that is."""

    kind: Kind
    choice: str
    why: str
    options: WriteOptions


def layouts(file: ParquetFile, columns: tuple[ColumnTrial, ...], clock: Clock) -> Steps:
    """Sizes of the file with other row groups and other pages, each beside that with the best choices alone."""
    base_options = best(kept(file), columns)
    changes = [*_row_groups(file, base_options), *_pages(base_options)]
    base = None
    if file.num_rows:
        base = yield from predicted(file, columns, base_options, clock, len(changes) + 1)
    if base is None:
        return []
    found: list[Saving] = []
    for left, change in zip(range(len(changes), 0, -1), changes, strict=True):
        made = yield from predicted(file, columns, change.options, clock, left)
        if made is not None:
            sentence = _sentence(file, change, made, base, base_options)
            if sentence:
                found.append(_saving(change, base, made, sentence))
    return found


def _saving(change: _Change, base: Prediction, made: Prediction, sentence: str) -> Saving:
    return Saving(
        change.kind,
        None,
        change.choice,
        base.size,
        made.size,
        made.error if made.sampled else None,
        made.sampled,
        sentence,
        change.options,
    )


def _row_groups(file: ParquetFile, base: WriteOptions) -> Iterator[_Change]:
    """Row groups of other sizes, where that makes another number of them."""
    total = sum(group.num_rows for group in file.row_groups)
    decoded = sum(group.metadata.total_byte_size or 0 for group in file.row_groups)
    asked = [(USUAL_ROWS, "as DuckDB writes"), (ARROW_ROWS, "as pyarrow writes")]
    if decoded > 0 < total:
        for bytes_, why in (
            (SPLIT, "before compression, as Spark writes"),
            (LARGE, "before compression, the largest that the Parquet documentation recommends"),
        ):
            asked.append((bytes_ * total // decoded, f"{size(bytes_)} {why}"))
    seen = {-(-total // base.row_group_rows)}
    for rows, why in asked:
        count = -(-total // max(rows, FEW_ROWS))
        if rows >= FEW_ROWS and count not in seen:
            seen.add(count)
            options = dataclasses.replace(base, row_group_rows=rows)
            yield _Change(Kind.ROW_GROUPS, f"row groups of {rows:,} rows", why, options)


def _pages(base: WriteOptions) -> Sequence[_Change]:
    """Pages of other sizes, and of version 2."""
    small, middle = (dataclasses.replace(base, page_bytes=each) for each in (SMALL, MIDDLE))
    documented = "as the Parquet documentation recommends"
    unlimited, second = dataclasses.replace(base, page_rows=None), dataclasses.replace(base, page_version=2)  # fmt: skip
    return (
        _Change(Kind.PAGES, "pages of 8 KiB", documented, small),
        _Change(Kind.PAGES, "pages of 64 KiB", "", middle),
        _Change(Kind.PAGES, "pages of 1 MiB", "without a limit of rows", unlimited),
        _Change(Kind.PAGES, "V2 pages", "", second),
    )


def _sentence(file: ParquetFile, change: _Change, made: Prediction, base: Prediction, options: WriteOptions) -> str:
    """What the change makes of the file, costs and buys; "" if the pages stay the same."""
    head = f"{change.choice[0].upper()}{change.choice[1:]}{f' ({change.why})' if change.why else ''}"
    sizes = f"the file {instead(made, base)}; today it takes {size(file.size)}"
    if change.kind == Kind.ROW_GROUPS:
        old, new = options.row_group_rows, change.options.row_group_rows
        return (
            f"{head}: {made.row_groups:,} instead of {base.row_groups:,}. With the best choice of each column, {sizes}; its "
            f"footer has {_bytes(made.footer, base.footer)}. Bounds of a row group cover up to {min(new, file.num_rows):,} rows "
            f"instead of {min(old, file.num_rows):,}."
        )
    if change.options.page_version != options.page_version:
        return (
            f"{head}: with the best choice of each column, {sizes}. Their headers count rows and nulls, and their levels are "
            "not compressed."
        )
    if made.pages == base.pages or not made.pages or not base.pages:
        return ""
    return (
        f"{head}: {_about(made)}{made.pages:,} instead of {_about(base)}{base.pages:,}, with {made.values // made.pages:,} values each "
        f"on average instead of {base.values // base.pages:,}. With the best choice of each column, {sizes}; its page indexes "
        f"have {_bytes(made.indexes, base.indexes)}."
    )


def _bytes(new: int, old: int) -> str:
    return f"{size(new)} as before" if size(new) == size(old) else f"{size(new)} instead of {size(old)}"  # fmt: skip


def _about(made: Prediction) -> str:
    return "about " if made.sampled else ""
