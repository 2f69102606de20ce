"""Looking everywhere: each rule of the specification that a file can be held to, on every part of the file.

A rule is a small function that yields findings; the modules are the parts of the file. `check` walks through the file
once, part by part, and gives findings as they are met: chunk by chunk, page by page, so that memory holds one page and
a few counts. Damage is a finding, never an exception: a file that is wrong in ten places is checked in all ten.

Severities: an *error* contradicts the specification or the data, so that some reader will read something wrong or
nothing; a *warning* bends the specification in a way that readers cope with; a *note* is good to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.check import (
    chunks,
    embedded,
    encryption,
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
from pqexplore.engine.check.verdict import measured
from pqexplore.engine.errors import ParquetError, within_memory
from pqexplore.engine.findings import failure
from pqexplore.engine.tree import Finding

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile
    from pqexplore.engine.row_group import RowGroup

__all__ = ["Progress", "check", "failure"]

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is, in bytes of the file; the last time with both equal."""

FILE_RULES = (ends.findings, metadata.findings, schema.findings, embedded.findings, variant.shapes)
"""Rules about what the footer says of the whole file."""
ROW_GROUP_RULES = (row_groups.findings,)
"""Rules about one row group that need no pages."""
ROW_RULES = (records.findings, sorting.findings, file_references.findings, variant.findings)
"""Rules about the rows of one row group, which put columns together."""


def check(file: ParquetFile, progress: Progress | None = None) -> Iterator[Finding]:
    """Every finding about the file, as it is met. Nothing is raised for what is in the file.

    Reads every page once, and columns that belong together once more. At most so many findings of one rule are given
    one by one (`verdict.MOST_OF_A_RULE`).
    """
    yield from measured(_findings(file, progress or _unheard))


def _unheard(done: int, total: int) -> None:
    """No one listens."""


def _findings(file: ParquetFile, progress: Progress) -> Iterator[Finding]:
    total = file.size
    progress(0, total)
    if file.footer_damage is not None:
        yield failure(file.footer_damage, "footer")
        yield from guarded(ends.layout_findings, file, "")
        return
    for rule in FILE_RULES:
        yield from guarded(rule, file, "")
    if file.metadata is not None:
        done = 0
        try:
            for group in file.row_groups:
                for finding, size in _row_group(group):
                    done += size
                    if finding is not None:
                        yield finding
                    else:
                        progress(min(done, total), total)
        except ParquetError as error:
            yield failure(error)
    yield from guarded(extensions.findings, file, "")
    yield from guarded(encryption.findings, file, "")
    yield from guarded(ends.layout_findings, file, "")
    progress(total, total)


def _row_group(group: RowGroup) -> Iterator[tuple[Finding | None, int]]:
    """Findings of a row group, and after each page None and the bytes it had."""
    for rule in ROW_GROUP_RULES:
        for finding in guarded(rule, group, group.address):
            yield finding, 0
    try:
        columns = group.columns
    except ParquetError as error:
        yield failure(error, group.address), 0
        return
    sound = set()
    for chunk in columns:
        whole = True
        try:
            with within_memory(chunk.address, None):
                for step in chunks.findings(chunk):
                    if isinstance(step, Finding):
                        whole = whole and step.rule not in chunks.UNREADABLE
                        yield step, 0
                    else:
                        yield None, step
        except ParquetError as error:
            whole = False
            yield failure(error, chunk.address), 0
        if whole:
            sound.add(chunk.index)
    for rows_rule in ROW_RULES:
        for finding in guarded(lambda one, r=rows_rule: r(one, sound), group, group.address):
            yield finding, 0


def guarded(
    rule: Callable[..., Iterator[Finding]], subject: object, address: str
) -> Iterator[Finding]:
    """What a rule finds; an error that ends it is a finding too."""
    try:
        with within_memory(address or None, None):
            yield from rule(subject)
    except ParquetError as error:
        yield failure(error, address)
