"""Rules about columns: names that collide, columns of nulls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.format.field import walk
from pqexplore.insight.doctor.diagnosis import Diagnosis, Severity, Source
from pqexplore.insight.doctor.rules.rule import FOOTER, Rule
from pqexplore.insight.doctor.rules.values import LEAST_ROWS, STATISTICS
from pqexplore.insight.doctor.subject import concerned
from pqexplore.insight.wording import percent, plural

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field
    from pqexplore.insight.doctor.subject import Subject

SPARK_CASE = Source(
    "Spark SQL, spark.sql.caseSensitive", "https://spark.apache.org/docs/latest/sql-migration-guide.html"
)

HARDLY = 0.95
"""The share of nulls from which a column counts as mostly nulls: our choice, for a note."""


def colliding_names(subject: Subject) -> Iterator[Diagnosis]:
    """Fields of one group whose names are the same, or differ in case only."""
    if not subject.leaves:
        return
    for group in walk(subject.file.schema.root):
        exact: dict[str, list[Field]] = {}
        for field in group.children:
            exact.setdefault(field.name, []).append(field)
        by_case: dict[str, list[Field]] = {}
        for fields in exact.values():
            by_case.setdefault(fields[0].name.lower(), []).append(fields[0])
            if len(fields) > 1:
                yield _collision(
                    "duplicate-names",
                    fields,
                    "have the same name: a reader that selects columns by name cannot tell which is meant.",
                )
        for fields in by_case.values():
            if len(fields) > 1:
                yield _collision(
                    "names-differ-in-case",
                    fields,
                    "differ in case only: Spark finds them ambiguous unless it compares names by case.",
                )


def _collision(rule: str, fields: list[Field], what: str) -> Diagnosis:
    """The diagnosis about fields of one group whose names collide; `what` ends its sentence."""
    found = concerned(fields)
    return Diagnosis(
        rule,
        Severity.PORTABILITY,
        f"{found.names} {what}",
        found.address,
        ".".join(fields[0].path),
        evidence={"names": found.paths},
        fix="Rename one of them.",
        code={
            "pyarrow": "table.rename_columns(names)",
            "polars": "pl.read_parquet(path).rename({'old': 'new'})",
            "Spark": "df.toDF(*names)",
        },
        source=SPARK_CASE,
    )


def only_nulls(subject: Subject) -> Iterator[Diagnosis]:
    """Columns that hold nothing but nulls, by the counts in the footer."""
    rows = sum(subject.rows)
    if rows < LEAST_ROWS:
        return
    leaves = [leaf for leaf in subject.leaves if subject.nulls(leaf) == rows]
    if not leaves:
        return
    found = concerned(leaves)
    yield Diagnosis(
        "only-nulls",
        Severity.NOTE,
        f"{plural(found.total, 'column')} {'hold' if found.total > 1 else 'holds'} nothing but nulls, by the footer's "
        f"counts: {found.names}.",
        found.address,
        found.column,
        rows=rows,
        evidence={"columns": found.paths, "rows": rows},
        fix="Leave the column out, if nothing needs it.",
        code={
            "pyarrow": f"table.drop_columns({found.paths!r})",
            "polars": f"df.drop({found.paths!r})",
            "Spark": f"df.drop(*{found.paths!r})",
        }
        if all(len(leaf.path) == 1 for leaf in leaves)
        else {},
        source=STATISTICS,
    )


def mostly_nulls(subject: Subject) -> Iterator[Diagnosis]:
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
    yield Diagnosis(
        "mostly-nulls",
        Severity.NOTE,
        f"{plural(found.total, 'column')} {'have' if found.total > 1 else 'has'} values in at most {max(values):,} of "
        f"{rows:,} rows, by the footer's counts: {found.names}. All other rows are null there.",
        found.address,
        found.column,
        evidence={"columns": found.paths, "rows": rows, "values": values[:100]},
        fix="Nulls take nearly no bytes; look whether something was not filled in.",
        source=STATISTICS,
    )


RULES = (
    Rule(
        "duplicate-names", Severity.PORTABILITY, FOOTER, "Fields with the same name",
        "Columns are selected by name.", colliding_names, SPARK_CASE,
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
