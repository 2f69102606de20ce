"""Compares two files: schema, layout, sizes with their causes, and, if asked for, values."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import os
from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.format.thrift import fast
from pqexplore.engine.rule import DATA, FOOTER, PAGES
from pqexplore.engine.text import clip, printable
from pqexplore.insight.diff import (
    chunk_facts,
    claims,
    data,
    file_metadata,
    layout_differences,
    renames,
    schema_differences,
)
from pqexplore.insight.diff.difference import Comparison, Difference, Effect, Subject, and_more
from pqexplore.insight.diff.matching import Matching, Pair, dotted, matching
from pqexplore.insight.diff.shredding_differences import SHREDDING
from pqexplore.insight.diff.size_causes import WITHOUT_CAUSE, with_sizes
from pqexplore.insight.steps import finish
from pqexplore.insight.wording import factor, listing, name, percent, plural

if TYPE_CHECKING:
    from pqexplore.engine.file.caller_types import FileSystem, Readable, StorageOptions
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.engine.limits import Limits


CHUNKS = 400_000
"""Column chunks of both files that are compared."""

SMALL = 8 << 20
"""Bytes of each of two files whose values are compared if their footers do not explain the sizes."""

_PART = 8 << 20
_AT_ONCE = 50_000
"""Column chunks that are looked at in one step."""


LEVELS = (FOOTER, PAGES, DATA)
"""How much of two files is compared: what their footers say, their pages, their values."""


@dataclasses.dataclass(frozen=True, repr=False)
class Diff(Comparison):
    """What differs between two files.

    - `sizes`: bytes of both files. `values`: what comparing the values gave; None below level data.
    - `same_bytes`: whether the files are equal byte for byte; None if that was not looked at.
    - `columns`: the dotted paths of the columns that were compared; None for all.
    """

    sizes: tuple[int, int]
    values: data.Values | None = None
    same_bytes: bool | None = None
    columns: tuple[str, ...] | None = None

    @functools.cached_property
    def sentence(self) -> str:
        """The answer in a sentence or two: whether the rows are the same, which file is larger and why, what differs."""
        return printable(sentence(self))

    @functools.cached_property
    def causes(self) -> Mapping[str, int]:
        """By how many bytes the second file is larger (smaller: negative), by what differs, the most bytes first.

        The bytes of `rest` follow from no difference: most lie in footers and other places outside of columns, the others in
        columns that cannot be read. The sum is the difference of the sizes. Empty if that is 0, or if not all columns were
        compared.
        """
        more = self.sizes[1] - self.sizes[0]
        if not more or self.columns is not None:
            return {}
        found: Counter[str] = Counter()
        for one in self.differences:
            found[one.what] += one.bytes or 0
        made = {what: count for what, count in sorted(found.items(), key=lambda each: -abs(each[1])) if count}
        rest = more - sum(made.values())
        return made | ({"rest": rest} if rest else {})

    @property
    def totals(self) -> str:
        """How the differences add up to that of the sizes: each with its bytes, and the rest."""
        parts = [
            f"{count:+,} {'for the rest' if what == 'rest' else f'by {what}'}" for what, count in self.causes.items()
        ]
        more = self.sizes[1] - self.sizes[0]
        return f"{more:+,} bytes: {listing(parts, most=len(parts))}." if parts else ""

    @property
    def document(self) -> dict[str, Any]:
        """The comparison as JSON values."""
        sizes = list(self.sizes)
        own = {"sizes": sizes, "bytes": sizes[1] - sizes[0], "causes": dict(self.causes), "same_bytes": self.same_bytes}
        return super().document | own


Steps = Generator[float, None, Diff]


def diff(
    a: Readable | ParquetFile,
    b: Readable | ParquetFile,
    level: str | None = None,
    *,
    columns: Sequence[str] | None = None,
    decryption: Decryption | None = None,
    limits: Limits | None = None,
    filesystem: FileSystem | None = None,
    storage_options: StorageOptions | None = None,
) -> Diff:
    """What differs between two Parquet files.

    `a` and `b` are what `pqexplore.open` takes, or open files. `level` says what is read: `footer`, `pages` (also page
    headers) or `data` (all values); None for the footers, and all values of two small local files if these do not explain
    their sizes, or show that values differ. `columns` names the columns that are compared: leaves or groups, dotted; None for all. The other arguments are
    those of `pqexplore.open`, for both files. Raises what `pqexplore.open` raises, ParquetError for a footer or schema that
    cannot be read, and UsageError for an unknown level or column.
    """
    # A footer becomes a million objects: the collector is paused until they are freed.
    paused = fast.collection_paused() if level in (FOOTER, None) else contextlib.nullcontext()
    with paused, contextlib.ExitStack() as stack:
        files = []
        for source in (a, b):
            if isinstance(source, ParquetFile):
                files.append(source)
                continue
            opened = open_file(
                source, decryption=decryption, limits=limits, filesystem=filesystem, storage_options=storage_options
            )
            files.append(stack.enter_context(opened))
        return finish(steps(files[0], files[1], level, columns))


def steps(a: ParquetFile, b: ParquetFile, level: str | None = None, columns: Sequence[str] | None = None) -> Steps:
    """The steps to a comparison of open files; see `diff`."""
    if level is None:
        return (yield from _until_explained(a, b, columns))
    if level not in LEVELS:
        raise UsageError(f"level is {', '.join(LEVELS[:-1])} or {LEVELS[-1]}, not {level!r}")
    names = labels(a.name, b.name)
    same = _same_bytes(a, b) if level == DATA else None
    found = _chosen(matching(a.schema.leaves, b.schema.leaves), columns)
    if same:
        return Diff(*names, level, (), (a.size, b.size), same_bytes=True)
    if len(found.pairs) * (len(a.row_groups) + len(b.row_groups)) > CHUNKS:
        raise UsageError(f"the files have more than {CHUNKS:,} column chunks to compare: name fewer columns")
    if level == DATA:
        found = yield from _scaled(renames.by_values(a, b, found), 0.0, 0.0)
    counts = layout_differences.row_counts(a), layout_differences.row_counts(b)
    rows = [_rows(file, of_groups) for file, of_groups in zip((a, b), counts, strict=True)]
    same_groups = counts[0] == counts[1]
    compared = yield from _chunks(a, b, found.pairs)
    for at, pair in enumerate(found.pairs if level != FOOTER else ()):
        chunk_facts.add_pages(a, pair.first.leaf_index, compared[pair.path][0])
        chunk_facts.add_pages(b, pair.second.leaf_index, compared[pair.path][1])
        if at % 16 == 15:
            yield 0.3 * at / len(found.pairs)
    values: data.Values | None = None
    if level == DATA:
        values = yield from _scaled(data.values(a, b, found), 0.3, 1.0)
    made = list(_differences(a, b, found, compared, counts, rows, same_groups, values, names))
    made = with_sizes(a, b, found, compared, made, level)
    if not made and a.size != b.size and columns is None:
        made = [_elsewhere(a.size, b.size)]
    made.sort(key=lambda one: one.order)
    some = None if columns is None else tuple(pair.path for pair in found.pairs)
    return Diff(*names, level, tuple(made), (a.size, b.size), values, same, some)


def _until_explained(a: ParquetFile, b: ParquetFile, columns: Sequence[str] | None) -> Steps:
    """By the footers; by all values of two small local files if these leave their sizes unexplained, or which rows differ."""
    by_footers = yield from steps(a, b, FOOTER, columns)
    unexplained = any(one.what in WITHOUT_CAUSE or one.subject is Subject.DATA for one in by_footers.differences)
    small = all(file.source.local and file.size <= SMALL for file in (a, b))
    return (yield from steps(a, b, DATA, columns)) if unexplained and small else by_footers


def _rows(file: ParquetFile, of_groups: Sequence[int | None]) -> int | None:
    """The rows of all row groups, or of the footer if one of them does not say."""
    known = [rows for rows in of_groups if rows is not None]
    return sum(known) if len(known) == len(of_groups) else file.open_footer.num_rows


def _elsewhere(first: int, second: int) -> Difference:
    """Another size, though nothing that was compared differs."""
    more = second - first
    return Difference(
        Subject.SIZE,
        "other-bytes",
        f"The second file has {plural(abs(more), 'byte')} {'more' if more > 0 else 'less'}, and nothing that was compared "
        "differs: they are in the footer, or outside of the columns' pages.",
        first=f"{first:,} B",
        second=f"{second:,} B",
    )


def _chunks(a: ParquetFile, b: ParquetFile, pairs: Sequence[Pair]) -> Generator[float, None, chunk_facts.Columns]:
    """The chunks of each pair of columns, by its path."""
    texts = chunk_facts.Texts()
    with fast.collection_paused():
        firsts = chunk_facts.structs_of(a, [pair.first.leaf_index for pair in pairs])
        seconds = chunk_facts.structs_of(b, [pair.second.leaf_index for pair in pairs])
    columns = zip(pairs, firsts, seconds, strict=True)
    made: dict[str, tuple[list[chunk_facts.Chunk | None], list[chunk_facts.Chunk | None]]] = {}
    batch = 1 + _AT_ONCE // (1 + len(a.row_groups) + len(b.row_groups))
    for _ in range(0, len(pairs), batch):
        if made:
            yield 0.0
        with fast.collection_paused():
            for pair, *of_both in itertools.islice(columns, batch):
                counted = all(map(chunk_facts.counts_pages, of_both))
                one, two = (texts.column(column, counted) for column in of_both)
                made[pair.path] = one, two
    return made


Result = TypeVar("Result")


def _scaled(steps: Generator[float, None, Result], start: float, end: float) -> Generator[float, None, Result]:
    try:
        while True:
            yield start + (end - start) * next(steps)
    except StopIteration as stop:
        found: Result = stop.value
        return found


def _differences(
    a: ParquetFile,
    b: ParquetFile,
    found: Matching,
    compared: chunk_facts.Columns,
    counts: tuple[list[int | None], list[int | None]],
    rows: Sequence[int | None],
    same_groups: bool,
    values: data.Values | None,
    names: tuple[str, str],
) -> Iterator[Difference]:
    of_schema = [_known(one, values) for one in schema_differences.differences(found, *names)]
    if values is None:
        of_schema = list(_with_hints(of_schema, renames.only_ones(renames.candidates(a, b, found))))
    yield from of_schema
    yield from file_metadata.differences(a, b, bool(of_schema), rows[0] == rows[1])
    yield from layout_differences.row_groups(*counts)
    retyped = {path for one in of_schema for path in one.columns}
    shredded = {path for one in of_schema if one.what == SHREDDING for path in one.columns}
    yield from layout_differences.aspects(found.pairs, compared, same_groups, retyped, shredded)
    yield from layout_differences.unread(found.pairs, compared)
    if values is not None:
        yield from data.differences(values)
    if rows[0] != rows[1]:
        yield from claims.rows(rows[0], rows[1], values)
        return  # other rows have other nulls and bounds
    differ = {path for one in values.compared if one.rows for path in one.paths} if values else ()
    pairs = [pair for pair in found.pairs if pair.path not in shredded]
    for one in claims.values(pairs, compared, same_groups, (a.created_by, b.created_by)):
        if not set(one.columns) & set(differ):
            yield one if values is None else dataclasses.replace(one, subject=Subject.STATISTICS)


def _with_hints(found: Sequence[Difference], perhaps: Sequence[Pair]) -> Iterator[Difference]:
    """The differences; of a column that can be another one under a new name, by the footers, with what tells."""
    names = {dotted(pair.first): pair.path for pair in perhaps}
    for one in found:
        if one.what == "column-removed" and len(one.columns) == 1 and one.columns[0] in names:
            after = name(names[one.columns[0]])
            said = f"{one.sentence} Level `data` tells whether {after} is this column under another name."
            one = dataclasses.replace(one, sentence=said)
        yield one


def _known(one: Difference, values: data.Values | None) -> Difference:
    """A narrower type without the fear for values, if all of them were compared and are the same."""
    same = {
        path
        for column in (values.compared if values is not None else ())
        if values is not None and (values.permuted or not column.rows)
        for path in column.paths
    }
    if one.effect != Effect.NARROWED or not same.issuperset(one.columns):
        return one
    said = f"{one.sentence.partition(f': {one.effect.value} (')[0]}: all values are the same."
    return dataclasses.replace(one, sentence=said, effect=Effect.LOOKS)


def _chosen(found: Matching, columns: Sequence[str] | None) -> Matching:
    """The columns that are compared; UsageError for a name that neither file has."""
    if columns is None:
        return found
    if not columns:
        raise UsageError("columns names no column; None compares all")
    wanted = [tuple(name.split(".")) for name in columns]
    every = [pair.second.path for pair in found.pairs]
    every += [pair.first.path for pair in found.pairs]
    every += [leaf.path for leaf in (*found.removed, *found.added)]
    for path in wanted:
        if not any(one[: len(path)] == path for one in every):
            raise UsageError(f"neither file has a column {'.'.join(path)!r}")

    def chosen(path: tuple[str, ...]) -> bool:
        return any(path[: len(one)] == one for one in wanted)

    return Matching(
        tuple(one for one in found.pairs if chosen(one.second.path) or chosen(one.first.path)),
        tuple(one for one in found.removed if chosen(one.path)),
        tuple(one for one in found.added if chosen(one.path)),
    )


def labels(first: str, second: str) -> tuple[str, str]:
    """Short names for sentences: those of the files, or "the first file" and "the second file" if they are alike."""
    short = [clip(os.path.basename(name.rstrip("/")) or name, 60) for name in (first, second)]
    if short[0] == short[1]:
        return "the first file", "the second file"
    return short[0], short[1]


def _same_bytes(a: ParquetFile, b: ParquetFile) -> bool:
    if a.size != b.size:
        return False
    return all(
        a.source.read(start, min(_PART, a.size - start)) == b.source.read(start, min(_PART, a.size - start))
        for start in range(0, a.size, _PART)
    )


__all__ = ["DATA", "FOOTER", "LEVELS", "PAGES", "Diff", "diff", "labels", "steps"]


# The answer of a comparison in words: the rows, the size and its cause, the most important difference, how many more.

LOOKED = {"footer": "By their footers, ", "pages": "By their footers and page headers, ", "data": ""}
"""How a sentence says what was read, by level."""

NOTICED = 0.01
"""Share of its size by which a file must differ for the sentence to speak of it."""


def sentence(found: Diff) -> str:
    """See `Diff.sentence`."""
    first, second = found.first, found.second
    if found.same_bytes:
        return f"{_begin(first)} and {second} are the same, byte for byte."
    if not found.differences:
        what = "schema, layout and values" if found.level == "data" else "schema and layout"
        said = f"{first} and {second} have the same {what}{_of_columns(found)}."
        return LOOKED[found.level] + (said if LOOKED[found.level] else _begin(said))
    said, lead, cause = _rows_and_size(found)
    rest = [one for one in found.differences if one is not cause and not (lead and one.what == "row-order")]
    if rest:
        said = f"{said} {rest[0].sentence}{and_more(len(rest) - 1)}".strip()
    looked = LOOKED[found.level]
    if not looked or lead:
        return said
    small = said.startswith(("The ", "Only ", "Both "))
    return looked + (said[:1].lower() if small else said[:1]) + said[1:]


def _rows_and_size(found: Diff) -> tuple[str, bool, Difference | None]:
    """What is said of rows and sizes; whether the rows are the same; and the difference that is said as the cause."""
    rows, larger = _same_rows(found), _larger(found)
    cause = _size_cause(found) if larger else None
    because = f" because {cause.clause}" if cause is not None else ""
    if rows:
        return f"{rows}{f'; it is {larger}{because}' if larger else ''}.", True, cause
    if not larger:
        return "", False, None
    comma = "," if because else ""
    return f"{_begin(found.second)} is {larger} than {found.first}{comma}{because}.", False, cause


def _begin(text: str) -> str:
    return f"T{text[1:]}" if text.startswith("the ") else text


def _of_columns(found: Diff) -> str:
    """The columns that were compared; "" for all."""
    if found.columns is None:
        return ""
    return f" of {listing([name(path) for path in found.columns], most=4)}"


def _same_rows(found: Diff) -> str:
    """Whether both hold the same rows, if the values were compared; "" if they do not, or it is not known."""
    values = found.values
    if values is None or any(one.why for one in values.columns):
        return ""
    columns = any(one.what in ("column-added", "column-removed", "field-id") for one in found.differences)
    if columns or any(one.what == "rows" for one in found.differences):
        return ""
    what = f"the same values{_of_columns(found)}" if found.columns else "the same rows"
    begin = f"{_begin(found.second)} holds {what} as {found.first}"
    if values.equal:
        return begin
    return f"{begin} in another order" if values.permuted else ""


def _larger(found: Diff) -> str:
    """How much larger or smaller the second file is: "1.4 × larger"; "" if hardly."""
    one, two = found.sizes
    return "" if not one or abs(two / one - 1) < NOTICED else change(one, two)


def change(one: int, two: int) -> str:
    """How much larger or smaller `two` is than `one`, which is not 0: "1.4 × larger", "3.1 % smaller"."""
    if two / one >= 1.1:
        return f"{factor(two / one)} larger"
    if two > one:
        return f"{percent(two / one - 1)} larger"
    return f"{percent(1 - two / one)} smaller"


def _size_cause(found: Diff) -> Difference | None:
    """The difference that explains most of the bytes, in the direction in which the files differ."""
    one, two = found.sizes
    sign = 1 if two > one else -1
    known = [d for d in found.differences if d.clause and d.bytes and d.bytes * sign > 0]
    best = max(known, key=lambda d: abs(d.bytes or 0), default=None)
    if best is None or abs(best.bytes or 0) * 2 < abs(two - one):
        return None
    return best
