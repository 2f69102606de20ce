"""What a report of a lake says, apart from how it is shown."""

from __future__ import annotations

import dataclasses
import functools

import pyarrow as pa

from pqexplore.engine.text import plural
from pqexplore.lake.doctor.lake_report import LakeReport
from pqexplore.lake.report import actions
from pqexplore.lake.report.actions import Action


@dataclasses.dataclass(frozen=True)
class Advice:
    """What to do with a lake: what its report, its text and its page are made from.

    - `diagnosis`: the doctor's report, which has every finding. `actions`: the worst first, notes last.
    - `files`: a row for each file and rule, with columns action, rule, severity, path and sentence (strings). `unlisted`
      counts those that are left out.
    """

    diagnosis: LakeReport
    actions: tuple[Action, ...]
    files: pa.Table = dataclasses.field(repr=False, compare=False)
    unlisted: int = 0

    @property
    def name(self) -> str:
        """Where the files are from."""
        return self.diagnosis.name

    @property
    def to_do(self) -> tuple[Action, ...]:
        """The actions without what is only to know."""
        return tuple(one for one in self.actions if one.name != actions.KNOW.name)

    @functools.cached_property
    def sentence(self) -> str:
        """How many things there are to do, and the first of them; or that there is nothing to do."""
        some = self.to_do
        if not some:
            notes = sum(len(one.findings) for one in self.actions)
            more = f" There {'is' if notes == 1 else 'are'} {plural(notes, 'note')}." * bool(notes)
            return f"Nothing to do: {self.diagnosis.what}.{more}"
        first = some[0]
        saved = f" It saves {first.saves.text}." if first.saves.text else ""
        many = "One thing to do" if len(some) == 1 else f"{len(some)} things to do, the first"
        return f"{many}: {first.sentence}{saved}"
