"""Asks an engine about column chunks that are known from the stored tables.

The engine gets what it gets for a file: chunks of an open footer. So its own rules decide, also those about writers. The
footer is made here, of the columns of the condition and one row group for each chunk that is asked about.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.file import open as open_file
from pqexplore.engine.format.ordering import Order, column_order
from pqexplore.engine.format.thrift import encode, structs
from pqexplore.insight.ask.pruning import rule
from pqexplore.insight.ask.pruning_result import BOUNDS, Ruling
from pqexplore.insight.axis import text_of
from pqexplore.insight.skippable import Skippable
from pqexplore.lake.footer_rows.chunk_rows import RAW_BYTES

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Leaf
    from pqexplore.insight.ask.bound import Test
    from pqexplore.insight.ask.engines import Engine
    from pqexplore.lake.asking.schemas import Family

Row = Mapping[str, Any]
"""A row of `column_chunks`, with the columns of `equivalence_classes.COLUMNS`."""

LOW, HIGH, NULLS, FOLDER = "L", "H", "N", "P"
"""What stands at a place in a text: the min, the max, the number of nulls, the folder of a test's column."""

OPEN, CLOSE = "\ue000", "\ue001"
PLACES = re.compile(f"{OPEN}([{LOW}{HIGH}{NULLS}{FOLDER}])(\\d+){CLOSE}")

ABSENT = Ruling(True, "", "the lake has no statistics of it")


def place(kind: str, test: int) -> str:
    """A place in a text that is filled for each row group; `test` is the number of the test."""
    return f"{OPEN}{kind}{test}{CLOSE}"


def ask_about(
    family: Family,
    created_by: str | None,
    engine: Engine,
    test: Test,
    number: int,
    kinds: Sequence[Sequence[Sequence[Row | None]]],
) -> list[Ruling]:
    """The ruling of an engine about each kind of chunk, with places in its texts.

    A kind has one to three row groups that are known to get the same ruling: the rows of all leaves of the family, None
    if absent. `number` is the test's, for the places.
    """
    made: list[Ruling] = []
    asked = [(kind, groups) for kind, groups in enumerate(kinds)]
    fixed = {kind: _fixed(groups[0][test.leaf.leaf_index]) for kind, groups in asked}
    flat = [group for kind, groups in asked if fixed[kind] is None for group in groups]
    try:
        file = made_file(family, created_by, flat) if flat else None
    except ParquetError as error:
        return [fixed[kind] or Ruling(True, "", error.message) for kind, _ in asked]
    at = 0
    for kind, groups in asked:
        known = fixed[kind]
        if known is None:
            assert file is not None
            some = range(at, at + len(groups))
            made.append(_general(file, engine, test, number, some))
            at += len(groups)
        else:
            made.append(dataclasses.replace(known, clause=test.sql))
    return made


def _fixed(row: Row | None) -> Ruling | None:
    """The ruling about a chunk whose statistics cannot be used by anyone; None for others."""
    if row is None:
        return ABSENT
    if row["locked"]:
        return Ruling(True, "", "the column's metadata is encrypted")
    if row["num_values"] is None:
        return Ruling(True, "", "the footer does not say how many values it has")
    if row["bounds"] == "damaged":
        return Ruling(True, "", "its statistics are damaged")
    return None


def _general(file: ParquetFile, engine: Engine, test: Test, number: int, groups: Sequence[int]) -> Ruling:
    """The ruling about a kind of chunks, in words that hold for all of them."""
    found: list[tuple[Ruling, Skippable]] = []
    for index in groups:
        chunk = file.row_groups[index].columns[test.leaf.leaf_index]
        ruling = rule(test, chunk, BOUNDS, engine)
        try:
            found.append((ruling, engine.chunk_claims(chunk)))
        except ParquetError:
            return dataclasses.replace(ruling, address=None)
    first, claims = found[0]
    texts = _with_places(first, test.leaf, claims, number)
    for ruling, claim in found:
        own = _with_places(ruling, test.leaf, claim, number)
        if own != texts or (ruling.possible, ruling.by) != (first.possible, first.by):
            texts = _plain(first), ""
    reason, evidence = texts
    return dataclasses.replace(first, reason=reason, evidence=evidence, address=None)


def _plain(ruling: Ruling) -> str:
    """A reason without values."""
    if not ruling.possible:
        return f"its {ruling.by} rule it out"
    return f"its {ruling.by} do not rule it out" if ruling.by else "nothing rules it out"


def _with_places(ruling: Ruling, leaf: Leaf, claims: Skippable, number: int) -> tuple[str, str]:
    """Reason and evidence with places for the values of the chunk."""
    low, high = (None if raw is None else text_of(leaf, raw) for raw in (claims.low, claims.high))
    made = []
    for text in (ruling.reason, ruling.evidence):
        if OPEN in text or CLOSE in text:
            text = _plain(ruling)
        first = "none" if low is None else place(LOW, number)
        last = "none" if high is None else place(HIGH, number)
        for mark in ("", "≤ "):
            ours = f"{low or 'none'} … {mark}{high or 'none'}"
            text = text.replace(ours, f"{first} … {mark}{last}")
        if high is not None:
            text = text.replace(f"the max {high} ", f"the max {last} ")
        if low is not None:
            text = text.replace(f"the min {low} ", f"the min {first} ")
        if claims.nulls is not None and claims.nulls > 1:
            text = re.sub(rf"(?<![\d,]){claims.nulls:,} null", f"{place(NULLS, number)} null", text)
        made.append(text)
    return made[0], made[1]


def made_file(family: Family, created_by: str | None, groups: Sequence[Sequence[Row | None]]) -> ParquetFile:
    """An open footer with a row group for each list of rows, one row for each leaf of the family."""
    leaves = family.schema.leaves
    row_groups = [
        structs.RowGroup(
            columns=[_chunk(leaf, row) for leaf, row in zip(leaves, rows, strict=True)],
            total_byte_size=0,
            num_rows=max((row["num_values"] or 0 for row in rows if row is not None), default=0),
        )
        for rows in groups
    ]
    metadata = structs.FileMetaData(
        version=2,
        schema=family.head.schema,
        num_rows=sum(group.num_rows or 0 for group in row_groups),
        row_groups=row_groups,
        created_by=created_by,
        column_orders=family.head.column_orders,
    )
    footer = encode.encode(metadata)
    return open_file(b"PAR1" + bytes(_BODY) + footer + len(footer).to_bytes(4, "little") + b"PAR1")


_BODY = 16
"""Bytes of the made file in which all chunks are said to lie; nothing reads them."""


def _chunk(leaf: Leaf, row: Row | None) -> structs.ColumnChunk:
    metadata = structs.ColumnMetaData(
        type=leaf.physical_type,
        encodings=[],
        path_in_schema=list(leaf.path),
        codec=0,
        num_values=0 if row is None else row["num_values"] or 0,
        total_uncompressed_size=_BODY,
        total_compressed_size=_BODY,
        data_page_offset=4,
        statistics=None if row is None else _statistics(leaf, row),
    )
    return structs.ColumnChunk(file_offset=0, meta_data=metadata)


def _statistics(leaf: Leaf, row: Row) -> structs.Statistics | None:
    if row["statistics"] == "none":
        return None
    made = structs.Statistics(
        null_count=row["null_count"], is_min_value_exact=row["min_exact"], is_max_value_exact=row["max_exact"]
    )
    if row["nan_count"] is not None:
        made.nan_count = row["nan_count"]
    low, high = _bound(leaf, row, "min"), _bound(leaf, row, "max")
    if row["statistics"] == "min_max":
        made.min_value, made.max_value = low, high
    elif row["statistics"] == "legacy":
        made.min, made.max = low, high
    return made


def _bound(leaf: Leaf, row: Row, end: str) -> bytes | None:
    """A bound as the file has it. A long one is stored truncated: then its key, which is still a bound; else None."""
    raw, key = row[f"{end}_raw"], row[f"{end}_key"]
    if raw is None or len(raw) < RAW_BYTES:
        return None if raw is None else bytes(raw)
    return bytes(key) if key is not None and column_order(leaf) is Order.BYTES else None
