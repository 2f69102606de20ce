"""Makes one answer of what differs between two folders, tables, or versions of a table."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from pqexplore.engine.errors import UsageError
from pqexplore.engine.rule import DATA, FOOTER
from pqexplore.engine.text import clip, printable
from pqexplore.insight.diff import schema_differences as file_schema
from pqexplore.insight.diff.claims import more_or_fewer
from pqexplore.insight.diff.diff import LEVELS, labels
from pqexplore.insight.diff.difference import Comparison, Difference, Effect, Subject, and_more
from pqexplore.insight.diff.matching import matching
from pqexplore.insight.diff.schema_differences import nullability, only, retyped
from pqexplore.insight.diff.type_changes import change
from pqexplore.insight.json_values import plain
from pqexplore.insight.wording import listing, name, plural, size
from pqexplore.lake.comparing import files
from pqexplore.lake.comparing.files import ADDED, CHANGED, KEPT, REMOVED, FilePair, RowsOnly
from pqexplore.lake.comparing.state import Member, State
from pqexplore.lake.logs.log_types import leaf_of
from pqexplore.lake.logs.table_log import TableLog
from pqexplore.lake.logs.table_schema import TableField

NAMED = 3
NOT_COMPARED = "not-compared"


@dataclasses.dataclass(frozen=True, repr=False)
class LakeDiff(Comparison):
    """What differs between two folders, tables, or versions of a table. `level` is `footer` (logs and footers) or `data`.

    - `pairs`: the files, by name. `rows`: the rows that a reader gets of each side; None if unknown.
    - `rows_only`: the rows that only one side has; None below level data.
    - `by_log`: whether the log says that no version in between changed rows. `one_table`: whether both are versions of
      one table, whose files never change.
    - `unread`: files that cannot be read though their rows are wanted, with the reason.
    """

    pairs: tuple[FilePair, ...]
    rows: tuple[int | None, int | None]
    rows_only: RowsOnly | None = None
    by_log: bool = False
    one_table: bool = False
    unread: tuple[tuple[str, str], ...] = ()

    @functools.cached_property
    def sentence(self) -> str:
        """Which files are new and which are gone, whether the rows are the same, and what else differs."""
        return printable(sentence(self))

    @functools.cached_property
    def files(self) -> pa.Table:
        """A row for each file: name, state, and rows, deleted rows and bytes on both sides."""
        return files.table(self.pairs)

    def of(self, *states: str) -> list[FilePair]:
        """The files of these states."""
        return [one for one in self.pairs if one.state in states]

    @property
    def same_rows(self) -> bool:
        """Whether both have the same rows, and that is proven: by the log, or by hashes of all rows."""
        return self.by_log or (self.rows_only is not None and self.rows_only.equal)

    @property
    def document(self) -> dict[str, Any]:
        """The comparison as JSON values: the sentence, the differences, and the files."""
        return super().document | {
            "rows": list(self.rows),
            "same_rows": self.same_rows,
            "unread": [{"file": plain(file), "why": plain(why)} for file, why in self.unread],
            "files": plain(self.files.to_pylist()),
        }


def compare(a: State, b: State, level: str = FOOTER) -> LakeDiff:
    """Compares two sides; see `diff`."""
    if level not in LEVELS:
        raise UsageError(f"level is {', '.join(LEVELS[:-1])} or {LEVELS[-1]}, not {level!r}")
    names = _names(a, b)
    every = a.log is None or b.log is None or a.log.format != b.log.format
    a, schemas_one, unread_one = files.with_footers(a, every)
    b, schemas_two, unread_two = files.with_footers(b, every)
    one_table = not every and a.root == b.root
    pairs = tuple(files.side_by_side(a, b, level, one_table))
    made = list(_schemas(a, b, schemas_one, schemas_two, names))
    counts = _total(a.members.values()), _total(b.members.values())
    by_log = one_table and not made and _unchanged(a, b)
    only = None
    if level == DATA and not by_log and any(one.state != KEPT for one in pairs):
        only = _rows_only(a, b, pairs)
    made += _rows(counts, names, pairs, only, made)
    made += _files(pairs, names)
    for some, label in zip((unread_one, unread_two), names, strict=True):
        if some:
            what = f"{plural(len(some), 'file')} of {label} cannot be read, and how many rows they have is not known"
            sentence = f"{what}: {some[0][0]}: {some[0][1]}."
            made.append(Difference(Subject.FILE, NOT_COMPARED, sentence))
    made = [dataclasses.replace(one, sentence=begin(one.sentence)) for one in made]
    made.sort(key=lambda one: one.order)
    unread = (*unread_one, *unread_two)
    return LakeDiff(*names, level, tuple(made), pairs, counts, only, by_log, one_table, unread)


def _names(a: State, b: State) -> tuple[str, str]:
    if a.root == b.root and a.label and b.label:
        return a.label, b.label
    first, second = labels(a.root, b.root)
    if first == "the first file":
        first, second = "the first folder", "the second folder"
    return clip(printable(first), 60), clip(printable(second), 60)


def _total(members: Iterable[Member]) -> int | None:
    return _sum(one.live for one in members)


def _unchanged(a: State, b: State) -> bool:
    """Whether the log says of each version between the two that it changed no row."""
    for earlier, later in ((a, b), (b, a)):
        changed = {} if later.log is None else later.log.changed
        if earlier.version in changed and later.version in changed:
            line = list(changed)
            start, end = (line.index(one.version) + 1 for one in (earlier, later) if one.version is not None)
            return not any(changed[one] for one in line[start:end])
    return False


def _rows_only(a: State, b: State, pairs: Iterable[FilePair]) -> RowsOnly:
    others = [one for one in pairs if one.state != KEPT]
    for one in (a, b):
        if one.log is not None and one.log.partitions:
            wanted = set(one.log.partitions)
            for pair in others:
                folders = {part.partition("=")[0] for part in _partition(pair).split("/")}
                if folders != wanted:
                    return RowsOnly(why="the folders of a file do not say its partition")
    return files.compare_rows([one.first for one in others if one.first], [one.second for one in others if one.second])


def _partition(pair: FilePair) -> str:
    return next(one.partition for one in (pair.first, pair.second) if one is not None)


def _schemas(
    a: State, b: State, one: files.Schemas, two: files.Schemas, names: tuple[str, str]
) -> Iterator[Difference]:
    """The differences of the schemas by the logs, else of those that most files have."""
    if a.log is not None and b.log is not None:
        if a.log.format == b.log.format:
            yield from log_differences(a.log, b.log)
        if a.log.partitions != b.log.partitions:
            texts = [listing([printable(c) for c in log.partitions]) for log in (a.log, b.log)]
            sentence = f"The table is partitioned by {texts[1] or 'nothing'} in place of {texts[0] or 'nothing'}."
            yield Difference(Subject.LAYOUT, "partitioning", sentence, first=texts[0], second=texts[1])  # fmt: skip
        return
    if one.usual is not None and two.usual is not None:
        found = matching(one.usual.leaves, two.usual.leaves)
        yield from file_schema.differences(found, *names)
    if len(one.counts) != len(two.counts):
        texts = [plural(len(each.counts), "schema") for each in (one, two)]
        sentence = f"The files of {names[1]} have {texts[1]}, those of {names[0]} {texts[0]}."
        yield Difference(Subject.SCHEMA, "schemas", sentence, first=texts[0], second=texts[1])


def _rows(
    counts: tuple[int | None, int | None],
    names: tuple[str, str],
    pairs: Iterable[FilePair],
    only: RowsOnly | None,
    of_schema: Iterable[Difference],
) -> Iterator[Difference]:
    first, second = counts
    if first is not None and second is not None and first != second:
        sentence = f"{names[1]} has {plural(second, 'row')}, {names[0]} {first:,}: {more_or_fewer(first, second)}."
        yield Difference(Subject.DATA, "rows", sentence, first=f"{first:,}", second=f"{second:,}")
    if only is not None and only.why:
        sentence = f"The rows of the files that differ were not compared: {only.why}."
        yield Difference(Subject.DATA, NOT_COMPARED, sentence)
    elif only is not None and not only.equal:
        sentence = f"{plural(only.only_first or 0, 'row')} of {names[0]} {'is' if only.only_first == 1 else 'are'} not in {names[1]}, {only.only_second:,} of {names[1]} not in {names[0]}."
        yield Difference(Subject.DATA, "values", sentence)
    changed = [one for one in pairs if one.state == CHANGED]
    before = _sum(None if one.first is None else one.first.deleted for one in changed)
    after = _sum(None if one.second is None else one.second.deleted for one in changed)
    if before is not None and after is not None and before + after:
        sentence = f"Deletion vectors or delete files delete {plural(after, 'row')} of files that both have, in place of {before:,}."
        yield Difference(Subject.DATA, "deleted-rows", sentence, first=f"{before:,}", second=f"{after:,}")


def _files(pairs: Iterable[FilePair], names: tuple[str, str]) -> Iterator[Difference]:
    for state, has in ((REMOVED, names[0]), (ADDED, names[1])):
        found = [one for one in pairs if one.state == state]
        if found:
            yield _files_of_one_side(found, state, has)
    for one in pairs:
        if one.diff is not None:
            worst = one.diff.differences[0]
            yield Difference(worst.subject, "file-changed", f"{one.name}: {one.diff.sentence}", worst.columns)
        elif one.why:
            yield Difference(Subject.FILE, "file-changed", f"{one.name}: {one.why}.")


def _files_of_one_side(found: Sequence[FilePair], state: str, has: str) -> Difference:
    members = [one.first or one.second for one in found]
    rows = _sum(None if one is None else one.rows for one in members)
    stored = _sum(None if one is None else one.size for one in members)
    counted = [] if rows is None else [plural(rows, "row")]
    counted += [] if stored is None else [size(stored)]
    more = f" ({', '.join(counted)})" if counted else ""
    some = listing([one.name for one in found], most=NAMED)
    sentence = f"Only {has} has {plural(len(found), 'file')}{more}: {some}."
    sign = 1 if state == ADDED else -1
    return Difference(Subject.LAYOUT, f"files-{state}", sentence, bytes=None if stored is None else sign * stored)


def _sum(counts: Iterable[int | None]) -> int | None:
    """The sum; None if a count is not known."""
    total = 0
    for one in counts:
        if one is None:
            return None
        total += one
    return total


# The answer of a comparison of many files in words: which files, whether the rows are the same, what else.

_OF_LEAD = ("files-added", "files-removed", "rows", "values")
"""Differences that the first part of the sentence tells."""


def sentence(found: LakeDiff) -> str:
    """See `LakeDiff.sentence`."""
    first, second = found.first, found.second
    kept = len(found.of("kept"))
    if found.same:
        looked = "" if found.level == "data" or found.one_table else "by their footers, "
        return begin(f"{looked}{first} and {second} have the same {plural(kept, 'file')}.")
    said = begin(f"{_sentence_files(found)}{_sentence_rows(found)}.")
    rest = [one for one in found.differences if one.what not in _OF_LEAD]
    if rest:
        said += f" {begin(rest[0].sentence)}{and_more(len(rest) - 1)}"
    return said


def begin(text: str) -> str:
    """A sentence whose first word may be the name of a version or folder, with a capital letter."""
    return text[:1].upper() + text[1:] if text.startswith(_WORDS) else text


_WORDS = ("the first folder", "the second folder", "version ", "snapshot ", "by ")


def _sentence_files(found: LakeDiff) -> str:
    added, removed, changed = (len(found.of(state)) for state in ("added", "removed", "changed"))
    first, second = found.first, found.second
    parts = []
    if added:
        parts.append(f"has {plural(added, 'new file')}")
    if removed:
        parts.append(f"lacks {removed:,} of {first}" if added else f"lacks {plural(removed, 'file')} of {first}")
    if parts:
        return f"{second} {' and '.join(parts)}" + (
            f"; {changed:,} of the files that both have {'differs' if changed == 1 else 'differ'}" if changed else ""
        )
    if changed:
        return f"{changed:,} of the {plural(len(found.pairs), 'file')} of {first} and {second} {'differs' if changed == 1 else 'differ'}"
    return f"{first} and {second} have the same {plural(len(found.pairs), 'file')}"


def _sentence_rows(found: LakeDiff) -> str:
    """What is known of the rows, after a semicolon; "" if no file differs."""
    if not found.of("added", "removed", "changed"):
        return ""
    if found.same_rows:
        proof = (
            "the log says that the rows are the same" if found.by_log else "the rows are the same, by hashes of 64 bits"
        )
        return f"; {proof}{_rewritten(found)}"
    first, second = found.rows
    if first is None or second is None:
        return "; how many rows both have is not known"
    only = found.rows_only
    if only is not None and not only.why:
        return f"; {plural(only.only_first or 0, 'row')} of {found.first} {'is' if only.only_first == 1 else 'are'} gone, {only.only_second:,} {'is' if only.only_second == 1 else 'are'} new"
    if first == second:
        return f"; both have {plural(first, 'row')}"
    more = second - first
    it = "it" if found.of("added", "removed") else found.second
    return f"; {it} has {plural(abs(more), 'row')} {'more' if more > 0 else 'fewer'}"


def _rewritten(found: LakeDiff) -> str:
    """What happened to files whose rows stayed the same."""
    added, removed = len(found.of("added")), len(found.of("removed"))
    if not added or not removed or found.of("changed"):
        return ""
    before, after = plural(removed, "file"), plural(added, "file")
    if added < removed:
        return f": {before} {'was' if removed == 1 else 'were'} compacted into {after}"
    return f": {before} {'was' if removed == 1 else 'were'} rewritten as {after}"


# How the schemas of two tables differ, by their logs: columns are the same if they have the same id, or the same path.


def log_differences(one: TableLog, two: TableLog) -> Iterator[Difference]:
    """The differences of the schemas of two logs of one format; none if a schema cannot be read."""
    if one.schema is None or two.schema is None:
        return
    fields, others = one.schema.leaves, two.schema.leaves
    by_id = all(field.id is not None for field in (*fields, *others) if len(field.path) == 1)
    before = {_key(field, by_id): field for field in fields}
    after = {_key(field, by_id): field for field in others}
    for key, field in before.items():
        if key not in after:
            yield only("column-removed", "the first schema", [_dotted(field)], [clip(field.type, 60)])
    for key, field in after.items():
        if key not in before:
            yield only("column-added", "the second schema", [_dotted(field)], [clip(field.type, 60)])
        else:
            # What engines make of two files says nothing of a table's versions, so no difference has a kind.
            yield from (dataclasses.replace(d, kind="") for d in _changed(before[key], field, one.format))
    if [key for key in before if key in after] != [key for key in after if key in before]:
        sentence = "The columns stand in another order."
        yield Difference(Subject.SCHEMA, "column-order", sentence, effect=Effect.LOOKS)


def _key(one: TableField, by_id: bool) -> object:
    return one.id if by_id and one.id is not None else one.path


def _dotted(one: TableField) -> str:
    return printable(".".join(one.path))


def _changed(one: TableField, two: TableField, format: str) -> Iterator[Difference]:
    path, before = _dotted(two), _dotted(one)
    if one.path != two.path:
        sentence = f"{name(before)} is called {name(path)}: both have the field id {two.id}."
        yield Difference(
            Subject.SCHEMA, "column-renamed", sentence, (path,), first=before, second=path, effect=Effect.LOOKS
        )
    if one.type != two.type:
        own, other = leaf_of(one.type, format), leaf_of(two.type, format)
        effect = None if own is None or other is None else change(own, other)
        yield retyped(path, clip(one.type, 60), clip(two.type, 60), effect)
    if one.required != two.required:
        words = ("required", "optional") if one.required else ("optional", "required")
        yield nullability(*words, [path], [path])
