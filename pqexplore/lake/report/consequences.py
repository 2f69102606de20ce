"""What a person would do today, in consequences with numbers: each from the evidence of one finding, the worst first."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pqexplore.engine.text import name, plural, printable
from pqexplore.insight.diff.engines import Outcome
from pqexplore.insight.doctor.verdict import lead, with_cost
from pqexplore.insight.wording import listing, percent, size
from pqexplore.lake.doctor.diagnosing import EMPTY, NEEDS_KEY, NOT_READ, UNREADABLE
from pqexplore.lake.doctor.drift import ICEBERG, judged, outcomes_and_words, reading
from pqexplore.lake.doctor.lake_report import LakeFinding
from pqexplore.lake.doctor.states import COPIES, DELETED_ROWS, REMOVED_FILES, UNREFERENCED_FILES
from pqexplore.lake.doctor.together import COLUMNS_DIFFER, NAMES_DIFFER, SMALL_FILES, TYPES_DIFFER, table_of
from pqexplore.lake.report.actions import KNOW, grouped
from pqexplore.lake.target_sizes import TARGETS
from pqexplore.lake.what_if.compaction import compaction

TABLES = 3
"""Tables that are named of those that a compaction helps."""
FOLDER_READERS = frozenset(("DuckDB", "polars", "pyarrow", "Spark"))
"""Engines that read a folder of plain files: each difference between schemas was tried with them."""
SCHEMA_RULES = (TYPES_DIFFER.name, COLUMNS_DIFFER.name, NAMES_DIFFER.name)
ODD = 2
"""Files that are named of those whose schema is not that of most."""


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
    if one.rule in SCHEMA_RULES:
        if not one.engines:
            return f"{lead(one)} What engines make of it is not known."
        return _engines(one) or with_cost(one)
    made = _BY_RULE.get(one.rule)
    said = made(one) if made is not None else ""
    return said or with_cost(one)


def _engines(one: LakeFinding) -> str:
    """What engines make of the files of a table together, and why; "" where no engine was seen to fail or to lose.

    An engine takes the schema of the first file, whichever that is, so it reads the table or it does not: no engine
    fails on the files that differ from most, which are named as what is to be written again.
    """
    seen = {
        engine: (Outcome(text.partition(": ")[0]), text.partition(": ")[2])
        for engine, text in reading(one.engines).items()
    }
    bad = {engine: pair for engine, pair in seen.items() if pair[0] in (Outcome.FAILS, Outcome.LOSES)}
    if not bad or ICEBERG in seen:  # the rules of Iceberg say what a table may be, not what a query does
        return ""
    said = judged(*outcomes_and_words(bad)).rstrip(".")
    tables = {table_of(path, None) for path in one.together}
    read = f"the {one.of:,} files are read as one table" if len(tables) == 1 else "the files of a table are read as one"
    why = one.message.partition(": ")[2] or one.message
    odd = one.named(ODD).removesuffix(": ") if 2 * one.files < one.of else ""
    open_ = sorted(FOLDER_READERS - seen.keys(), key=str.lower)
    sentence = f"{said}, when {read}: {why}"
    if odd:
        sentence += f" Unlike most: {odd}."
    if open_:
        sentence += f" Not known of {listing(open_)}: the footers do not show whether the values fit."
    return sentence


def _of(one: LakeFinding) -> str:
    return f"{one.files:,} of {plural(one.of, 'file')}"


def _unread(fails: str, one_is: str, several_are: str, *, quoted: bool = False) -> Callable[[LakeFinding], str]:
    """What a query does with files that are not read, and why; with the only one why in its own words if `quoted`."""

    def words(one: LakeFinding) -> str:
        if one.files > 1:
            return f"A query that reads any of {one.files:,} files, of {one.of:,}, {fails}: {several_are}."
        why = one.example.partition(": ")[2].rstrip(".") if quoted else ""
        which = one.named(1).removesuffix(": ")
        return f"A query that reads {f'{which}, ' if which else ''}1 of {plural(one.of, 'file')}, {fails}: {why or one_is}."

    return words


def _copies(one: LakeFinding) -> str:
    rows, stored = one.cost.rows, one.cost.bytes
    if not rows:
        return ""
    look = "looks like a copy of another" if one.files == 1 else "look like copies of others"
    return f"{plural(rows, 'row')} may be counted twice: {_of(one)}, with {size(stored or 0)}, {look}."


def _deleted(one: LakeFinding) -> str:
    return f"About {size(one.cost.bytes)} are read in vain: deleted rows in {_of(one)}." if one.cost.bytes else ""


def _stored(is_: str, are: str) -> Callable[[LakeFinding], str]:
    """What can be freed, and why: the verb for one file and for several."""

    def words(one: LakeFinding) -> str:
        why = is_ if one.files == 1 else are
        return f"{size(one.cost.bytes)} of storage can be freed: {_of(one)} {why}." if one.cost.bytes else ""

    return words


_BY_RULE: Mapping[str, Callable[[LakeFinding], str]] = {
    UNREADABLE: _unread("fails", "it cannot be read", "they cannot be read", quoted=True),
    EMPTY: _unread("fails", "it has no bytes", "they have no bytes"),
    NOT_READ: _unread("may fail", "it could not be looked at", "they could not be looked at", quoted=True),
    NEEDS_KEY: lambda one: f"Nothing is known of {_of(one)} without a key.",
    COPIES.name: _copies,
    DELETED_ROWS.name: _deleted,
    REMOVED_FILES.name: _stored(
        "is needed only by versions that the table's settings no longer keep",
        "are needed only by versions that the table's settings no longer keep",
    ),
    UNREFERENCED_FILES.name: _stored("is old and in no table's log", "are old and in no table's log"),
}
"""The sentence of each rule; "" where its numbers are not known. Other rules say the finding with its cost."""
