"""The five questions of a nightly job about a lake: is it sound, what grew, what to compact, what to sort by, who wrote it."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.text import clip, plural, printable
from pqexplore.insight.doctor.verdict import above_notes
from pqexplore.insight.wording import listing, size
from pqexplore.lake.doctor.dates import dated
from pqexplore.lake.doctor.diagnose import formats
from pqexplore.lake.doctor.lake_report import LakeReport
from pqexplore.lake.history.comparing import growth
from pqexplore.lake.scanning import rescan
from pqexplore.lake.what_if.compaction import compaction
from pqexplore.lake.what_if.sort_trial import try_sorting

if TYPE_CHECKING:
    from pqexplore.lake.lake import Lake


@dataclasses.dataclass(frozen=True, slots=True)
class Answers:
    """A sentence or two for each question; the fields are in the order of the questions."""

    sound: str
    grew: str
    compact: str
    sort: str
    writers: str

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """(question, answer) of each."""
        asked = ("Is it sound?", "What grew?", "What to compact?", "What to sort by?", "Who wrote it?")
        return tuple(zip(asked, dataclasses.astuple(self), strict=True))


def answers_of(lake: Lake, report: LakeReport, queries: Sequence[str] = ()) -> Answers:
    """The answers, from a report and what the scan stored; only `sort` reads rows, of some files. `queries` are conditions."""
    rows = rescan.files(lake)
    good = [row for row in rows if row["status"] == "ok"]
    made = (
        _sound(report),
        _grew(lake, good),
        compaction(good, formats(lake), dict).sentence.removeprefix("Compaction: "),
        try_sorting(lake, queries).sentence,
        _writers(good),
    )
    return Answers(*(printable(one) for one in made))


def _sound(report: LakeReport) -> str:
    above = above_notes(report.findings)
    notes = len(report.findings) - len(above)
    more = f" {plural(notes, 'note')} besides." if notes else ""
    if not above:
        return f"{'Yes' if report.num_files > report.locked else 'Not known'}: {report.sound}.{more}"
    counts = Counter(one.severity for one in above)
    kinds = [f"{count:,} {severity.value}" for severity, count in sorted(counts.items(), key=lambda pair: pair[0].rank)]
    worst = above[0].named(2).removesuffix(": ")
    return (
        f"No: {plural(len(above), 'finding')} ({', '.join(kinds)}){f', the worst in {worst}' if worst else ''}.{more}"
    )


def _grew(lake: Lake, files: Sequence[Mapping[str, Any]]) -> str:
    """What came since the run before; without one, the files of the last day beside those of the days before."""
    runs = growth(lake, 2)
    if len(runs) > 1:
        before, last = runs
        return (
            f"Since the run of {before['finished']:%Y-%m-%d %H:%M}: {plural(last['new_files'], 'new file')}, "
            f"{last['changed_files']:,} changed, {last['gone_files']:,} gone; {last['num_rows'] - before['num_rows']:+,} rows, "
            f"{size(last['total_bytes'] - before['total_bytes'])} more than {size(before['total_bytes'])}."
        )
    days: dict[str, list[int]] = {}
    for row in files:
        day = days.setdefault(dated(rescan.entry(dict(row)))[0], [0, 0, 0])
        for place, number in enumerate((1, row["num_rows"] or 0, row["size"] or 0)):
            day[place] += number
    days.pop("", None)
    if not days:
        return "Not known: the files have no dates, and there is no earlier run (`--out FOLDER` keeps runs)."
    last_day, *before_ = sorted(days, reverse=True)
    new, rows, stored = days[last_day]
    said = f"{last_day} has {plural(new, 'file')} with {plural(rows, 'row')} in {size(stored)}"
    if not before_:
        return f"{said}: all are of that day. `--out FOLDER` keeps runs to compare with."
    means = [sum(days[day][place] for day in before_) / len(before_) for place in (0, 2)]
    return f"{said}; the {plural(len(before_), 'day')} before, {means[0]:,.3g} files and {size(int(means[1]))} each on average."


def _writers(files: Sequence[Mapping[str, Any]]) -> str:
    counts: Counter[str] = Counter()
    last: dict[str, str] = {}
    for row in files:
        by = " ".join(filter(None, (row["writer"], row["writer_version"]))) or "an unknown writer"
        counts[by] += 1
        last[by] = max(last.get(by, ""), dated(rescan.entry(dict(row)))[0])
    if not counts:
        return "No file can be read."
    some = [
        f"{clip(by, 60)} ({plural(count, 'file')}{f', last on {last[by]}' if last[by] else ''})"
        for by, count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    ]
    more = [f"{len(some) - 4:,} more"] * (len(some) > 4)
    return f"{listing([*some[:4], *more])}."
