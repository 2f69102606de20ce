"""Pages that could be skipped and are not: no page index, or so few rows a page that the index costs more."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.insight.ask import row_ranges
from pqexplore.insight.ask.pruning_result import PAGE_INDEX
from pqexplore.insight.ask.why_not_pruned.cause import Cause
from pqexplore.insight.ask.why_not_pruned.column import Column, columns_of, has_page_index, in_groups
from pqexplore.insight.ask.why_not_pruned.estimate import Estimate, by_claims, claims_of, data_bytes, survives, worth
from pqexplore.insight.ask.why_not_pruned.rewriting import Change, scripts
from pqexplore.insight.wording import plural, size

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.insight.ask.pruning import Group


PAGE_COSTS = 24
"""Bytes of a page in the column index and the offset index, about, without its bounds."""

PAGES = 20
"""Pages a column chunk in the estimate for larger pages."""


def no_page_index(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column without a page index, if its pages could be skipped by one."""
    if PAGE_INDEX not in plan.engine.stages:
        return
    sizes = data_bytes(plan)
    for column in columns_of(plan):
        found = column.values
        bare = [
            index
            for index, chunk in column.chunks.items()
            if found and len(found.pages.get(index, ())) > 1 and not _indexed(column, index)
        ]
        if found is None or not bare:
            continue
        pages = kept = 0
        saves = 0.0
        groups = {group.index: group for group in plan.kept}
        for index in bare:
            alive, rows = _pages_left(plan, column, groups[index])
            pages, kept = pages + len(found.pages[index]), kept + alive
            saves += sizes.get(index, 0) * (1 - rows / max(1, found.count(index)))
        scale = len(plan.kept) / sum(index in found.pages for index in groups)
        bound = len(found.raw(0)) if len(found.distinct) else 0
        costs = sum(len(found.pages[index]) for index in bare) * (PAGE_COSTS + 2 * bound)
        estimate = Estimate(kept, int((saves - costs) * scale))
        if not worth(plan, estimate):
            continue
        rows_a_page = max(found.pages[bare[0]])
        yield Cause(
            "no_page_index",
            column.path,
            f"{column.name} has no page index {in_groups(len(bare), len(column.claims))}, so "
            f"all {plural(pages, 'page')} are read{found.remark}. By their values, {kept:,} of them can have a matching "
            "row.",
            f"Write a page index: {kept:,} of {plural(pages, 'page')} of {column.name} would be read.",
            scripts(
                plan,
                Change(
                    options=(
                        ("pyarrow", f"write_page_index=True, max_rows_per_page={rows_a_page}"),
                        ("pqexplore", f"column_index=True, offset_index=True, page_rows={rows_a_page}"),
                    ),
                    writers=("pyarrow", "pqexplore", "Spark"),
                ),
            ),
            {"row_groups": len(bare), "pages": pages, "pages_left": kept},
            tuple(column.chunks[index].address for index in bare[:8]),
            estimate.saves,
            kept,
        )  # fmt: skip


def _indexed(column: Column, index: int) -> bool:
    try:
        return has_page_index(column.chunks[index])
    except ParquetError:
        return True


def _pages_left(plan: Plan, column: Column, group: Group) -> tuple[int, int]:
    """How many pages of a row group would be left by the bounds of their values, and how many rows they have."""
    found = column.values
    assert found is not None
    index = group.index
    pages = rows = start = 0
    for count in found.pages[index]:
        here = found.part(index, start, start + count)
        start += count
        numbers = here[here >= 0]
        claims = claims_of(column, numbers, count, len(here) - len(numbers))
        if survives(plan, group, by_claims(plan, column, claims), PAGE_INDEX):
            pages, rows = pages + 1, rows + count
    return pages, rows


def few_rows_a_page(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column whose page index takes more bytes than the pages that it lets the query skip."""
    if PAGE_INDEX not in plan.engine.stages:
        return
    for column in columns_of(plan):
        spans = [
            piece.span
            for piece in plan.reading.pieces
            if piece.leaf == column.leaf.leaf_index and piece.what in ("column index", "offset index")
        ]  # fmt: skip
        index_bytes = sum(len(span) for span in spans)
        pages = {
            group.index: len({page.index for page in group.pages if page.leaf == column.leaf.leaf_index})
            for group in plan.kept
        }
        count = sum(pages.values())
        if not index_bytes or not count or count <= PAGES * len(plan.kept):
            continue
        rows = sum(group.num_rows for group in plan.kept)
        factor = count / (PAGES * len(plan.kept))
        read = sum(row_ranges.count(group.ranges) for group in plan.kept)
        ranges = sum(len(group.ranges) for group in plan.kept)
        more = ranges * rows / count * (factor - 1)
        data = sum(data_bytes(plan).values())
        costs = more / max(1, read) * data
        saves = int(index_bytes * (1 - 1 / factor) - costs)
        if saves < 0.2 * plan.reading.bytes:
            continue
        target = math.ceil(rows / len(plan.kept) / PAGES)
        yield Cause(
            "few_rows_a_page",
            column.path,
            f"The pages of {column.name} have {rows / count:,.0f} rows on average "
            f"{in_groups(len(plan.kept), len(plan.kept))}, so the page index takes {size(index_bytes)}, and the pages that are read take {size(data)}.",
            f"Write pages of {target:,} rows: the page index would take about {size(int(index_bytes / factor))}.",
            scripts(
                plan,
                Change(
                    options=(
                        ("pyarrow", f"write_page_index=True, max_rows_per_page={target}"),
                        ("pqexplore", f"page_rows={target}"),
                        ("Spark", f".option('parquet.page.row.count.limit', {target})"),
                    ),
                    writers=("pyarrow", "pqexplore", "Spark"),
                ),
            ),
            {"pages": count, "rows_a_page": rows / count, "index_bytes": index_bytes, "data_bytes": data},
            tuple(chunk.address for chunk in list(column.chunks.values())[:8]),
            saves,
            None,
        )  # fmt: skip


# Row groups so large that a query reads many rows for few: smaller ones, in the same order, would be skipped.

PARTS = 8
"""Into how many row groups each one is divided in the estimate."""

FEWEST = 2_048
"""Rows that a row group has at least in the estimate; DuckDB writes no smaller ones."""

LEAST = 64_000
"""Bytes that it must save: more row groups have a cost, too."""


def large_row_groups(plan: Plan) -> Iterator[Cause]:
    """Yields a cause for each column whose row groups, divided, would be skipped for the most part."""
    largest = max((group.num_rows for group in plan.kept), default=0)
    parts = min(PARTS, largest // FEWEST)
    if parts < 2:
        return
    rows = -(-largest // parts)
    sizes = data_bytes(plan)
    for column in columns_of(plan):
        found = column.values
        if found is None or _pages_help(plan, column):
            continue
        left, saves, made = 0, 0.0, 0
        read = [group for group in plan.kept if group.index in found.pages]
        for group in read:
            count, alive = _divided(plan, column, group, rows)
            made, left = made + count, left + alive
            saves += sizes.get(group.index, 0) * (1 - alive / max(1, count))
        if not read:
            continue
        weight = len(plan.kept) / len(read)
        estimate = Estimate(round(left * weight), int(saves * weight))
        if estimate.saves < LEAST or not worth(plan, estimate):
            continue
        yield Cause(
            "large_row_groups",
            column.path,
            f"The row groups that are read have up to {plural(largest, 'row')} and {size(max(sizes.values()))}, and are read "
            f"whole. In their order, {column.name} can match in {left:,} of {plural(made, 'part')} of {rows:,} rows"
            f"{found.remark}.",
            f"Write row groups of {rows:,} rows: about {estimate.reads:,} of these smaller ones would be read.",
            scripts(plan, Change(rows=rows)),
            {"rows": largest, "row_groups": len(plan.kept), "parts": made, "parts_left": left},
            tuple(part.address or "" for part in list(column.claims.values())[:8]),
            estimate.saves,
            estimate.reads,
        )


def _pages_help(plan: Plan, column: Column) -> bool:
    """Whether the engine can skip pages of the column, so that row groups need not be small."""
    found = column.values
    assert found is not None
    several = any(len(pages) > 1 for pages in found.pages.values())
    return PAGE_INDEX in plan.engine.stages and column.indexed and several


def _divided(plan: Plan, column: Column, group: Group, rows: int) -> tuple[int, int]:
    """Into how many parts of `rows` values a row group is divided, and how many of these would be read."""
    found = column.values
    assert found is not None
    total = found.count(group.index)
    left = 0
    starts = range(0, total, rows)
    for start in starts:
        here = found.part(group.index, start, start + rows)
        numbers = here[here >= 0]
        claims = claims_of(column, numbers, min(rows, total - start), len(here) - len(numbers))
        left += survives(plan, group, by_claims(plan, column, claims))
    return len(starts), left
