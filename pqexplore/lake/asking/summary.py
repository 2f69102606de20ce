"""How many files, row groups and bytes each stage left, and the sentence that says it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from pqexplore.insight.wording import plural, size
from pqexplore.lake.asking.judging import FOOTERS, STAGES

KEPT = -1
"""Stands for a stage: nothing skips it."""


@dataclasses.dataclass(frozen=True, slots=True)
class LakeStage:
    """What entered a stage, and what it left: files, row groups, bytes of the columns that are read."""

    name: str
    files_in: int
    files_out: int
    groups_in: int
    groups_out: int
    bytes_in: int
    bytes_out: int


@dataclasses.dataclass(frozen=True, slots=True)
class Counts:
    """Files, row groups and bytes by the stage that skips them: an index in `STAGES`, or `KEPT`.

    `group_bytes` are those of the columns that are read, in these row groups; `unreadable` and `unreadable_bytes` are
    about the files that cannot be read. `total_bytes` are those of all files.
    """

    files: Mapping[int, int]
    groups: Mapping[int, int]
    group_bytes: Mapping[int, int]
    unreadable: Mapping[int, int]
    unreadable_bytes: Mapping[int, int]
    total_bytes: int

    def alive(self, stage: int) -> tuple[int, int, int]:
        """Files, row groups and bytes that are left after a stage; after `len(STAGES)`, those that are kept."""
        read = _left(self.group_bytes, stage) + _left(self.unreadable_bytes, stage)
        return _left(self.files, stage), _left(self.groups, stage), read

    @property
    def num_files(self) -> int:
        """All files."""
        return sum(self.files.values())

    @property
    def num_groups(self) -> int:
        """All row groups."""
        return sum(self.groups.values())

    @property
    def stages(self) -> tuple[LakeStage, ...]:
        """The stages that skip something, in order, and always that of the footers."""
        made = []
        for number, name in enumerate(STAGES):
            if name == FOOTERS or self.files.get(number) or self.groups.get(number):
                before, after = self.alive(number - 1), self.alive(number)
                pairs = zip(before, after, strict=True)
                made.append(LakeStage(name, *(value for pair in pairs for value in pair)))
        return tuple(made)

    def sentence(self, title: str) -> str:
        """What is read of how much, what skips the rest, and how many of these files cannot be read."""
        files, groups, read = self.alive(len(STAGES))
        text = (
            f"{title[:1].upper()}{title[1:]} reads {files:,} of {plural(self.num_files, 'file')}, {groups:,} of "
            f"{plural(self.num_groups, 'row group')}, {size(read)} of {size(self.total_bytes)}"
        )
        skipped = [(self.files.get(i, 0), name) for i, name in enumerate(STAGES)]
        said = [f"{count:,} by {name}" for count, name in skipped if count]
        if said:
            count, _, by = said[0].partition(" ")
            verb = "file is" if count == "1" else "files are"
            text += f": {count} {verb} skipped {', '.join([by, *said[1:]])}"
        damaged = self.unreadable.get(KEPT, 0)
        if damaged:
            verb = "is" if damaged == 1 else "are"
            return f"{text}. {plural(damaged, 'file')} that cannot be read {verb} counted as read."
        return f"{text}."


class Counted:
    """What a plan of many files says by its counts."""

    @property
    def counts(self) -> Counts:
        """Files, row groups and bytes by stage."""
        raise NotImplementedError

    @property
    def num_files(self) -> int:
        """How many files a query may read: all but those that vanished, or that a table's log does not list."""
        return self.counts.num_files

    @property
    def num_row_groups(self) -> int:
        """How many row groups the tables have of these files."""
        return self.counts.num_groups

    @property
    def total_bytes(self) -> int:
        """The bytes of these files."""
        return self.counts.total_bytes

    @property
    def bytes(self) -> int:
        """The bytes of the column chunks that are read, and of the kept files that cannot be read."""
        return self.counts.alive(len(STAGES))[2]

    @property
    def stages(self) -> tuple[LakeStage, ...]:
        """What each stage left, in order; stages that skip nothing are left out, but for footers."""
        return self.counts.stages


def _left(counts: Mapping[int, int], stage: int) -> int:
    return sum(count for at, count in counts.items() if at == KEPT or at > stage)
