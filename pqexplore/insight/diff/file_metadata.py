"""What differs of the whole file: writer, format version, key-value metadata, sorting, encryption of the footer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING

import pyarrow as pa

from pqexplore.engine.file.footer import ENCRYPTED_MAGIC
from pqexplore.engine.format import embedded
from pqexplore.engine.format.thrift.structs import union_field
from pqexplore.engine.text import clip
from pqexplore.insight.diff.difference import Difference, Subject
from pqexplore.insight.wording import listing, name, plural

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

SCHEMAS = frozenset(
    ("ARROW:schema", "pandas", "org.apache.spark.sql.parquet.row.metadata", "iceberg.schema", "parquet.avro.schema")
)
"""Keys whose value is the schema once more, as its writer sees it."""

SHOWN = 80
"""Characters of a value that a sentence shows."""


def differences(one: ParquetFile, two: ParquetFile, other_schema: bool, same_rows: bool) -> Iterator[Difference]:
    """The differences of two footers outside of schema and row groups.

    If the schema differs (`other_schema`), so do the texts that describe it, and are not listed; likewise the number of
    rows, unless the row groups have as many (`same_rows`).
    """
    yield from _plain("writer", "writer", one.created_by or "", two.created_by or "")
    version = [None if f.metadata is None else f.metadata.version for f in (one, two)]
    yield from _plain("version", "version of the format", *(str(n) for n in version))
    if same_rows:
        declared = (str(file.open_footer.num_rows or 0) for file in (one, two))
        yield from _plain("num-rows", "number of rows by FileMetaData", *declared)
    yield from _key_values(one, two, SCHEMAS if other_schema else frozenset())
    yield from _plain("root", "name of the schema's root", one.schema.root.name, two.schema.root.name)
    yield from _plain("sorting", "declared order of rows", _sorting(one), _sorting(two))
    yield from _plain("column-orders", "declared order of values", _orders(one), _orders(two))
    yield from _plain("footer-encryption", "encryption of the footer", _encryption(one), _encryption(two))


def _plain(what: str, noun: str, first: str, second: str) -> Iterator[Difference]:
    if first == second:
        return
    if not first or not second:
        has, text = ("second", second) if not first else ("first", first)
        sentence = f"Only the {has} file says the {noun}: {clip(text, SHOWN)}."
    elif first[: SHOWN - 1] == second[: SHOWN - 1]:
        sentence = f"The {noun} {_first_change(first, second)}."
    else:
        sentence = f"The {noun} is {clip(second, SHOWN)} in place of {clip(first, SHOWN)}."
    subject = Subject.ENCRYPTION if what == "footer-encryption" else Subject.FILE
    yield Difference(subject, what, sentence, first=first, second=second, addresses=("footer", "footer"))  # fmt: skip


def _key_values(one: ParquetFile, two: ParquetFile, skipped: frozenset[str]) -> Iterator[Difference]:
    mine, others = one.key_value_metadata, two.key_value_metadata
    every = dict.fromkeys((*mine, *others))
    changed = [key for key in every if mine.get(key) != others.get(key) or (key in mine) != (key in others)]
    for key in sorted(changed, key=lambda key: key in SCHEMAS):  # what repeats the schema comes last
        first, second = mine.get(key), others.get(key)
        if key in skipped:
            continue
        if key not in mine or key not in others:
            has = "second" if key not in mine else "first"
            size = len((second if key not in mine else first) or "")
            sentence = (
                f"Only the {has} file has the key {clip(key, SHOWN)!r} in its metadata ({plural(size, 'character')})."
            )
        elif first is None or second is None:
            has = "second" if first is None else "first"
            sentence = f"Only the {has} file has a value of the key {clip(key, SHOWN)!r} in its metadata."
        elif key == embedded.ARROW:
            said = _arrow_change(first, second, changed)
            if not said:
                continue
            sentence = f"{key} {said}."
        else:
            sentence = f"The metadata of the key {clip(key, SHOWN)!r} {_first_change(first, second)}."
        yield Difference(
            Subject.FILE,
            "key-value",
            sentence,
            first=clip(first or "", 200),
            second=clip(second or "", 200),
            addresses=("footer", "footer"),
        )


def _arrow_change(first: str, second: str, changed: Collection[str]) -> str:
    """What differs between two Arrow schemas in base64; "" if only keys do that the file's metadata has `changed`, too."""
    made = [embedded.decode(embedded.ARROW, text) for text in (first, second)]
    schemas = [one.content for one in made if one is not None and isinstance(one.content, pa.Schema)]
    if len(schemas) < 2:
        return _other_value(first, second)
    fields = [{field.name: field for field in schema} for schema in schemas]
    keys = [one.metadata or {} for one in schemas]
    return _other_fields(*fields) or _other_keys(keys[0], keys[1], changed)


def _other_fields(mine: Mapping[str, pa.Field], others: Mapping[str, pa.Field]) -> str:
    """Which fields two Arrow schemas declare otherwise; "" if none."""
    names = [one for one in others if one in mine and not others[one].equals(mine[one], True)]
    if names:
        more = f", and {plural(len(names) - 1, 'more field')} otherwise" if len(names) > 1 else ""
        return f"declares {name(names[0])} as {_declared(others[names[0]], mine[names[0]])}{more}"
    only = sorted(mine.keys() ^ others.keys())
    if not only:
        return ""
    return f"declares {plural(len(only), 'field')} in one file only: {listing([name(one) for one in only], most=4)}"


def _other_keys(mine: Mapping[bytes, bytes], others: Mapping[bytes, bytes], changed: Collection[str]) -> str:
    """Which metadata of two Arrow schemas differ; "" if only keys do that have `changed` in the file's metadata, too."""
    other = sorted(
        key.decode(errors="replace") for key in mine.keys() | others.keys() if mine.get(key) != others.get(key)
    )
    if not other:
        return "has the same fields in other bytes"
    if set(other).issubset(changed):
        return ""
    return f"has other metadata of the {'key' if len(other) == 1 else 'keys'} {listing([repr(one) for one in other], most=4)}"


def _declared(after: pa.Field, before: pa.Field) -> str:
    """A field in place of another one, in what they differ."""
    if after.type != before.type:
        return f"{after.type} in place of {before.type}"
    if after.nullable != before.nullable:
        return f"{'' if after.nullable else 'not '}nullable"
    return f"{after.type} with other metadata"


_ENCODED = re.compile(r"[A-Za-z0-9+/_=-]{40,}", re.ASCII)
"""A text without a space, as base64 and hexadecimal digits are: no part of it tells anything."""


def _other_value(first: str, second: str) -> str:
    return f"has another value: {plural(len(second), 'character')} in place of {len(first):,}"


def _first_change(first: str, second: str) -> str:
    """Where two texts begin to differ, with a few characters of each; of encoded bytes only how long they are."""
    if _ENCODED.fullmatch(first) and _ENCODED.fullmatch(second):
        return _other_value(first, second)
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second)))
    return f"differs from character {at:,} on: {second[at : at + 30]!r} in place of {first[at : at + 30]!r}"


def _sorting(file: ParquetFile) -> str:
    """The sorting columns of the row groups; "" if none declares any."""
    leaves = file.schema.leaves
    made: dict[str, None] = {}
    for group in file.row_groups:
        keys = []
        for key in group.metadata.sorting_columns or ():
            path = ".".join(leaves[key.column_idx].path) if 0 <= key.column_idx < len(leaves) else f"column {key.column_idx}"  # fmt: skip
            keys.append(f"{path} {'descending' if key.descending else 'ascending'}, nulls {'first' if key.nulls_first else 'last'}")  # fmt: skip
        made["; ".join(keys)] = None
    return " or ".join(filter(None, made)) if len(made) < 4 else f"{len(made):,} different ones"


def _orders(file: ParquetFile) -> str:
    """The kinds of column order that the footer declares; "" if it declares none."""
    orders = None if file.metadata is None else file.metadata.column_orders
    if not orders:
        return ""
    kinds = dict.fromkeys("unknown" if (one := union_field(o)) is None else one[0] for o in orders)
    return " and ".join(kinds)


def _encryption(file: ParquetFile) -> str:
    encrypted = file.footer.magic == ENCRYPTED_MAGIC
    crypto, metadata = file.footer.crypto_metadata, file.metadata
    algorithm = crypto.encryption_algorithm if crypto else None
    if algorithm is None and metadata is not None:
        algorithm = metadata.encryption_algorithm
    if algorithm is None and not encrypted:
        return "none"
    kind = union_field(algorithm)
    return f"{kind[0] if kind else 'unknown'}, {'encrypted' if encrypted else 'signed'}"
