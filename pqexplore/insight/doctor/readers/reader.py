"""What a reader does with a file: its verdict, and what the verdict rests on."""

from __future__ import annotations

import dataclasses
from enum import Enum

from pqexplore.engine.text import printable


class Verdict(Enum):
    """What a reader does with a file; the member's value is the word for it.

    `UNKNOWN` is only predicted: nothing in the file is known to stop the reader, and not all of it is known to work.
    `ABSENT` and `UNCOMPARED` come only from a run: the reader is not installed; it read without an error, and there is
    nothing to compare with.
    """

    WRONG = "reads it wrongly"
    REFUSES = "refuses"
    READS = "reads it all"
    UNKNOWN = "not known to fail"
    UNCOMPARED = "reads it, not compared"
    ABSENT = "not installed"


@dataclasses.dataclass(frozen=True, slots=True)
class Reader:
    """One reader and one file.

    - `engine`, `version`: the reader, and the version that the verdict is about; `verdict`; `ran`: whether it was run.
    - `sentence`: what it does, with the reason.
    - `features`: names of the features that decide, the columns that have them in `columns`; `address`: the first place.
    - `since`: the first version that reads the newest of those features whose first version is known, "" if none is.
      `source`: where the prediction comes from, or how it was run.
    - Of a run that gives wrong values: `column` and `row`, the first that differs, with both values as text in `ours` and
      `theirs`; row is None if rows or columns are missing. Of a run that fails: `error`. Of a run that is not as predicted:
      `predicted`, the verdict.
    """

    engine: str
    version: str
    verdict: Verdict
    ran: bool
    sentence: str
    features: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    address: str = ""
    since: str = ""
    source: str = ""
    column: str = ""
    row: int | None = None
    ours: str = ""
    theirs: str = ""
    error: str = ""
    predicted: str = ""

    def __post_init__(self) -> None:
        for name in ("sentence", "column", "ours", "theirs", "error", "version"):
            object.__setattr__(self, name, printable(getattr(self, name)))
        object.__setattr__(self, "columns", tuple(map(printable, self.columns)))

    def __str__(self) -> str:
        return f"{self.engine} {self.version}".strip() + f": {self.sentence}"
