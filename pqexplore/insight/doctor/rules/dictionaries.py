"""Rules about dictionaries: those that the writer stopped using, and those that save nothing."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pqexplore.engine import compute as pc
from pqexplore.engine.arrays import arrow_numbers
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift.structs import PageType
from pqexplore.engine.rule import DATA, FOOTER, PAGES, SAMPLE, Cost, Rule, Severity, Source
from pqexplore.insight.doctor.rules import trials
from pqexplore.insight.wording import name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.page import Page
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.doctor.subject import Subject

ENCODINGS = Source(
    "Parquet, encodings: dictionary encoding", "https://parquet.apache.org/docs/file-format/data-pages/encodings/"
)

LEAST_BYTES = 1 << 20
"""Bytes of a column below which its dictionary does not matter."""

LIMIT = 1 << 20
"""Bytes at which Arrow and parquet-java give up a dictionary by default."""

USELESS = 0.9
"""Entries of a dictionary to values from which it saves nothing: nearly every value has an entry of its own."""

CHUNKS = 2_000
"""Column chunks of a leaf whose dictionary pages are looked at."""

_DATA = (PageType.DATA_PAGE, PageType.DATA_PAGE_V2)


def pages_by_dictionary(chunk: ColumnChunk) -> tuple[int, int] | None:
    """(data pages with the dictionary, all data pages) by the footer's `encoding_stats`; None without them."""
    stats = chunk.metadata.encoding_stats
    if not stats:
        return None
    data = [one for one in stats if one.page_type in _DATA]
    through = sum(max(0, one.count or 0) for one in data if one.encoding in trials.DICTIONARIES)
    return through, sum(max(0, one.count or 0) for one in data)


def is_whole(chunk: ColumnChunk) -> bool:
    """Whether the footer says that every data page uses the dictionary."""
    found = pages_by_dictionary(chunk)
    return found is not None and 0 < found[0] == found[1]


def without_dictionary(subject: Subject, leaf: Leaf) -> dict[str, str]:
    """Code that writes a column without a dictionary; pyarrow's only if no column is nested: it names leaves."""
    column = ".".join(leaf.path)
    code = {
        "Spark": f"df.write.option({f'parquet.enable.dictionary#{column}'!r}, 'false').parquet(path)",
        "pqexplore": f"pqexplore.WriteOptions(encodings={{{column!r}: 'PLAIN'}})",
    }
    if subject.flat:
        others = f"[name for name in table.column_names if name != {column!r}]"
        code["pyarrow"] = f"pq.write_table(table, path, use_dictionary={others})"
    return code


def larger_dictionary(leaf: Leaf, bytes_: int, entries: int) -> dict[str, str]:
    """Code that lets a dictionary have so many bytes and entries."""
    column = ".".join(leaf.path)
    return {
        "pyarrow": f"pq.write_table(table, path, dictionary_pagesize_limit={bytes_:_})",
        "Spark": f"df.write.option('parquet.dictionary.page.size', {bytes_:_}).parquet(path)",
        "DuckDB": f"COPY tbl TO 'file.parquet' (FORMAT parquet, DICTIONARY_SIZE_LIMIT {entries}, STRING_DICTIONARY_PAGE_SIZE_LIMIT {bytes_})",
        "pqexplore": f"pqexplore.WriteOptions(columns={{{column!r}: {{'dictionary_bytes': {bytes_:_}}}}})",
    }


@dataclasses.dataclass(frozen=True, slots=True)
class _Stop:
    """The first data page without the dictionary: its number in the chunk and its first row; the dictionary by then."""

    page: int
    row: int | None
    entries: int
    bytes: int

    @property
    def text(self) -> str:
        usual = ", about the usual limit of 1 MiB" if abs(self.bytes - LIMIT) < LIMIT / 10 else ""
        row = "" if self.row is None else f" (row {self.row:,})"
        return f"before page {self.page:,}{row}, with {plural(self.entries, 'entry', 'entries')} in {size(self.bytes)}{usual}"


def _stop(chunk: ColumnChunk) -> _Stop | None:
    """Where the dictionary ends; None if the pages do not show it."""
    entries = chunk.dictionary_page
    if entries is None:
        return None
    row: int | None = 0
    for page in trials.data_pages(chunk):
        if page.encoding not in trials.DICTIONARIES:
            return _Stop(page.index, row, entries.num_values, trials.uncompressed_bytes(entries))
        row = None if row is None or chunk.leaf.max_repetition_level else row + page.num_values
    return None


@dataclasses.dataclass(frozen=True, slots=True)
class _Trial:
    """The bytes of a chunk's pages, without their headers: as it is, with a dictionary for all values, and without one."""

    now: int
    through: int
    without: int
    entries: int
    entry_bytes: int


def _try(chunk: ColumnChunk) -> _Trial:
    """Writes all pages of a chunk both ways. Raises ParquetError if it cannot be read."""
    old, first = chunk.dictionary_page, 0
    pages: list[tuple[Page, pa.Array]] = [(page, page.physical) for page in trials.data_pages(chunk)]
    from pqexplore.engine.format.encodings import dictionary

    entries, ids = dictionary.build(pa.concat_arrays([values for _, values in pages]))
    plain = trials.plain(entries)
    now = 0 if old is None else trials.compressed(chunk, old.body.section("values").data)
    through, without = trials.compressed(chunk, plain), 0
    for page, values in pages:
        now += trials.rewritten(page, page.body.section("values").data)
        of_page = ids[first : first + len(values)]
        through += trials.rewritten(page, trials.indexes(of_page, len(entries)))
        without += trials.rewritten(page, trials.plain(values))
        first += len(values)
    return _Trial(now, through, without, len(entries), len(plain))


def given_up(subject: Subject) -> Iterator[Finding]:
    """Columns whose writer began with a dictionary and went on without it."""
    given_up = []
    for leaf in subject.leaves:
        if subject.total("total_compressed_size", leaf) < LEAST_BYTES:
            continue
        chunks, pages, plain, bytes_ = [], 0, 0, 0
        for chunk in subject.chunks(leaf):
            found = pages_by_dictionary(chunk)
            if found is None or not 0 < found[0] < found[1]:
                continue
            chunks.append(chunk)
            pages += found[1]
            plain += found[1] - found[0]
            bytes_ += max(0, chunk.metadata.total_compressed_size)
        if chunks and bytes_ >= LEAST_BYTES:
            given_up.append((bytes_, chunks, pages, plain))
    for bytes_, chunks, pages, plain in sorted(given_up, key=lambda one: -one[0]):
        yield _detailed(subject, chunks, pages, plain, bytes_)


def _detailed(subject: Subject, chunks: list[ColumnChunk], pages: int, plain: int, bytes_: int) -> Finding:
    """The diagnosis; at level `pages` with the place, at level `data` with the exact cost in the first row group."""
    first, leaf = chunks[0], chunks[0].leaf
    one = Finding(
        "dictionary-given-up",
        first.address,
        f"The writer stopped using the dictionary of {name(leaf.path)} in {plural(len(chunks), 'row group')}: "
        f"{plain:,} of {plural(pages, 'data page')} {'is' if plain == 1 else 'are'} without it.",
        {"row_groups": len(chunks), "pages": pages, "pages_without": plain},
        column=".".join(leaf.path),
        row_groups=tuple(chunk.row_group.index for chunk in chunks[:1_000]),
        cost=Cost(f"these column chunks take {size(bytes_)}; parquet-java cannot skip row groups by this dictionary"),
        fix="A larger dictionary helps values that repeat, and none helps others: a diagnosis at level sample or data says which is smaller.",
    )
    try:
        stop = None if subject.level == FOOTER or first.elsewhere else _stop(first)
        size_ = first.metadata.num_values, first.metadata.total_uncompressed_size
        tries = stop is not None and subject.level == DATA and subject.may_try(*size_)
        trial = _try(first) if tries else None
        repeats = _repeats(subject, first) if trial is None and subject.level in (SAMPLE, DATA) else None
    except ParquetError:
        return one
    if stop is not None:
        one = dataclasses.replace(
            one,
            message=f"{one.message} In row group {first.row_group.index:,} it stopped {stop.text}.",
            address=f"{first.address}/pages/{stop.page}",
            evidence={**one.evidence, "page": stop.page, "row": stop.row, "entries": stop.entries, "bytes": stop.bytes},
        )
    if repeats is not None:
        return _with_estimate(subject, leaf, one, repeats, bytes_)
    return one if trial is None else _with_cost(subject, leaf, one, trial, bytes_)


@dataclasses.dataclass(frozen=True, slots=True)
class _Repeats:
    """By a sample: the share of the values after the dictionary that are in it, how many different values the chunk has then,
    the bytes of a dictionary of these, and the share of the chunk that it would take with it: infinite for values that hardly repeat.
    """

    share: float
    distinct: int
    entry_bytes: int
    takes: float


ENTRIES = 10_000
"""About how many entries of a dictionary are looked for in later values."""

REPEAT = 0.2
"""The share of the values after a dictionary that it has, from which a larger one can be estimated."""


def _repeats(subject: Subject, chunk: ColumnChunk) -> _Repeats | None:
    """What a dictionary for all values of a chunk would take; None if that cannot be tried.

    Of different values that are equally frequent, the part that a dictionary has is the share of other values that are in it.
    """
    page = chunk.dictionary_page
    later = [one for one in trials.data_pages(chunk) if one.encoding not in trials.DICTIONARIES and one.num_values]
    if page is None or not later or not page.num_values or trials.uncompressed_bytes(later[-1]) > trials.PAGE_BYTES:
        return None
    if not subject.may_try(trials.VALUES + ENTRIES, trials.uncompressed_bytes(later[-1])):
        return None
    values = later[-1].physical_part(0, min(trials.VALUES, later[-1].num_present))
    if not len(values):
        return None
    every = max(1, page.num_values // ENTRIES)  # a part of the entries has the same part of the values
    entries = page.physical.take(arrow_numbers(np.arange(0, page.num_values, every)))
    hits = pc.sum(pc.is_in(values, value_set=entries)).as_py() or 0
    share = min(1.0, hits / len(values) * page.num_values / len(entries))
    if share < REPEAT:
        return _Repeats(share, 0, 0, math.inf)
    distinct = int(page.num_values / share)
    per_value = trials.compressed(chunk, trials.plain(values)) / len(values)
    count = chunk.metadata.num_values
    dictionary = distinct * len(page.stored) / page.num_values
    takes = dictionary + count * max(1, (distinct - 1).bit_length()) / 8
    through = sum(one.num_values for one in trials.data_pages(chunk)) - sum(one.num_values for one in later)
    old = (page.num_values - 1).bit_length() / 8
    now = len(page.stored) + through * old + (count - through) * per_value
    return _Repeats(share, distinct, trials.uncompressed_bytes(page) * distinct // page.num_values, takes / now)


def _with_estimate(subject: Subject, leaf: Leaf, one: Finding, found: _Repeats, bytes_: int) -> Finding:
    """The diagnosis with what a dictionary of all values would do, by an estimate."""
    some = f"about {percent(found.share)} of the values looked at after it are"
    share = f"{some if found.share else 'none of the values looked at after it is'} in it"
    if found.share < REPEAT:
        fix = f"Turn the dictionary off for this column: {share}, so a larger one would not pay."
        return dataclasses.replace(one, fix=fix, code=without_dictionary(subject, leaf))
    if found.takes >= 1:
        return dataclasses.replace(one, fix=f"Leave the column as it is: {share}, and a larger one would take more.")
    takes = int(bytes_ * found.takes)
    severity = trials.severity(subject, bytes_ - takes) or Severity.NOTE
    wanted = 1 << found.entry_bytes.bit_length()
    return dataclasses.replace(
        one,
        message=f"{one.message} But {share}: with a dictionary of about "
        f"{found.distinct:,} values the column takes about {size(takes)} instead of {size(bytes_)}.",
        severity=severity,
        cost=trials.cost(subject, bytes_ - takes),
        fix=f"Let the dictionary have {size(wanted)}.",
        code=larger_dictionary(leaf, wanted, found.distinct),
        evidence={**one.evidence, **trials.smaller({trials.named(leaf): bytes_ - takes}, takes, bytes_)},
    )


def _with_cost(subject: Subject, leaf: Leaf, one: Finding, trial: _Trial, bytes_: int) -> Finding:
    """The diagnosis with what the chunk would take with and without a dictionary, and the better one as its fix."""
    best = min(trial.now, trial.through, trial.without)
    saved = (trial.now - best) * bytes_ // max(1, trial.now)
    wanted = 1 << trial.entry_bytes.bit_length()
    code: dict[str, str] = {}
    if not saved:
        fix = "Leave the column as it is: neither is smaller."
    elif best == trial.through:
        fix = f"Let the dictionary have {size(wanted)}."
        code = larger_dictionary(leaf, wanted, trial.entries)
    else:
        fix = "Turn the dictionary off for this column."
        code = without_dictionary(subject, leaf)
    group = f"row group {one.row_groups[0]:,}"
    severity = trials.severity(subject, saved) or Severity.NOTE
    better = f" {'Without it' if best == trial.without else 'With all values in it'} the column takes about {size(bytes_ - saved)} instead of {size(bytes_)}."
    return dataclasses.replace(
        one,
        message=one.message + (better if severity is Severity.WASTEFUL else ""),
        severity=severity,
        cost=Cost(
            f"in {group} the pages take {size(trial.now)}; with a dictionary of all {trial.entries:,} values they would take "
            f"{size(trial.through)}, without one {size(trial.without)}",
            bytes=saved,
        ),
        fix=fix,
        code=code,
        evidence={
            **one.evidence,
            "now": trial.now,
            "with_dictionary": trial.through,
            "without_dictionary": trial.without,
        }
        | trials.smaller({trials.named(leaf): saved}, bytes_ - saved, bytes_),
    )


def _present(leaf: Leaf, chunk: ColumnChunk) -> int:
    """How many values of a chunk are not null; 0 if that is not known."""
    values = chunk.metadata.num_values
    if not leaf.max_definition_level:
        return values
    nulls = None if chunk.metadata.statistics is None else chunk.metadata.statistics.null_count
    return 0 if nulls is None or nulls < 0 else values - nulls


def useless(subject: Subject) -> Iterator[Finding]:
    """Columns whose dictionaries have an entry for nearly every value."""
    for leaf in subject.leaves:
        groups: list[int] = []
        values, entries, stored, saved = 0, 0, 0, 0.0
        for chunk in subject.chunks(leaf):
            present = _present(leaf, chunk)
            if len(groups) >= CHUNKS or present < 2 or chunk.locked or chunk.elsewhere or not is_whole(chunk):
                continue
            try:
                page = chunk.dictionary_page
            except ParquetError:
                continue
            if page is None or not USELESS * present <= page.num_values <= present:
                continue
            groups.append(chunk.row_group.index)
            values += present
            entries += page.num_values
            indexes = chunk.metadata.total_compressed_size - len(page.span)
            stored += chunk.metadata.total_compressed_size
            saved += indexes - len(page.span) * (present / page.num_values - 1)
        if stored < LEAST_BYTES or saved <= 0:
            continue
        yield Finding(
            "dictionary-useless",
            f"row_groups/{groups[0]}/columns/{leaf.leaf_index}/pages/0",
            f"The {'dictionary' if len(groups) == 1 else 'dictionaries'} of {name(leaf.path)} {'has' if len(groups) == 1 else 'have'} an entry for "
            f"nearly each value; in {plural(len(groups), 'row group')}, {entries:,} entries for {values:,} values: without "
            f"{'it' if len(groups) == 1 else 'them'} the column takes about {size(stored - int(saved))} instead of {size(stored)}.",
            {"row_groups": len(groups), "entries": entries, "values": values}
            | trials.smaller({trials.named(leaf): int(saved)}, stored - int(saved), stored),
            column=".".join(leaf.path),
            severity=trials.severity(subject, int(saved)) or Severity.NOTE,
            row_groups=tuple(groups[:1_000]),
            cost=Cost(f"the pages of indexes, about {size(int(saved))}", bytes=int(saved)),
            fix="Turn the dictionary off for this column.",
            code=without_dictionary(subject, leaf),
        )


RULES = (
    Rule(
        "dictionary-given-up", Severity.NOTE, FOOTER,
        "A dictionary that the writer stopped using",
        "A writer stops using the dictionary when it is too large. The pages after it are encoded without it. Level `pages` says "
        "where, level `sample` whether a larger one would pay, level `data` what it costs: the first column chunk of the largest such columns is "
        "encoded again with a dictionary for all values, and without one.",
        given_up, ENCODINGS,
        f"Column chunks of at least {size(LEAST_BYTES)} together, by the footer's count of pages by encoding. {trials.THRESHOLD}",
    ),
    Rule(
        "dictionary-useless", Severity.WASTEFUL, PAGES,
        "A dictionary of values that are there once",
        "Each value is stored in the dictionary, and its index in a data page: without the dictionary it would be stored once.",
        useless, ENCODINGS,
        f"Column chunks of at least {size(LEAST_BYTES)} together, with {USELESS} entries for each value or more. "
        f"{trials.THRESHOLD}",
    ),
)  # fmt: skip
