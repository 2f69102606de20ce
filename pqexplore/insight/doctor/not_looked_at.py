"""What a diagnosis could not look at: locked, damaged, or in other files. A report must not call it sound."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from pqexplore.engine.errors import EncryptedFileError, ParquetError
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.rule import DATA, FOOTER, RULES
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.insight.doctor.subject import Subject

LISTED = 100
"""Unreadable parts of the footer that become findings."""

LOCKED = "The footer is encrypted and no key opens it, so only the ends of the file were looked at."


class Unread(NamedTuple):
    """What of the footer cannot be read: as findings, as a number of parts, and the columns that need a key."""

    findings: list[Finding]
    parts: int
    locked: frozenset[int]


def unread(subject: Subject) -> Unread:
    """What of the footer cannot be read: the schema, the row groups, the metadata of column chunks."""
    found: dict[tuple[str, str], Finding] = {}
    locked: set[int] = set()
    parts = 0
    for problem in _problems(subject):
        if isinstance(problem, int):
            locked.add(problem)
            continue
        parts += 1
        if len(found) < LISTED:
            one = failure(problem)
            found[one.address, one.message] = one
    return Unread(list(found.values()), parts, frozenset(locked))


def _problems(subject: Subject) -> Iterator[ParquetError | int]:
    """The errors of the footer's parts, and the index of a leaf for each chunk that needs a key."""
    file = subject.file
    if file.metadata is None:
        return
    if file.footer_damage is not None:
        yield file.footer_damage
    try:
        _ = file.schema.leaves
        groups = file.row_groups
    except ParquetError as error:
        yield error
        return
    counted = len(subject.rows) == subject.groups
    sound = counted and bool(subject.readable.size) and bool(subject.readable.all())
    if sound and file.footer.cipher is None:
        return
    for index in range(subject.groups):
        try:
            _ = groups[index].num_rows
            chunks = groups[index].columns
        except ParquetError as error:
            yield error
            continue
        for chunk in chunks:
            yield from _problem(chunk)


def _problem(chunk: ColumnChunk) -> Iterator[ParquetError | int]:
    """The error of a chunk's metadata, or the index of its leaf if it needs a key."""
    try:
        if chunk.locked:
            yield chunk.leaf.leaf_index
        else:
            _ = chunk.metadata
    except EncryptedFileError:
        yield chunk.leaf.leaf_index
    except ParquetError as error:
        yield error


def sentences(subject: Subject, level: str, found: Unread, checked: Sequence[Finding]) -> tuple[str, ...]:
    """What was not looked at. `checked`: the findings of the checks."""
    file = subject.file
    if file.metadata is None:
        return (LOCKED,)
    if not subject.leaves and found.parts:
        return ("The schema cannot be read, so no column was looked at.",)
    said = []
    if subject.partial:
        total = len(file.row_groups)
        said.append(f"Only the first {subject.groups:,} of {total:,} row groups were looked at.")
    if found.locked:
        verb = "needs a key that is" if len(found.locked) == 1 else "need keys that are"
        columns = plural(len(found.locked), "column")
        said.append(f"{columns} {verb} not known: what is encrypted was not looked at.")
    if found.parts:
        parts = plural(found.parts, "part")
        said.append(f"{parts} of the footer cannot be read, and what it describes was not looked at.")
    if file.other_files and level != FOOTER and file.neighbours is None:
        others = plural(len(file.other_files), "other file")
        said.append(f"The pages lie in {others} and were not looked at.")
    if level == DATA and any(one.rule in RULES and RULES[one.rule].incomplete for one in checked):
        said.append("Not everything was checked.")
    return tuple(said)
