"""Checks the FileMetaData: row count, column orders, key-value metadata, created_by."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.check.schema import leaves_with_lost
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.ordering import is_float
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.engine.text import name as column_name

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

_CREATED_BY = re.compile(r".\s+version\b", re.IGNORECASE)
COLUMN_ORDERS = "Sort orders are listed in the order matching the columns in the schema"


def findings(file: ParquetFile) -> Iterator[Finding]:
    """Findings about the FileMetaData; its schema and its row groups have modules of their own."""
    if file.metadata is None:
        return
    yield from required_fields(file.footer_metadata, "footer")
    yield from _created_by(file)
    yield from keys(file.footer_metadata.key_value_metadata, "footer/key_value_metadata")
    yield from _column_orders(file)


def required_fields(struct: structs.Struct, address: str) -> Iterator[Finding]:
    """A finding if the struct lacks a field that parquet.thrift requires."""
    absent = structs.missing(struct)
    if absent:
        yield Finding(
            "required-field", address, f"the {struct.NAME} lacks its required {', '.join(absent)}", {"missing": absent}
        )


def _created_by(file: ParquetFile) -> Iterator[Finding]:
    writer = file.created_by
    if writer and _CREATED_BY.search(writer) is None:
        yield Finding(
            "created-by-format",
            "footer/created_by",
            f"created_by is {writer[:80]!r}; expected '<application> version <number> (build <hash>)', by which readers "
            "know the bugs of writers",
            {"created_by": writer},
        )
    if not writer:
        yield Finding(
            "no-created-by", "footer", "created_by is absent; readers use it to work around the bugs of known writers"
        )


def keys(pairs: Sequence[structs.KeyValue] | None, address: str) -> Iterator[Finding]:
    """Key-value pairs without a key, and keys that occur twice. `address` is the list's."""
    seen: set[str] = set()
    for index, pair in enumerate(pairs or ()):
        if structs.missing(pair):
            yield Finding("required-field", Address.of(address, index), "a key-value pair has no key")
        elif pair.key in seen:
            yield Finding(
                "key-repeated",
                Address.of(address, index),
                f"the key {pair.key!r} occurs twice; some readers take the first value, some the last",
                {"key": pair.key},
            )
        else:
            seen.add(pair.key)


def _column_orders(file: ParquetFile) -> Iterator[Finding]:
    orders, leaves = file.footer_metadata.column_orders, file.schema.leaves
    if orders is None:
        return
    if len(orders) not in (len(leaves), leaves_with_lost(file)):
        yield Finding(
            "column-orders-length",
            "footer/column_orders",
            f"there are {len(orders):,} column orders for {len(leaves):,} columns; they belong to columns by position",
            {"column_orders": len(orders), "columns": len(leaves)},
        )
    for index, (order, leaf) in enumerate(zip(orders, leaves, strict=False)):
        chosen = structs.union_field(order)
        address = Address.of("footer/column_orders", index)
        name, path = (None if chosen is None else chosen[0]), ".".join(leaf.path)
        if name is None:
            yield Finding(
                "column-order-unknown",
                address,
                f"the order of column {column_name(path)} is unknown to this version; readers must ignore its bounds",
            )
        elif name == "IEEE_754_TOTAL_ORDER" and not is_float(leaf):
            yield _unsuited(address, name, path, "FLOAT, DOUBLE and FLOAT16 only")
        elif name == "INT96_TIMESTAMP_ORDER" and leaf.physical_type != Type.INT96:
            yield _unsuited(address, name, path, "INT96 only")


def _unsuited(address: str, name: str, path: str, meant: str) -> Finding:
    return Finding(
        "column-order-unsuited",
        address,
        f"the order of column {column_name(path)} is {name}, which is for {meant}",
        {"column_order": name, "column": path},
    )


def num_rows(file: ParquetFile) -> Iterator[Finding]:
    """Compares the rows of the file with those of its row groups, unless a number of these is missing or negative."""
    if "num_rows" in structs.missing(file.footer_metadata):
        return
    stated: list[int | None] = [group.metadata.num_rows for group in file.row_groups]
    counts = [count for count in stated if count is not None and count >= 0]
    if len(counts) < len(stated):
        return
    rows = sum(counts)
    if rows != file.num_rows:
        yield Finding(
            "row-count-disagrees",
            "footer/num_rows",
            f"the footer's num_rows is {file.num_rows:,}, its row groups have {rows:,} rows",
            {"num_rows": file.num_rows, "row_groups": rows},
        )


def signing_fields(file: ParquetFile) -> Iterator[Finding]:
    """Fields of the FileMetaData that only a signed plaintext footer has."""
    metadata = file.metadata
    if metadata is None:
        return
    names: tuple[str, ...]
    if file.footer.crypto_metadata is not None:
        names, why = (("encryption_algorithm", "footer_signing_key_metadata"), "the footer is encrypted")
    elif metadata.encryption_algorithm is None:
        names, why = (("footer_signing_key_metadata",), "the footer is not signed: it names no encryption_algorithm")
    else:
        return
    for name in names:
        if getattr(metadata, name) is not None:
            yield Finding(
                "signing-fields",
                Address.of("footer", name),
                f"{name} is set, but {why}",
                specification=f"FileMetaData.{name}: set only in encrypted files with plaintext footer",
            )
