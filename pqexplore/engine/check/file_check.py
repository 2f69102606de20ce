"""The check of a whole file: walks through it once, chunk by chunk and page by page."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Generator, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from pqexplore.engine.check import (
    chunks,
    ends,
    extensions,
    file_references,
    metadata,
    records,
    row_groups,
    schema,
    sorting,
    variant,
)
from pqexplore.engine.check.footer import FILE_RULES, guarded
from pqexplore.engine.check.repeats import without_repeats
from pqexplore.engine.check.sound_chunks import SoundChunks
from pqexplore.engine.check.writers import named
from pqexplore.engine.errors import LimitExceededError, ParquetError, within_memory
from pqexplore.engine.file.chunk_reader import shows_change
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.format.thrift import structs

if TYPE_CHECKING:
    from pqexplore.engine.check.sample import Plan
    from pqexplore.engine.check.sound_chunks import SoundGroup
    from pqexplore.engine.file.column_chunk import ColumnChunk
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.row_group import RowGroup


@dataclasses.dataclass(slots=True)
class Counted:
    """The pages whose bytes were looked at so far; whether a page of their chunks would show that its bytes were changed."""

    pages: int = 0
    checksums: bool = False


Progress = Callable[[int, int], None]
"""Called with the bytes of the file that are done, and the file's size; both are equal in the last call."""

ROW_GROUP_RULES = (row_groups.findings,)
"""Rules about one row group that need no pages."""
ROW_RULES = (records.findings, sorting.findings, file_references.findings, variant.findings)
"""Rules about the rows of one row group, across columns."""
FLAT_ROW_RULES = (sorting.findings,)
"""Those of them that are about columns without fields, too."""


def check(file: ParquetFile, progress: Progress | None = None, counted: Counted | None = None) -> Iterator[Finding]:
    """Yields every finding about the file. Raises nothing for damage in the file. `counted` counts the pages.

    Reads every page once, and nested columns once more to assemble their records. Lists at most
    `repeats.MAX_OF_A_RULE` findings of one rule. If the work budget runs out, the last finding says so.
    """
    for finding in check_steps(file, progress, counted):
        if finding is not None:
            yield finding


def noted(file: ParquetFile) -> Counted:
    """Notes every finding about the file in it, as `check` gives them; returns what was looked at."""
    counted = Counted()
    for finding in check(file, counted=counted):
        file.note(finding)
    return counted


def check_steps(
    file: ParquetFile,
    progress: Progress | None = None,
    counted: Counted | None = None,
    plan: Plan | None = None,
    *,
    together: bool = True,
) -> Iterator[Finding | None]:
    """The findings of `check`, and None after each other step of the work, so that the caller may stop or go on later.

    `counted` counts the pages that were looked at. With a `plan` of `sample`, only its chunks and pages are looked at.
    Without `together` no chunk is proved sound together with others (see `sound_chunks`): the findings are the same, later.
    """
    steps = _within_budget(file, _findings(file, progress or _no_progress, counted or Counted(), plan, together))
    for finding in without_repeats(file.budget.steps("check()", steps)):
        yield None if finding is None else file.located(named(finding, _created_by(file)))


def _created_by(file: ParquetFile) -> str | None:
    """The writer, None if unknown. It comes after the row groups: reading it before a finding would not be in the budget."""
    try:
        return file.created_by
    except ParquetError:
        return None


def _within_budget(file: ParquetFile, steps: Iterator[Finding | None]) -> Generator[Finding | None, None, None]:
    """The steps until the budget runs out, then one that says so."""
    for finding in steps:
        if file.budget.exhausted:
            yield _stopped(file)
            return
        yield finding
        if finding is not None:
            with suppress(LimitExceededError):
                file.budget.charge(nodes=1, address=finding.address)
    if file.budget.exhausted:
        yield _stopped(file)


def _stopped(file: ParquetFile) -> Finding:
    account = file.budget.account
    assert account is not None
    return Finding(
        "not-everything-checked",
        account.stopped_at,
        f"not everything was checked: {account.exhausted}",
        {"bytes": account.bytes, "nodes": account.nodes, "seconds": round(account.spent, 1)},
    )


def _no_progress(done: int, total: int) -> None:
    """Ignores the progress."""


def _findings(
    file: ParquetFile, progress: Progress, counted: Counted, plan: Plan | None, together: bool
) -> Iterator[Finding | None]:
    """Findings, and None after each step of the work."""
    total = file.size
    progress(0, total)
    if file.footer_damage is not None:
        yield failure(file.footer_damage, "footer")
        yield from guarded(ends.layout_findings, file, "")
        return
    for rule in FILE_RULES:
        yield from guarded(rule, file, "")
    if file.metadata is not None and "row_groups" in structs.missing(file.footer_metadata):
        return  # all that follows needs the row groups
    sound = None
    if file.metadata is not None:
        done = 0
        rows_agree = True
        try:
            sound = SoundChunks(file) if together and plan is None else None
            for group in file.row_groups:
                for finding, size in _row_group(group, plan, None if sound is None else sound.of(group.index), counted):
                    done += size
                    if finding is None:
                        progress(min(done, total), total)
                    elif finding.rule == "rows-disagree":
                        rows_agree = False
                    yield finding
        except ParquetError as error:
            yield failure(error)
        if rows_agree:  # else a wrong number of a row group makes the sum wrong, too
            yield from guarded(metadata.num_rows, file, "")
    if plan is not None:
        return
    known = {} if sound is None else sound.groups()
    yield from guarded(lambda one: extensions.findings(one, known), file, "")
    yield from guarded(metadata.signing_fields, file, "")
    if file.footer.cipher is not None:
        from pqexplore.engine.check import encryption

        yield from guarded(encryption.findings, file, "")
    yield from guarded(lambda one: ends.layout_findings(one, known), file, "")
    progress(total, total)


_Step = tuple[Finding | None, int]
"""A finding, and the bytes that were looked at since the step before."""


def _row_group(group: RowGroup, plan: Plan | None, sound: SoundGroup | None, counted: Counted) -> Iterator[_Step]:
    """The findings of a row group, and a step after each page, or after all that are `sound`."""
    for rule in ROW_GROUP_RULES:
        for finding in guarded(rule, group, group.address):
            yield finding, 0
    try:
        columns = group.columns
    except ParquetError as error:
        if len(group.metadata.columns or ()) != schema.leaves_with_lost(group.file):
            yield failure(error, group.address), 0
        return
    rows: int | None = group.metadata.num_rows
    seen = _Seen(rows is not None and rows >= 0)
    if sound is not None:
        seen.sound.update(sound.columns.tolist())
        counted.pages += int(sound.pages.sum())
        counted.checksums = counted.checksums or sound.checksums
        yield None, int((sound.ends - sound.starts).sum())
    proved = frozenset(seen.sound)
    for index in range(len(columns)):
        chosen = None if plan is None else plan.get((group.index, index))
        if index not in proved and (plan is None or chosen is not None):
            yield from _chunk(columns[index], seen, chosen, counted)
    for finding in row_groups.rows(group, seen.wrong_rows):
        yield finding, 0
    if plan is None:
        yield from _of_all_chunks(group, seen, whole=sound is not None and sound.whole)


def _of_all_chunks(group: RowGroup, seen: _Seen, *, whole: bool) -> Iterator[_Step]:
    """The findings about what all chunks of a row group show together; `whole`: sizes and offsets are proved already."""
    if seen.sizes_agree and not whole:  # else a wrong size of a chunk makes the sums wrong, too
        for finding in guarded(row_groups.sums, group, group.address):
            yield finding, 0
    if 0 in seen.sound and not whole:  # else a wrong offset of a chunk makes the row group's wrong, too
        for finding in guarded(row_groups.file_offset, group, group.address):
            yield finding, 0
    if not seen.rows_known or seen.wrong_rows:
        return  # a finding says so already, and each rule would
    kept = seen.sound - seen.changed
    for rows_rule in ROW_RULES if _has_groups(group.file) else FLAT_ROW_RULES:
        for finding in guarded(lambda one, r=rows_rule: r(one, kept), group, group.address):
            yield finding, 0


def _has_groups(file: ParquetFile) -> bool:
    """Whether a column is no leaf."""
    return len(file.schema.leaves) != len(file.schema.root.children) or any(
        field.children for field in file.schema.root.children
    )


@dataclasses.dataclass(slots=True)
class _Seen:
    """What the chunks of a row group showed: the readable ones, whether sizes agree, the findings about rows.

    `changed` are the chunks with a wrong checksum, whose values are not those that were written.
    `rows_known` is whether the row group's num_rows can be right.
    """

    rows_known: bool
    sound: set[int] = dataclasses.field(default_factory=set)
    changed: set[int] = dataclasses.field(default_factory=set)
    sizes_agree: bool = True
    wrong_rows: list[Finding] = dataclasses.field(default_factory=list)


def _chunk(chunk: ColumnChunk, seen: _Seen, chosen: Collection[int] | None, counted: Counted) -> Iterator[_Step]:
    """The findings of a chunk, except those about its rows: these are kept in `seen`."""
    whole, before = True, counted.pages
    try:
        with within_memory(chunk.address, None):
            for step in chunks.findings(chunk, chosen):
                if not isinstance(step, Finding):
                    counted.pages += step > 0
                    yield None, step
                    continue
                whole = whole and step.rule not in chunks.UNREADABLE
                if step.rule == "crc-mismatch":
                    seen.changed.add(chunk.index)
                seen.sizes_agree = seen.sizes_agree and step.rule not in chunks.WRONG_SIZES
                if step.rule == "rows-disagree":
                    seen.wrong_rows.append(step)
                elif seen.rows_known or step.rule != "page-index":  # it compares with the rows
                    yield step, 0
            whole = whole and chunks.decodable(chunk)
        if counted.pages > before and not counted.checksums:
            counted.checksums = any(shows_change(chunk, frame.header) for frame in chunk.frames.frames)
    except ParquetError as error:
        whole = seen.sizes_agree = False
        yield failure(error, chunk.address), 0
    if whole:
        seen.sound.add(chunk.index)
    yield None, 0
