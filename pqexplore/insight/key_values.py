"""The key-value metadata of a file: each pair whole, and decoded where it holds a description of the schema.

Known are the Arrow schema, those of pandas, Spark, Iceberg and Avro, GeoParquet's `geo`, and any other JSON.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format import embedded


@dataclasses.dataclass(frozen=True, slots=True)
class Described:
    """One pair. `content` is a JSON value, for an Arrow schema a list of its fields; None for plain text.

    `problem` says why it is not decoded, "" if there is none; `disagreements` where it differs from the file's schema.
    """

    key: str
    value: str | None
    address: str
    content: Any = None
    problem: str = ""
    disagreements: tuple[str, ...] = ()


def described(file: ParquetFile) -> Iterator[Described]:
    """The pairs of the footer, in its order. ParquetError if the footer cannot be read."""
    for index, pair in enumerate(file.footer_metadata.key_value_metadata or ()):
        key, address = pair.key or "", Address.of("key_value_metadata", index)
        found = embedded.decode(key, pair.value)
        if found is None:
            yield Described(key, pair.value, address, _json(pair.value))
        elif found.problem is not None:
            yield Described(key, pair.value, address, problem=found.problem)
        else:
            content = found.content
            if isinstance(content, pa.Schema):
                content = arrow_fields(content)
            yield Described(key, pair.value, address, content, disagreements=_disagreements(file, found))


def _disagreements(file: ParquetFile, found: embedded.Embedded) -> tuple[str, ...]:
    try:
        return tuple(embedded.disagreements(found, file.schema))
    except ParquetError:  # the schema is damaged
        return ()


def arrow_fields(schema: pa.Schema) -> list[dict[str, Any]]:
    """The fields of an Arrow schema: name, type, nullable, and their metadata if they have any."""
    return [
        {
            "name": field.name,
            "type": str(field.type),
            "nullable": field.nullable,
            **({"metadata": _texts(field.metadata)} if field.metadata else {}),
        }
        for field in schema
    ]


def _texts(metadata: dict[bytes, bytes]) -> dict[str, str]:
    return {
        key.decode(errors="backslashreplace"): value.decode(errors="backslashreplace")
        for key, value in metadata.items()
    }


def _json(value: str | None) -> Any:
    """A JSON object or list; None for other texts."""
    if not isinstance(value, str) or value[:1] not in ("{", "[") or len(value) > embedded.MAX_JSON:
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None
