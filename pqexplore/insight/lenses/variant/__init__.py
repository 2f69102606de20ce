"""One Variant of a column: its names and value to the bit, and how a shredded one is put together.

A Variant is two byte strings, metadata (the names) and value; a shredded one has parts of its value in columns of their
own. The lens shows one row: what is stored, and what a reader makes of it. A group with the fields of a Variant but
without the annotation is shown the same way, as a possible one. See
https://github.com/apache/parquet-format/blob/master/VariantEncoding.md
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.arrays import Mask
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.variant import variant_types, vectors
from pqexplore.engine.format.variant.check import RULES
from pqexplore.engine.format.variant.json_text import to_json
from pqexplore.engine.format.variant.reconstruct import reconstruct
from pqexplore.engine.format.variant.shape import variant_around
from pqexplore.engine.format.variant.shredding import Columns, Group
from pqexplore.engine.format.variant.vectors import is_bytes
from pqexplore.engine.tree.at import CHUNK, chunk_at, in_page, page_at
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.variant_nodes import value_at, variant_number
from pqexplore.insight import wording
from pqexplore.insight.answer import Answer, Bars, Column, Table
from pqexplore.insight.lenses.lens import Lens
from pqexplore.insight.lenses.variant.reading_steps import Step, fields_by_path, leaf_of, steps
from pqexplore.insight.lenses.variant.stored_bytes import (
    CHECKED,
    PROBLEMS,
    Stored,
    Variants,
    first_group,
    load,
    size,
    stored,
)
from pqexplore.insight.short_text import shorten
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
    nulls = alone & (own.headers() == variant_types.VARIANT_NULL[0])
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
    objects = np.flatnonzero(both & (headers >= 0) & (headers & 3 == variant_types.OBJECT))
    if own.value is None or not len(objects):
        return 0
    data, offsets = vectors.raw_bytes(own.value)
    total = 0
    for large, width in ((0, 1), (1, 4)):
        start, end = offsets[objects], offsets[objects + 1]
        fits = (data[start] >> 6 & 1 == large) & (end - start > width)
        start, end = start[fits], end[fits]
        count = np.zeros(len(start), np.int64)
        for i in range(width):
            count |= data[start + 1 + i].astype(np.int64) << 8 * i
        # A field takes two bytes at least: its id and its offset.
        total += int(count[count * 2 <= end - start].sum())
    return total


def binary_sentence(known: Sequence[Counts]) -> str:
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


JSON = 4_000
"""Characters of a Variant's JSON that are shown."""

FIRST = frozenset(
    f"variant_{kind}"
    for kind in (
        *("value", "header", "length", "data", "scale", "unscaled", "num_elements", "values"),
        *("field_ids", "field_id", "field_offsets", "field_offset", "metadata", "unread"),
        *("dictionary_size", "offsets", "offset", "strings", "string"),
    )
) | {"possible_variant"}


@dataclasses.dataclass(slots=True)
class Row:
    """One Variant: its JSON (None if it is null or cannot be read), its stored bytes, and how it is put together."""

    row: int
    null: bool
    sentence: str = ""
    problem: str = ""
    json: str | None = None
    stored: list[Stored] = dataclasses.field(default_factory=list)
    steps: list[Step] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(slots=True)
class Problem:
    """A broken rule of the specification. `row` is None if the schema breaks it."""

    rule: str
    row: int | None
    path: str
    message: str
    specification: str


@dataclasses.dataclass(slots=True)
class Picture:
    """The Variants of a row group, opened at one row.

    `address` is the field of the schema. `possible` says that the schema does not annotate it as a Variant; `nested`, that
    it is in lists, so that `rows` counts elements. `before` and `after` are its column chunks in the neighbouring row
    groups.
    """

    address: str
    column: str
    possible: bool
    shredded: bool
    nested: bool
    row_group: int
    row_groups: int
    before: str | None
    after: str | None
    rows: int
    row: Row
    problems: list[Problem]
    more_problems: bool


def _applies(node: Node) -> bool:
    """Groups of the schema that are, or look like, Variants; their columns, values, and the parts of values."""
    if node.kind in FIRST:
        return True
    if node.kind == "schema_field":
        shapes = ("Variant", "perhaps a Variant")
        return any(fact.name == "shape" and fact.value in shapes for fact in node.facts)
    if node.kind == "column_chunk":
        return node.state == "ok" and any(fact.name == "part of Variant" for fact in node.facts)
    return node.kind == "value" and any(
        child.kind.startswith("variant_") or child.kind == "possible_variant" for child in node.children[:1]
    )


def answer(file: ParquetFile, node: Node) -> Answer:
    """The Variants of the node's row group, opened at the node's own, or at the first that is not null."""
    field, row_group = _field_and_row_group(file, node)
    entry = None
    if in_page(node.address):
        page = page_at(file, node.address)
        name, _, index = node.address.removeprefix(page.address).strip("/").partition("/")
        index = index.partition("/")[0]
        if page.is_data and name == "values" and index.isdecimal():
            entry = variant_number(page, int(index), field)
    return of_field(file, field, row_group, entry)


def cost(file: ParquetFile, node: Node) -> int:
    """Bytes of the columns of the Variant in its row group."""
    return size(file, *_field_and_row_group(file, node))


def row(file: ParquetFile, address: str, row_group: int, row: int) -> Row:
    """One row of the Variants of the schema's field at `address`. UsageError if there is no such row."""
    name = address.removeprefix("schema/")
    if not name.isdecimal() or int(name) >= len(file.schema.fields):
        raise UsageError(f"{address!r} is no field of the schema")
    return open_row(load(file, _around(file.schema.fields[int(name)]), row_group), row)


def _field_and_row_group(file: ParquetFile, node: Node) -> tuple[Field, int]:
    """The Variant group and the row group that a node belongs to."""
    match = CHUNK.match(node.address)
    if match is None:
        return _around(file.schema.fields[int(node.name)]), first_group(file)
    return _around(chunk_at(file, node.address).leaf), int(match[1])


def _around(field: Field) -> Field:
    group = variant_around(field)
    if group is None:
        raise UsageError(f"{'.'.join(field.path)} is no part of a Variant")
    return group


def of_field(file: ParquetFile, field: Field, row_group: int, entry: int | None = None) -> Answer:
    """The Variants of a row group, opened at an entry of the metadata column; None: at the first that is not null.

    Outside of lists an entry is a row.
    """
    path = ".".join(field.path)
    code = f"f.variant_get({path!r}, '$')"
    if not len(file.row_groups) or not file.row_groups[row_group].num_rows:
        empty = f"There are no rows, so column {wording.name(path)} has no Variants."
        return Answer(empty, empty=empty, code=code)
    variants = load(file, field, row_group)
    rows = len(variants.array)
    if not rows:
        empty = f"Every list around {wording.name(path)} is empty in row group {row_group}, so there is no Variant."
        return Answer(empty, empty=empty, code=code)
    if entry is not None:
        row = min(variants.row(entry), rows - 1)
    else:
        valid = np.flatnonzero(variants.array.is_valid().to_numpy(zero_copy_only=False))
        row = int(valid[0]) if len(valid) else 0
    picture = Picture(
        address=Address.of("schema", field.index),
        column=path,
        possible=variants.possible,
        shredded=variants.shredded,
        nested=field.max_repetition_level > 0,
        row_group=row_group,
        row_groups=len(file.row_groups),
        before=_chunk(file, field, row_group - 1),
        after=_chunk(file, field, row_group + 1),
        rows=rows,
        row=open_row(variants, row),
        problems=[
            Problem(one.rule, one.row, one.path, one.message, RULES[one.rule]) for one in variants.problems[:PROBLEMS]
        ],
        more_problems=len(variants.problems) > PROBLEMS,
    )
    known = counts(variants) if variants.shredded else []
    table = _table(variants, known) if variants.shredded else None
    sentence = _sentence(variants, known)
    if entry is not None:
        opened = picture.row.sentence or picture.row.problem
        sentence = f"Row {row:,}: {opened.rstrip('.')}. {sentence}"
    return Answer(sentence, picture, table, code=code)


def _chunk(file: ParquetFile, field: Field, row_group: int) -> str | None:
    """The address of the Variant's first column chunk in a row group."""
    if not 0 <= row_group < len(file.row_groups):
        return None
    return Address.of(file.row_groups[row_group].address, "columns", field.leaves()[0].leaf_index)


def open_row(variants: Variants, row: int) -> Row:
    """One Variant: JSON, stored bytes, steps. UsageError if there is no such row."""
    rows = len(variants.array)
    if not 0 <= row < rows:
        raise UsageError(f"there is no row {row:,}; row group {variants.row_group} has {rows:,}")
    result = Row(row, null=not variants.array[row].is_valid)
    if result.null:
        result.sentence = "The row is null: there is no Variant, which is not the same as the Variant null."
        return result
    one = variants.array.slice(row, 1)
    limits = variants.file.limits
    try:
        whole = reconstruct(one, variants.field, limits=limits)
        metadata, value = (whole.field(name)[0].as_py() for name in ("metadata", "value"))
        result.json = shorten(to_json(metadata, value, limits=limits), JSON)
        result.sentence = _row_sentence(variants, one, metadata, value)
    except ParquetError as error:
        result.problem = error.message
    result.stored = _stored(variants, one, row)
    if variants.shredded:
        result.steps = steps(
            variants.groups, one, variants.field, variants.row_group, row, variants.entry(row), variants.file
        )
    return result


def _stored(variants: Variants, one: pa.StructArray, row: int) -> list[Stored]:
    """The two stored byte strings, metadata and value."""
    types = {field.name: field.type for field in one.type}
    cells = {name: one.field(name)[0].as_py() for name in types if is_bytes(types[name])}
    metadata = cells.get("metadata")
    result: list[Stored] = []
    for name in ("metadata", "value"):
        raw = cells.get(name)
        address: str | None = None
        leaf = next((c for c in variants.field.named(name) if isinstance(c, Leaf)), None)
        if leaf is not None:
            chunk = variants.file.row_groups[variants.row_group].columns[leaf.leaf_index]
            with contextlib.suppress(ParquetError):
                found = value_at(chunk, variants.entry(row), variants.field)
                address = None if found is None else found[1]
        if name in types and name not in cells:
            result.append(Stored(name, 0, address, f"is a column of {types[name]}, not of bytes"))
        elif raw is not None:
            result.append(stored(variants.file, name, metadata, raw, address))
        elif name in types:
            why = "is null: the value is in the shredded columns"
            result.append(Stored(name, 0, address, why))
        else:
            result.append(Stored(name, 0, address, "is no column here"))
    return result


def _sentence(variants: Variants, known: Sequence[Counts]) -> str:
    """What the column is, and which of its values are in typed columns."""
    rows, group = len(variants.array), variants.row_group
    there = rows - variants.array.null_count
    if variants.possible:
        where = (
            f"{wording.name(variants.path)} has the fields of a Variant and is not annotated as one, so it is read as a struct. "
            f"Read as Variants, there are {there:,} in row group {group}"
        )
    else:
        where = f"{wording.name(variants.path)} has {plural(there, 'Variant')} in row group {group}"
    if not variants.shredded:
        sentence = f"{where}, not shredded: each value is one piece of bytes, read whole even for one field."
    elif any(one.defect is not None for one in variants.groups):
        sentence = f"{where}, shredded in a way that the specification does not allow."
    else:
        typed = sum(one.kind == "primitive" for one in variants.groups)
        sentence = f"{where}, shredded into {plural(typed, 'typed column')}. {binary_sentence(known)}"
    broken = len({one.rule for one in variants.problems})
    if broken:
        more = " At least" if len(variants.problems) > PROBLEMS or rows > CHECKED else ""
        verb = "is" if broken == 1 else "are"
        sentence += f"{more} {plural(broken, 'rule')} of the specification {verb} broken."
    if rows > CHECKED:
        sentence += f" The first {CHECKED:,} were held against the rules; f.check() does it for all."
    return sentence


def _row_sentence(variants: Variants, one: pa.StructArray, metadata: bytes, value: bytes) -> str:
    names = [field.name for field in one.type]
    topmost = one.field("value")[0].as_py() if "value" in names else None
    sentence = f"Its metadata takes {plural(len(metadata), 'byte')}"
    if not variants.shredded:
        return f"{sentence}, its value {len(value):,}."
    sentence += f"; put together the value takes {len(value):,}"
    if topmost is None:
        return f"{sentence}, and the topmost value is null."
    return f"{sentence}, and the topmost value has {plural(len(topmost), 'byte')}."


def _table(variants: Variants, known: Sequence[Counts]) -> Table:
    """A row for each group of the shredding: how often its value is typed, binary, both or not there."""
    table = Table(
        [
            Column("path", "place", "code", "the place in the Variant"),
            Column("kind", "shredded as"),
            Column("fits", "typed share", "share", "of typed and binary"),
            Column("entries", "entries", "number", "rows, or elements of the array around it"),
            Column("typed", "typed", "number", "entries whose typed_value is there"),
            Column("binary", "binary", "number", "other entries whose value is there, and not null"),
            Column("nulls", "Variant nulls", "number", "entries whose value is the Variant null"),
            Column("both", "both", "number", "typed entries whose value is there, too"),
            Column("fields", "other fields", "number", "fields in value of these objects"),
            Column("missing", "not there", "number"),
        ],
        "Where the values are",
    )
    fields = fields_by_path(variants.field)
    for one in known:
        group = one.group
        node = fields.get(group.path)
        leaf = None if node is None else leaf_of(node, binary=False)
        chunk = None
        if leaf is not None:
            chunk = variants.file.row_groups[variants.row_group].columns[leaf.leaf_index]
        span = None
        with contextlib.suppress(ParquetError):
            span = None if chunk is None else chunk.span
        kind = "not shredded" if group.kind == "none" else group.kind
        table.add(
            group.path,
            kind if group.defect is None else f"{kind}: {group.defect.message}",
            one.share,
            one.entries,
            one.typed,
            one.binary,
            one.nulls,
            one.both,
            one.fields,
            one.missing,
            address=None if chunk is None else chunk.address,
            span=span,
        )
    return table


LENS = Lens(
    "variant",
    title="Variant",
    answer=answer,
    where=_applies,
    first=FIRST,
    cost=cost,
    picture=Picture,
    operations={"variant_row": row},
    figure=(Bars("path", "fits", "share of the values that fit the typed column", "share"),),
    across="columns",
    value_free=("kind", "entries", "typed", "binary", "nulls"),
)
