"""The code that writes a file anew with a change, by writer.

Each script reads the file by its name and writes `fixed.parquet` (Spark: the folder `fixed`). Names and values come
from the file, so they are quoted as the language does.
"""

from __future__ import annotations

import dataclasses
import datetime
from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift.structs import Encoding
from pqexplore.insight.ask.bound import columns as columns_asked
from pqexplore.insight.ask.claims import DICTIONARY_ENCODINGS, page_rows_of
from pqexplore.insight.ask.why_not_pruned.column import has_page_index

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.ask.plan import Plan

_LEVELS = frozenset((int(Encoding.RLE), int(Encoding.BIT_PACKED)))

_NAMES = {int(encoding): encoding.name for encoding in Encoding}

TARGET = "fixed.parquet"

WRITERS = ("pyarrow", "DuckDB", "polars", "Spark", "pqexplore")


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """What a script does between reading and writing.

    - `table` is an expression that makes a new `table` (a pyarrow.Table) from `table`, for pyarrow and pqexplore;
      `select` and `order` the SELECT list and ORDER BY of DuckDB; `polars` and `spark` methods of a frame.
    - `options` are those of each writer, as they are written in its call; for Spark methods of the writer, or a setting. `writers` are those that can do it.
    - `retyped` is a column whose type changes, so that it cannot keep its encoding. `rows` are those of a row group, 0 for as many as now.
    """

    table: str = ""
    select: str = "*"
    order: str = ""
    polars: str = ""
    spark: str = ""
    options: tuple[tuple[str, str], ...] = ()
    writers: tuple[str, ...] = WRITERS
    retyped: str = ""
    rows: int = 0


def scripts(plan: Plan, change: Change) -> dict[str, str]:
    """The code of a change, by writer."""
    rows = change.rows or max((group.num_rows for group in plan.groups), default=0) or 1
    source = base_name(plan.file.name)
    options = dict(change.options)
    same = _same(plan, change.retyped)
    arrow, own = [f"row_group_size={rows}", same.arrow], [f"row_group_rows={rows}", same.own]
    if same.page_rows and "page_rows" not in options.get("pqexplore", ""):
        own.append(f"page_rows={same.page_rows}")
    if same.page_rows and "write_page_index" not in options.get("pyarrow", ""):
        arrow.append(f"write_page_index=True, max_rows_per_page={same.page_rows}")
    made = {
        "pyarrow": _pyarrow(source, change, _joined(*arrow, options.get("pyarrow", ""))),
        "DuckDB": _duckdb(
            source, change, _joined("FORMAT parquet", f"ROW_GROUP_SIZE {rows}", options.get("DuckDB", ""))
        ),
        "polars": _polars(source, change, _joined(f"row_group_size={rows}", options.get("polars", ""))),
        "Spark": _spark(source, change, options.get("Spark", "")),
        "pqexplore": _pqexplore(
            source, change, _joined(*own, options.get("pqexplore", ""))
        ),
    }  # fmt: skip
    return {name: made[name] for name in change.writers if made[name]}


def plain_script(writer: str, source: str, options: str) -> str:
    """The code of a writer that reads a file and writes it again with other options."""
    make = {"pyarrow": _pyarrow, "DuckDB": _duckdb, "polars": _polars, "Spark": _spark}[writer]
    return make(source, Change(), options)


def base_name(file: str) -> str:
    """The name of a file without its folders."""
    return file.replace("\\", "/").rsplit("/", 1)[-1]


def _joined(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


@dataclasses.dataclass(frozen=True, slots=True)
class _Same:
    """What a copy keeps: options for encodings without a dictionary, and the rows of a page (0 without a page index)."""

    arrow: str = ""
    own: str = ""
    page_rows: int = 0


MOST_COLUMNS = 20
"""Columns whose encodings are written into a script at most."""


def _same(plan: Plan, retyped: str) -> _Same:
    """What a copy of the file keeps, by the first row group that is read."""
    first = next(iter(plan.kept), None)
    leaves = plan.file.schema.leaves
    if first is None or len(leaves) > MOST_COLUMNS:
        return _Same()
    try:
        columns = plan.file.row_groups[first.index].columns
        plain = {}
        for leaf in leaves:
            used = set(columns[leaf.leaf_index].metadata.encodings or ()) - _LEVELS
            keeps = leaf.path[0] != retyped and not used & DICTIONARY_ENCODINGS
            if len(used) == 1 and keeps:
                plain[".".join(leaf.path)] = _NAMES[used.pop()]
        page_rows = 0
        asked = next((leaf for leaf in columns_asked(plan.used)), leaves[0])
        chunk = columns[asked.leaf_index]
        if has_page_index(chunk):
            spans = page_rows_of(chunk) or []
            page_rows = max((end - start for start, end in spans), default=0)
    except (ParquetError, KeyError):
        return _Same()
    with_dictionary = [".".join(leaf.path) for leaf in leaves if ".".join(leaf.path) not in plain]
    if not plain:
        return _Same(page_rows=page_rows)
    arrow = f"use_dictionary={with_dictionary!r}" if with_dictionary else "use_dictionary=False"
    return _Same(arrow, f"encodings={plain!r}", page_rows)


def _imports(*texts: str) -> list[str]:
    """The imports that expressions need."""
    joined = " ".join(texts)
    found = []
    if "datetime." in joined:
        found.append("import datetime")
    if "pa." in joined:
        found.append("import pyarrow as pa")
    if "pc." in joined:
        found.append("import pyarrow.compute as pc")
    return found


def _pyarrow(source: str, change: Change, options: str) -> str:
    lines = [*_imports(change.table), "import pyarrow.parquet as pq", ""]
    lines.append(f"table = pq.read_table({source!r})")
    if change.table:
        lines.append(f"table = {change.table}")
    lines.append(f"pq.write_table(table, {TARGET!r}, {options})")
    return "\n".join(lines)


def _pqexplore(source: str, change: Change, options: str) -> str:
    lines = [*_imports(change.table), "import pqexplore", ""]
    lines += [f"with pqexplore.open({source!r}) as file:", "    table = file.read()"]
    if change.table:
        lines.append(f"table = {change.table}")
    lines.append(f"pqexplore.write(table, {TARGET!r}, pqexplore.WriteOptions({options}))")
    return "\n".join(lines)


def _polars(source: str, change: Change, options: str) -> str:
    lines = [*_imports(change.polars), "import polars as pl", ""]
    lines.append(f"frame = pl.read_parquet({source!r})")
    if change.polars:
        lines.append(f"frame = frame{change.polars}")
    lines.append(f"frame.write_parquet({TARGET!r}, {options})")
    return "\n".join(lines)


def _spark(source: str, change: Change, options: str) -> str:
    lines = [*_imports(change.spark)]
    if "F." in change.spark:
        lines += ["from pyspark.sql import functions as F"]
    if options.startswith("spark.conf"):
        lines.append(options)
        options = ""
    lines.append(f"frame = spark.read.parquet({source!r})")
    if change.spark:
        lines.append(f"frame = frame{change.spark}")
    lines.append(f"frame.write{options}.parquet('fixed')")
    return "\n".join(lines)


def _duckdb(source: str, change: Change, options: str) -> str:
    if not (change.select + change.order).isprintable():
        return ""
    order = f" ORDER BY {change.order}" if change.order else ""
    return f"COPY (SELECT {change.select} FROM {text(source)}{order}) TO '{TARGET}' ({options});"


def identifier(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A string in SQL."""
    return "'" + value.replace("'", "''") + "'"


def literal(value: object) -> str | None:
    """A value in SQL; None for types that this module does not write."""
    if isinstance(value, bool) or not isinstance(value, int | str | datetime.date):
        return None
    if isinstance(value, datetime.datetime):
        kind = "TIMESTAMP" if value.tzinfo is None else "TIMESTAMPTZ"
        return f"{kind} '{value.isoformat(sep=' ')}'"
    if isinstance(value, datetime.date):
        return f"DATE '{value.isoformat()}'"
    return text(value) if isinstance(value, str) else str(value)


def replaced(leaf: Leaf, arrow: str, select: str, polars: str, spark: str) -> Change:
    """The change of one top-level column; `{c}` in the expressions is the column in each language."""
    name = leaf.path[0]
    if len(leaf.path) > 1:
        return Change(writers=())
    column = f"table[{name!r}]"
    position = f"table.schema.get_field_index({name!r})"
    sql = identifier(name)
    return Change(
        table=f"table.set_column({position}, {name!r}, {arrow.replace('{c}', column)})",
        select=f"* REPLACE ({select.replace('{c}', sql)} AS {sql})",
        polars=f".with_columns({polars.replace('{c}', f'pl.col({name!r})')}.alias({name!r}))",
        spark=f".withColumn({name!r}, {spark.replace('{c}', f'F.col({name!r})')})",
    )


def ordered(leaf: Leaf) -> Change:
    """The change that sorts by a top-level column."""
    if len(leaf.path) > 1:
        return Change(writers=())
    name = leaf.path[0]
    return Change(
        table=f"table.sort_by({name!r})",
        order=identifier(name),
        polars=f".sort({name!r}, nulls_last=True)",
        spark=f".orderBy({name!r})",
    )
