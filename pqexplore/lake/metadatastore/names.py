"""The names that a metadatastore is made of: columns, objects, tables, directories.

A store has one row for each object (a file of the dataset) and one column for each index. The column's name is made
of what the index is on and what it is called, by a rule that differs between versions (specification, "Format
Specifications"); what is really indexed stands in the column's metadata, so the name is a check and not the source.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from urllib.parse import urlsplit

from pqexplore.engine.errors import UsageError

OBJECT = "obj_name"
"""The column that has the objects' names."""

VIRTUAL = "virtual_"
"""What the name of a partition column starts with, from version 4 on."""

_LENGTHS = re.compile(r"(.*)_([0-9]+(?:-[0-9]+)*)\Z", re.DOTALL)


def index_column(version: int, columns: Sequence[str], index: str) -> str:
    """The name of the column for an index on `columns`, as a store of that version has it.

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
    """A column's name as it stands in index columns from version 2 on."""
    return column.replace("#", "##").replace(".", "$#$")


def unescaped(cleaned: str) -> str:
    """The inverse of `escaped`; UsageError for what `escaped` never gives."""
    out, at = [], 0
    while at < len(cleaned):
        if cleaned.startswith("##", at):
            out.append("#")
            at += 2
        elif cleaned.startswith("$#$", at):
            out.append(".")
            at += 3
        elif cleaned[at] == "#":
            raise UsageError(f"{cleaned!r} is no escaped column name: a single # at {at}")
        else:
            out.append(cleaned[at])
            at += 1
    return "".join(out)


def parse_index_column(version: int, name: str) -> tuple[tuple[str, ...], str]:
    """(columns, index) that an index column's name stands for.

    Versions 0 and 1 leave it open where one column ends and the next begins: version 1 is read as one column, and the
    index is what follows the last `_`. Raises UsageError for a name that the version's rule never gives.
    """
    if version <= 1:
        joined, _, index = name.rpartition("_")
        if not joined or not index:
            raise UsageError(f"{name!r} is no index column of version {version}: COLUMNS_INDEX")
        return tuple(joined.split(":")) if version == 0 else (joined,), index
    found = _LENGTHS.match(name)
    if found is None:
        raise UsageError(
            f"{name!r} is no index column of version {version}: COLUMNS_INDEX_LENGTHS is expected"
        )
    columns, rest = [], found[1]
    for length in map(int, found[2].split("-")):
        cleaned = _java_prefix(rest, length)
        if cleaned is None or not rest.startswith("_", len(cleaned)):
            raise UsageError(f"{name!r} is no index column: its lengths do not fit its names")
        columns.append(unescaped(cleaned))
        rest = rest[len(cleaned) + 1 :]
    if not rest:
        raise UsageError(f"{name!r} is no index column: it does not name the index")
    return tuple(columns), rest


def _java_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _java_prefix(text: str, length: int) -> str | None:
    """The first characters that take `length` UTF-16 code units; None where there are none such."""
    taken = 0
    for end, character in enumerate(text):
        if taken == length:
            return text[:end]
        taken += 1 + (ord(character) > 0xFFFF)
    return text if taken == length else None


def partition_column(name: str) -> str:
    """The column that has an object's value of a partition column."""
    return VIRTUAL + name


def table_identifier(uri: str) -> str:
    """How a store calls the dataset at a path or URI: its path, without scheme, authority and trailing slashes.

    So `s3a://a/x` and `s3a://b/x` share an identifier, as they do in xskipper.
    """
    path = urlsplit(uri).path if "://" in uri or uri.startswith("file:") else uri
    return path.rstrip("/") or "/"


def store_directory(identifier: str) -> str:
    """The directory, below a base path, of the store for a table: SHA-256 of its identifier, in hexadecimal."""
    return hashlib.sha256(identifier.encode()).hexdigest()


def object_name(path: str, modified: int) -> str:
    """How a store calls an object: its path, and its modification time in milliseconds since 1970."""
    return f"{path}#{modified}"


def split_object_name(name: str) -> tuple[str, int | None]:
    """(path, modification time) of an object's name; the time is None where the name has none."""
    path, mark, modified = name.rpartition("#")
    if mark and re.fullmatch(r"-?[0-9]{1,19}", modified):
        return path, int(modified)
    return name, None
