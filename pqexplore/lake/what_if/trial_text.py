"""A trial of a lake as lines for a terminal, and as JSON values."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from pqexplore.insight import terminal
from pqexplore.insight.json_values import plain
from pqexplore.insight.what_if.text import code_document, words
from pqexplore.insight.wording import percent, size
from pqexplore.lake.what_if.compaction import Compaction, Folder
from pqexplore.lake.what_if.trial import LakeColumn, LakeTrial

FOLDERS = 12
"""Folders that are printed, those with the most files to save first. The table has all."""


def lines(trial: LakeTrial, room: int) -> Iterator[str]:
    """The sentence, a row for each column, then the same of compaction and folders."""
    yield from terminal.wrap(trial.sentence, room)
    rows = [row for one in trial.columns for row in _column(one)]
    if rows:
        yield ""
        head = ("column", "today", "bytes", "of today", "encoding", "codec", "files")
        yield from terminal.table(head, rows, room, right=" >>>  >")
    for path, why in trial.untried.items():
        yield from terminal.indented(f"{path} was not tried: {why}", room, 2)
    yield ""
    yield from compaction_lines(trial.compaction, room)


def _column(one: LakeColumn) -> Iterator[tuple[str, ...]]:
    column = one.column
    if column.best is None:
        return
    found = column.sizes[column.best].bytes
    ratio = percent(found.total / column.today) if column.today else ""
    about = "~" if found.sampled else ""
    bytes_ = f"{about}{size(round(found.total))}"
    yield column.path, size(column.today), bytes_, ratio, *words(column.best), f"{one.files:,} of {one.of:,}"  # fmt: skip


def compaction_lines(found: Compaction, room: int) -> Iterator[str]:
    """The sentence, the folders with files to join, the source of the target size, the job."""
    yield from terminal.wrap(found.sentence, room)
    some = [one for one in found.folders if one.joined]
    if not some:
        return
    yield ""
    head = (found.place[0], "files", "joined", "into", "median", "footers")
    rows = [_folder(one) for one in some[:FOLDERS]]
    yield from terminal.table(head, rows, room, right=" >>>>>")
    if len(some) > FOLDERS:
        yield f"  and {len(some) - FOLDERS:,} more"
    for source in found.sources:
        yield from terminal.indented(f"target size: {source.title}, {source.url}", room, 2)
    for name, code in found.code.items():
        yield f"  {name}:"
        yield from (f"    {line}" for line in code.split("\n"))


def _folder(one: Folder) -> tuple[str, ...]:
    numbers = (one.files, one.joined, one.into)
    return one.folder, *(f"{number:,}" for number in numbers), size(one.median), size(one.footers)


def document(trial: LakeTrial) -> dict[str, Any]:
    """A trial of a lake as JSON values: the sentences, the tables, the code by table and writer."""
    found = trial.compaction
    return {
        "name": plain(trial.name),
        "sentence": trial.sentence,
        "table": plain(trial.table.to_pylist()),
        "untried": plain(trial.untried),
        "unread": plain(dict(trial.unread)),
        "code": {plain(table): code_document(made) for table, made in trial.code.items()},
        "compaction": {
            "sentence": found.sentence,
            "files": found.files,
            "after": found.after,
            "table": plain(found.table.to_pylist()),
            "requests": {name: list(two) for name, two in found.requests.items()},
            "sources": [dataclasses.asdict(one) for one in found.sources],
            "code": plain(dict(found.code)),
        },
    }
