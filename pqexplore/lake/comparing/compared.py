"""What comparing two folders or tables gave."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pqexplore.insight.diff.difference import Difference
    from pqexplore.lake.comparing.files import FilePair
    from pqexplore.lake.comparing.rows import Rows


@dataclasses.dataclass(frozen=True)
class Compared:
    """What differs between two folders, tables, or versions of a table.

    - `first`, `second`: their names; `level`: what was read: the logs and footers (`footer`), or values, too (`data`).
    - `differences`: the most important first. `pairs`: the files, by name.
    - `rows`: the rows that a reader gets of each side; None if unknown.
    - `rows_only`: the rows that only one side has; None below level data.
    - `by_log`: whether the log says that no version in between changed rows. `one_table`: whether both are versions of
      one table, whose files never change.
    - `unread`: files that cannot be read though their rows are wanted, with the reason.
    """

    first: str
    second: str
    level: str
    differences: tuple[Difference, ...]
    pairs: tuple[FilePair, ...]
    rows: tuple[int | None, int | None]
    rows_only: Rows | None = None
    by_log: bool = False
    one_table: bool = False
    unread: tuple[tuple[str, str], ...] = ()

    @property
    def same(self) -> bool:
        """Whether nothing differs, as far as the level shows."""
        return not self.differences

    def of(self, *states: str) -> list[FilePair]:
        """The files of these states."""
        return [one for one in self.pairs if one.state in states]

    @property
    def same_rows(self) -> bool:
        """Whether both have the same rows, and that is proven: by the log, or by hashes of all rows."""
        return self.by_log or (self.rows_only is not None and self.rows_only.equal)
