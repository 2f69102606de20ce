"""What a store says of itself: the Spark schema in its footers, read and made.

A store's files are Parquet files that Spark wrote. What makes them a metadatastore is JSON in the footer, under
`org.apache.spark.sql.parquet.row.metadata`: Spark's schema, whose columns carry notes. The notes of `obj_name` have the
version, the table and, where something is encrypted, the labels of the keys; those of the other columns say which index
they are. This module turns that JSON into a `StoreSchema`, whatever the version, and makes the JSON of version 4.
"""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.lake.metadatastore import names

ROW_METADATA = "org.apache.spark.sql.parquet.row.metadata"
SPARK_VERSION = "org.apache.spark.version"

CURRENT = 4
"""The version that is written."""
OLDEST = 1
"""The first version whose values can be read."""

UNSUPPORTED = "values opaque"
DEPRECATED = "deprecated"
IS_CURRENT = "current"
TOO_NEW = "too new"
STATUSES = {
    UNSUPPORTED: "Version 0: values are serialized Java objects that nobody describes; nothing is skipped.",
    DEPRECATED: "Versions 1 to 3: read in full, and upgraded to version 4 before they are refreshed.",
    IS_CURRENT: "Version 4: what is written today.",
    TOO_NEW: "Above version 4: made by a program newer than this one; nothing is skipped.",
}
"""What `StoreSchema.status` may be, and what it means."""

MINMAX, VALUE_LIST, BLOOM_FILTER = "minmax", "valuelist", "bloomfilter"

BLOOM_UDT = (
    "io.xskipper.metadatastore.parquet.ParquetBaseClauseTranslator$BloomFilterMetaDataTypeUDT"
)
LEGACY_BLOOM_UDT = "com.ibm.metaindex.metadata.metadatastore.parquet.ParquetBaseClauseTranslator$BloomFilterMetaDataTypeUDT"

PREFIX, LEGACY_PREFIX = "io.xskipper.", "spark.ibm.metaindex."
"""What the keys of index parameters start with, from version 3 on and before."""
FPP, NDV = "index.bloom.fpp", "index.bloom.ndv"

_MOST_JSON = 64 << 20


@dataclasses.dataclass(frozen=True)
class Index:
    """An index of a store.

    - `name`: minmax, valuelist, bloomfilter, or one that is not known here; `columns`: what it is on, lower-cased,
      dotted where nested; `params`: as text, by their full keys.
    - `column`: the store's column that has its values; `type`: that column's Spark type, as JSON has it.
    - `key_metadata`: the label of the key that encrypts it, never a key; None where it is not encrypted.
    """

    name: str
    columns: tuple[str, ...]
    column: str
    type: Any
    params: Mapping[str, str] = dataclasses.field(default_factory=dict)
    key_metadata: str | None = None

    @functools.cached_property
    def value_type(self) -> str | None:
        """The Spark type of the indexed values; None where the index does not tell it (Bloom filters)."""
        found: Any = None
        if self.name == MINMAX and isinstance(self.type, dict):
            fields = {
                field.get("name"): field.get("type")
                for field in self.type.get("fields", ())
                if isinstance(field, dict)
            }
            found = fields.get("min") if fields.get("min") == fields.get("max") else None
        elif self.name == VALUE_LIST and isinstance(self.type, dict):
            found = self.type.get("elementType")
        return found if isinstance(found, str) else None

    @property
    def readable(self) -> bool:
        """Whether the values are understood here: a known index on one column, stored as it should be."""
        if len(self.columns) != 1:
            return False
        if self.name == BLOOM_FILTER:
            return isinstance(self.type, dict) and self.type.get("class") in (
                BLOOM_UDT,
                LEGACY_BLOOM_UDT,
            )
        return self.value_type is not None

    @property
    def fpp(self) -> float | None:
        """The false positive probability that a Bloom filter was made for."""
        return _number(self._parameter(FPP))

    @property
    def ndv(self) -> int | None:
        """The number of distinct values that a Bloom filter was made for."""
        number = _number(self._parameter(NDV))
        return None if number is None else int(number)

    def _parameter(self, key: str) -> str | None:
        return self.params.get(PREFIX + key, self.params.get(LEGACY_PREFIX + key))

    def __str__(self) -> str:
        return f"{self.name} on {', '.join(self.columns)}"


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


@dataclasses.dataclass(frozen=True)
class Partition:
    """A partition column of the dataset: its name, the store's column with its values, their Spark type."""

    name: str
    column: str
    type: str


@dataclasses.dataclass(frozen=True)
class EncryptionLabels:
    """Which keys encrypt the store's columns, by label; there are no keys in a store.

    `footer_key` is the footer's label, `column_keys` the store's leaf paths by label.
    """

    footer_key: str
    column_keys: Mapping[str, tuple[str, ...]]
    plaintext_footer: bool = False


@dataclasses.dataclass(frozen=True)
class StoreSchema:
    """All that a store's footers say: see `Store`, which has the same attributes."""

    version: int
    table_identifier: str | None
    indexes: tuple[Index, ...]
    partitions: tuple[Partition, ...] = ()
    encryption: EncryptionLabels | None = None
    others: tuple[str, ...] = ()
    """Columns that are neither `obj_name`, nor of an index, nor of a partition."""

    @property
    def status(self) -> str:
        """A key of `STATUSES`."""
        if self.version > CURRENT:
            return TOO_NEW
        if self.version == CURRENT:
            return IS_CURRENT
        return DEPRECATED if self.version >= OLDEST else UNSUPPORTED

    @property
    def values_readable(self) -> bool:
        """Whether the version's values are understood: versions 1 to 4."""
        return OLDEST <= self.version <= CURRENT

    def index(self, name: str, *columns: str) -> Index | None:
        """The index of that name on these columns, in any case; None where there is none."""
        wanted = tuple(column.lower() for column in columns)
        return next((i for i in self.indexes if (i.name, i.columns) == (name, wanted)), None)


def is_store(key_values: Mapping[str, str | None]) -> bool:
    """Whether a footer's key-value metadata is that of a metadatastore: an `obj_name` column, and a sign of indexes."""
    text = key_values.get(ROW_METADATA)
    if not text or names.OBJECT not in text:
        return False
    try:
        fields = _fields(text)
    except (CorruptFileError, UnsupportedFeatureError):
        return False
    notes = {field["name"]: field["metadata"] for field in fields}
    return names.OBJECT in notes and (
        "version" in notes[names.OBJECT] or any("index" in note for note in notes.values())
    )


def parse(row_metadata: str) -> StoreSchema:
    """The schema in the JSON of `ROW_METADATA`; CorruptFileError where it is none of a metadatastore."""
    fields = _fields(row_metadata)
    notes = next((field["metadata"] for field in fields if field["name"] == names.OBJECT), None)
    if notes is None:
        raise CorruptFileError(
            f"the Spark schema has no column {names.OBJECT}: this is no metadatastore",
            address="footer/key_value_metadata",
        )
    version = notes.get("version", 0)
    if not isinstance(version, int) or isinstance(version, bool) or version < 0:
        raise _wrong("the version", "a whole number from 0 on")
    identifier = _text_or_none(notes.get("tableIdentifier"), "tableIdentifier")
    indexes, partitions, others = [], [], []
    for field in fields:
        if field["name"] == names.OBJECT:
            continue
        note = field["metadata"].get("index")
        if note is not None:
            indexes.append(_index(field, note))
            identifier = identifier or _text_or_none(note.get("tableIdentifier"), "tableIdentifier")
        elif version >= CURRENT and field["name"].startswith(names.VIRTUAL):
            kind = field["type"] if isinstance(field["type"], str) else "unknown"
            partitions.append(Partition(field["name"][len(names.VIRTUAL) :], field["name"], kind))
        else:
            others.append(field["name"])
    encryption = _encryption(notes.get("encryption"))
    return StoreSchema(
        version, identifier, tuple(indexes), tuple(partitions), encryption, tuple(others)
    )


def _wrong(what: str, expected: str) -> CorruptFileError:
    return CorruptFileError(
        f"{what} of the metadatastore is not what it should be: {expected} is expected",
        address="footer/key_value_metadata",
    )


def _fields(row_metadata: str) -> list[dict[str, Any]]:
    """The columns of the JSON, each with `name`, `type`, `metadata` of the right kind."""
    if len(row_metadata) > _MOST_JSON:
        raise UnsupportedFeatureError(
            f"a Spark schema of {len(row_metadata):,} characters",
            address="footer/key_value_metadata",
        )
    try:
        document = json.loads(row_metadata)
    except (ValueError, RecursionError):
        raise _wrong("the Spark schema", "JSON") from None
    fields = document.get("fields") if isinstance(document, dict) else None
    if not isinstance(fields, list):
        raise _wrong("the Spark schema", "an object with a list of fields")
    found = []
    for field in fields:
        if not isinstance(field, dict) or not isinstance(field.get("name"), str):
            raise _wrong("a field of the Spark schema", "an object with a name")
        notes = field.get("metadata", {})
        if not isinstance(notes, dict):
            raise _wrong(f"the metadata of column {field['name']!r}", "an object")
        found.append({"name": field["name"], "type": field.get("type"), "metadata": notes})
    return found


def _text_or_none(value: Any, what: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise _wrong(what, "text")


def _index(field: dict[str, Any], note: Any) -> Index:
    what = f"the index in column {field['name']!r}"
    if not isinstance(note, dict) or not isinstance(note.get("name"), str):
        raise _wrong(what, "an object with a name")
    columns = note.get("cols")
    if not isinstance(columns, list) or not all(isinstance(column, str) for column in columns):
        raise _wrong(f"cols of {what}", "a list of column names")
    return Index(
        note["name"],
        tuple(columns),
        field["name"],
        field["type"],
        _params(note.get("params"), what),
        _text_or_none(note.get("key_metadata"), f"key_metadata of {what}"),
    )


def _params(params: Any, what: str) -> dict[str, str]:
    """Parameters as an object (from version 3 on) or as a list of `key:value`."""
    if params is None:
        return {}
    if isinstance(params, dict):
        return {str(key): str(value) for key, value in params.items()}
    if isinstance(params, list) and all(
        isinstance(entry, str) and ":" in entry for entry in params
    ):
        return dict(entry.split(":", 1) for entry in params)
    raise _wrong(f"params of {what}", "an object, or a list of key:value")


def _encryption(note: Any) -> EncryptionLabels | None:
    if note is None:
        return None
    if not isinstance(note, dict) or not isinstance(note.get("encryption.footer.key"), str):
        raise _wrong("encryption", "an object with encryption.footer.key")
    listed = note.get("encryption.column.keys", "")
    if not isinstance(listed, str):
        raise _wrong("encryption.column.keys", "text")
    keys: dict[str, tuple[str, ...]] = {}
    for group in filter(None, (part.strip() for part in listed.split(";"))):
        label, colon, paths = group.partition(":")
        if not colon:
            raise _wrong("encryption.column.keys", "LABEL:PATH,PATH;LABEL:PATH")
        keys[label] = keys.get(label, ()) + tuple(path.strip() for path in paths.split(","))
    plain = str(note.get("encryption.plaintext.footer", "false")).lower() == "true"
    return EncryptionLabels(note["encryption.footer.key"], keys, plain)


def made(
    identifier: str,
    indexes: Sequence[Index],
    partitions: Sequence[Partition] = (),
    footer_key: str | None = None,
    plaintext_footer: bool = False,
) -> StoreSchema:
    """The schema of a store of version 4 with these indexes, whatever version they come from.

    Columns get the names of version 4, Bloom filters its class, parameters its prefix. `footer_key` is the label of the
    footer's key, and goes with labels of indexes: one is not without the other.
    """
    current = tuple(_current(index) for index in indexes)
    labels = None
    if footer_key is not None:
        keys: dict[str, tuple[str, ...]] = {}
        for index in current:
            if index.key_metadata is not None:
                keys[index.key_metadata] = keys.get(index.key_metadata, ()) + leaf_paths(index)
        always = (names.OBJECT, *(partition.column for partition in partitions))
        keys[footer_key] = keys.get(footer_key, ()) + always
        labels = EncryptionLabels(footer_key, keys, plaintext_footer)
    return StoreSchema(CURRENT, identifier, current, tuple(partitions), labels)


def _current(index: Index) -> Index:
    params = {
        PREFIX + key[len(LEGACY_PREFIX) :] if key.startswith(LEGACY_PREFIX) else key: value
        for key, value in index.params.items()
    }
    kind = index.type
    if isinstance(kind, dict) and kind.get("class") == LEGACY_BLOOM_UDT:
        kind = {**kind, "class": BLOOM_UDT}
    return dataclasses.replace(
        index,
        column=names.index_column(CURRENT, index.columns, index.name),
        type=kind,
        params=params,
    )


def leaf_paths(index: Index) -> tuple[str, ...]:
    """The leaves of an index's column in the store's files, dotted."""
    below = {MINMAX: (".min", ".max"), VALUE_LIST: (".list.element",)}.get(index.name, ("",))
    return tuple(index.column + path for path in below)


def spark_type(index_name: str, value_type: str) -> Any:
    """The Spark type of an index's column, as JSON, for values of a Spark type."""
    if index_name == MINMAX:
        fields = [_field(name, value_type, {}) for name in ("min", "max")]
        return {"type": "struct", "fields": fields}
    if index_name == VALUE_LIST:
        return {"type": "array", "elementType": value_type, "containsNull": True}
    return {"type": "udt", "class": BLOOM_UDT, "pyClass": None, "sqlType": "binary"}


def _field(name: str, kind: Any, notes: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": True, "metadata": notes}


def to_json(schema: StoreSchema) -> str:
    """The JSON of `ROW_METADATA` for a store of version 4; `parse` gives the schema back."""
    notes: dict[str, Any] = {}
    if schema.table_identifier is not None:
        notes["tableIdentifier"] = schema.table_identifier
    if schema.encryption is not None:
        groups = [
            f"{label}:{','.join(paths)}" for label, paths in schema.encryption.column_keys.items()
        ]
        notes["encryption"] = {
            "encryption.footer.key": schema.encryption.footer_key,
            "encryption.column.keys": ";".join(groups),
        }
        if schema.encryption.plaintext_footer:
            notes["encryption"]["encryption.plaintext.footer"] = "true"
    notes["version"] = schema.version
    fields = [_field(names.OBJECT, "string", notes)]
    fields += [_field(partition.column, partition.type, {}) for partition in schema.partitions]
    for index in schema.indexes:
        note: dict[str, Any] = {"name": index.name}
        if index.params:
            note["params"] = dict(index.params)
        if index.key_metadata is not None:
            note["key_metadata"] = index.key_metadata
        note["cols"] = list(index.columns)
        fields.append(_field(index.column, index.type, {"index": note}))
    return json.dumps(
        {"type": "struct", "fields": fields}, separators=(",", ":"), ensure_ascii=False
    )
