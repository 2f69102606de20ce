"""Hypothesis strategies: tables of every kind of column, and the writers of their files.

A cell comes from a few values, so that a literal often is one of them. The values are spread over the rows in order, by
turns or at random: sorted columns let bounds skip, the others do not.
"""

from __future__ import annotations

import dataclasses
import pathlib
import uuid
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st
from insight.ask.any_kind import KINDS, Column, spread
from insight.ask.any_special import geometries, variants
from needs import arrow_takes

import pqexplore
from pqexplore.engine.writer.options import WriteOptions


@dataclasses.dataclass(frozen=True, eq=False)
class AnyTable:
    """A table, its columns, and the same rows in types that DuckDB has. `id` is the number of each row."""

    table: pa.Table
    told: pa.Table
    columns: list[Column]


def _array(cells: list[Any], column: Column, kind: pa.DataType) -> pa.Array:
    if column.shape == "struct":
        rows = [None if cell == "no struct" else {"x": cell, "y": 1} for cell in cells]
        return pa.array(rows, pa.struct([("x", kind), ("y", pa.int32())]))
    if column.shape == "list":
        return pa.array(cells, pa.list_(kind))
    if column.shape == "structs":
        lists = [cell and [{"x": one, "y": 1} for one in cell] for cell in cells]
        return pa.array(lists, pa.list_(pa.struct([("x", kind), ("y", pa.int32())])))
    return pa.array(cells, kind)


def _told(array: pa.Array, column: Column) -> pa.Array:
    kind = column.kind.told
    if kind is None:
        return array
    if column.kind.family == "uuid":  # the texts of UUIDs have the order of the UUIDs
        return pa.array([cell and str(uuid.UUID(bytes=cell)) for cell in array.to_pylist()], kind)
    inner = pa.struct([("x", kind), ("y", pa.int32())])
    shapes = {"list": pa.list_(kind), "struct": inner, "structs": pa.list_(inner)}
    shaped = shapes.get(column.shape, kind)
    if pa.types.is_float16(column.kind.type):  # older versions of pyarrow do not cast them
        return pa.array(_plain(array.to_pylist()), shaped)
    return array.cast(shaped)


def _plain(cell: Any) -> Any:
    """A cell whose numbers are Python's."""
    if isinstance(cell, list):
        return [_plain(one) for one in cell]
    if isinstance(cell, dict):
        return {name: _plain(one) for name, one in cell.items()}
    return float(cell) if isinstance(cell, np.float16) else cell


@st.composite
def columns(draw: Any, number: int, writer: str, names: tuple[str, ...]) -> tuple[Column, list[Any], str]:
    """A column, its cells to choose from, sorted, and how they are spread."""
    kind = KINDS[draw(st.sampled_from([n for n in names if writer in KINDS[n].writers]))]
    shape = draw(st.sampled_from(["flat", "flat", "flat", "struct", "list", "structs"]))
    if kind.name == "null" or (shape != "flat" and kind.family == "uuid"):
        shape = "flat"
    pool = sorted(draw(st.lists(kind.cells, min_size=1, max_size=6)), key=kind.key) if kind.name != "null" else [None]
    nulls = draw(st.sampled_from(["none", "some", "some", "only"])) if kind.name != "null" else "only"
    cells: list[Any] = [None] if nulls == "only" else [*pool, *([None] if nulls == "some" else [])]
    if shape == "struct" and nulls != "none":
        cells = [*cells, "no struct"]
    if shape in ("list", "structs"):
        cells = [[cell] for cell in cells] + [[], cells[:3]] + ([None] if nulls != "none" else [])
    path = f"c{number}.x" if shape == "struct" else f"c{number}"
    return (Column(path, kind, shape, pool), cells, draw(st.sampled_from(["sorted", "sorted", "by turns", "random"])))


@st.composite
def tables(draw: Any, writer: str, names: tuple[str, ...] = tuple(KINDS)) -> AnyTable:
    """A table that a writer can write. DuckDB's smallest row group has 2,048 rows, so its tables are longer."""
    rows = draw(st.sampled_from([0, 1, 7, 23, 40])) * (250 if writer == "duckdb" else 1)
    made: dict[str, pa.Array] = {"id": pa.array(range(rows), pa.int32())}
    told, all_columns = dict(made), []
    for number in range(draw(st.integers(1, 4))):
        if writer == "pqexplore" and draw(st.integers(0, 5)) == 0:
            column, array, texts_of = draw(draw(st.sampled_from([variants, geometries]))(number, rows))
            made[f"c{number}"] = array
            told |= texts_of
            all_columns.append(column)
            continue
        column, cells, how = draw(columns(number, writer, names))
        order = spread(len(cells), rows, how, draw(st.integers(0, 99)) if how == "random" else 0)
        array = _array([cells[index] for index in order], column, column.kind.type)
        made[f"c{number}"], told[f"c{number}"] = array, _told(array, column)
        all_columns.append(column)
    return AnyTable(pa.table(made), pa.table(told), all_columns)


STATISTICS = ("bounds", "null_count", "nan_count", "exactness", "legacy")


@st.composite
def our_options(draw: Any, made: AnyTable) -> WriteOptions:
    """Choices that change what a query can skip."""
    by_column: dict[str, dict[str, Any]] = {}
    for column in made.columns:
        floats = column.kind.family == "float"
        chosen = {
            "encoding": draw(st.sampled_from([None, "PLAIN"])),
            "column_order": draw(st.sampled_from(["TYPE_ORDER", "IEEE_754_TOTAL_ORDER"])) if floats else "TYPE_ORDER",
        }
        if "INT96" in column.kind.name:
            chosen["column_order"] = draw(st.sampled_from(["TYPE_ORDER", "INT96_TIMESTAMP_ORDER"]))
        if column.chosen:
            by_column[column.path] = {"encoding": chosen["encoding"], **column.chosen}
            continue
        leaf = {"list": ".list.element", "structs": ".list.element.x"}.get(column.shape, "")
        by_column[column.path + leaf] = {**column.kind.options, **chosen}
    return WriteOptions(
        page_version=draw(st.sampled_from([1, 2])),
        page_rows=draw(st.sampled_from([1, 3, 5, 1_000])),
        row_group_rows=draw(st.sampled_from([4, 9, 1_000])),
        dictionary_bytes=draw(st.sampled_from([16, None, None])),
        statistics=draw(st.sampled_from([(), ("chunk",), ("chunk", "page")])),
        statistics_fields=draw(st.lists(st.sampled_from(STATISTICS), unique=True)) if draw(st.booleans()) else STATISTICS[:4],
        statistics_bytes=draw(st.sampled_from([1, 4, 41, None])),
        index_bytes=draw(st.sampled_from([1, 4, 41, None])),
        column_index=draw(st.sampled_from([True, True, False])),
        bloom_filter=draw(st.sampled_from([True, True, False])),
        bloom_filter_bytes=draw(st.sampled_from([None, 32])),
        columns=by_column,
    )  # fmt: skip


def _by_us(draw: Any, made: AnyTable, path: pathlib.Path) -> None:
    pqexplore.write(made.table, path, draw(our_options(made)), overwrite=True)


def _by_pyarrow(draw: Any, made: AnyTable, path: pathlib.Path) -> None:
    pq.write_table(
        made.table,
        path,
        row_group_size=draw(st.sampled_from([4, 9, 1_000])),
        data_page_size=1,
        write_batch_size=draw(st.sampled_from([1, 3, 1_000])),
        data_page_version=draw(st.sampled_from(["1.0", "2.0"])),
        use_dictionary=draw(st.booleans()),
        write_page_index=draw(st.booleans()),
        **({"store_decimal_as_integer": draw(st.booleans())} if arrow_takes("store_decimal_as_integer") else {}),
        use_deprecated_int96_timestamps=draw(st.sampled_from([False, False, True])),
    )


def _by_duckdb(draw: Any, made: AnyTable, path: pathlib.Path) -> None:
    size, version = draw(st.sampled_from([2048, 4096])), draw(st.sampled_from(["V1", "V2"]))
    table = made.table
    with duckdb.connect() as connection:
        connection.register("made", table)
        connection.execute("SET TimeZone = 'UTC'; SET threads = 1")
        connection.execute(
            f"COPY (FROM made) TO '{path}' (FORMAT parquet, ROW_GROUP_SIZE {size}, PARQUET_VERSION {version})"
        )


def _by_polars(draw: Any, made: AnyTable, path: pathlib.Path) -> None:
    import polars

    frame = polars.from_arrow(made.table)
    assert isinstance(frame, polars.DataFrame)
    frame.write_parquet(
        path,
        row_group_size=draw(st.sampled_from([4, 9, 1_000])),
        data_page_size=draw(st.sampled_from([1, 40, 1_000])),
        statistics="full",
    )


WRITERS: dict[str, Callable[[Any, AnyTable, pathlib.Path], None]] = {
    "pqexplore": _by_us,
    "pyarrow": _by_pyarrow,
    "duckdb": _by_duckdb,
    "polars": _by_polars,
}
