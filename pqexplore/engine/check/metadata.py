"""What the footer says of the whole file: rows, row groups, column orders, notes of the writer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.ordering import is_float
from pqexplore.engine.thrift import structs
from pqexplore.engine.thrift.structs import Type
from pqexplore.engine.tree import Finding, join

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile

COLUMN_ORDERS = "Sort orders are listed in the order matching the columns in the schema"


def findings(file: ParquetFile) -> Iterator[Finding]:
    """The FileMetaData, without its schema and its row groups' insides."""
    if file.metadata is None:
        return
    yield from _required(file)
    yield from _created_by(file)
    yield from _keys(file)
    yield from _column_orders(file)
    yield from _num_rows(file)


def _required(file: ParquetFile) -> Iterator[Finding]:
    absent = structs.missing(file.footer_metadata)
    if absent:
        yield Finding(
            "required-field",
            "error",
            "footer",
            f"the FileMetaData lacks its required {', '.join(absent)}",
            {"missing": absent},
        )


def _created_by(file: ParquetFile) -> Iterator[Finding]:
    if not file.created_by:
        yield Finding(
            "no-created-by",
            "note",
            "footer",
            "the file does not name its writer; readers know the faults of writers by their names",
            {},
            "FileMetaData.created_by: String for application that wrote this file",
        )


def _keys(file: ParquetFile) -> Iterator[Finding]:
    pairs = file.footer_metadata.key_value_metadata or ()
    seen: set[str] = set()
    for index, pair in enumerate(pairs):
        if pair.key is None:
            yield Finding(
                "required-field",
                "error",
                join("footer/key_value_metadata", index),
                "a key-value pair has no key",
            )
        elif pair.key in seen:
            yield Finding(
                "key-repeated",
                "warning",
                join("footer/key_value_metadata", index),
                f"the key {pair.key!r} is there twice; readers take one or the other",
                {"key": pair.key},
            )
        else:
            seen.add(pair.key)


def _column_orders(file: ParquetFile) -> Iterator[Finding]:
    orders, leaves = file.footer_metadata.column_orders, file.schema.leaves
    if orders is None:
        return
    if len(orders) != len(leaves):
        yield Finding(
            "column-orders-length",
            "error",
            "footer/column_orders",
            f"there are {len(orders):,} column orders for {len(leaves):,} columns; they are bound by position",
            {"column_orders": len(orders), "columns": len(leaves)},
            COLUMN_ORDERS,
        )
    for index, (order, leaf) in enumerate(zip(orders, leaves, strict=False)):
        chosen = structs.union_field(order)
        address = join("footer/column_orders", index)
        name, path = (None if chosen is None else chosen[0]), ".".join(leaf.path)
        if name is None:
            yield Finding(
                "column-order-unknown",
                "warning",
                address,
                f"the order of column {path} is one that this version does not know; its bounds are to be ignored",
                {},
                "ColumnOrder: if the reader does not support the value of this union, min and max stats for this "
                "column should be ignored",
            )
        elif name == "IEEE_754_TOTAL_ORDER" and not is_float(leaf):
            yield _unsuited(address, name, path, "FLOAT, DOUBLE and FLOAT16 only")
        elif name == "INT96_TIMESTAMP_ORDER" and leaf.physical_type != Type.INT96:
            yield _unsuited(address, name, path, "INT96 only")


def _unsuited(address: str, name: str, path: str, meant: str) -> Finding:
    return Finding(
        "column-order-unsuited",
        "error",
        address,
        f"the order of column {path} is {name}, which is for {meant}",
        {"column_order": name, "column": path},
    )


def _num_rows(file: ParquetFile) -> Iterator[Finding]:
    rows = sum(group.num_rows for group in file.row_groups)
    if rows != file.num_rows:
        yield Finding(
            "row-count-disagrees",
            "error",
            "footer/num_rows",
            f"the footer's num_rows is {file.num_rows:,}, its row groups have {rows:,} rows",
            {"num_rows": file.num_rows, "row_groups": rows},
            "FileMetaData.num_rows: number of rows in this file",
        )
