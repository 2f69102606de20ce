"""Schemas that other programs write to the key-value metadata.

Arrow, Spark, pandas, GeoParquet, Iceberg and Avro each write a description of the columns in a format of their own, to restore types
that Parquet does not have. Their own readers use it, other readers ignore it; if it differs from the Parquet schema, the
same file has two contents. `decode` turns a value into plain structures, `disagreements` compares it with the Parquet
schema.

Nothing here raises for damage in a file: it is described in a sentence.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
import json
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine.format import embedded_types
from pqexplore.engine.format.embedded_types import type_text
from pqexplore.engine.format.field import REQUIRED, Leaf
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type

if TYPE_CHECKING:
    from pqexplore.engine.format.field import Field
    from pqexplore.engine.format.schema import Schema


# Compares the schemas that Iceberg, Avro and pandas leave in the key-value metadata with the leaves of a file.
#
# Iceberg matches columns by field id, Avro by name; pandas says how a column was stored.
#
# Specifications: https://iceberg.apache.org/spec/#schemas-and-data-types,
# https://avro.apache.org/docs/1.12.0/specification/,
# https://pandas.pydata.org/docs/development/developer.html#storing-pandas-dataframe-objects-in-apache-parquet-format

_ICEBERG = {
    "boolean": (Type.BOOLEAN,),
    "int": (Type.INT32,),
    "long": (Type.INT64, Type.INT32),
    "float": (Type.FLOAT,),
    "double": (Type.DOUBLE, Type.FLOAT),
    "date": (Type.INT32,),
    "time": (Type.INT64,),
    "timestamp": (Type.INT64, Type.INT96),
    "timestamptz": (Type.INT64, Type.INT96),
    "string": (Type.BYTE_ARRAY,),
    "uuid": (Type.FIXED_LEN_BYTE_ARRAY,),
    "binary": (Type.BYTE_ARRAY,),
}
"""Iceberg's types and how they are stored; `int` may have become `long`, and `float` `double`, after the file was written."""

_PANDAS = {
    "bool": (Type.BOOLEAN,),
    "int64": (Type.INT64,),
    "uint64": (Type.INT64,),
    "float32": (Type.FLOAT,),
    "float64": (Type.DOUBLE,),
    "unicode": (Type.BYTE_ARRAY,),
    "bytes": (Type.BYTE_ARRAY, Type.FIXED_LEN_BYTE_ARRAY),
}
"""The `pandas_type` of columns that pyarrow stores in one way only."""


def iceberg(content: dict[str, Any], schema: Schema) -> list[str]:
    """How `iceberg.schema` differs from the columns at the top of a schema, in sentences."""
    described = _fields(content, "struct")
    if described is None:
        return ["is not a struct with fields"]
    columns = {column.name: column for column in schema.root.children}
    sentences = list(_absent([field["name"] for field in described], columns))
    for field in described:
        column = columns.get(field["name"])
        if column is None:
            continue
        stated, stored = field.get("id"), column.element.field_id
        if isinstance(stated, int) and stored is not None and stated != stored:
            sentences.append(f"column {column.name!r} has the id {stated:,} there, {stored:,} in the file")
        sentences += _type(column, field.get("type"), _ICEBERG)
    return sentences


def avro(content: dict[str, Any], schema: Schema) -> list[str]:
    """How an Avro schema differs from the columns at the top of a schema, in sentences."""
    described = _fields(content, "record")
    if described is None:
        return ["is not a record with fields"]
    columns = {column.name: column for column in schema.root.children}
    return list(_absent([field["name"] for field in described], columns))


def pandas_types(columns: list[Any], schema: Schema) -> Iterator[str]:
    """The columns that pandas says to be of a type that the file stores otherwise."""
    by_name = {column.name: column for column in schema.root.children}
    for one in columns:
        column = by_name.get(str(one.get("field_name") or one.get("name")))
        if column is not None:
            yield from _type(column, one.get("pandas_type"), _PANDAS)


def _fields(content: dict[str, Any], kind: str) -> list[dict[str, Any]] | None:
    """The fields of a struct; None if it is none, or one has no name."""
    fields = content.get("fields")
    if content.get("type") != kind or not isinstance(fields, list):
        return None
    named = all(isinstance(one, dict) and isinstance(one.get("name"), str) for one in fields)
    return fields if named else None


def _absent(names: list[str], columns: dict[str, Field]) -> Iterator[str]:
    for missing, words in (
        ([one for one in names if one not in columns], "describes columns that the file does not have"),
        ([one for one in columns if one not in set(names)], "does not describe the columns"),
    ):
        if missing:
            more = f" and {len(missing) - 5:,} more" if len(missing) > 5 else ""
            yield f"{words}: {', '.join(map(repr, missing[:5]))}{more}"


def _type(column: Field, stated: object, known: dict[str, tuple[Type, ...]]) -> Iterator[str]:
    """A sentence if a leaf with a type is not stored as its stated type is; a column of nulls need not have one."""
    if isinstance(column, Leaf) and meaning(column).name == "UNKNOWN":
        return
    stored = known.get(stated) if isinstance(stated, str) else None
    if isinstance(column, Leaf) and stored is not None and column.physical_type not in stored:
        yield f"column {column.name!r} is {stated} there, {type_text(column)} in the file"


ARROW = "ARROW:schema"
SPARK = "org.apache.spark.sql.parquet.row.metadata"
PANDAS = "pandas"
GEO = "geo"

ICEBERG = "iceberg.schema"
AVRO = ("parquet.avro.schema", "avro.schema")

KEYS = (ARROW, SPARK, PANDAS, GEO, ICEBERG, *AVRO)
"""The keys that `decode` knows."""

MAX_JSON = 32 << 20
"""Characters of JSON above which it is not parsed."""
MAX_SENTENCES = 50
"""Disagreements listed for one description; the schema of another file would give thousands."""


@dataclasses.dataclass(frozen=True, slots=True)
class Embedded:
    """One decoded value.

    `content` is a `pyarrow.Schema` for `ARROW:schema`, else the JSON object; None if the value cannot be read.
    `problem` then says why, in a sentence; `damaged` is false if only our reader does not support the value.
    """

    key: str
    content: pa.Schema | dict[str, Any] | None
    problem: str | None = None
    damaged: bool = True


def decode(key: str, value: str | bytes | None) -> Embedded | None:
    """Decode the value of `ARROW:schema` or of a key whose value is JSON; None for other keys. Never raises."""
    if key not in KEYS:
        return None
    if value is None:
        return Embedded(key, None, f"{key} has no value")
    if key == ARROW:
        return _arrow(value)
    if len(value) > MAX_JSON:
        sentence = f"{key} has {len(value):,} characters, which are too many to look at"
        return Embedded(key, None, sentence, damaged=False)
    try:
        content = json.loads(value)
    except json.JSONDecodeError as error:
        return Embedded(key, None, f"{key} is not valid JSON from character {error.pos:,} on")
    except (ValueError, RecursionError):
        return Embedded(key, None, f"{key} is not valid JSON, or too deep, or not UTF-8")
    if not isinstance(content, dict):
        return Embedded(key, None, f"{key} is JSON, but not an object")
    return Embedded(key, content)


def _arrow(value: str | bytes) -> Embedded:
    try:
        message = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        sentence = f"{ARROW} is not base64: letters, digits, + and /, in groups of four that = fills up"
        return Embedded(ARROW, None, sentence)
    if b"arrow.py_extension_type" in message:
        # pyarrow 14.0.0 unpickles such types (CVE-2023-47248): code from the file would run.
        return Embedded(ARROW, None, f"{ARROW} holds a pickled Python type, which is never loaded")
    try:
        schema = pa.ipc.read_schema(pa.py_buffer(message))
        schema.names  # noqa: B018 — names in invalid UTF-8 show here
    except pa.ArrowNotImplementedError:
        sentence = f"{ARROW} has a type that pyarrow {pa.__version__} does not know"
        return Embedded(ARROW, None, sentence, damaged=False)
    except (pa.ArrowException, OSError, ValueError, TypeError, KeyError):
        begins = message[:8].hex(" ") or "nothing"
        sentence = f"{ARROW} is not an Arrow IPC schema: its {len(message):,} bytes begin with {begins}"
        return Embedded(ARROW, None, sentence)
    return Embedded(ARROW, schema)


def disagreements(embedded: Embedded, schema: Schema) -> list[str]:
    """How a description differs from the Parquet schema, and what is wrong with it, in sentences."""
    if embedded.problem is not None:
        return [embedded.problem]
    compare = _COMPARE.get(embedded.key)
    if compare is None:
        return []
    sentences = compare(embedded.content, schema)
    if len(sentences) > MAX_SENTENCES:
        sentences[MAX_SENTENCES:] = [f"and {len(sentences) - MAX_SENTENCES:,} more"]
    return [f"{embedded.key}: {sentence}" for sentence in sentences]


def _names(names: list[str]) -> str:
    shown = ", ".join(map(repr, names[:5]))
    return shown + (f" and {len(names) - 5:,} more" if len(names) > 5 else "")


def _same_names(theirs: list[str], ours: list[str]) -> list[str]:
    if theirs == ours:
        return []
    known, listed = set(ours), set(theirs)
    sentences = []
    extra = [name for name in theirs if name not in known]
    absent = [name for name in ours if name not in listed]
    if extra:
        sentences.append(f"describes columns that the file does not have: {_names(extra)}")
    if absent:
        sentences.append(f"does not describe the columns {_names(absent)}")
    if not sentences:
        sentences.append("lists the columns in another order, or a name twice")
    return sentences


def _nullable(described: list[tuple[str, object]], schema: Schema) -> list[str]:
    """The columns whose nulls are allowed on one side only. `described` has names and whether nulls are allowed."""
    stated = dict(described)
    sentences = []
    for column in schema.root.children:
        there, here = stated.get(column.name), column.repetition != REQUIRED
        if isinstance(there, bool) and there != here:
            words = ("nullable", "not nullable")
            sentences.append(f"column {column.name!r} is {words[not there]} there, {words[not here]} in the file")
    return sentences


def _by_leaves(
    described: list[tuple[str, Any]],
    schema: Schema,
    flatten: Callable[[Any], list[Any] | None],
    fits: Callable[[Any, Any], bool],
) -> list[str]:
    """Compare the leaf types of every top-level column that both sides have, by position.

    `described` has names and types of columns; repeated names are matched in their order.
    """
    types: defaultdict[str, deque[Any]] = defaultdict(deque)
    for name, kind in described:
        types[name].append(kind)
    sentences = []
    for column in schema.root.children:
        if not types.get(column.name):
            continue
        theirs, ours = flatten(types[column.name].popleft()), column.leaves()
        if theirs is None:
            continue
        if len(theirs) != len(ours):
            sentences.append(f"column {column.name!r} has {len(theirs):,} leaves there, {len(ours):,} in the file")
            continue
        for one, leaf in zip(theirs, ours, strict=True):
            if not fits(one, leaf):
                stored = embedded_types.type_text(leaf)
                sentences.append(f"column {'.'.join(leaf.path)!r} is {one} there, {stored} in the file")
    return sentences


def _compare_arrow(content: pa.Schema, schema: Schema) -> list[str]:
    names = [column.name for column in schema.root.children]
    sentences = _same_names(list(content.names), names)
    described = [(field.name, field.type) for field in content]
    sentences += _by_leaves(described, schema, embedded_types.arrow_leaves, embedded_types.arrow_fits)
    return sentences + _nullable([(field.name, field.nullable) for field in content], schema)


def _compare_spark(content: dict[str, Any], schema: Schema) -> list[str]:
    fields = content.get("fields")
    if content.get("type") != "struct" or not isinstance(fields, list):
        return ["is not a struct with fields"]
    described = []
    for field in fields:
        if not isinstance(field, dict) or not isinstance(field.get("name"), str):
            return ["has a field without a name"]
        described.append((field["name"], field.get("type")))
    names = [name for name, _ in described]
    sentences = _same_names(names, [column.name for column in schema.root.children])
    sentences += _by_leaves(described, schema, embedded_types.spark_leaves, embedded_types.spark_fits)
    return sentences + _nullable([(one["name"], one.get("nullable")) for one in fields], schema)


def _compare_pandas(content: dict[str, Any], schema: Schema) -> list[str]:
    columns, indexes = content.get("columns"), content.get("index_columns", [])
    if not isinstance(columns, list) or not isinstance(indexes, list):
        return ["lacks the lists columns and index_columns"]
    names = []
    for column in columns:
        if not isinstance(column, dict):
            return ["has a column that is not an object"]
        names.append(column.get("field_name") or column.get("name"))
    names += [index for index in indexes if isinstance(index, str)]
    known = {column.name for column in schema.root.children}
    unknown = [str(name) for name in dict.fromkeys(map(str, names)) if name not in known]
    absent = [f"describes columns that the file does not have: {_names(unknown)}"] if unknown else []
    return absent + list(pandas_types(columns, schema))


def _compare_geo(content: dict[str, Any], schema: Schema) -> list[str]:
    """GeoParquet 1.1, "File metadata" and "Column metadata": https://geoparquet.org/releases/v1.1.0/"""
    columns, primary = content.get("columns"), content.get("primary_column")
    sentences = []
    if not isinstance(content.get("version"), str):
        sentences.append("lacks the version")
    if not isinstance(columns, dict):
        return [*sentences, "lacks the object columns"]
    if not isinstance(primary, str) or primary not in columns:
        sentences.append(f"the primary_column {primary!r} is not among its columns")
    tops = {column.name: column for column in schema.root.children}
    for name, column in columns.items():
        if not isinstance(column, dict):
            sentences.append(f"column {name!r} is not an object")
        elif name not in tops:
            sentences.append(f"describes column {name!r}, which the file does not have")
        else:
            sentences += [f"column {name!r}: {fault}" for fault in _geo_faults(column, tops[name])]
    return sentences


_GEO_NATIVE = ("point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon")
_GEO_TYPES = frozenset(
    kind + suffix
    for kind in (
        *("Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon"),
        "GeometryCollection",
    )
    for suffix in ("", " Z", " M", " ZM")
)


def _geo_encoding_fault(column: dict[str, Any], field: Field) -> str:
    """What is wrong with the encoding of a column, or with its edges for that encoding; "" if nothing is."""
    encoding, edges = column.get("encoding"), column.get("edges", "planar")
    if encoding in _GEO_NATIVE:
        return "" if field.children else f"its encoding {encoding} needs a group"
    if encoding != "WKB":
        return f"its encoding {encoding!r} is not known"
    leaves = field.leaves()
    if field.children or not leaves or leaves[0].physical_type != Type.BYTE_ARRAY:
        return "its encoding WKB needs a BYTE_ARRAY column"
    kind = meaning(leaves[0]).name
    if kind == "GEOMETRY" and edges == "spherical":
        return "its edges are spherical, the file's GEOMETRY has straight ones"
    if kind == "GEOGRAPHY" and edges == "planar":
        return "its edges are planar, the file's GEOGRAPHY lies on a globe"
    return ""


def _geo_faults(column: dict[str, Any], field: Field) -> list[str]:
    fault = _geo_encoding_fault(column, field)
    sentences = [fault] if fault else []
    kinds = column.get("geometry_types")
    if not isinstance(kinds, list):
        sentences.append("it lacks the list geometry_types")
    else:
        unknown = [str(kind) for kind in kinds if not isinstance(kind, str) or kind not in _GEO_TYPES]
        if unknown:
            sentences.append(f"geometry_types has {_names(unknown)}")
    box = column.get("bbox")
    if box is not None:
        numbers = isinstance(box, list) and all(isinstance(side, (int, float)) for side in box)
        if not numbers or len(box) not in (4, 6, 8):
            sentences.append("its bbox is not a list of 4, 6 or 8 numbers")
        elif box[1] > box[len(box) // 2 + 1]:
            sentences.append(f"its bbox has a smallest y of {box[1]}, above the largest")
    if column.get("edges", "planar") not in ("planar", "spherical"):
        sentences.append(f"its edges {column.get('edges')!r} are neither planar nor spherical")
    return sentences


_COMPARE: dict[str, Callable[[Any, Any], list[str]]] = {
    ARROW: _compare_arrow,
    SPARK: _compare_spark,
    PANDAS: _compare_pandas,
    GEO: _compare_geo,
    ICEBERG: iceberg,
    **dict.fromkeys(AVRO, avro),
}
