"""The shredding of a Variant column over all row groups, added up by place."""

from __future__ import annotations

import contextlib
import dataclasses

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Field
from pqexplore.insight.across.pages import DECODED
from pqexplore.insight.answer import Column, Table
from pqexplore.insight.lenses.variant import Counts, binary_sentence, counts
from pqexplore.insight.lenses.variant.stored_bytes import load, size
from pqexplore.insight.totals import Totals, totals
from pqexplore.insight.wording import plural

COLUMNS = (
    Column("row_group", "row group", "number"),
    Column("column", "place", "code", "the place in the Variant"),
    Column("kind", "shredded as", total="each"),
    Column("entries", "entries", "number", "rows, or elements of the array around it", "sum"),
    Column("typed", "typed", "number", "entries whose typed_value is there", "sum"),
    Column("binary", "binary", "number", "other entries whose value is there, and not null", "sum"),
    Column("there", "typed or binary", "number", total="sum"),
    Column("share", "typed share", "share", "of typed and binary", "typed/there"),
    Column("nulls", "Variant nulls", "number", total="sum"),
    Column("fields", "other fields", "number", "fields in value of partially shredded objects", "sum"),
    Column("missing", "not there", "number", total="sum"),
)


def of_field(file: ParquetFile, field: Field) -> Totals | None:
    """The counts of all places over all row groups.

    None for one row group, for more than `DECODED` bytes, if it is not shredded, or if a row group cannot be read.
    """
    with contextlib.suppress(ParquetError):
        return _of_groups(file, field)
    return None


def _of_groups(file: ParquetFile, field: Field) -> Totals | None:
    groups = range(len(file.row_groups))
    if len(groups) < 2 or sum(size(file, field, group) for group in groups) > DECODED:
        return None
    table, known, there_are = Table(COLUMNS), list[Counts](), 0
    for group in groups:
        variants = load(file, field, group)
        if not variants.shredded:
            return None
        there_are += len(variants.array) - variants.array.null_count
        own = counts(variants)
        known += own
        for one in own:
            there = one.typed + one.binary
            cells = (one.entries, one.typed, one.binary, there, one.share, one.nulls, one.fields, one.missing)
            table.add(group, one.group.path, one.group.kind, *cells)
    found = totals(table, "row group", by="By place, in all row groups")
    if found is None:
        return None
    line = f"All {plural(len(groups), 'row group')} have {plural(there_are, 'Variant')}. {binary_sentence(known)}"
    return dataclasses.replace(found, line=line.rstrip(), values={"count": len(groups), "variants": there_are})
