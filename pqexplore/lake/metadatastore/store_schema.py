"""Reads and writes the schema of a store: JSON in the footers of its files.

A store's files are Parquet files written by Spark. Their footers have Spark's schema as JSON, under
`org.apache.spark.sql.parquet.row.metadata`. The metadata of the column `obj_name` has the version, the table and, if
anything is encrypted, the key labels; the metadata of each other column describes its index. This module parses the
JSON of every version into a `StoreSchema`, and writes the JSON of version 4.
"""

from __future__ import annotations

import dataclasses
import functools
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from pqexplore.engine.errors import CorruptFileError, UnsupportedFeatureError
from pqexplore.engine.text import printable
from pqexplore.lake.metadatastore import names

ROW_METADATA = "org.apache.spark.sql.parquet.row.metadata"
SPARK_VERSION = "org.apache.spark.version"

CURRENT = 4
"""The version that this package writes."""
OLDEST = 1
"""The first version whose values can be read."""

UNSUPPORTED = "values opaque"
DEPRECATED = "deprecated"
IS_CURRENT = "current"
TOO_NEW = "too new"
STATUSES = {
    UNSUPPORTED: "Version 0: values are serialized Java objects without a specification; nothing is skipped.",
    DEPRECATED: "Versions 1 to 3: read in full; a refresh upgrades them to version 4.",
    IS_CURRENT: "Version 4: the current version.",
    TOO_NEW: "Above version 4: written by a newer program; nothing is skipped.",
}
"""The values of `StoreSchema.status`, and their meaning."""

MINMAX, VALUE_LIST, BLOOM_FILTER = "minmax", "valuelist", "bloomfilter"

BLOOM_UDT = "io.xskipper.metadatastore.parquet.ParquetBaseClauseTranslator$BloomFilterMetaDataTypeUDT"
LEGACY_BLOOM_UDT = (
    "com.ibm.metaindex.metadata.metadatastore.parquet.ParquetBaseClauseTranslator$BloomFilterMetaDataTypeUDT"
)

PREFIX, LEGACY_PREFIX = "io.xskipper.", "spark.ibm.metaindex."
"""The prefixes of index parameters' keys: from version 3 on, and before."""
FPP, NDV = "index.bloom.fpp", "index.bloom.ndv"

_MAX_JSON_CHARACTERS = 64 << 20


@dataclasses.dataclass(frozen=True)
class Index:
    """An index of a store.

    - `name`: minmax, valuelist, bloomfilter, or an unknown kind; `columns`: the indexed columns, lower-cased, dotted
      if nested; `params`: parameters as text, by their full keys.
    - `column`: the store's column with the values; `type`: that column's Spark type, as in the JSON.
    - `key_metadata`: the label of the key that encrypts it, never a key; None if not encrypted.
    """

    name: str
    columns: tuple[str, ...]
    column: str
    type: Any
    params: Mapping[str, str] = dataclasses.field(default_factory=dict)
    key_metadata: str | None = None

    @functools.cached_property
    def value_type(self) -> str | None:
        """The Spark type of the indexed values; None if the index does not record it (Bloom filters)."""
        found: Any = None
        if self.name == MINMAX and isinstance(self.type, dict):
            ends = self.type.get("fields")
            fields = {
                field["name"]: field.get("type")
                for field in (ends if isinstance(ends, list) else ())
                if isinstance(field, dict) and isinstance(field.get("name"), str)
            }
            found = fields.get("min") if fields.get("min") == fields.get("max") else None
        elif self.name == VALUE_LIST and isinstance(self.type, dict):
            found = self.type.get("elementType")
        return found if isinstance(found, str) else None

    @property
    def readable(self) -> bool:
        """Whether this package can use the values: a known index on one column, of the expected type."""
        if len(self.columns) != 1:
            return False
        if self.name == BLOOM_FILTER:
            return isinstance(self.type, dict) and self.type.get("class") in (BLOOM_UDT, LEGACY_BLOOM_UDT)
        return self.value_type is not None

    @property
    def fpp(self) -> float | None:
        """The false positive probability for which a Bloom filter was built; None if absent."""
        return _number(self._parameter(FPP))

    @property
    def ndv(self) -> int | None:
        """The number of distinct values for which a Bloom filter was built; None if absent."""
        number = _number(self._parameter(NDV))
        return None if number is None or not math.isfinite(number) else int(number)

    def _parameter(self, key: str) -> str | None:
        return self.params.get(PREFIX + key, self.params.get(LEGACY_PREFIX + key))

    def __str__(self) -> str:
        return printable(f"{self.name} on {', '.join(self.columns)}")


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


@dataclasses.dataclass(frozen=True)
class Partition:
    """A partition column of the dataset: its name, the store's column with its values, and its Spark type."""

    name: str
    column: str
    type: str


@dataclasses.dataclass(frozen=True)
class EncryptionLabels:
    """The labels of the keys that encrypt the store; a store has no keys.

    `footer_key` is the label of the footer's key, `column_keys` the store's leaf paths by label.
    """

    footer_key: str
    column_keys: Mapping[str, tuple[str, ...]]
    plaintext_footer: bool = False


@dataclasses.dataclass(frozen=True)
class StoreSchema:
    """The schema in a store's footers; `Store` has the same attributes."""

    version: int
    table_identifier: str | None
    indexes: tuple[Index, ...]
    partitions: tuple[Partition, ...] = ()
    encryption: EncryptionLabels | None = None
    others: tuple[str, ...] = ()
    """Columns other than `obj_name`, indexes and partition columns."""

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
        """Whether this package can read the version's values: versions 1 to 4."""
        return OLDEST <= self.version <= CURRENT

    def index(self, name: str, *columns: str) -> Index | None:
        """The index of that name on these columns, whatever their case; None if absent."""
        wanted = tuple(column.lower() for column in columns)
        return next((i for i in self.indexes if (i.name, i.columns) == (name, wanted)), None)


def is_store(key_values: Mapping[str, str | None]) -> bool:
    """Whether a footer's key-value metadata is a metadatastore's: it has `obj_name`, and a version or an index."""
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
    """Parses the JSON of `ROW_METADATA`. Raises CorruptFileError if it is not a metadatastore's."""
    fields = _fields(row_metadata)
    notes = next((field["metadata"] for field in fields if field["name"] == names.OBJECT), None)
    if notes is None:
        raise CorruptFileError(
            f"the Spark schema has no column {names.OBJECT}: this is not a metadatastore",
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
    return StoreSchema(version, identifier, tuple(indexes), tuple(partitions), encryption, tuple(others))


def _wrong(what: str, expected: str) -> CorruptFileError:
    return CorruptFileError(
        f"{what} of the metadatastore is wrong: {expected} is expected", address="footer/key_value_metadata"
    )


def _fields(row_metadata: str) -> list[dict[str, Any]]:
    """The columns in the JSON: dicts with `name`, `type` and `metadata`; name and metadata are validated."""
    if len(row_metadata) > _MAX_JSON_CHARACTERS:
        raise UnsupportedFeatureError(
            f"a Spark schema of {len(row_metadata):,} characters", address="footer/key_value_metadata"
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
    """Parses parameters: an object (from version 3 on) or a list of `key:value`."""
    if params is None:
        return {}
    if isinstance(params, dict):
        return {str(key): str(value) for key, value in params.items()}
    if isinstance(params, list) and all(isinstance(entry, str) and ":" in entry for entry in params):
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


def current_schema(
    identifier: str,
    indexes: Sequence[Index],
    partitions: Sequence[Partition] = (),
    footer_key: str | None = None,
    plaintext_footer: bool = False,
) -> StoreSchema:
    """The schema of a store of version 4 with indexes of any version.

    Columns get the names of version 4, Bloom filters its class, parameters its prefix. `footer_key` is the label of the
    footer's key, None if no index is encrypted.
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
        index, column=names.index_column(CURRENT, index.columns, index.name), type=kind, params=params
    )


def leaf_paths(index: Index) -> tuple[str, ...]:
    """The dotted paths of an index's leaves in the store's files."""
    below = {MINMAX: (".min", ".max"), VALUE_LIST: (".list.element",)}.get(index.name, ("",))
    return tuple(index.column + path for path in below)


def spark_type(index_name: str, value_type: str) -> Any:
    """The Spark type of an index's column, as in the JSON, for values of a Spark type."""
    if index_name == MINMAX:
        fields = [_field(name, value_type, {}) for name in ("min", "max")]
        return {"type": "struct", "fields": fields}
    if index_name == VALUE_LIST:
        return {"type": "array", "elementType": value_type, "containsNull": True}
    return {"type": "udt", "class": BLOOM_UDT, "pyClass": None, "sqlType": "binary"}


def _field(name: str, kind: Any, notes: dict[str, Any], *, nullable: bool = True) -> dict[str, Any]:
    return {"name": name, "type": kind, "nullable": nullable, "metadata": notes}


def to_json(schema: StoreSchema) -> str:
    """The JSON of `ROW_METADATA` for a store of version 4; the inverse of `parse`, but for the slash before an identifier.

    As the specification has it, `obj_name` is not nullable, and the identifier is trimmed of its leading slash. Files of
    xskipper's differ in both: Spark makes every column nullable. Readers take either.
    """
    notes: dict[str, Any] = {}
    if schema.table_identifier is not None:
        notes["tableIdentifier"] = names.stored_identifier(schema.table_identifier)
    if schema.encryption is not None:
        groups = [f"{label}:{','.join(paths)}" for label, paths in schema.encryption.column_keys.items()]
        notes["encryption"] = {
            "encryption.footer.key": schema.encryption.footer_key,
            "encryption.column.keys": ";".join(groups),
        }
        if schema.encryption.plaintext_footer:
            notes["encryption"]["encryption.plaintext.footer"] = "true"
    notes["version"] = schema.version
    fields = [_field(names.OBJECT, "string", notes, nullable=False)]
    fields += [_field(partition.column, partition.type, {}) for partition in schema.partitions]
    for index in schema.indexes:
        note: dict[str, Any] = {"name": index.name}
        if index.params:
            note["params"] = dict(index.params)
        if index.key_metadata is not None:
            note["key_metadata"] = index.key_metadata
        note["cols"] = list(index.columns)
        fields.append(_field(index.column, index.type, {"index": note}))
    return json.dumps({"type": "struct", "fields": fields}, separators=(",", ":"), ensure_ascii=False)
