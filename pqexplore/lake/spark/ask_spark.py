"""Says of a Spark DataFrame what its scans of Parquet files read, and which of its conditions help.

The plan that Spark prints says which filters it pushes, but this is not what parquet-java gets: `ParquetFilters` leaves
out what the types of the file's columns do not allow. So each condition is asked of the files' own schemas, and the
files' row groups are passed through the stages of the engine `spark`.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Self

import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.text import clip, printable
from pqexplore.insight.ask import engines, predicate, row_ranges
from pqexplore.insight.ask import sql as grammar
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.ask.bound import Both, Bound, Either, Test, Undecided, single
from pqexplore.insight.ask.planning import steps
from pqexplore.insight.steps import finish
from pqexplore.insight.wording import listing, plural, size
from pqexplore.lake.spark import catalyst_expressions, partition_filters, physical_plan_parser
from pqexplore.lake.spark.catalyst_expressions import Column, Joined, Node, Not, Other

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
    from pqexplore.engine.format.schema import Schema
    from pqexplore.insight.ask.plan import Plan


ENGINE = "spark"
SWITCH = "spark.sql.parquet.filterPushdown"


@dataclasses.dataclass(frozen=True, slots=True)
class FilePlan:
    """A file of a scan: `left_out` is the partition filter by which it is not read; `plan` what is read of it.

    `problem` says why there is no plan of a file that is read, `skipped` which conditions cannot be asked of it.
    """

    path: str
    left_out: str = ""
    problem: str = ""
    plan: Plan | None = None
    skipped: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class ScanPlan:
    """What one scan of Parquet files reads.

    - `name`: what the plan calls the scan, `number` its node in the plan; `conditions`: the conditions on its rows.
    - `file_plans`: its files; `column_bytes`: (column, is it read, compressed bytes in the files that were opened).
    """

    number: int
    name: str
    conditions: tuple[Condition, ...]
    file_plans: tuple[FilePlan, ...]
    column_bytes: tuple[tuple[str, bool, int], ...]

    @property
    def plans(self) -> list[Plan]:
        """The plans of the files that were opened."""
        return [one.plan for one in self.file_plans if one.plan is not None]

    @property
    def sentence(self) -> str:
        """What is read of how much, and which conditions do not help, and why."""
        return printable(sentence(self))


class SparkPlan:
    """What the scans of a DataFrame read, and why.

    `scans` has one plan for each scan of Parquet files, in the order of the physical plan; the tables have those of all,
    distinguished by `scan`, the number of the node. `text` is Spark's plan; `remarks` say what limits the answer.
    """

    def __init__(self, scans: Sequence[ScanPlan], text: str, remarks: Sequence[str]) -> None:
        self.scans = tuple(scans)
        self.text = text
        self.remarks = tuple(remarks)

    @functools.cached_property
    def sentence(self) -> str:
        """A sentence for each scan."""
        if len(self.scans) == 1:
            return self.scans[0].sentence
        return " ".join(f"({one.number}) {one.sentence}" for one in self.scans)

    @functools.cached_property
    def conditions(self) -> pa.Table:
        """The conditions on each scan's rows.

        scan, condition; where: `partition`, `pushed` or `not pushed` by Spark's plan, `unknown` if it cannot be read;
        reaches_parquet: whether parquet-java gets it (None if unknown); why: why it does not, "" if it does.
        """
        found = [(scan.number, one) for scan in self.scans for one in scan.conditions]
        return pa.table(
            {
                "scan": pa.array([number for number, _ in found], pa.int32()),
                "condition": pa.array([printable(one.text) for _, one in found], pa.string()),
                "where": pa.array([one.where for _, one in found], pa.string()),
                "reaches_parquet": pa.array([one.reaches for _, one in found], pa.bool_()),
                "why": pa.array([printable(one.why) for _, one in found], pa.string()),
            }
        )

    @functools.cached_property
    def files(self) -> pa.Table:
        """The files of each scan.

        scan, file, read (False: a partition filter leaves it out), row_groups and row_groups_read, rows and rows_read
        (by Spark's scan, before its filter), bytes and bytes_read; None for files that were not opened; why.
        """
        found = [(scan.number, one) for scan in self.scans for one in scan.file_plans]
        plans = [one.plan for _, one in found]
        return pa.table(
            {
                "scan": pa.array([number for number, _ in found], pa.int32()),
                "file": pa.array([printable(one.path) for _, one in found], pa.string()),
                "read": pa.array([not one.left_out for _, one in found], pa.bool_()),
                "row_groups": _column(plans, lambda plan: len(plan.groups)),
                "row_groups_read": _column(plans, lambda plan: len(plan.kept)),
                "rows": _column(plans, lambda plan: sum(group.num_rows for group in plan.groups)),
                "rows_read": _column(plans, lambda plan: sum(row_ranges.count(g.ranges) for g in plan.kept)),
                "bytes": _column(plans, lambda plan: plan.reading.all_bytes),
                "bytes_read": _column(plans, lambda plan: plan.reading.bytes),
                "why": pa.array(
                    [printable(one.left_out or one.problem or "; ".join(one.skipped)) for _, one in found], pa.string()
                ),
            }
        )

    @functools.cached_property
    def row_groups(self) -> pa.Table:
        """`Plan.row_groups` of all files that were opened, with `scan`, and the path as `file`."""
        made = []
        for scan in self.scans:
            for one in scan.file_plans:
                if one.plan is not None:
                    table = one.plan.row_groups
                    paths = pa.array([printable(one.path)] * table.num_rows, pa.string())
                    numbers = pa.array([scan.number] * table.num_rows, pa.int32())
                    table = table.drop_columns(["file"]).add_column(0, "file", paths)
                    made.append(table.add_column(0, "scan", numbers))
        return pa.concat_tables(made) if made else pa.table({})

    @functools.cached_property
    def columns(self) -> pa.Table:
        """scan, column, read (does the scan read it), bytes: its compressed size in all row groups of the opened files."""
        found = [(scan.number, *one) for scan in self.scans for one in scan.column_bytes]
        return pa.table(
            {
                "scan": pa.array([one[0] for one in found], pa.int32()),
                "column": pa.array([printable(one[1]) for one in found], pa.string()),
                "read": pa.array([one[2] for one in found], pa.bool_()),
                "bytes": pa.array([one[3] for one in found], pa.int64()),
            }
        )

    def close(self) -> None:
        """Close the files. What was read stays."""
        for scan in self.scans:
            for plan in scan.plans:
                plan.file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<SparkPlan: {self.sentence}>"


def ask_spark(df: DataFrame, *, files: int = 100) -> SparkPlan:
    """What a DataFrame that reads Parquet files reads of them, which of its conditions help, and why others do not.

    `df` is a DataFrame of any session, classic or Spark Connect; it is planned, not run. At most `files` files of each
    scan are opened: those that this process sees, by their paths or URLs. Raises UsageError if the plan has no scan of
    Parquet files.

    The files stay open until `close`; the plan is a context manager.
    """
    if not hasattr(df, "explain") or not hasattr(df, "inputFiles"):
        raise UsageError(f"ask_spark takes a Spark DataFrame, not {type(df).__name__}")
    text = physical_plan_parser.explained(df)
    found = physical_plan_parser.scans(text)
    if not found:
        raise UsageError(
            "the DataFrame's plan has no scan of Parquet files: it reads another format, or rows that are cached or computed"
        )
    listed = sorted(str(path) for path in df.inputFiles())
    zone = _setting(df, "spark.sql.session.timeZone")
    off = (_setting(df, SWITCH) or "true").lower() == "false"
    scans = [_scan_plan(scan, listed, zone, files, off) for scan in found]
    return SparkPlan(scans, text, list(_remarks(df, found, off)))


def _remarks(df: DataFrame, found: Sequence[physical_plan_parser.Scan], off: bool) -> Iterator[str]:
    version = str(df.sparkSession.version)
    if not version.startswith("4.3."):
        yield f"What reaches parquet-java is that of Spark 4.3; this session runs Spark {version}."
    if off:
        yield f"{SWITCH} is false: Spark pushes nothing to parquet-java."
    if len(found) > 1 and not all(scan.all_roots for scan in found):
        yield "The plan does not name all paths of each scan: files of other scans may be counted with it."


def _setting(df: DataFrame, name: str) -> str | None:
    """A setting of the session; None if it does not tell."""
    try:
        value = df.sparkSession.conf.get(name)
    except Exception:  # a session may not show a setting, and each kind raises its own error
        return None
    return None if value is None else str(value)


def _scan_plan(
    scan: physical_plan_parser.Scan, listed: Sequence[str], zone: str | None, limit: int, switched_off: bool
) -> ScanPlan:
    numbers = set(re.findall(r"#(\d+)", " ".join([scan.partition_filters, *scan.conditions])))
    named = {number: column for number, column in scan.columns.items() if number in numbers}
    reader = catalyst_expressions.Reader(named, scan.types)
    folders = reader.elements(scan.partition_filters)
    found, agree = catalyst_expressions.agreed(reader, scan.conditions, scan.pushed_filters)
    own = [
        path
        for path in listed
        if not scan.all_roots or any(physical_plan_parser.below(path, root) for root in scan.roots)
    ]
    conditions = (
        []
        if switched_off
        else [one for node, printed in found if printed for one in [catalyst_expressions.sql(node)] if one]
    )
    plans, opened = [], 0
    sizes: dict[str, tuple[bool, int]] = {}
    for path in own:
        left_out = partition_filters.left_out_by(folders, path)
        if left_out is not None:
            plans.append(FilePlan(path, f"{asked(left_out)} is FALSE for its folder"))
            continue
        if opened >= limit:
            plans.append(FilePlan(path, problem=f"it is beyond the limit of {plural(limit, 'file')}"))
            continue
        opened += 1
        plans.append(_file_plan(path, conditions, scan.read, zone, sizes))
    schemas = [one.plan.file.schema for one in plans if one.plan is not None]
    rows = conditions_of(found, folders, agree, scan.columns, schemas, zone, switched_off, scan.calls)
    columns = tuple((name, read, size) for name, (read, size) in sizes.items())
    return ScanPlan(scan.number, scan.name, tuple(rows), tuple(plans), columns)


def _file_plan(
    path: str,
    conditions: Iterable[str],
    read: Sequence[tuple[str, ...]],
    zone: str | None,
    sizes: dict[str, tuple[bool, int]],
) -> FilePlan:
    try:
        file = open_file(path)
    except (ParquetError, UsageError, OSError) as error:
        return FilePlan(path, problem=f"it cannot be opened here: {error}")
    try:
        able, skipped = [], []
        for one in conditions:
            try:
                bind(grammar.parse(one, zone), file.schema)
                able.append(f"({one})")
            except UsageError as error:
                skipped.append(f"{one}: {error}")
        wanted = [leaf.path for leaf in file.schema.leaves if is_read(leaf, read)]
        plan = finish(steps(file, " AND ".join(able) or "TRUE", wanted, ENGINE, zone))
        _measure(file, {leaf.leaf_index for leaf in plan.leaves}, sizes)
    except (ParquetError, UsageError) as error:
        file.close()
        return FilePlan(path, problem=f"it cannot be asked: {error}")
    return FilePlan(path, plan=plan, skipped=tuple(skipped))


def is_read(leaf: Leaf, read: Sequence[tuple[str, ...]]) -> bool:
    """Whether a leaf is one of the columns in a ReadSchema, whose paths leave out the groups of lists and maps."""
    path = [name.lower() for name in leaf.path]
    for names in read:
        wanted = [name.lower() for name in names]
        if path[: len(wanted)] == wanted:
            return True
        rest = iter(path)
        if path[0] == wanted[0] and path[-1] == wanted[-1] and all(one in rest for one in wanted):
            return True
    return False


def _measure(file: ParquetFile, read: set[int], sizes: dict[str, tuple[bool, int]]) -> None:
    """Adds a file's columns: whether each is read, and its compressed bytes."""
    for leaf in file.schema.leaves:
        total = 0
        for row_group in file.row_groups:
            size = row_group.columns[leaf.leaf_index].metadata.total_compressed_size
            total += max(0, size or 0)
        name = ".".join(leaf.path)
        before = sizes.get(name, (False, 0))
        sizes[name] = (before[0] or leaf.leaf_index in read, before[1] + total)


def _column(plans: Sequence[Plan | None], of: Callable[[Plan], int]) -> pa.Array:
    return pa.array([None if plan is None else of(plan) for plan in plans], pa.int64())


# The words about a scan of Spark's.

NAMED = 3
"""Conditions, files or warnings of one kind that are named."""


def sentence(scan: ScanPlan) -> str:
    """What a scan reads of how much, which conditions do not help, and what the columns cost."""
    return " ".join(_sentences(scan))


def _sentences(scan: ScanPlan) -> Iterator[str]:
    for plan in scan.plans:
        if plan.wrong_rows:
            yield f"{clip(plan.file.name, 100)}: {plan.wrong_rows[0].sentence}"
            break
    yield from _read(scan)
    yield from _conditions(scan)
    yield from _columns(scan)


def _read(scan: ScanPlan) -> Iterator[str]:
    files, plans = scan.file_plans, scan.plans
    out = [one for one in files if one.left_out]
    if out:
        verb = "is" if len(out) == 1 else "are"
        yield f"{len(out):,} of {plural(len(files), 'file')} {verb} not read: {clip(out[0].left_out, 200)}."
    groups = [group for plan in plans for group in plan.groups]
    kept = [group for group in groups if group.kept]
    if plans:
        rows = sum(row_ranges.count(group.ranges) for group in kept)
        total = sum(group.num_rows for group in groups)
        read, whole = (sum(getattr(p.reading, n) for p in plans) for n in ("bytes", "all_bytes"))
        yield (
            f"Of {plural(len(plans), 'file')}, Spark reads {len(kept):,} of {plural(len(groups), 'row group')}, "
            f"{rows:,} of {plural(total, 'row')}, and {size(read)} of {size(whole)}."
        )
    closed = [one for one in files if one.problem]
    if closed:
        yield f"{plural(len(closed), 'file')} {'was' if len(closed) == 1 else 'were'} not looked at: {clip(closed[0].problem, 200)}."
    if not files:
        yield "It has no files."


def _conditions(scan: ScanPlan) -> Iterator[str]:
    on_rows = [one for one in scan.conditions if one.where != "partition"]
    if not on_rows:
        yield "There is no condition on its rows."
        return
    known = [one for one in on_rows if one.reaches]
    yield f"{len(known):,} of {plural(len(on_rows), 'condition')} {'reaches' if len(known) == 1 else 'reach'} parquet-java."
    others = [one for one in on_rows if one.reaches is False]
    for one in others[:NAMED]:
        printed = ", although the plan lists it in PushedFilters" if one.where == "pushed" else ""
        yield f"{clip(one.text, 100)} does not{printed}: {one.why}."
    if len(others) > NAMED:
        yield f"{len(others) - NAMED:,} more do not."
    unknown = [one for one in on_rows if one.reaches is None]
    for one in unknown[:1]:
        yield f"Of {clip(one.text, 100)}{' and others' if len(unknown) > 1 else ''} it is not known: {one.why}."


def _columns(scan: ScanPlan) -> Iterator[str]:
    if not scan.column_bytes:
        return
    read = [one for one in scan.column_bytes if one[1]]
    others = [one for one in scan.column_bytes if not one[1]]
    text = f"It reads {len(read):,} of {plural(len(scan.column_bytes), 'column')}"
    if others:
        largest = sorted(others, key=lambda one: -one[2])[:NAMED]
        names = listing([clip(name, 60) for name, _, _ in largest])
        text += f"; the others have {size(sum(one[2] for one in others))}, most of it {names}"
    yield text + "."


# A scan's conditions: whether Spark's plan says that it pushes each, whether parquet-java gets it, and why not.

PARTITION, PUSHED, NOT_PUSHED, UNKNOWN = "partition", "pushed", "not pushed", "unknown"


@dataclasses.dataclass(frozen=True, slots=True)
class Condition:
    """A condition on a scan's rows: see `SparkPlan.conditions`. `reaches` is None if it is not known."""

    text: str
    where: str
    reaches: bool | None
    why: str


def conditions_of(
    found: Sequence[tuple[Node, bool]],
    folders: Sequence[Node],
    agree: bool,
    columns: Mapping[str, Column],
    schemas: Sequence[Schema],
    zone: str | None,
    switched_off: bool,
    calls: Mapping[str, str],
) -> Iterator[Condition]:
    """The conditions of a scan.

    `found` are those of the filters above it, each with whether the plan prints it as pushed; `folders` its partition
    filters; `agree`: whether the text could be read; `columns`: its columns by id; `schemas` of the files that were opened;
    `calls`: the calls of Python functions by the names of their results.
    """
    for node in _stated(list(folders)):
        why = "it chooses folders, before files are read"
        if "dynamicpruning" in asked(node):
            why = "it chooses folders by the other side of a join, when the query runs"
        yield Condition(asked(node), PARTITION, False, why)
    if not agree:
        for node, _ in found:
            why = "the plan prints text without quotes, and this condition can be read in more than one way"
            yield Condition(asked(node), UNKNOWN, None, why)
        return
    printed = {id(node): listed for node, listed in found}
    for node in _stated([node for node, _ in found]):
        if switched_off:  # the plan lists them all the same
            where = PUSHED if printed[id(node)] else NOT_PUSHED
            yield Condition(asked(node), where, False, "spark.sql.parquet.filterPushdown is false")
            continue
        if not printed[id(node)]:
            text = asked(node)
            for result, call in calls.items():
                text = re.sub(rf"\b{result}\b", lambda _, call=call: call, text)  # type: ignore[misc]
            yield Condition(text, NOT_PUSHED, False, why_not(node, columns))
            continue
        reaches, why = _reaches(node, schemas, zone)
        yield Condition(asked(node), PUSHED, reaches, why)


def asked(node: Node) -> str:
    """A condition as text: in SQL, or as the plan has it without the numbers of its columns."""
    text = catalyst_expressions.sql(node)
    if text is None:
        return re.sub(r"#\d+L?", "", _text(node))
    return re.sub(r"`([A-Za-z_][A-Za-z_0-9]*)`", r"\1", text)


def _text(node: Node) -> str:
    if isinstance(node, Other):
        return node.text
    if isinstance(node, Not):
        return f"NOT {asked(node.part)}"
    if isinstance(node, Joined):
        return f"({asked(node.left)} {node.word} {asked(node.right)})"
    return f"{node.column.sql} {node.operator} {', '.join(node.values)}"


def _stated(nodes: list[Node]) -> Iterator[Node]:
    """The conditions without the IS NOT NULL that Spark adds to those about the same column."""
    for node in nodes:
        if isinstance(node, catalyst_expressions.Test) and node.operator == "not null":
            name = _name(node.column)
            others = [one for one in nodes if one is not node]
            about = {_name(column) for one in others for column in catalyst_expressions.columns(one)}
            mentioned = any(re.search(rf"(?i)\b{re.escape(name)}#\d", t.text) for t in _opaque(others))
            if name in about or mentioned:
                continue
        yield node


def _opaque(nodes: Sequence[Node]) -> Iterator[Other]:
    for node in nodes:
        if isinstance(node, Other):
            yield node
        elif isinstance(node, Not):
            yield from _opaque([node.part])
        elif isinstance(node, Joined):
            yield from _opaque([node.left, node.right])


def _name(column: Column) -> str:
    return ".".join(column.path).lower()


def _reaches(node: Node, schemas: Sequence[Schema], zone: str | None) -> tuple[bool | None, str]:
    """Whether parquet-java gets a condition that the plan prints as pushed, and why not."""
    text = catalyst_expressions.sql(node)
    if text is None:
        return None, "its values cannot be read from the plan, which prints text without quotes"
    if not schemas:
        return None, "no file could be opened, and the types of its columns decide"
    found = [_reaches_one(text, schema, zone) for schema in schemas]
    misses = [one for one in found if not one[0]]
    if not misses:
        return True, ""
    reaches, why = misses[0]
    if len(misses) < len(found):
        why = f"{why} (in {len(misses):,} of the {plural(len(found), 'file')} that were opened)"
    return reaches, why


def _reaches_one(text: str, schema: Schema, zone: str | None) -> tuple[bool | None, str]:
    try:
        bound = bind(grammar.parse(text, zone), schema)
    except UsageError as error:
        return None, str(error)
    used = engines.engine("spark").usable(bound, schema)
    stated = any(isinstance(one, Test) and _is_null_test(one) for one in single(bound))
    if _gets(used, stated):
        return True, ""
    whys = [one.why for one in single(used) if isinstance(one, Undecided)]
    return False, whys[0] if whys else "parquet-java gets nothing of it"


def _is_null_test(test: Test) -> bool:
    return isinstance(test.clause, predicate.NullTest)


def _gets(used: Bound, stated: bool) -> bool:
    """Whether parquet-java gets a part that says more than an IS NOT NULL that Spark has added."""
    if isinstance(used, Both):
        return any(_gets(part, stated) for part in used.parts)
    if isinstance(used, Either):
        return all(_gets(part, stated) for part in used.parts)
    if isinstance(used, Test):
        return stated or not _is_null_test(used)
    return not isinstance(used, Undecided)


def why_not(node: Node, columns: Mapping[str, Column]) -> str:
    """Why Spark's plan does not push a condition."""
    if isinstance(node, Joined) and node.word == "OR":
        for side in (node.left, node.right):
            inner = next(_opaque([side]), None)
            if inner is not None:
                return f"OR is pushed only if both sides can be, and {asked(side)} cannot: {why_not(inner, columns)}"
    inner = next(_opaque([node]), None)
    if inner is None:
        return "Spark pushes no such condition"
    text = inner.text
    if re.search(r"pythonUDF\d+#", text):
        return "it is the result of a Python function, which runs on rows after the scan"
    if re.search(r"\bUDF\(", text):
        return "it calls a user-defined function"
    if re.search(r"\bsubquery\b", text):
        return "it compares with a subquery, whose value is known only when the query runs"
    numbers = set(re.findall(r"#(\d+)", text))
    if numbers - set(columns):
        return "it is about a computed column"
    if len(numbers) > 1:
        return "it compares two columns"
    cast = re.search(r"\b(?:try_)?cast\((.*?) as (\w+)", text)
    if cast is not None:
        return f"it casts a column to {cast[2]}, and Spark pushes comparisons of columns without casts only"
    call = re.search(r"\b(\w+)\(", text)
    if call is not None:
        return f"it calls {call[1]}, and Spark pushes no functions of columns"
    if re.search(r"#\d+L?\S*\[", text):
        return "it is about an element of a list or map"
    if re.search(r" [-+*/%] ", text):
        return "it has arithmetic, which Spark does not push"
    return "Spark pushes no such condition"
