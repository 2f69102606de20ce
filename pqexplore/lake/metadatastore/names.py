"""The names in a metadatastore: columns, objects, tables, directories.

A store has one row for each object (a file of the dataset) and one column for each index. The column's name consists
of the indexed columns and the index's name, by a rule that differs between versions (specification, "Format
Specifications"). The column's metadata says what is indexed, so the name is only a check.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

from pqexplore.engine.errors import UsageError

OBJECT = "obj_name"
"""The column with the objects' names."""

VIRTUAL = "virtual_"
"""The prefix of a partition column's name, from version 4 on."""

_LENGTHS = re.compile(r"(.*)_([0-9]+(?:-[0-9]+)*)\Z", re.DOTALL)


def index_column(version: int, columns: Sequence[str], index: str) -> str:
    """The name of the column for an index on `columns`, in a store of the given version.

    Version 0 joins with `:`, version 1 with `_`; from version 2 on, `#` becomes `##`, `.` becomes `$#$`, and the
    lengths (of UTF-16 code units, as Java counts) follow, so that different indexes never share a name.
    """
    columns = [column.lower() for column in columns]
    if version == 0:
        return ":".join(columns) + "_" + index
    if version == 1:
        return "_".join(columns) + "_" + index
    cleaned = [escaped(column) for column in columns]
    lengths = "-".join(str(_java_length(column)) for column in cleaned)
    return "_".join(cleaned) + f"_{index}_{lengths}"


def escaped(column: str) -> str:
    """Escapes a column's name for the name of an index column, from version 2 on."""
    return column.replace("#", "##").replace(".", "$#$")


def unescaped(cleaned: str) -> str:
    """The inverse of `escaped`; UsageError for text that `escaped` never returns."""
    out, at = [], 0
    while at < len(cleaned):
        if cleaned.startswith("##", at):
            out.append("#")
            at += 2
        elif cleaned.startswith("$#$", at):
            out.append(".")
            at += 3
        elif cleaned[at] == "#":
            raise UsageError(f"{cleaned!r} is not an escaped column name: a single # at {at}")
        else:
            out.append(cleaned[at])
            at += 1
    return "".join(out)


def parse_index_column(version: int, name: str) -> tuple[tuple[str, ...], str]:
    """Parses an index column's name to (columns, index).

    In versions 0 and 1 the index follows the last `_`. Version 1 does not mark where a column ends, so it is read as
    one column. Raises UsageError for a name that does not follow the version's rule.
    """
    if version <= 1:
        joined, _, index = name.rpartition("_")
        if not joined or not index:
            raise UsageError(f"{name!r} is not an index column of version {version}: COLUMNS_INDEX is expected")
        return tuple(joined.split(":")) if version == 0 else (joined,), index
    found = _LENGTHS.match(name)
    if found is None:
        raise UsageError(f"{name!r} is not an index column of version {version}: COLUMNS_INDEX_LENGTHS is expected")
    columns, rest = [], found[1]
    for length in map(int, found[2].split("-")):
        cleaned = _java_prefix(rest, length)
        if cleaned is None or not rest.startswith("_", len(cleaned)):
            raise UsageError(f"{name!r} is not an index column: its lengths do not fit its names")
        columns.append(unescaped(cleaned))
        rest = rest[len(cleaned) + 1 :]
    if not rest:
        raise UsageError(f"{name!r} is not an index column: it does not name the index")
    return tuple(columns), rest


def _java_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _java_prefix(text: str, length: int) -> str | None:
    """The first characters, which take `length` UTF-16 code units; None if no prefix has that length."""
    taken = 0
    for end, character in enumerate(text):
        if taken == length:
            return text[:end]
        taken += 1 + (ord(character) > 0xFFFF)
    return text if taken == length else None


def partition_column(name: str) -> str:
    """The store's column with the values of a partition column."""
    return VIRTUAL + name


def table_identifier(uri: str) -> str:
    """The identifier of the dataset at a path or URI: its path, without scheme, authority and trailing slashes.

    So `s3a://a/x` and `s3a://b/x` share an identifier, as they do in xskipper.
    """
    return path_of(uri).rstrip("/") or "/"


def stored_identifier(identifier: str) -> str:
    """The identifier as a store's files have it: without the leading slash, as the specification trims it."""
    return identifier.removeprefix("/") or identifier


def same_identifier(one: str | None, other: str | None) -> bool:
    """Whether two identifiers name one table: xskipper's own files keep the leading slash."""
    return None not in (one, other) and stored_identifier(one or "") == stored_identifier(other or "")


def table_path(identifier: str, objects: Iterable[str]) -> str:
    """The path of the table with an identifier that a file has, by the names of its objects; the identifier itself if unknown."""
    path = f"/{identifier}"
    first = next(iter(objects), None)
    known = os.path.isdir(path) if first is None else first.startswith(f"{path}/")
    return path if known and not identifier.startswith("/") else identifier


def path_of(uri: str) -> str:
    """The path of a path or URI, without scheme and authority, as the names of objects have it."""
    if "://" not in uri:
        return urlsplit(uri).path if uri.startswith("file:") else uri
    rest = uri.partition("://")[2]
    return rest[rest.find("/") :] if "/" in rest else ""


def store_directory(identifier: str) -> str:
    """The directory, below a base path, of the store for a table: SHA-256 of its identifier, in hexadecimal."""
    return hashlib.sha256(identifier.encode()).hexdigest()


def object_name(path: str, modified: int) -> str:
    """The name of an object: its path, and its modification time in milliseconds since 1970."""
    return f"{path}#{modified}"


def split_object_name(name: str) -> tuple[str, int | None]:
    """(path, modification time) of an object's name; the time is None if absent."""
    path, mark, modified = name.rpartition("#")
    if mark and re.fullmatch(r"-?[0-9]{1,19}", modified):
        return path, int(modified)
    return name, None
