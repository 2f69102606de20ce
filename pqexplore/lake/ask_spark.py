"""Says of a Spark DataFrame what its scans of Parquet files read, and which of its conditions help.

The plan that Spark prints says which filters it pushes, but this is not what parquet-java gets: `ParquetFilters` leaves
out what the types of the file's columns do not allow. So each condition is asked of the files' own schemas, and the
files' row groups are passed through the stages of the engine `spark`.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Self

import pyarrow as pa

from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.text import printable
from pqexplore.insight.ask import row_ranges
from pqexplore.insight.ask import sql as grammar
from pqexplore.insight.ask.asking import steps
from pqexplore.insight.ask.binding import bind
from pqexplore.insight.steps import finish
from pqexplore.insight.wording import plural
from pqexplore.lake import catalyst, spark_folders, spark_plan
from pqexplore.lake.spark_conditions import Condition, asked, conditions_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.field import Leaf
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
        from pqexplore.lake.spark_sentence import sentence

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
    text = spark_plan.explained(df)
    found = spark_plan.scans(text)
    if not found:
        raise UsageError(
            "the DataFrame's plan has no scan of Parquet files: it reads another format, or rows that are cached or computed"
        )
    listed = sorted(str(path) for path in df.inputFiles())
    zone = _setting(df, "spark.sql.session.timeZone")
    off = (_setting(df, SWITCH) or "true").lower() == "false"
    scans = [_scan_plan(scan, listed, zone, files, off) for scan in found]
    return SparkPlan(scans, text, list(_remarks(df, found, off)))


def _remarks(df: DataFrame, found: Sequence[spark_plan.Scan], off: bool) -> Iterator[str]:
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
    scan: spark_plan.Scan, listed: Sequence[str], zone: str | None, limit: int, switched_off: bool
) -> ScanPlan:
    numbers = set(re.findall(r"#(\d+)", " ".join([scan.partition_filters, *scan.conditions])))
    named = {number: column for number, column in scan.columns.items() if number in numbers}
    reader = catalyst.Reader(named, scan.types)
    folders = reader.elements(scan.partition_filters)
    found, agree = catalyst.agreed(reader, scan.conditions, scan.pushed_filters)
    own = [path for path in listed if not scan.all_roots or any(spark_plan.below(path, root) for root in scan.roots)]
    conditions = (
        [] if switched_off else [one for node, printed in found if printed for one in [catalyst.sql(node)] if one]
    )
    plans, opened = [], 0
    sizes: dict[str, tuple[bool, int]] = {}
    for path in own:
        left_out = spark_folders.left_out_by(folders, path)
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
