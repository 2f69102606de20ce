"""What became of a lake from run to run: a sentence, four tables, and what could not be compared."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

from pqexplore.engine.text import plural, printable
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.wording import listing, name, size

if TYPE_CHECKING:
    import pyarrow as pa

NAMED = 3
"""Columns that the sentence names."""


@dataclasses.dataclass(frozen=True)
class LakeHistory:
    """The runs of a lake, compared. All tables are pyarrow Tables; counts are int64, sizes in bytes.

    - `growth`: a row for each run, oldest first: `run_id`, `finished` (timestamp, UTC), `num_files` (live files that could
      be read or not), `errors`, `num_rows` and `total_bytes` (of readable files), and against the row before `new_files`,
      `changed_files` (other size, time or ETag) and `gone_files`; these are null in the first row.
    - `drift`: a row for each definition of a column that no file of the run before had (`change`: new column, new
      definition) or that no file has any more (gone), with writer (`created_by`) and `day` (YYYY-MM-DD, UTC) of the files.
    - `overlap`: a row for each run and sorted column: `point_files`, how many files a query for one value reads on
      average, of `num_files`, and `point_share` (0 to 1). A column counts as sorted if row groups declare it, or if in some
      run such a query reads `comparing.SORTED` files or fewer.
    - `problems`: findings and unreadable files of the last run that the run before did not have.
    - `remarks`: which runs, and what of them, could not be compared.
    """

    name: str
    growth: pa.Table = dataclasses.field(repr=False)
    drift: pa.Table = dataclasses.field(repr=False)
    overlap: pa.Table = dataclasses.field(repr=False)
    problems: pa.Table = dataclasses.field(repr=False)
    remarks: tuple[str, ...] = ()

    @functools.cached_property
    def sentence(self) -> str:
        """How the lake grew from the first run to the last, and what is new since the run before."""
        return printable(self._sentence(self.growth.to_pylist()))

    def _sentence(self, runs: list[dict[str, Any]]) -> str:
        if len(runs) < 2:
            one = runs[0]
            return (
                f"One run can be read: {plural(one['num_files'], 'file')} with {plural(one['num_rows'], 'row')} in "
                f"{size(one['total_bytes'])}. There is nothing to compare it with."
            )
        first, last = runs[0], runs[-1]
        return (
            f"{len(runs):,} runs, {first['finished']:%Y-%m-%d} to {last['finished']:%Y-%m-%d}: "
            f"{_change(first, last, 'num_files', 'file')}, {_change(first, last, 'num_rows', 'row')}, "
            f"{size(first['total_bytes'])} and now {size(last['total_bytes'])}. Since the run before: "
            f"{plural(last['new_files'], 'new file')}, {last['changed_files']:,} changed, {last['gone_files']:,} gone; "
            f"{self._drifted(last['run_id'])}; {plural(self.problems.num_rows, 'new problem')}.{self._decay()}"
        )

    def _drifted(self, run_id: str) -> str:
        new = [row for row in self.drift.to_pylist() if row["run_id"] == run_id and row["change"] != "gone"]
        columns = list(dict.fromkeys(row["column_name"] for row in new))
        if not columns:
            return "no new definition of a column"
        word = "a new definition of" if len(columns) == 1 else "new definitions of"
        return f"{word} {listing([name(one) for one in columns], most=NAMED)}"

    def _decay(self) -> str:
        """The sorted column whose files overlap more than in the run before, the worst one."""
        runs = self.growth["run_id"].to_pylist()
        before, last = (
            {
                (row["column_name"], row["logical_type"]): row
                for row in self.overlap.to_pylist()
                if row["run_id"] == run_id
            }
            for run_id in runs[-2:]
        )
        worse = [
            (row["point_files"], before[key]["point_files"], row)
            for key, row in last.items()
            if key in before and row["point_share"] > before[key]["point_share"]
        ]
        worse = [one for one in worse if f"{one[0]:,.3g}" != f"{one[1]:,.3g}"]
        if not worse:
            return ""
        now, then, row = max(worse, key=lambda one: (one[0] / max(one[1], 1), one[2]["column_name"]))
        return (
            f" Files overlap more: a query for one value of {name(row['column_name'])} reads {now:,.3g} of "
            f"{plural(row['num_files'], 'file')} on average, {then:,.3g} in the run before."
        )

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The sentence with the growth, then each table that has rows; the last has the remarks."""
        parts = [Answer(self.sentence, table=_table(self.growth, "runs, oldest first"))]
        for table, caption in (
            (self.drift, "definitions of columns that came or went"),
            (self.overlap, "overlap of sorted columns"),
            (self.problems, "problems that the run before did not have"),
        ):
            if table.num_rows:
                parts.append(Answer("", table=_table(table, caption)))
        return (*parts, *(Answer(remark) for remark in self.remarks))

    def _repr_html_(self) -> str:
        from pqexplore.insight.answer_text import answer_html

        return "".join(map(answer_html, self.answers))

    def __repr__(self) -> str:
        return f"<LakeHistory of {printable(self.name)}: {self.sentence}>"


def _change(first: dict[str, Any], last: dict[str, Any], column: str, word: str) -> str:
    return f"{plural(first[column], word)} and now {last[column]:,}"


def _table(rows: pa.Table, caption: str) -> Table:
    made = Table([Column(one, one.replace("_", " ")) for one in rows.column_names], caption)
    for row in rows.to_pylist():
        made.add(*row.values())
    return made
