"""The writer's options: every choice that the format leaves to a writer, with a default.

`WriteOptions` are the choices for a file and the defaults for its columns; `columns` overrides them for a column, or
for all columns below a group, by path. Names of encodings, codecs, types and orders are those of the specification, in
upper or lower case. Options that are wrong in themselves are refused here; options that do not fit a column, in `option_refusals`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import IntEnum
from typing import Any

import pyarrow as pa

from pqexplore._version import __version__
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.encryption import modules
from pqexplore.engine.format.encryption.encryptor import FileEncryptor, NonceSource
from pqexplore.engine.format.encryption.keys import Buffer, Key, KeyHolder, Path, discreet
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, Encoding

LIST_SHAPES = ("three-level", "two-level", "tuple", "bag", "repeated")
"""The structure of a list: the standard; `repeated … array`, as Avro wrote; `repeated … NAME_tuple`, as Thrift wrote;
`bag` and `array_element`, as Hive wrote; a repeated field without a LIST group, as Protocol Buffers wrote."""

MAP_SHAPES = ("key_value", "MAP_KEY_VALUE")
"""The standard; `map` with the old converted type instead of MAP, as Hive wrote."""

STATISTICS_FIELDS = (*("bounds", "null_count", "distinct_count", "nan_count", "exactness", "legacy"),)
"""Fields of Statistics: `bounds` are min_value and max_value, `legacy` the deprecated min and max."""

ANNOTATIONS = ("both", "logical", "converted")


@dataclasses.dataclass(frozen=True, kw_only=True)
class ColumnOptions:
    """The choices for a column.

    Encoding
    - `encoding`: an Encoding; None is RLE_DICTIONARY, or PLAIN for BOOLEAN. `fallback` is the encoding of the pages
      after the dictionary has reached `dictionary_bytes` (None: it never does). `sort_dictionary` sorts the entries
      and sets `is_sorted`.
    - `delta_block_size`, `delta_miniblocks`, `alp_log_vector_size`: parameters of these encodings.
    - `level_encoding`: RLE, or the deprecated BIT_PACKED.

    Pages
    - `codec`, `codec_level`; `page_version` 1 or 2; `page_rows` and `page_bytes` (of encoded values, estimated): a
      page ends when the first is reached. Every page begins with a record. `checksum`: a CRC-32 in each header.

    Statistics and indexes
    - `statistics`: `chunk`, `page` (in page headers), both or none. `statistics_fields`: some of
      `STATISTICS_FIELDS`. `statistics_bytes`: bounds of byte arrays are truncated to so many bytes; None: never.
    - `column_index`, `offset_index`; `index_bytes` is the same as `statistics_bytes` for the column index.
    - `column_order`: TYPE_ORDER, IEEE_754_TOTAL_ORDER or INT96_TIMESTAMP_ORDER; None leaves `column_orders` out.
    - `size_statistics`, `geospatial_statistics`; `bloom_filter` of `bloom_filter_bytes`, or else for
      `bloom_filter_ndv` distinct values (None: as many as there are) with a false positive probability `bloom_filter_fpp`.
      The size is a multiple of 32 bytes. By their source, Arrow C++ and ClickHouse refuse a size that is not a power of
      two; choose one by `bloom_filter_bytes` for them.
    - `metadata_copy`: a second ColumnMetaData after the chunk, to which `file_offset` points, as old writers wrote.
      `key_values`: key-value metadata of the chunk.

    Schema, for exactly the field at the path
    - `physical_type` and `type_length` (INT96 for timestamps; INT32, INT64, BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY for
      decimals), `logical_type` (a LogicalType, or the name of one without parameters, or INTERVAL, or NONE),
      `annotations`: both, or only the `logical` or the `converted` type. `field_id`.
    - `list_shape`, `map_shape`: of `LIST_SHAPES`, `MAP_SHAPES`; these are also for fields below.
    - `shredding`: for a VARIANT group anywhere in the schema, the Arrow type to shred as (see `variant.shred`).
    """

    encoding: str | int | None = None
    fallback: str | int = "PLAIN"
    dictionary_bytes: int | None = 1 << 20
    sort_dictionary: bool = False
    delta_block_size: int = 128
    delta_miniblocks: int = 4
    alp_log_vector_size: int = 10
    level_encoding: str | int = "RLE"
    codec: str | int = "SNAPPY"
    codec_level: int | None = None
    page_version: int = 1
    page_rows: int | None = 20_000
    page_bytes: int = 1 << 20
    checksum: bool = True
    statistics: Sequence[str] = ("chunk",)
    statistics_fields: Sequence[str] = ("bounds", "null_count", "nan_count", "exactness")
    statistics_bytes: int | None = None
    column_index: bool = True
    offset_index: bool = True
    index_bytes: int | None = 64
    column_order: str | None = "TYPE_ORDER"
    size_statistics: bool = True
    geospatial_statistics: bool = True
    bloom_filter: bool = False
    bloom_filter_bytes: int | None = None
    bloom_filter_ndv: int | None = None
    bloom_filter_fpp: float = 0.01
    metadata_copy: bool = False
    key_values: Mapping[str, str | None] | None = None
    physical_type: str | int | None = None
    type_length: int | None = None
    logical_type: structs.LogicalType | str | None = None
    annotations: str = "both"
    field_id: int | None = None
    list_shape: str = "three-level"
    map_shape: str = "key_value"
    shredding: pa.DataType | None = None

    def __post_init__(self) -> None:
        # Names become numbers here, once; `object.__setattr__` because the dataclass is frozen.
        for name, enum in (
            ("encoding", Encoding),
            ("fallback", Encoding),
            ("level_encoding", Encoding),
            ("codec", CompressionCodec),
            ("physical_type", structs.Type),
        ):
            object.__setattr__(self, name, number(name, enum, getattr(self, name)))
        one_of("page_version", self.page_version, (1, 2))
        one_of("column_order", self.column_order, COLUMN_ORDERS)
        one_of("annotations", self.annotations, ANNOTATIONS)
        one_of("list_shape", self.list_shape, LIST_SHAPES)
        one_of("map_shape", self.map_shape, MAP_SHAPES)
        for name, known in (("statistics", ("chunk", "page")), ("statistics_fields", STATISTICS_FIELDS)):
            if isinstance(getattr(self, name), str):
                raise UsageError(f"{name} is a sequence of names, not one string")
            for each in getattr(self, name):
                one_of(name, each, known)
        for name in ("page_rows", "page_bytes", "statistics_bytes", "index_bytes"):
            positive(name, getattr(self, name))
        for name in ("dictionary_bytes", "bloom_filter_bytes", "bloom_filter_ndv"):
            positive(name, getattr(self, name))


COLUMN_ORDERS = ("TYPE_ORDER", "IEEE_754_TOTAL_ORDER", "INT96_TIMESTAMP_ORDER", None)

OF_ONE_FIELD = ("physical_type", "type_length", "logical_type", "field_id", "shredding")
"""Options that a field does not pass on to the fields below it."""

_NAMES = frozenset(field.name for field in dataclasses.fields(ColumnOptions))


@dataclasses.dataclass(frozen=True, kw_only=True)
class WriteOptions(ColumnOptions):
    """The choices for a file; its fields of `ColumnOptions` are the defaults for the columns.

    - `columns`: by path (dotted, or a tuple of names, of a leaf or a group), the options that differ.
      `encodings`: the same for the encoding alone.
    - `row_group_rows`, `row_group_bytes`: a row group ends when the first is reached; bytes are those of the table
      in memory.
    - `version`, `created_by`, `root_name`, `key_value_metadata`; `arrow_schema` adds the key ARROW:schema.
    - `sorting_columns`: (path, descending, nulls_first) each; the rows must be sorted so.
    - `encryption`; `extensions`: bytes for field 32767 of every struct, by the struct's name.
    - `alignment`: column chunks begin at multiples of it; `padding`: zero bytes after each chunk.
    """

    columns: Mapping[str | Path, Mapping[str, Any]] = dataclasses.field(default_factory=dict)
    encodings: Mapping[str | Path, str] = dataclasses.field(default_factory=dict)
    row_group_rows: int = 1 << 20
    row_group_bytes: int | None = None
    version: int = 2
    created_by: str | None = f"pqexplore version {__version__}"
    root_name: str = "schema"
    key_value_metadata: Mapping[str, str | None] | None = None
    arrow_schema: bool = False
    sorting_columns: Sequence[tuple[str | Path, bool, bool]] = ()
    encryption: Encryption | None = None
    extensions: Mapping[str, bytes] = dataclasses.field(default_factory=dict)
    alignment: int = 1
    padding: int = 0
    _overrides: dict[str, dict[str, Any]] = dataclasses.field(
        init=False, repr=False, compare=False, default_factory=dict
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("row_group_rows", "row_group_bytes", "alignment"):
            positive(name, getattr(self, name))
        if self.padding < 0:
            raise UsageError(f"padding={self.padding}: expected a number of bytes, at least 0")
        one_of("version", self.version, (1, 2))
        for name in self.extensions:
            one_of("extensions", name, structs.STRUCTS)
        for path, given in self.columns.items():
            for name in given:
                if name not in _NAMES:
                    raise UsageError(f"columns[{path!r}]: unknown column option {name!r}")
        overrides: dict[str, dict[str, Any]] = {}
        for path, given in self.columns.items():
            overrides.setdefault(".".join(as_path(path)), {}).update(given)
        for path, encoding in self.encodings.items():
            overrides.setdefault(".".join(as_path(path)), {})["encoding"] = encoding
        object.__setattr__(self, "_overrides", overrides)
        # Builds each set of column options once, so that a wrong one raises before there is a table.
        for path in (*self.columns, *self.encodings):
            self.column(as_path(path))

    def column(self, path: Path) -> ColumnOptions:
        """The options of the field at a path: the file's, then those of each group above it, then its own.

        Names with dots are ambiguous: a path stands for every field with the same dotted path.
        """
        chosen = {name: getattr(self, name) for name in _NAMES}
        for depth in range(1, len(path) + 1):
            given = self._overrides.get(".".join(path[:depth]), {})
            below = depth < len(path)
            chosen |= {k: v for k, v in given.items() if not (below and k in OF_ONE_FIELD)}
        return ColumnOptions(**chosen)


class Encryption(KeyHolder):
    """How a file is encrypted.

    - `footer_key`, `column_keys`: bytes; `column_keys` by leaf path, None for a column that uses the footer's key.
      Without `column_keys` all columns use it.
    - `algorithm`, `plaintext_footer`, `key_metadata`, `aad_prefix`, `store_aad_prefix`, `file_unique`: as for
      `FileEncryptor`, which checks them; each file gets a new one.
    - `nonces` returns a source of nonces for each file; for samples and tests only.
    """

    @discreet
    def __init__(
        self,
        footer_key: Buffer | Key,
        column_keys: Mapping[str | Path, Buffer | Key | None] | None = None,
        *,
        nonces: Callable[[], NonceSource] = lambda: modules.random_nonce,
        **choices: Any,
    ) -> None:
        self._keys = FileEncryptor(footer_key, column_keys, **choices)
        self._nonces = nonces
        self.columns = None if column_keys is None else [as_path(path) for path in column_keys]

    def encryptor(self) -> FileEncryptor:
        """A new `FileEncryptor` for one file."""
        return self._keys.anew(self._nonces())


def as_path(path: str | Path) -> Path:
    """A dotted path as a tuple of names."""
    return tuple(path.split(".")) if isinstance(path, str) else tuple(path)


def number(option: str, enum: type[IntEnum], value: str | int | None) -> int | None:
    """The number of a member of an enum, from its name or number; None stays None. Raises UsageError if unknown."""
    if value is None:
        return None
    try:
        return int(enum[value.upper()] if isinstance(value, str) else enum(value))
    except (KeyError, ValueError):
        known = ", ".join(member.name for member in enum)
        raise UsageError(f"{option}={value!r} is unknown; expected one of {known}") from None


def one_of(option: str, value: object, known: Collection[object]) -> None:
    """Raise UsageError unless `value` is one of `known`."""
    if value not in known:
        raise UsageError(f"{option}={value!r} is unknown; expected one of {', '.join(map(str, known))}")


def positive(option: str, value: int | None) -> None:
    """Raise UsageError unless the value is a number above 0, or None."""
    if value is not None and (not isinstance(value, int) or value < 1):
        raise UsageError(f"{option}={value!r}: expected an integer of at least 1")
