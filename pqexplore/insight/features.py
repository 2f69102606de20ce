"""Which optional parts of the format a file has, and what that means for its readers.

Absence is information: without statistics a query cannot skip a row group, without checksums damage goes unnoticed. Each
feature says how many column chunks have it, and a sentence for either case.
"""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.chunk_pages import first_header
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.variant_bounds import chunk_doubt
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.variant.bounds import inside
from pqexplore.insight.wording import listing, name, plural

CHUNKS = 20_000
"""Column chunks that are read. `Feature.of` says how many they were."""

NAMED = 6
"""Columns that are named which lack statistics, or whose bounds skip nothing."""

JUDGED = 1_000
"""Column chunks at most whose ranges are compared: that takes a tenth of a second."""


@dataclasses.dataclass(frozen=True, slots=True)
class Feature:
    """One optional part of the format.

    `state` is all, some, none or unknown. `count` of `of` column chunks (or what `unit` names) have it. `meaning` says
    what its presence gives, or its absence costs.
    """

    name: str
    state: str
    count: int
    of: int
    unit: str
    meaning: str

    @property
    def absent(self) -> bool:
        """Whether no part of the file has it."""
        return self.state == "none"


@dataclasses.dataclass(frozen=True, slots=True)
class _Kind:
    """A feature of column chunks: its test, and its two sentences.

    `rules` are the prefixes of the rules whose findings contradict the first sentence. `bounds` says that the column's
    bounds are used, which those inside a Variant often cannot be.
    """

    name: str
    has: Callable[[structs.ColumnChunk], bool]
    present: str
    missing: str
    rules: tuple[str, ...]
    bounds: bool = False


def _of_metadata(name: str) -> Callable[[structs.ColumnChunk], bool]:
    def has(chunk: structs.ColumnChunk) -> bool:
        return chunk.meta_data is not None and getattr(chunk.meta_data, name) is not None

    return has


def _has_bounds(chunk: structs.ColumnChunk) -> bool:
    """Whether statistics say what the chunk contains: bounds, a bounding box, or that all values are null."""
    metadata = chunk.meta_data
    if metadata is None:
        return False
    shapes, statistics = metadata.geospatial_statistics, metadata.statistics
    if shapes is not None and shapes.bbox is not None:
        return True
    if statistics is None:
        return False
    if statistics.max_value is not None or statistics.max is not None:
        return True
    return statistics.null_count is not None and statistics.null_count == metadata.num_values


KINDS = (
    _Kind(
        "statistics",
        _has_bounds,
        "a query can skip row groups whose minimum and maximum rule them out",
        "a query cannot skip a row group by its values: it reads them all",
        ("statistics-",),
        bounds=True,
    ),
    _Kind(
        "page index",
        lambda chunk: chunk.offset_index_offset is not None,
        "a query can skip single pages, and fetch one page without walking through the chunk",
        "a query that needs a few rows of a chunk reads the whole chunk",
        ("page-index", "column-index-", "boundary-order-", "null-page-", "offset-index-", "first-row-"),
    ),
    _Kind(
        "Bloom filters",
        _of_metadata("bloom_filter_offset"),
        "a search for one value can skip row groups whose range includes it",
        "a search for one value reads every row group whose range includes it",
        ("bloom-",),
    ),
    _Kind(
        "size statistics",
        _of_metadata("size_statistics"),
        "a reader knows how much memory text and nested columns will take",
        "a reader learns how much memory text and nested columns take when it has read them",
        ("unencoded-bytes-", "level-histogram-"),
    ),
)


def features(file: ParquetFile) -> list[Feature]:
    """All optional parts, in a fixed order. They are unknown if the footer is encrypted without a key, or damaged."""
    known = list(itertools.islice(_chunks(file), CHUNKS))
    chunks = [chunk for chunk, _ in known]
    return [
        *(_counted(file, kind, known) for kind in KINDS),
        _checksums(file),
        _sorting(file),
        _encryption(file, chunks),
    ]


def _feature(name: str, count: int, of: int, unit: str, present: str, missing: str) -> Feature:
    if not of:
        return Feature(name, "unknown", 0, 0, unit, f"not known: no {unit} can be read")
    state = "all" if count == of else "some" if count else "none"
    return Feature(name, state, count, of, unit, present if count else missing)


def _counted(file: ParquetFile, kind: _Kind, chunks: list[tuple[structs.ColumnChunk, bool]]) -> Feature:
    count = sum(kind.has(chunk) for chunk, _ in chunks)
    useless = sum(kind.has(chunk) and part for chunk, part in chunks) if kind.bounds else 0
    present = kind.present
    if useless:
        words = f"inside a Variant, the bounds of {plural(useless, 'column chunk')} rule nothing out"
        present = words if useless == count else f"{present}; {words}"
    if kind.bounds and count < len(chunks):
        present += _without([chunk for chunk, _ in chunks if not kind.has(chunk)])
    if kind.bounds and 0 < count <= JUDGED:
        present += _alike(file)
    present += _wrong(file, kind.rules)
    return _feature(kind.name, count, len(chunks), "column chunks", present, kind.missing)


def _without(chunks: Sequence[structs.ColumnChunk]) -> str:
    """The columns of chunks that lack a feature; empty if their names are not known."""
    paths = [one.meta_data.path_in_schema or () for one in chunks if one.meta_data is not None]
    names = [name(path) for path in dict.fromkeys(map(tuple, paths)) if path]
    if not names:
        return ""
    return f"; {listing(names, most=NAMED)} {'lacks' if len(names) == 1 else 'lack'} them"


def _alike(file: ParquetFile) -> str:
    """The columns whose row groups all have nearly the same range, so that no condition skips one; "" if there are none.

    Also "" for a damaged schema: the overview shows the rest.
    """
    try:
        leaves, groups = file.schema.leaves, file.row_groups
    except ParquetError:
        return ""
    if len(groups) < 2:
        return ""
    from pqexplore.insight.skippable import group_parts, joint_axis, judged  # a file of one row group needs none of it
    from pqexplore.insight.skipping import USELESS_FOR_SKIPPING

    paths = []
    for leaf in leaves:
        parts = list(group_parts(file, leaf, len(groups)))
        if (
            all(part.bounded for part in parts)
            and judged(parts, joint_axis(leaf, parts)).verdict == USELESS_FOR_SKIPPING
        ):
            paths.append(leaf.path)
    if not paths:
        return ""
    return f"; not by {listing(list(map(name, paths)), most=NAMED)}: each row group has nearly the same range"


def _wrong(file: ParquetFile, rules: tuple[str, ...]) -> str:
    """How many errors of these rules were found so far, and the first; empty if none."""
    known = [one for one in file.findings if one.severity.level == "error" and one.rule.startswith(rules)]
    if not known:
        return ""
    return f"; {plural(len(known), 'finding')} say{'s' * (len(known) == 1)} otherwise: {known[0].message}"


def _chunks(file: ParquetFile) -> Iterator[tuple[structs.ColumnChunk, bool]]:
    """The chunks, and whether each is a part of a Variant whose bounds leave out values."""
    metadata = file.metadata
    try:
        variant = [inside(leaf) for leaf in file.schema.leaves] if metadata is not None else []
    except ParquetError:
        variant = []  # a damaged schema: the overview shows the rest
    for at, group in enumerate((metadata.row_groups or ()) if metadata is not None else ()):
        handles: Sequence[ColumnChunk] = ()
        with contextlib.suppress(ParquetError):
            handles = file.row_groups[at].columns  # the file keeps what these decode
        for index in range(len(group.columns or ())):
            try:
                struct = handles[index].struct if handles else group.columns[index]
                part = index < len(variant) and variant[index]
                yield struct, part and bool(chunk_doubt(file.row_groups[at].columns[index]))
            except ParquetError:
                continue


def _checksums(file: ParquetFile) -> Feature:
    """By the first page of each column of the first row group: writers checksum all pages or none.

    Of a remote file, by one page, which came with the magic.
    """
    count = of = 0
    try:
        chunks = itertools.islice(file.row_groups[0].columns, 8) if file.row_groups else ()
    except ParquetError:
        chunks = ()
    for chunk in chunks:
        try:
            header = _first_header(chunk)
        except ParquetError:
            continue
        if header is not None:
            of += 1
            count += header.crc is not None
            if not file.source.local:
                break
    seen = "" if 0 < count < of else f" (by the {plural(of, 'page')} looked at)"
    return _feature(
        "page checksums",
        count,
        of,
        "pages looked at",
        f"a damaged page is noticed{seen}{_wrong(file, ('crc-mismatch',))}",
        f"a damaged page is noticed only if it happens not to decode{seen}",
    )


def _first_header(chunk: ColumnChunk) -> structs.PageHeader | None:
    if chunk.file.source.local:
        first = next(iter(chunk.pages), None)
        return None if first is None else first.header
    return first_header(chunk)


def _sorting(file: ParquetFile) -> Feature:
    metadata = file.metadata
    groups = () if metadata is None else metadata.row_groups or ()
    return _feature(
        "sorting columns",
        sum(bool(group.sorting_columns) for group in groups),
        len(groups),
        "row groups",
        "the writer says that the rows are sorted; only check() compares them" + _wrong(file, ("not-sorted",)),
        "a reader may not rely on any order of the rows, even if there is one",
    )


def _encryption(file: ParquetFile, chunks: list[structs.ColumnChunk]) -> Feature:
    metadata = file.metadata
    count = sum(chunk.crypto_metadata is not None for chunk in chunks)
    if file.footer.crypto_metadata is not None:
        columns = f", and {count:,} of {len(chunks):,} column chunks" if count else ""
        return Feature("encryption", "all", 1, 1, "footers", f"the footer needs a key{columns}")
    if count or metadata is None or metadata.encryption_algorithm is None:
        return _feature(
            "encryption",
            count,
            len(chunks),
            "column chunks",
            "these columns need keys; the footer is readable",
            "everyone who has the file can read all of it",
        )
    return Feature("encryption", "some", 1, 1, "footers", "the footer is signed, not encrypted")
