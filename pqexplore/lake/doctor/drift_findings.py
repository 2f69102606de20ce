"""The differences between schemas as findings: how bad they are is what engines make of them.

Columns that differ in the same way in the same files are one finding, with their names.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator, Sequence

from pqexplore.engine.rule import Cost, Rule, Severity
from pqexplore.engine.text import plural, printable
from pqexplore.insight.diff.engines import Outcome
from pqexplore.insight.wording import listing, name
from pqexplore.lake.doctor.column_bounds import JOB_FILES
from pqexplore.lake.doctor.drift import (
    ICEBERG,
    Drift,
    Drifted,
    DriftFile,
    judged,
    outcomes_and_words,
    reading,
    since_and_by,
    worst_by_engine,
)
from pqexplore.lake.doctor.lake_report import LakeFinding
from pqexplore.lake.doctor.together import (
    COLUMNS_DIFFER,
    NAMED,
    NAMES_DIFFER,
    NULLS_DIFFER,
    ORDER_DIFFERS,
    PATHS,
    TYPES_DIFFER,
)

_RULES: dict[str, Rule] = {
    "type": TYPES_DIFFER,
    "list-layout": TYPES_DIFFER,
    "column-added": COLUMNS_DIFFER,
    "column-removed": COLUMNS_DIFFER,
    "name-case": NAMES_DIFFER,
    "column-order": ORDER_DIFFERS,
    "nullability": NULLS_DIFFER,
}
"""By `Difference.what`."""

_FIXES = {
    TYPES_DIFFER.name: "Write the files of the rarer types again, with the type of the others.",
    COLUMNS_DIFFER.name: "Read with the union of the schemas: mergeSchema in Spark, union_by_name in DuckDB.",
    NAMES_DIFFER.name: "Write the files again with one spelling of the name.",
    ORDER_DIFFERS.name: "Nothing needs to be done; name the columns in queries and in unions.",
    NULLS_DIFFER.name: "Nothing needs to be done for these readers; let the writers agree.",
}
FINDINGS = 20
"""Findings of one rule; the columns of the others are named together."""


@dataclasses.dataclass(frozen=True)
class _Column:
    """A column of a table that differs: how, in how many files each way, in which files, and what the comparison saw.

    `usual`: a file that has it as most files do, if types differ.
    """

    name: str
    said: str
    files: tuple[str, ...]
    usual: str
    of: int
    seen: tuple[Drifted, ...]


def drift_findings(drift: Drift, files: Sequence[DriftFile]) -> Iterator[LakeFinding]:
    """What differs between schemas, a finding for each way in which columns differ; `files` are those that were compared."""
    by_path = {one.path: one for one in files}
    tables: dict[str, list[str]] = {}
    for one in files:
        if one.schema_id:
            tables.setdefault(one.table, []).append(one.path)
    columns: dict[tuple[str, str, str], list[Drifted]] = {}
    for found in drift.differences:
        for column in found.columns if found.what in _RULES else ():
            columns.setdefault((_RULES[found.what].name, found.table, column), []).append(found)
    gone: dict[tuple[str, str], list[str]] = {}
    for found in drift.differences:
        for column in found.columns if found.what == "column-removed" else ():
            gone.setdefault((found.table, column), []).extend(found.files)
    alike: dict[str, dict[tuple[object, ...], list[_Column]]] = {}
    for (rule, table, column), seen in columns.items():
        lacks = gone.get((table, column), ())
        made = _Column(column, *_odd(rule, seen, tables[table], lacks), len(tables[table]), tuple(seen))
        words = tuple(sorted((engine, text) for engine, (_, text) in worst_by_engine(seen).items()))
        alike.setdefault(rule, {}).setdefault((table, made.said, made.files, words), []).append(made)
    for rule, groups in alike.items():
        every = list(groups.values())
        rest = [one for some in every[FINDINGS:] for one in some]
        for some in (*every[:FINDINGS], *([rest] if rest else [])):
            yield _finding(rule, some, by_path)


def _odd(
    rule: str, seen: Sequence[Drifted], table: Sequence[str], lacks: Sequence[str]
) -> tuple[str, tuple[str, ...], str]:
    """How a column differs, in words after its name; the files that are unlike most, and one that is not, if types differ."""
    differ = sorted({path for one in seen for path in one.files})
    alike = sorted(set(table) - set(differ) - set(lacks))  # the first file, and those that have the column as it has it
    if rule == TYPES_DIFFER.name:
        kinds = {one.second: one.files for one in seen}
        kinds[seen[0].first] = tuple(alike)
        ordered = sorted(kinds, key=lambda kind: (-len(kinds[kind]), kind != seen[0].first, kind))
        odd = sorted(path for kind in ordered[1:] for path in kinds[kind])
        some = [f"{kind} in {plural(len(kinds[kind]), 'file')}" for kind in ordered[:NAMED]]
        more = [f"{len(ordered) - NAMED:,} more types"] * (len(ordered) > NAMED)
        return listing([*some, *more]), tuple(odd), next(iter(kinds[ordered[0]]), "")
    if rule == COLUMNS_DIFFER.name:
        if any(one.kind == "shape" for one in seen):
            return "in another shape than in the others", tuple(alike if len(alike) < len(differ) else differ), ""
        if any(one.what == "column-added" for one in seen):
            differ = sorted(set(table) - set(differ))
        return f"lacking in {plural(len(differ), 'file')}", tuple(differ), ""
    if rule == NAMES_DIFFER.name:
        one = dataclasses.replace(seen[0], files=tuple(differ), since="", writers=())
        if len(alike) < len(differ):  # the first file is the odd one
            one = dataclasses.replace(one, columns=(one.first,), first=one.columns[0], files=tuple(alike))
        return one.sentence.rstrip("."), one.files, ""
    return seen[0].sentence, tuple(differ), ""


def _how(some: Sequence[_Column]) -> str:
    """Which columns differ, and how if they do so in the same way."""
    names = listing([name(one.name) for one in some], most=2 * NAMED)
    if len({one.said for one in some}) == 1:
        return f"{names} {'is' if len(some) == 1 else 'are'} {some[0].said}"
    return f"{names} {'differs' if len(some) == 1 else 'differ'}"


def _finding(rule: str, some: Sequence[_Column], files: dict[str, DriftFile]) -> LakeFinding:
    """A finding about columns that differ in the same way."""
    record = next(one for one in _RULES.values() if one.name == rule)
    paths = sorted({path for one in some for path in one.files})
    seen = list({id(drifted): drifted for one in some for drifted in one.seen}.values())
    if rule in (TYPES_DIFFER.name, COLUMNS_DIFFER.name):
        message = f"{record.title}: {_how(some)}{_only_in(some, len(paths))}{_since(paths, files)}."
    else:
        same = rule == NAMES_DIFFER.name
        message = f"{record.title}: {some[0].said.rstrip('.')}{_since(paths, files) if same else ''}."
        if len(seen) > 1:
            message += f" And {len(seen) - 1:,} more."
    found = LakeFinding(
        rule,
        "schema",
        message,
        cost=Cost(record.why[:1].lower() + record.why[1:].rstrip(".")),
        fix=_FIXES[rule],
        code=_job(paths, some[0].usual),
        files=len(paths),
        of=sum({drifted.table: one.of for one in some for drifted in one.seen}.values()),
        paths=tuple(paths[:PATHS]),
        columns=tuple(Counter({one.name: len(one.files) for one in some}).most_common()),
        together=tuple(paths),
    )
    worst = worst_by_engine(seen)
    if not worst:
        return found
    outcomes = {engine: outcome for engine, (outcome, _) in worst.items()}
    return dataclasses.replace(
        found,
        severity=_severity(rule, set(reading(outcomes).values()), any(one.unreadable for one in seen)),
        engines={engine: f"{outcome.value}: {words}" for engine, (outcome, words) in worst.items()},
        cost=Cost(_cost(judged(*outcomes_and_words(worst)).rstrip("."))),
    )


def _job(paths: Sequence[str], usual: str) -> dict[str, str]:
    """Code that writes files again with the types of another; empty if they cannot be named, or are files of a log."""
    every = [*paths, usual]
    if not usual or len(every) > JOB_FILES or any("://" in path or printable(path) != path for path in every):
        return {}
    return {
        "pyarrow job": f"import pyarrow as pa\nimport pyarrow.parquet as pq\nusual = pq.read_schema({usual!r})\n"
        f"for path in {list(paths)!r}:\n    rows = pq.ParquetFile(path).read()\n"
        "    columns = {n: rows[n].cast(usual.field(n).type) if n in usual.names else rows[n] for n in rows.column_names}\n"
        "    pq.write_table(pa.table(columns), path.removesuffix('.parquet') + '.new.parquet')\n"
        "# it stops at a value that does not fit; then put the new files in the place of the old ones"
    }


def _only_in(some: Sequence[_Column], lacking: int) -> str:
    """That one file alone has the columns, with its name; "" if several have them."""
    one = some[0]
    added = [drifted for drifted in one.seen if drifted.what == "column-added" and drifted.kind != "shape"]
    if lacking != one.of - 1 or len(added) != 1 or len(added[0].files) != 1:
        return ""
    return f": only {printable(added[0].files[0].removeprefix(f'{added[0].table}/'))} has {'it' if len(some) == 1 else 'them'}"


def _since(paths: Sequence[str], files: dict[str, DriftFile]) -> str:
    """Since when the files are so, and who wrote them."""
    own = [files[path] for path in paths if path in files]
    return since_and_by(
        min((one.date for one in own if one.date), default=""), Counter(one.writer for one in own).most_common()
    )


def _cost(said: str) -> str:
    if not said:
        return "none: the engines that were tried read all files"
    return said if said.startswith(ICEBERG) else f"read as one table, {said}"


def _severity(rule: str, outcomes: set[Outcome], unreadable: bool) -> Severity:
    """Values that a query loses without an error can make a wrong answer; a column that it leaves out cannot.

    A table that an engine cannot read with any option is as bad.
    """
    if unreadable or (Outcome.LOSES in outcomes and rule != COLUMNS_DIFFER.name):
        return Severity.WRONG
    if outcomes & {Outcome.LOSES, Outcome.FAILS}:
        return Severity.PORTABILITY
    return Severity.NOTE
