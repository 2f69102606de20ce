"""What kind of file it is beside Parquet, in a clause: GeoParquet, Variant, Iceberg, Spark, pandas; all from the footer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.geoparquet import GeoColumn, geo_columns
from pqexplore.engine.format import embedded
from pqexplore.engine.format.field import Field, walk
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.text import clip, printable
from pqexplore.insight.wording import listing, name, plural

NAMED = 3
"""Columns that are named."""

MOST = 40
"""Characters of a text of the file that are shown."""

SPARK_VERSION = "org.apache.spark.version"


def story(file: ParquetFile) -> str:
    """The kind of a file and what follows from it for a reader; "" for an ordinary one, and if the footer cannot be read."""
    try:
        pairs = file.key_value_metadata if file.metadata is not None else {}
        said = [*_geo(file, pairs), *_variant(file), *_iceberg(pairs), *_spark(pairs), *_pandas(pairs)]
    except ParquetError:
        return ""
    return printable("; ".join(said))


def _document(pairs: Any, key: str) -> dict[str, Any]:
    """The JSON object under a key; empty without one."""
    text = pairs.get(key)
    if not isinstance(text, str) or len(text) > embedded.MAX_JSON:
        return {}
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(value: Any) -> str:
    """A text or number of the file, short; "" for anything else."""
    return clip(str(value), MOST) if isinstance(value, (str, int)) and not isinstance(value, bool) else ""


def _geo(file: ParquetFile, pairs: Any) -> Iterator[str]:
    columns = geo_columns(file)
    if columns:
        document = _document(pairs, embedded.GEO)
        primary = document.get("primary_column")
        path = primary if isinstance(primary, str) and primary in columns else next(iter(columns))
        if path in file.schema.dotted:
            version = _text(document.get("version"))
            version = f" {version.removesuffix('.0') if version.count('.') > 1 else version}" if version else ""
            yield f"GeoParquet{version}, {_shapes(file, path, columns[path])} in {_crs(columns[path])}, {_window(file, path, columns[path])}"
        return
    native = [leaf for leaf in file.schema.leaves if meaning(leaf).name in ("GEOMETRY", "GEOGRAPHY")]
    if native:
        names = listing([name(leaf.path) for leaf in native], most=NAMED)
        yield f"{meaning(native[0]).name} in {names}"


def _shapes(file: ParquetFile, path: str, column: GeoColumn) -> str:
    """How many geometries there are, by their type."""
    count = _present(file, path)
    kind = column.types[0].removesuffix(" Z") if len(column.types) == 1 else ""
    words = {"Point": "point", "LineString": "line", "Polygon": "polygon", "MultiPolygon": "multipolygon"}
    one = words.get(kind, kind.lower() if kind.isalpha() else "geometry")
    several = "geometries" if one == "geometry" else f"{one}s"
    return several if count is None else plural(count, one, several)


def _present(file: ParquetFile, path: str) -> int | None:
    """The values of a column that are not null, by its statistics; None if they do not say it."""
    leaf, total = file.schema.leaf(path), 0
    for group in file.row_groups:
        metadata = group.columns[leaf.leaf_index].metadata
        nulls: int | None = 0
        if leaf.max_definition_level:
            nulls = None if metadata.statistics is None else metadata.statistics.null_count
        if nulls is None or not 0 <= nulls <= metadata.num_values:
            return None
        total += metadata.num_values - nulls
    return total


def _crs(column: GeoColumn) -> str:
    if not column.has_crs:
        return "OGC:CRS84"
    identity = column.crs.get("id") if isinstance(column.crs, dict) else None
    if isinstance(identity, dict) and _text(identity.get("authority")) and _text(identity.get("code")):
        return f"{_text(identity['authority'])}:{_text(identity['code'])}"
    named = _text(column.crs.get("name")) if isinstance(column.crs, dict) else ""
    return named or "an unknown coordinate system"


def _window(file: ParquetFile, path: str, column: GeoColumn) -> str:
    """What a query for a window reads: by the boxes beside the geometries, or those of the row groups."""
    leaf = file.schema.leaf(path)
    chunks = [group.columns[leaf.leaf_index].metadata for group in file.row_groups]
    boxes = bool(chunks) and all(
        one.geospatial_statistics is not None and one.geospatial_statistics.bbox is not None for one in chunks
    )
    if column.covering:
        beside = f"a bbox column ({name(next(iter(column.covering.values()))[:1])})"
        return f"{beside}, in one row group: a window skips pages at most" if len(chunks) == 1 else beside
    if boxes:
        return "a box for each row group"
    if column.encoding != "WKB":
        return f"stored as {clip(column.encoding, MOST)}"
    return "no bbox column: a window reads all of it"


def _variant(file: ParquetFile) -> Iterator[str]:
    found = [field for field in walk(file.schema.root) if field.kind == "variant"]
    if not found:
        return
    plain = [field for field in found if not _shredded(field)]
    names = listing([name(field.path) for field in found], most=NAMED)
    said = f"{names} {'is' if len(found) == 1 else 'are'} VARIANT"
    if not plain:
        fields = sum(map(_shredded, found))
        yield f"{said}, shredded into {plural(fields, 'column')}"
    elif len(plain) == len(found):
        yield f"{said}, not shredded: a query for one field reads all of {'it' if len(found) == 1 else 'them'}"
    else:
        yield f"{said}; {listing([name(field.path) for field in plain], most=NAMED)} {'is' if len(plain) == 1 else 'are'} not shredded"


def _shredded(field: Field) -> int:
    """The leaves into which a Variant is shredded."""
    typed = next((child for child in field.children if child.name == "typed_value"), None)
    return 0 if typed is None else sum(not one.children and one.name == "typed_value" for one in walk(typed))


def _iceberg(pairs: Any) -> Iterator[str]:
    document = _document(pairs, embedded.ICEBERG)
    fields = document.get("fields")
    if isinstance(fields, list):
        number = _text(document.get("schema-id"))
        yield f"a file of an Iceberg table{f', schema {number}' if number else ''}, with {plural(len(fields), 'field')}"


def _spark(pairs: Any) -> Iterator[str]:
    version = _text(pairs.get(SPARK_VERSION))
    if version:
        yield f"written by Spark {version}"


def _pandas(pairs: Any) -> Iterator[str]:
    document = _document(pairs, embedded.PANDAS)
    if not document:
        return
    version, index = _text(document.get("pandas_version")), document.get("index_columns")
    named = [one for one in index if isinstance(one, str)] if isinstance(index, list) else []
    by = f", indexed by {listing([name((clip(one, MOST),)) for one in named], most=NAMED)}" if named else ""
    yield f"a data frame of pandas{f' {version}' if version else ''}{by}"
