"""Rules about columns: names that collide, columns of nulls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.finding import Finding
from pqexplore.engine.format.field import walk
from pqexplore.engine.rule import FOOTER, Rule, Severity
from pqexplore.engine.rules import RENAMED, SPARK_CASE
from pqexplore.insight.doctor.rules.values import LEAST_ROWS, STATISTICS
from pqexplore.insight.doctor.subject import concerned
from pqexplore.insight.wording import percent, plural

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field
    from pqexplore.insight.doctor.subject import Subject

HARDLY = 0.95
"""The share of nulls from which a column counts as mostly nulls: our choice, for a note."""


def same_but_for_case(subject: Subject) -> Iterator[Finding]:
    """Fields of one group whose names differ in case only."""
    for group in walk(subject.file.schema.root) if subject.leaves else ():
        alike: dict[str, dict[str, Field]] = {}
        for field in group.children:
            alike.setdefault(field.name.lower(), {}).setdefault(field.name, field)
        for fields in alike.values():
            if len(fields) > 1:
                found = concerned(list(fields.values()))
                evidence = {"fields": found.names, "names": found.paths}
                yield Finding("names-differ-in-case", found.address, evidence=evidence, column=found.paths[0])


def only_nulls(subject: Subject) -> Iterator[Finding]:
    """Columns that hold nothing but nulls, by the counts in the footer."""
    rows = sum(subject.rows)
    if rows < LEAST_ROWS:
        return
    leaves = [leaf for leaf in subject.leaves if subject.nulls(leaf) == rows]
    if not leaves:
        return
    found = concerned(leaves)
    yield Finding(
        "only-nulls",
        found.address,
        f"{plural(found.total, 'column')} {'hold' if found.total > 1 else 'holds'} nothing but nulls, by the footer's "
        f"counts: {found.names}.",
        {"columns": found.paths, "rows": rows},
        column=found.column,
        rows=rows,
        fix="Leave the column out, if nothing needs it.",
        code={
            "pyarrow": f"table.drop_columns({found.paths!r})",
            "polars": f"df.drop({found.paths!r})",
            "Spark": f"df.drop(*{found.paths!r})",
        }
        if all(len(leaf.path) == 1 for leaf in leaves)
        else {},
    )


def mostly_nulls(subject: Subject) -> Iterator[Finding]:
    """Columns with hardly a value, by the counts in the footer."""
    rows = sum(subject.rows)
    if rows < LEAST_ROWS:
        return
    nulls = {leaf: subject.nulls(leaf) for leaf in subject.leaves}
    leaves = [leaf for leaf, count in nulls.items() if rows * HARDLY <= (count or 0) < rows]
    if not leaves:
        return
    found = concerned(leaves)
    values = [rows - (nulls[leaf] or 0) for leaf in leaves]
    yield Finding(
        "mostly-nulls",
        found.address,
        f"{plural(found.total, 'column')} {'have' if found.total > 1 else 'has'} values in at most {max(values):,} of "
        f"{rows:,} rows, by the footer's counts: {found.names}. All other rows are null there.",
        {"columns": found.paths, "rows": rows, "values": values[:100]},
        column=found.column,
        fix="Nulls take nearly no bytes; look whether something was not filled in.",
    )


RULES = (
    Rule(
        "names-differ-in-case", Severity.WRONG, FOOTER, "Fields whose names differ in case only",
        "Spark selects columns without regard to case.", same_but_for_case, SPARK_CASE,
        message="{fields} differ in case only: Spark finds them ambiguous unless it compares names by case, and DuckDB gives the values "
        "of the first of them for each that is asked for by its name.",
        fix="Rename one of them.", code=RENAMED,
    ),
    Rule(
        "only-nulls", Severity.NOTE, FOOTER, "Columns of nothing but nulls",
        "They cost little, and often mean that something was not filled in.",
        only_nulls, STATISTICS, f"A file of at least {LEAST_ROWS:,} rows, a column in no list, and counts that agree with each other.",
    ),
    Rule(
        "mostly-nulls", Severity.NOTE, FOOTER, "Columns with hardly a value",
        "They cost little, and often mean that something was not filled in.",
        mostly_nulls, STATISTICS,
        f"At least {percent(HARDLY)} nulls, by the same counts as `only-nulls`. The share is our choice: it is a note, and costs nothing.",
    ),
)  # fmt: skip
