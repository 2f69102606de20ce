"""What differs of the whole file: writer, format version, key-value metadata, sorting, encryption of the footer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.file.footer import ENCRYPTED_MAGIC
from pqexplore.engine.format.thrift.structs import union_field
from pqexplore.engine.text import clip
from pqexplore.insight.diff.difference import Difference, Subject
from pqexplore.insight.wording import plural

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
    for key in dict.fromkeys((*mine, *others)):
        first, second = mine.get(key), others.get(key)
        if key in skipped or (first == second and (key in mine) == (key in others)):
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


def _first_change(first: str, second: str) -> str:
    """Where two texts begin to differ, with a few characters of each."""
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
