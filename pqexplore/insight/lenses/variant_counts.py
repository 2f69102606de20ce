"""How many values of a shredded Variant are in typed columns, and how many stay binary, place by place.

A value stays binary if it is encoded in a `value` column: the Variant as a whole, a field, an element, or the fields of a
partially shredded object that have no column. A Variant null is always in `value`, and is counted apart.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from pqexplore.engine.arrays import Mask
from pqexplore.engine.format.variant import types, vectors
from pqexplore.engine.format.variant.shredding import Columns, Group
from pqexplore.insight.lenses.variant_rows import Variants
from pqexplore.insight.wording import plural


@dataclasses.dataclass(frozen=True, slots=True)
class Counts:
    """The entries of one group: rows, or elements of the array around it.

    `typed` entries have a typed_value, `both` of these a value, too. The others have a Variant null (`nulls`), any other
    value (`binary`), or neither (`missing`). `fields` are the fields in `value` of the partially shredded objects.
    """

    group: Group
    entries: int
    typed: int
    binary: int
    nulls: int
    both: int
    fields: int
    missing: int

    @property
    def share(self) -> float | None:
        """The share of typed entries in those that are there and are no Variant null; None if there are none."""
        there = self.typed + self.binary
        return self.typed / there if there else None


def counts(variants: Variants) -> list[Counts]:
    """The counts of each group, the outer ones first; all 0 if the specification does not allow the shredding."""
    return [_counts(group, own) for group, own in zip(variants.groups, variants.columns(), strict=True)]


def _counts(group: Group, own: Columns) -> Counts:
    value, typed = own.present("value"), own.present("typed")
    alone = value & ~typed
    nulls = alone & (own.headers() == types.VARIANT_NULL[0])
    both = value & typed
    return Counts(
        group,
        own.length,
        int(typed.sum()),
        int((alone & ~nulls).sum()),
        int(nulls.sum()),
        int(both.sum()),
        _fields(own, both) if group.kind == "object" else 0,
        int((~value & ~typed).sum()),
    )


def _fields(own: Columns, both: Mask) -> int:
    """The fields in `value` of the entries in `both`; values that are no objects, or are damaged, have none."""
    headers = own.headers()
    objects = np.flatnonzero(both & (headers >= 0) & (headers & 3 == types.OBJECT))
    if own.value is None or not len(objects):
        return 0
    data, offsets = vectors.raw_bytes(own.value)
    total = 0
    for large, size in ((0, 1), (1, 4)):
        start, end = offsets[objects], offsets[objects + 1]
        fits = (data[start] >> 6 & 1 == large) & (end - start > size)
        start, end = start[fits], end[fits]
        count = np.zeros(len(start), np.int64)
        for i in range(size):
            count |= data[start + 1 + i].astype(np.int64) << 8 * i
        # A field takes two bytes at least: its id and its offset.
        total += int(count[count * 2 <= end - start].sum())
    return total


def sentence(known: Sequence[Counts]) -> str:
    """What stays binary, and where."""
    beside = sum(one.binary for one in known if one.group.kind != "none")
    alone = sum(one.binary for one in known if one.group.kind == "none")
    fields = sum(one.fields for one in known)
    nulls = sum(one.nulls for one in known)
    total = beside + alone + fields
    apart = f" {plural(nulls, 'Variant null')} {'is' if nulls == 1 else 'are'} in value, as always."
    if not total:
        return "No value stays binary." + apart * bool(nulls)
    parts = (
        (beside, "beside a typed column"),
        (alone, "where there is no typed column"),
        (fields, "among the other fields of partially shredded objects"),
    )
    where = ", ".join(f"{count:,} {words}" for count, words in parts if count)
    verb = "stays" if total == 1 else "stay"
    return (
        f"{plural(total, 'value')} {verb} binary: {where}. A query that needs "
        f"{'it' if total == 1 else 'them'} decodes Variant bytes." + apart * bool(nulls)
    )
