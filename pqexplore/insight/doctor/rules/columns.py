"""Rules about columns: names that collide, columns of nulls, columns that are equal, deep nesting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.field import REPEATED, walk
from pqexplore.engine.format.logical import describe
from pqexplore.engine.rule import FOOTER, SAMPLE, Cost, Rule, Severity, Source
from pqexplore.engine.rules import RENAMED, SPARK_CASE
from pqexplore.insight.doctor.rules import trials
from pqexplore.insight.doctor.rules.trials import LEAST_BYTES
from pqexplore.insight.doctor.rules.values import LEAST_ROWS, STATISTICS
from pqexplore.insight.doctor.subject import EVIDENCE, LISTED, concerned
from pqexplore.insight.wording import listing, name, percent, plural, size

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field, Leaf
    from pqexplore.insight.doctor.subject import Subject

NESTED = Source(
    "BigQuery, nested and repeated columns: limitations", "https://cloud.google.com/bigquery/docs/nested-repeated"
)

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


DEEP = 15
"""Groups within each other that BigQuery reads at most."""

EQUAL_BYTES = 64 << 20
"""Bytes of columns that are compared with each other."""


def deep_nesting(subject: Subject) -> Iterator[Finding]:
    """Columns at the bottom of many groups."""
    depths = {leaf: _depth(leaf) for leaf in subject.leaves}
    leaves = [leaf for leaf, depth in depths.items() if depth > DEEP]
    if not leaves:
        return
    deepest = max(leaves, key=lambda leaf: depths[leaf])
    others = f", and so do {plural(len(leaves) - 1, 'other column')}" if len(leaves) > 1 else ""
    yield Finding(
        "deep-nesting",
        Address.of("schema", deepest.index),
        f"{name(deepest.path)} lies in {depths[deepest]:,} groups and lists within each other, with levels of up to "
        f"{deepest.max_definition_level:,} for each value{others}.",
        {"columns": [".".join(leaf.path) for leaf in leaves[:EVIDENCE]], "depth": depths[deepest]},
        column=".".join(deepest.path),
        cost=Cost(
            f"a reader puts each value together from its levels; BigQuery reads at most {DEEP} groups within each other"
        ),
        fix="Bring the fields to the top, or store the inner part as a VARIANT or JSON.",
    )


def _depth(leaf: Leaf) -> int:
    """The groups around a leaf; the two that make a list or map count as one."""
    count, group = 0, leaf.parent
    while group is not None and group.parent is not None:
        count += group.repetition != REPEATED or group.parent.kind not in ("list", "map")
        group = group.parent
    return count


def equal_columns(subject: Subject) -> Iterator[Finding]:
    """Columns whose stored bytes are the same in all row groups."""
    alike: dict[tuple[object, ...], list[Leaf]] = {}
    for leaf in subject.leaves:
        key = _alike(subject, leaf)
        if key is not None:
            alike.setdefault(key, []).append(leaf)
    left = EQUAL_BYTES
    for leaves in sorted(alike.values(), key=lambda one: -subject.total("total_compressed_size", one[0])):
        while len(leaves) > 1 and left > 0:
            first, rest = leaves[0], leaves[1:]
            left -= len(leaves) * subject.total("total_compressed_size", first)
            equal = [leaf for leaf in rest if left > 0 and _same_bytes(subject, first, leaf)]
            if equal:
                yield _equal(subject, first, equal)
            leaves = [leaf for leaf in rest if leaf not in equal]


def _alike(subject: Subject, leaf: Leaf) -> tuple[object, ...] | None:
    """What is the same of equal columns; None for a column that is small or has one value."""
    sizes = subject.numbers("total_compressed_size")[:, leaf.leaf_index]
    if subject.partial or not bool(subject.readable[:, leaf.leaf_index].all()) or sizes.clip(0).sum() < LEAST_BYTES:
        return None
    if subject.file.other_files or subject.encrypts:
        return None
    counts = subject.numbers("num_values")[:, leaf.leaf_index]
    levels = leaf.max_definition_level, leaf.max_repetition_level
    logical = describe(leaf)
    return leaf.physical_type, leaf.type_length, logical, *levels, sizes.tobytes(), counts.tobytes()


def _same_bytes(subject: Subject, one: Leaf, other: Leaf) -> bool:
    """Whether the pages of two columns are the same bytes, so that all their values are equal."""
    try:
        for group in subject.file.row_groups:
            first, second = group.columns[one.leaf_index], group.columns[other.leaf_index]
            if first.metadata.codec != second.metadata.codec or first.locked or second.locked:
                return False
            spans = first.span, second.span
            if len(spans[0]) != len(spans[1]) or first.start == second.start:
                return False
            read = subject.file.source.read
            if read(spans[0].start, len(spans[0])) != read(spans[1].start, len(spans[1])):
                return False
    except ParquetError:
        return False
    return True


def _equal(subject: Subject, first: Leaf, equal: list[Leaf]) -> Finding:
    saved = sum(subject.total("total_compressed_size", leaf) for leaf in equal)
    names = listing([name(leaf.path) for leaf in equal], most=LISTED)
    columns = [".".join(leaf.path) for leaf in equal]
    return Finding(
        "equal-columns",
        Address.of("schema", equal[0].index),
        f"{names} {'has' if len(equal) == 1 else 'have'} the same values as {name(first.path)} in all "
        f"{sum(subject.rows):,} rows, and take{'s' if len(equal) == 1 else ''} {size(saved)}.",
        {"columns": [*columns[:EVIDENCE], ".".join(first.path)]}
        | trials.smaller(
            {one: subject.total("total_compressed_size", leaf) for one, leaf in zip(columns, equal, strict=True)},
            0,
            saved,
        ),
        severity=trials.severity(subject, saved) or Severity.NOTE,
        column=columns[0],
        cost=Cost(f"{size(saved)}, {percent(saved / subject.file.size)} of the file", bytes=saved),
        fix="Leave them out, if they are equal by what they mean, too.",
        code={
            "pyarrow": f"table.drop_columns({columns!r})",
            "polars": f"df.drop({columns!r})",
            "Spark": f"df.drop(*{columns!r})",
        }
        if subject.flat
        else {},
    )


RULES = (
    Rule(
        "deep-nesting", Severity.SLOW, FOOTER, "Columns in many groups within each other",
        "Levels of repetition and definition are read and written for each value, and some readers have a limit.",
        deep_nesting, NESTED, f"More than {DEEP} groups and lists, the most that BigQuery reads.",
    ),
    Rule(
        "equal-columns", Severity.WASTEFUL, SAMPLE, "Columns that are equal",
        "A join or a copy often leaves a column twice.",
        equal_columns, None,
        f"Columns of at least {size(LEAST_BYTES)} whose pages are the same bytes in all row groups, of {size(EQUAL_BYTES)} that are compared. {trials.THRESHOLD}",
    ),
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
