"""What a person would do today, in consequences with numbers: each from the evidence of one finding, the worst first."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pqexplore.engine.text import name, plural, printable
from pqexplore.insight.diff.engines import WITHOUT, Outcome
from pqexplore.insight.doctor.verdict import with_cost
from pqexplore.insight.wording import listing, percent, size
from pqexplore.lake.doctor.diagnosing import EMPTY, NEEDS_KEY, NOT_READ, UNREADABLE
from pqexplore.lake.doctor.drift import reading
from pqexplore.lake.doctor.lake_report import LakeFinding
from pqexplore.lake.doctor.states import COPIES, DELETED_ROWS, REMOVED_FILES, UNREFERENCED_FILES
from pqexplore.lake.doctor.together import SMALL_FILES, table_of
from pqexplore.lake.report.actions import KNOW, grouped
from pqexplore.lake.target_sizes import TARGETS
from pqexplore.lake.what_if.compaction import compaction

TABLES = 3
"""Tables that are named of those that a compaction helps."""


@dataclasses.dataclass(frozen=True, slots=True)
class Consequence:
    """What a finding costs, in a sentence with numbers, and the finding; `action` is the title of what fixes it."""

    sentence: str
    action: str
    finding: LakeFinding


def consequences(
    found: Iterable[LakeFinding], live: Sequence[Mapping[str, Any]], formats: Mapping[str, str]
) -> Iterator[Consequence]:
    """The consequences of findings, the worst first; nothing of what is only to know.

    `live` are rows of `files` of readable live files, `formats` those of tables with a log, by their folder.
    """
    todo = [(kind, one) for kind, some in grouped(found) if kind is not KNOW for one in some]
    for kind, one in sorted(todo, key=lambda pair: pair[1].severity.rank):
        if one.rule == SMALL_FILES.name:
            yield from (Consequence(said, kind.title, one) for said in _small(live, formats, one.root))
        else:
            yield Consequence(printable(_said(one)), kind.title, one)


def _small(live: Sequence[Mapping[str, Any]], formats: Mapping[str, str], root: str) -> Iterator[str]:
    """For each table that a compaction helps, what it saves; nothing where no two files can be joined."""
    tables: dict[str, list[Mapping[str, Any]]] = {}
    for row in live:
        tables.setdefault(table_of(row["path"], row["table_path"]), []).append(row)
    found = []
    for table, rows in tables.items():
        made = compaction(rows, formats, dict)
        today, then = made.requests["spark"]
        if today > then:
            found.append((today - then, table, made))
    found.sort(key=lambda one: (-one[0], one[1]))
    for saved, table, made in found[:TABLES]:
        joined = sum(one.joined for one in made.folders)
        below = TARGETS[formats.get(table, "")].below
        short = table.removeprefix(f"{root.rstrip('/')}/") if root else table
        yield printable(
            f"{size(made.joined_bytes)} in {plural(joined, 'file')} below {size(below)}: compacting "
            f"{name(short)} saves {percent(saved / made.all_requests)} of the requests for footers."
        )
    if len(found) > TABLES:
        more = found[TABLES:]
        saved = sum(one[0] for one in more)
        yield f"Compacting {plural(len(more), 'more table')} saves {plural(saved, 'request')} for footers."


def _said(one: LakeFinding) -> str:
    engines = _engines(one)
    if engines:
        rest = one.message.partition(": ")[2] or one.message
        return f"{engines} {plural(one.files, 'file')} of {one.of:,}, since {rest}"
    made = _BY_RULE.get(one.rule)
    said = made(one) if made is not None else ""
    return said or with_cost(one)


def _engines(one: LakeFinding) -> str:
    """What engines make of the files, in words before their number; "" where no engine was seen to fail or to lose."""
    seen = reading(one.engines)
    fails = [engine for engine, text in seen.items() if text.startswith(Outcome.FAILS.value)]
    asks = [engine for engine in fails if seen[engine].startswith(f"{Outcome.FAILS.value}: {WITHOUT}")]
    loses = [engine for engine, text in seen.items() if text.startswith(Outcome.LOSES.value)]
    fails = [engine for engine in fails if engine not in asks]
    for engines, verbs in (
        (fails, ("fails on", "fail on")),
        (loses, ("loses values of", "lose values of")),
        (asks, ("needs an option for", "need an option for")),
    ):
        if engines:
            return f"{listing(sorted(engines, key=str.lower))} {verbs[len(engines) > 1]}"
    return ""


def _of(one: LakeFinding) -> str:
    return f"{one.files:,} of {plural(one.of, 'file')}"


def _unread(fails: str, *why: str) -> Callable[[LakeFinding], str]:
    """What a query does with files that are not read, and why with the only one."""

    def words(one: LakeFinding) -> str:
        alone = f": {one.example.rstrip('.')}" if one.files == 1 and one.example else ""
        return f"A query that reads {_of(one)} {fails}: {why[one.files > 1]}{alone}."

    return words


def _copies(one: LakeFinding) -> str:
    rows, stored = one.cost.rows, one.cost.bytes
    if not rows:
        return ""
    return f"{plural(rows, 'row')} may be counted twice: {_of(one)}, with {size(stored or 0)}, look like copies."


def _wasted(what: str) -> Callable[[LakeFinding], str]:
    return lambda one: f"{size(one.cost.bytes)} {what} {_of(one)}." if one.cost.bytes else ""


_BY_RULE: Mapping[str, Callable[[LakeFinding], str]] = {
    UNREADABLE: _unread("fails", "it cannot be read", "they cannot be read"),
    EMPTY: _unread("fails", "it has no bytes", "they have no bytes"),
    NOT_READ: _unread("may fail", "it could not be looked at", "they could not be looked at"),
    NEEDS_KEY: lambda one: f"Nothing is known of {_of(one)} without a key.",
    COPIES.name: _copies,
    DELETED_ROWS.name: _wasted("are read for rows that are deleted, in"),
    REMOVED_FILES.name: _wasted("of storage are free when the table is vacuumed: earlier versions need"),
    UNREFERENCED_FILES.name: _wasted("of storage are in files that no log names:"),
}
"""The sentence of each rule; "" where its numbers are not known. Other rules say the finding with its cost."""
