"""A column in each row group, all by the footer: sizes, encodings, range and nulls, and which chunk stands out."""

from __future__ import annotations

import bisect
import dataclasses
import itertools
import statistics
from collections import Counter
from collections.abc import Sequence

import numpy as np

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.row_group import RowGroup
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import ColumnMetaData, CompressionCodec, Encoding, PageType, enum_name
from pqexplore.engine.format.value_text import format_value, physical_value, plain_length, python_value
from pqexplore.engine.span import Span
from pqexplore.engine.tree.chunks import compression_ratio
from pqexplore.insight.answer_cache import Latest
from pqexplore.insight.axis import Axis
from pqexplore.insight.binary_columns import Columns
from pqexplore.insight.lenses.statistics import STATES, state_of
from pqexplore.insight.skippable import Skippable, group_parts, joint_axis, judged
from pqexplore.insight.skipping import USELESS_FOR_SKIPPING, Skipping, number
from pqexplore.insight.wording import factor, listing, percent, plural

LISTED = 2_000
"""Max row groups that are compared."""

APART = 1.3
"""A row group stands out if a value takes this many times more or fewer bytes than usual."""

NOTICED = 1_000
"""Min bytes by which the size of a row group that stands out differs from the usual; also a hundredth of the column."""

BOUND = 40
"""Max characters of a bound in the table."""


@dataclasses.dataclass(slots=True)
class GroupChunk:
    """The column in one row group; `trouble` says why nothing is known of it.

    `pages` counts data pages, None if only a walk through the chunk could count them. `encodings` are those of the data
    pages if the writer counted them, else all but those of levels. Sizes are in bytes. What the statistics say is
    there after `with_statistics`; `range` are the ranks of both bounds among those of all row groups, None unless a query
    may use them.
    """

    group: int
    address: str
    span: Span | None = None
    rows: int = 0
    values: int = 0
    compressed: int = 0
    uncompressed: int = 0
    codec: str = ""
    encodings: tuple[str, ...] = ()
    dictionary: bool = False
    pages: int | None = None
    nulls: int | None = None
    low: str | None = None
    high: str | None = None
    range: tuple[int, int] | None = None
    trouble: str = ""

    @property
    def ratio(self) -> float | None:
        """Uncompressed to compressed size."""
        return compression_ratio(self.uncompressed, self.compressed)

    @property
    def each(self) -> float | None:
        """Bytes that a value takes in the file."""
        return self.compressed / self.values if self.values > 0 else None


def group_chunks(file: ParquetFile, leaf: Leaf) -> list[GroupChunk]:
    """The column in each row group, the first `LISTED` of them, without what its statistics say."""
    groups = file.row_groups
    return [group_chunk(groups[index], leaf) for index in range(min(len(groups), LISTED))]


def with_statistics(
    leaf: Leaf, chunks: Sequence[GroupChunk], parts: Sequence[Skippable], axis: Axis
) -> list[GroupChunk]:
    """The chunks with what their statistics say. `parts` are the same chunks, and `axis` is their joint axis."""
    return [
        dataclasses.replace(
            one,
            nulls=part.nulls,
            low=_bound_text(leaf, part.low),
            high=_bound_text(leaf, part.high),
            range=pair,
            trouble=one.trouble or ("" if part.locked else part.error),
        )
        for one, part, pair in zip(chunks, parts, usable_ranks(parts, axis), strict=True)
    ]


def usable_ranks(parts: Sequence[Skippable], axis: Axis) -> list[tuple[int, int] | None]:
    """The ranks of both bounds of each part on their joint axis; None unless a query may use them."""
    ranks = axis.rank.tolist()
    pairs = zip(ranks[: len(parts)], ranks[len(parts) :], strict=True)
    return [pair if part.bounded and min(pair) >= 0 else None for part, pair in zip(parts, pairs, strict=True)]


def group_chunk(group: RowGroup, leaf: Leaf) -> GroupChunk:
    """The column in a row group, without what its statistics say."""
    one = GroupChunk(group.index, Address.of(group.address, "columns", leaf.leaf_index))
    try:
        chunk = group.columns[leaf.leaf_index]
        metadata = chunk.metadata
        one.rows = group.num_rows
        one.values = metadata.num_values
        one.compressed = metadata.total_compressed_size
        one.uncompressed = metadata.total_uncompressed_size
        one.codec = enum_name(CompressionCodec, metadata.codec)
        one.encodings, one.dictionary, one.pages = _encoded(chunk, metadata)
        one.span = None if chunk.elsewhere else chunk.span
    except ParquetError as error:
        one.trouble = error.message
    return one


def _encoded(chunk: ColumnChunk, metadata: ColumnMetaData) -> tuple[tuple[str, ...], bool, int | None]:
    """Encodings of the data pages, whether there is a dictionary, how many data pages there are."""
    stats = metadata.encoding_stats or ()
    data = [one for one in stats if one.page_type != PageType.DICTIONARY_PAGE]
    dictionary = bool(metadata.dictionary_page_offset)
    if data:
        used = [enum_name(Encoding, one.encoding) for one in data]
        return tuple(sorted(set(used))), dictionary, sum(one.count or 0 for one in data)
    used = [enum_name(Encoding, one) for one in metadata.encodings or ()]
    walked = chunk.walked
    pages = None if walked is None else sum(frame.is_data for frame in walked.frames)
    return (tuple(sorted({one for one in used if one not in ("RLE", "BIT_PACKED")})), dictionary, pages)


def _bound_text(leaf: Leaf, raw: bytes | None) -> str | None:
    if raw is None:
        return None
    if plain_length(leaf) not in (None, len(raw)):
        return _clip("0x" + raw.hex())
    stored = physical_value(leaf, raw)
    value = python_value(leaf, stored)
    if value is None or isinstance(value, bytes):
        return _clip(str(format_value(leaf, stored)))
    return _clip(str(value))


def _clip(text: str) -> str:
    return text if len(text) <= BOUND else f"{text[: BOUND - 1]}…"


@dataclasses.dataclass(frozen=True, slots=True)
class Outlier:
    """A row group that stands out: it differs by the factor `by`; `why` is the end of a sentence."""

    group: int
    by: float
    why: str


def _farthest(known: Sequence[GroupChunk]) -> tuple[GroupChunk | None, float, float]:
    """The chunk whose values are farthest from the usual size, by how many times, and that size; None if all are near."""
    matters = max(NOTICED, sum(one.compressed for one in known) // 100)
    ordered = sorted(one.each or 0 for one in known)
    best, best_by, best_usual = None, 0.0, 0.0
    for one in known:
        each = one.each or 0
        usual = _median_without(ordered, each)
        by = max(each / usual, usual / each) if usual else 1.0
        if by >= APART and by > best_by and abs(each - usual) * one.values >= matters:
            best, best_by, best_usual = one, by, usual
    return best, best_by, best_usual


def outlier(chunks: Sequence[GroupChunk]) -> Outlier | None:
    """The row group that differs most; None if all are alike, or fewer than two are known."""
    known = [one for one in chunks if not one.trouble and one.each]
    if len(known) < 2:
        return None
    common = Counter(one.encodings for one in known).most_common(1)[0][0]
    best, best_by, best_usual = _farthest(known)
    if best is not None:
        others = [other for other in known if other is not best]
        why = (
            f"{bytes_text(best.each or 0)} a value where the others have {bytes_text(best_usual)}"
            f"{_because(best, others, common)}"
        )
        return Outlier(best.group, best_by, why)
    for one in known:
        if one.encodings != common and len(known) > 2:
            return Outlier(
                one.group, 1.0, f"it is encoded as {listing(one.encodings)}, the others as {listing(common)}"
            )
    return None


def _median_without(ordered: Sequence[float], value: float) -> float:
    """The median of sorted numbers without one that equals `value`."""
    at = bisect.bisect_left(ordered, value)
    middle, odd = divmod(len(ordered) - 1, 2)
    low, high = (ordered[i + (i >= at)] for i in (middle - 1 + odd, middle))
    return high if odd else (low + high) / 2


def _because(one: GroupChunk, others: Sequence[GroupChunk], common: tuple[str, ...]) -> str:
    """The likely reason of the difference in size; empty if there is none."""
    if one.codec != Counter(other.codec for other in others).most_common(1)[0][0]:
        return f", because its codec is {one.codec}"
    if one.encodings != common:
        gave_up = one.dictionary and "PLAIN" in one.encodings and "PLAIN" not in common
        if gave_up:
            return ", because its dictionary grew too large and the writer went on in PLAIN"
        return f", because it is encoded as {listing(one.encodings)}, the others as {listing(common)}"
    nulls, usual = _nulls(one), [share for share in map(_nulls, others) if share is not None]
    if nulls is not None and usual and abs(nulls - statistics.median(usual)) > 0.2:
        return f", because {percent(nulls)} of it are null, of the others {percent(statistics.median(usual))}"
    ratio = [other.ratio for other in others if other.ratio]
    if one.ratio and ratio and not 0.8 < one.ratio / statistics.median(ratio) < 1.25:
        return f", because its values compress {factor(one.ratio)}, the others' {factor(statistics.median(ratio))}"
    rows = statistics.median(other.values for other in others)
    if one.values < rows / 4:
        return f", because it has {plural(one.values, 'value')} only, to share a dictionary and headers"
    return ""


def _nulls(one: GroupChunk) -> float | None:
    return None if one.nulls is None or not one.values else one.nulls / one.values


def bytes_text(each: float) -> str:
    """Bytes of a value: 12 bytes, 1.4 bytes."""
    return f"{each:.0f} bytes" if each >= 9.95 else f"{each:.2g} bytes"


def ranges(chunks: Sequence[GroupChunk], verdict: Skipping) -> str:
    """Whether the ranges tell row groups apart, as a part of a sentence; empty for a single row group."""
    known = [one.range for one in chunks if one.range is not None]
    if len(chunks) < 2:
        return ""
    if not known:
        return "there are no ranges to skip by"
    if len(known) < len(chunks):
        return f"only {len(known):,} of them {'has' if len(known) == 1 else 'have'} a range"
    ordered = sorted(known)
    apart = sum(high < low for (_, high), (low, _) in itertools.pairwise(ordered))
    if apart == len(known) - 1:
        follow = " and follow each other" if known == ordered else ""
        return f"their ranges do not overlap{follow}, so a query can skip by them"
    which = "their" if not apart else "some of their"
    reads = f"{number(verdict.reads)} of {len(chunks):,} on average"
    if verdict.verdict == USELESS_FOR_SKIPPING:
        reads = "nearly all"
    return f"{which} ranges overlap, so a query that seeks a value reads {reads}"


INLINE = 300
"""Max row groups that travel with the picture; more are requested as columns."""


@dataclasses.dataclass(slots=True)
class Groups:
    """The row groups as columns of equal length.

    Sizes are in bytes, -1 if unknown; `low` and `high` are the range on the axis from 0 to 1, -1 without one; `nulls` is
    the share of the entries without a value, -1 if unknown. `state` is an index into `STATES` of the lens statistics.
    `start` and `end` are bytes in the file, -1 if unknown.
    """

    compressed: list[int]
    uncompressed: list[int]
    low: list[float]
    high: list[float]
    state: list[int]
    nulls: list[float]
    start: list[int]
    end: list[int]
    text: list[str]

    def columns(self) -> Columns:
        """The same as columns for the transport."""
        kinds = {"low": "<f4", "high": "<f4", "state": "<u1", "nulls": "<f4"}
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return Columns(
            {
                name: values if name == "text" else np.array(values, kinds.get(name, "<f8"))
                for name, values in fields.items()
            }
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Known:
    """What the footer says of a column: its chunks and their ranges, the first `LISTED`, on one axis; and the verdict."""

    leaf: Leaf
    chunks: list[GroupChunk]
    parts: list[Skippable]
    axis: Axis
    verdict: Skipping

    @property
    def readable(self) -> list[GroupChunk]:
        """The chunks whose metadata could be read."""
        return [one for one in self.chunks if one.codec]

    @property
    def locked(self) -> bool:
        """Whether the statistics of all chunks are encrypted, and no key was given for them."""
        return bool(self.parts) and all(is_locked(part) for part in self.parts)


def is_locked(part: Skippable) -> bool:
    """Whether the statistics of a chunk need a key."""
    return state_of(part) == "locked"


def always_null(leaf: Leaf) -> bool:
    """Whether the column's type has no value but null (specification, UNKNOWN)."""
    return meaning(leaf).name == "UNKNOWN"


def null_count(leaf: Leaf, part: Skippable) -> int | None:
    """Entries of a part without a value; None if unknown, or if the count cannot be right."""
    return None if part.error else nulls_among(leaf, part.values, part.nulls)


def nulls_among(leaf: Leaf, entries: int | None, counted: int | None) -> int | None:
    """How many of a column's entries have no value, where its statistics have `counted`; None if unknown or impossible.

    The schema alone says it of a required column, and of one whose type has only nulls.
    """
    if entries is None:
        return None
    if leaf.max_definition_level == 0:
        return 0
    if always_null(leaf):
        return entries
    return counted if counted is not None and 0 <= counted <= entries else None


_kept: Latest[ParquetFile, Known] = Latest(8)


def known(file: ParquetFile, leaf: Leaf) -> Known:
    """The row groups of a column, the first `LISTED`; kept until there are more findings, which bounds depend on."""
    key = leaf.leaf_index, len(file.findings)
    kept = _kept.get(file, key)
    if kept is None:
        kept = _known(file, leaf)
        _kept.put(file, key, kept)
    return kept


def _known(file: ParquetFile, leaf: Leaf) -> Known:
    parts = list(group_parts(file, leaf, LISTED))
    axis = joint_axis(leaf, parts)
    return Known(leaf, group_chunks(file, leaf), parts, axis, judged(parts, axis))


def drawn(of: Known) -> Groups:
    """The row groups for the picture."""
    total = len(of.parts)
    places = np.where(np.isnan(of.axis.place), -1, of.axis.place).round(6).tolist()
    shares = []
    for part in of.parts:
        nulls = null_count(of.leaf, part)
        shares.append(-1 if nulls is None or not part.values else nulls / part.values)
    spans = [one.span for one in of.chunks]
    return Groups(
        compressed=[one.compressed if one.codec else -1 for one in of.chunks],
        uncompressed=[one.uncompressed if one.codec else -1 for one in of.chunks],
        low=places[:total],
        high=places[total:],
        state=[STATES.index(state_of(part)) for part in of.parts],
        nulls=shares,
        start=[-1 if span is None else span.start for span in spans],
        end=[-1 if span is None else span.end for span in spans],
        text=[part.range_text(of.leaf) for part in of.parts],
    )
