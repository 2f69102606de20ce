"""What an open file answers: the methods of `ParquetFile` that ask `pqexplore.insight`, imported when they are called."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, cast

from pqexplore.engine.file.tabular import Tabular

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.file.outside import Readable
    from pqexplore.engine.format.encryption.keys import Decryption
    from pqexplore.insight.answer import Answer
    from pqexplore.insight.ask.plan import Plan
    from pqexplore.insight.diff.diff import Diff
    from pqexplore.insight.doctor.diagnose import Report


class Answering(Tabular):
    """Questions to an open file; the functions of the same names in `pqexplore` ask paths, and many files."""

    __slots__ = ()

    def view(self, name: str, at: str = "", *, where: str = "", engine: str = "") -> Answer:
        """What the lens `name` says of the node at the address `at`: a sentence, a table, a figure (`Answer`).

        The lenses are those of the explorer: overview, rows, statistics, … `where` and `engine` are the question of the lens
        `query` (see `pqexplore.ask`). Raises UsageError for a lens that does not exist or does not apply there, and for an
        address that names nothing; what reading the node raises.
        """
        from pqexplore.insight.view import view

        return view(_file(self), name, at, where, engine)

    def ask(
        self,
        where: str,
        columns: Sequence[str | tuple[str, ...]] | None = None,
        engine: str = "format",
        *,
        timezone: str | None = None,
    ) -> Plan:
        """What a query with the condition `where` reads of this file, what it skips, and why; see `pqexplore.ask`.

        Raises UsageError for a condition that cannot be asked.
        """
        from pqexplore.insight.ask.asking import steps
        from pqexplore.insight.steps import finish

        return finish(steps(_file(self), where, columns, engine, timezone))

    def diagnose(self, level: str = "footer", *, progress: Callable[[float], None] | None = None) -> Report:
        """What is wrong with this file, what it costs, and what to do: the worst first; see `pqexplore.diagnose`.

        `level` says what is read: `footer`, `pages` or `data`; UsageError for another one.
        """
        from pqexplore.insight.doctor.diagnose import diagnose

        return diagnose(_file(self), level, progress=progress)

    def diff(
        self,
        other: Readable | ParquetFile,
        level: str = "footer",
        *,
        columns: Sequence[str] | None = None,
        decryption: Decryption | None = None,
    ) -> Diff:
        """What differs between this file and another one; see `pqexplore.diff`.

        `other` is what `pqexplore.open` takes, with the keys `decryption`, or an open file. `level` says what is read:
        `footer`, `pages` or `data`. Raises what `pqexplore.open` raises, and UsageError for an unknown level or column.
        """
        from pqexplore.insight.diff.diff import diff

        return diff(_file(self), other, level, columns=columns, decryption=decryption)


def _file(asked: Answering) -> ParquetFile:
    return cast("ParquetFile", asked)
