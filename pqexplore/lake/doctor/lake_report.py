"""The diagnosis of a lake: a finding for each rule, with the files concerned, their writers and dates."""

from __future__ import annotations

import dataclasses
import functools
import json
import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import RULES, Cost, Severity, Source
from pqexplore.engine.text import clip, plural, printable
from pqexplore.insight.doctor.one_line import one_line
from pqexplore.insight.doctor.selection import Selection
from pqexplore.insight.doctor.verdict import above_notes, sound, with_cost
from pqexplore.insight.wording import listing, middle, size
from pqexplore.lake.doctor.counting import Counts
from pqexplore.lake.doctor.dates import between
from pqexplore.lake.doctor.diagnosing import NEEDS_KEY, ONCE, READ

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

LINE = 112
"""Characters of a headline: as many stand on one line of a screen of 1,280 pixels."""
NAMED = 3
"""Writers and columns that a sentence names."""
NAME = 60
"""Characters of a file's name in a sentence."""
LISTED_COLUMNS = 20


@dataclasses.dataclass(frozen=True, slots=True)
class Cause:
    """Files of one writer: how many have the finding, of how many, and between which days.

    `writer` is the name and version by `created_by`, "" if the file does not say. `dated_by` says where the days are
    from: `partition folder`, `modification time`, or "" if they are not known.
    """

    writer: str
    files: int
    of: int
    first: str
    last: str
    dated_by: str


@dataclasses.dataclass(frozen=True, slots=True)
class LakeFinding(Finding):
    """What a rule found in all files of a lake, or what only the files together show.

    - `files` of `of` files are concerned. `paths`: the first of them, those with the highest cost first.
    - `address`: the place in the first file, and `example` what the rule says of it; `fix` and `code` are for that file,
      but a code whose name ends in "job" fixs the lake. `cost`: the sums of all files.
    - `columns`: (column, files), the most frequent first. `causes`: the files by writer and kind of date, most files
      first; none if only the files together show it.
    - `engines`: what it does to queries, by engine, where that was seen. `together`: the paths of all files, if only the
      files together or the logs of tables show it; else `LakeReport.files` has them. `root`: the folder of the lake.
    """

    files: int = 0
    of: int = 0
    paths: tuple[str, ...] = ()
    example: str = ""
    columns: tuple[tuple[str, int], ...] = ()
    causes: tuple[Cause, ...] = ()
    engines: Mapping[str, str] = dataclasses.field(default_factory=dict)
    together: tuple[str, ...] = dataclasses.field(default=(), repr=False)
    root: str = dataclasses.field(default="", repr=False)

    @property
    def sentence(self) -> str:
        """The first files by name, then what is wrong with them."""
        names = self.named(NAMED - 1)
        begin = self.message[:1].lower() if names and self.message[1:2].islower() else self.message[:1]
        return f"{names}{begin}{self.message[1:]}"

    def named(self, most: int) -> str:
        """The first files by their paths below the lake's folder: "a.parquet, b.parquet and 3 more: "; "" if it is about all files."""
        if not self.paths or (self.files == self.of and self.files > NAMED):
            return ""
        root = f"{self.root.rstrip('/')}/" if self.root else ""
        short = [middle(printable(_below(path, root)), NAME) for path in self.paths[:most]]
        return f"{listing([*short, *[f'{self.files - len(short):,} more'] * (self.files > len(short))])}: "

    @property
    def violation(self) -> bool:
        """False: the message says of how many files it is, and where."""
        return False


@dataclasses.dataclass(frozen=True)
class LakeReport:
    """The diagnosis of a lake.

    - `name`: where the files are from; `level`: what was read of each file: `footer`, `pages` or `data`.
    - `findings`: the worst first, then those of most files. `num_files`: the files that were looked at or should be.
    - `what`: what the lake is, in a sentence.
    - `files`: a row for each file and rule (`pqexplore.lake.store.temporary_tables.DIAGNOSES` says what the columns mean); a pyarrow
      Table, or with Spark a DataFrame, which can be read as long as the report exists.
    - `others`: how many findings are not listed, by rule, since their rules do not count.
    - `looked`: the files to which the rules of one file were applied, None for all; the others are known by the tables of the scan.
    """

    name: str
    level: str
    findings: tuple[LakeFinding, ...]
    num_files: int
    what: str
    files: pa.Table | DataFrame = dataclasses.field(repr=False, compare=False)
    looked: int | None = None
    others: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def sentence(self) -> str:
        """The worst finding and its cost, and how many others there are; or that there are no problems."""
        above = self._above
        if not above:
            notes = len(self.findings)
            more = f" There {'is' if notes == 1 else 'are'} {plural(notes, 'note')}." * bool(notes)
            return f"{self.sound}{': ' * bool(self.what)}{self.what}.{more}"
        return f"{with_cost(above[0])}{self._others}"

    @property
    def headline(self) -> str:
        """The sentence in one line: the first clauses of what it says."""
        if self._above:
            worst = self._above[0]
            where = worst.named(1)
            return f"{where}{one_line(worst.sentence[len(worst.named(NAMED - 1)) :], LINE - len(where) - len(self._others))}{self._others}"
        if not self.what:
            return self.sentence
        line, *more = self.what.split(", ")
        for clause in more:
            if len(f"{self.sound}: {line}, {clause}.") > LINE:
                break
            line += f", {clause}"
        return f"{self.sound}: {line}."

    @property
    def locked(self) -> int:
        """How many files nothing is known of without a key."""
        return sum(one.files for one in self.findings if one.rule == NEEDS_KEY)

    @property
    def _above(self) -> list[LakeFinding]:
        """The findings that are more than notes."""
        return above_notes(self.findings)

    @property
    def _others(self) -> str:
        """How many findings there are beside the worst."""
        others = len(self._above) - 1
        return f" And {plural(others, 'more finding')}." * (others > 0)

    @property
    def sound(self) -> str:
        """That there are no problems in the files that could be looked at."""
        read = self.num_files - self.locked
        if not self.num_files:
            return "There are no files"
        if self.locked and not read:
            return f"Not one of {plural(self.num_files, 'file')} can be read without a key"
        looked = {
            "footer": "footers",
            "pages": "footers, headers and indexes",
            "sample": "samples",
            "data": "all bytes",
        }
        rest = f", and {plural(self.locked, 'more file')} cannot be read without a key"
        what = f"{looked[self.level]} of {plural(read, 'file')}"
        if self.looked is not None and self.looked < self.num_files:
            what = f"tables of the scan of {plural(read, 'file')}"
            what += f", {looked[self.level]} of {self.looked:,}" if self.looked else ""
        return sound(what, others=bool(self.others)) + rest * bool(self.locked)

    @property
    def fix(self) -> Mapping[str, str]:
        """The code that fixes the worst finding that a job can fix, by what runs it; empty if there is none."""
        for one in self.findings:
            jobs = {name: code for name, code in one.code.items() if name.endswith("job")}
            if jobs:
                return jobs
        return {}

    def worst(self) -> Severity | None:
        """The severity of the worst finding; None without findings."""
        return self.findings[0].severity if self.findings else None

    def failing(self, names: Collection[str]) -> tuple[str, ...]:
        """The rules of the findings that are named, the worst first: by rule, or by a severity that they reach.

        Severities are `damage`, `wrong`, `portability`, `wasteful`, `slow` and `note`; `error` is `wrong`, `warning` is
        `slow`.
        """
        return Selection(fail_on=tuple(names)).failures(self.findings)

    def __repr__(self) -> str:
        return f"<LakeReport {self.level} of {printable(self.name)}: {self.sentence}>"


def _below(path: str, root: str) -> str:
    """A path below a root; both may be relative to the working folder."""
    if not root or path.startswith(root) or "://" in path:
        return path.removeprefix(root)
    return os.path.abspath(path).removeprefix(root) if os.path.abspath(path).startswith(root) else path


def findings(counts: Counts) -> Iterator[LakeFinding]:
    """A finding for each rule and severity, from the counts of all files."""
    of: Counter[tuple[str, str]] = Counter()
    for row in counts.groups:
        if row["rule"] in ONCE:
            of[row["writer"], row["dated_by"]] += row["files"]
    all_files = of.total()
    kinds: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for row in counts.groups:
        if row["rule"] != READ:
            kinds.setdefault((row["rule"], row["severity"]), []).append(row)
    for (rule, severity), rows in kinds.items():
        own = [one for one in counts.examples if (one["rule"], one["severity"]) == (rule, severity)]
        columns = [
            (one["column"], one["files"])
            for one in counts.columns
            if (one["rule"], one["severity"]) == (rule, severity)
        ]
        columns.sort(key=lambda pair: (-pair[1], pair[0]))
        causes = sorted(
            (_cause(row, of[row["writer"], row["dated_by"]]) for row in rows),
            key=lambda one: (-one.files, one.writer, one.dated_by),
        )
        yield _finding(rule, Severity(severity), rows, own, columns, causes, all_files)


def _cause(row: Mapping[str, Any], of: int) -> Cause:
    return Cause(row["writer"], row["files"], of, row["first"], row["last"], row["dated_by"])


def _finding(
    rule: str,
    severity: Severity,
    rows: Sequence[Mapping[str, Any]],
    examples: Sequence[Mapping[str, Any]],
    columns: Sequence[tuple[str, int]],
    causes: Sequence[Cause],
    all_files: int,
) -> LakeFinding:
    files = sum(row["files"] for row in rows)
    details = json.loads(examples[0]["details"])
    sums = {name: _sum(rows, name) for name in ("bytes", "requests", "row_groups", "rows")}
    title = RULES[rule].title if rule in RULES else rule.replace("-", " ").capitalize()
    of = f"{files:,} of {plural(all_files, 'file')}" if files < all_files else _all(all_files)
    source = details["source"]
    return LakeFinding(
        rule,
        examples[0]["address"],
        f"{title}: {of}{_columns(columns, files)}{_causes(causes)}.",
        severity=severity,
        rows=sums["rows"],
        cost=Cost(_cost(sums, details["cost"] or _COSTS.get(severity, ""), files), **sums),
        fix=details["fix"] or _FIXES.get(severity, ""),
        code=details["code"],
        source=None if source is None else Source(*source),
        files=files,
        of=all_files,
        paths=tuple(one["path"] for one in examples),
        example=examples[0]["sentence"],
        columns=tuple(columns[:LISTED_COLUMNS]),
        causes=tuple(causes),
    )


_COSTS = {
    Severity.DAMAGE: "readers fail where it is, or return values that are none of the file's",
    Severity.WRONG: "a query can return wrong rows or values, without an error",
}
_FIXES = {
    Severity.DAMAGE: "Write the file again from its source; `pqexplore salvage FILE NEW` saves what can be read.",
    Severity.WRONG: "Write the file again from its source; until then read it without what is wrong: `pqexplore check FILE`.",
}
"""For findings of `check()` that have no words of their own."""


def _all(files: int) -> str:
    return {1: "the only file", 2: "both files"}.get(files, f"all {plural(files, 'file')}")


def _sum(rows: Sequence[Mapping[str, Any]], name: str) -> int | None:
    known = [row[name] for row in rows if row[name] is not None]
    return sum(known) if known else None


def _columns(columns: Sequence[tuple[str, int]], files: int) -> str:
    if not columns:
        return ""
    some = [
        f"{clip(name, 60)}" + (f" in {plural(count, 'file')}" if count < files else "")
        for name, count in columns[:NAMED]
    ]
    more = [f"{len(columns) - NAMED:,} more"] * (len(columns) > NAMED)
    return f", {'column' if len(columns) == 1 else 'columns'} {listing([*some, *more])}"


def _causes(causes: Sequence[Cause]) -> str:
    """Who wrote the files, and when. The days of several writers are not said if they differ in kind."""
    by: Counter[str] = Counter()
    for one in causes:
        by[one.writer] += one.files
    text = ""
    if len(by) > 1:
        some = [f"{writer or 'unknown'} ({files:,})" for writer, files in by.most_common(NAMED)]
        more = [f"{len(by) - NAMED:,} more"] * (len(by) > NAMED)
        text = f", written by {listing([*some, *more])}"
    elif causes[0].writer:
        text = f", written by {causes[0].writer}"
    kinds = {one.dated_by for one in causes}
    if len(kinds) > 1 or "" in kinds:
        return text
    first, last = min(one.first for one in causes), max(one.last for one in causes)
    return f"{text}, {between(first, last, kinds.pop())}"


def _cost(sums: Mapping[str, int | None], example: str, files: int) -> str:
    """The sums in words; if there are none, the words of the first file."""
    said = []
    if sums["bytes"]:
        said.append(f"{size(sums['bytes'])} wasted or read in vain")
    if sums["requests"]:
        said.append(f"{plural(sums['requests'], 'request')} in vain")
    if sums["row_groups"]:
        said.append(f"up to {plural(sums['row_groups'], 'row group')} read in vain")
    if not said:
        return example
    return f"{listing(said)}, all files together" if files > 1 else listing(said)
