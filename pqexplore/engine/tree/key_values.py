"""Nodes of the key-value metadata of the file and of columns.

Values are text. Some hold JSON, one an Arrow schema in base64: these are decoded into nodes of their own, with a fact for
each disagreement with the Parquet schema.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine.address import Address
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.format import embedded
from pqexplore.engine.kind import Kind
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.tree.node import Node

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile
    from pqexplore.engine.format.schema import Schema
    from pqexplore.engine.format.thrift import structs

LONGEST = 2_000
"""Characters of a value that a fact shows."""
LARGEST_JSON = 16 << 20
"""Characters up to which a value is tried as JSON."""


def file_key_values_node(file: ParquetFile) -> Node:
    """The footer's key-value metadata."""
    pairs = file.footer_metadata.key_value_metadata or []
    return key_values_node(pairs, Address("key_value_metadata"), Address("footer/key_value_metadata"), file)


def key_values_node(
    pairs: Sequence[structs.KeyValue], address: Address, footer_address: Address, file: ParquetFile
) -> Node:
    """A list of key-value pairs; the node at `footer_address` has its bytes."""

    def one(index: int) -> Node:
        own, bytes_at = Address.of(address, index), Address.of(footer_address, index)
        return key_value_node(pairs[index], own, bytes_at, file)

    return Node(Kind.GROUP, f"key-value metadata ({len(pairs):,})", address, children=LazySequence(len(pairs), one))


def key_value_node(pair: structs.KeyValue, address: Address, footer_address: Address, file: ParquetFile) -> Node:
    """One pair."""
    content = _Content(pair, file)
    return Node(
        Kind.KEY_VALUE,
        str(pair.key),
        address,
        facts=lambda: [
            Fact("key", pair.key, "what the note is about"),
            Fact("value", clipped(pair.value), "the note"),
            Fact("size", len(pair.value or ""), "characters of the note"),
            *content.facts(),
            Fact("bytes", None, "where the footer has it", address=footer_address),
        ],
        children=lambda: content.children(address),
    )


def clipped(text: object, length: int = LONGEST) -> object:
    """A text of up to `length` characters, or its beginning and its length; other values unchanged."""
    if isinstance(text, str) and len(text) > length:
        return f"{text[:length]}… ({len(text):,} characters)"
    return text


class _Content:
    """What a value holds, decoded on first use."""

    def __init__(self, pair: structs.KeyValue, file: ParquetFile) -> None:
        self._pair = pair
        self._file = file
        self._decoded: embedded.Embedded | None = None
        self._known = False

    def decode(self) -> embedded.Embedded | None:
        """The content; None for plain text."""
        if not self._known:
            self._decoded = embedded.decode(self._pair.key or "", self._pair.value)
            if self._decoded is None:
                self._decoded = _json(self._pair.key or "", self._pair.value)
            self._known = True
        return self._decoded

    def facts(self) -> Sequence[Fact]:
        """What it is, what is wrong with it, and where it disagrees with the Parquet schema."""
        decoded = self.decode()
        if decoded is None:
            return []
        if decoded.problem is not None:
            return [Fact("problem", decoded.problem, "why it is not decoded")]
        facts = [Fact("content", _summary(decoded.content), "what the note holds")]
        schema = self._schema()
        different = [] if schema is None else embedded.disagreements(decoded, schema)
        facts += [Fact("disagreement", one, "where it differs from the Parquet schema") for one in different]
        return facts

    def _schema(self) -> Schema | None:
        try:
            return self._file.schema
        except ParquetError:
            return None

    def children(self, address: Address) -> Sequence[Node]:
        """Its parts."""
        decoded = self.decode()
        if decoded is None or decoded.content is None:
            return ()
        if isinstance(decoded.content, pa.Schema):
            return _arrow_nodes(decoded.content, address)
        return _json_nodes(decoded.content, address)


def _json(key: str, value: Any) -> embedded.Embedded | None:
    """Decodes a value under an unknown key if it is a JSON object or list; else None."""
    if not isinstance(value, str) or len(value) > LARGEST_JSON or value[:1] not in ("{", "["):
        return None
    try:
        return embedded.Embedded(key, json.loads(value))
    except (ValueError, RecursionError):
        return None


def _summary(content: Any) -> str:
    if isinstance(content, pa.Schema):
        return f"an Arrow schema of {len(content):,} fields"
    if isinstance(content, dict):
        return f"a JSON object of {len(content):,} members"
    return f"a JSON list of {len(content):,} elements"


def _arrow_nodes(schema: pa.Schema, address: Address) -> Sequence[Node]:
    def one(index: int) -> Node:
        field = schema.field(index)
        return Node(
            Kind.DESCRIBED_FIELD,
            f"{field.name}: {clipped(str(field.type), 60)}",
            Address.of(address, index),
            facts=[
                Fact("name", field.name, "the column in Arrow"),
                Fact("type", clipped(str(field.type)), "the type that Arrow's readers restore"),
                Fact("nullable", field.nullable, "whether it may be null"),
                *(
                    Fact(_text(key), clipped(_text(value)), "metadata of the field")
                    for key, value in (field.metadata or {}).items()
                ),
            ],
        )

    nodes = LazySequence(len(schema), one)
    if not schema.metadata:
        return nodes
    facts = [
        Fact(_text(key), clipped(_text(value)), "metadata of the schema") for key, value in schema.metadata.items()
    ]
    return [*nodes, Node(Kind.GROUP, "metadata of the schema", Address.of(address, "metadata"), facts=facts)]


def _text(data: bytes) -> str:
    return data.decode(errors="backslashreplace")


def _json_nodes(content: Any, address: Address) -> Sequence[Node]:
    """One node for each member of an object or element of a list; none for other values."""
    if isinstance(content, dict):
        items = list(content.items())
    elif isinstance(content, list):
        items = [(str(index), value) for index, value in enumerate(content)]
    else:
        return ()

    def one(index: int) -> Node:
        name, value = items[index]
        own = Address.of(address, index)
        nested = isinstance(value, (dict, list))
        shown = _summary(value) if nested else clipped(json.dumps(value, ensure_ascii=False), 60)
        label = value.get("name") if isinstance(value, dict) else None
        return Node(
            Kind.DESCRIBED_FIELD,
            f"{name if label is None else f'{name} {label}'}: {shown}",
            own,
            facts=[
                Fact("name", name, "the member of the object, or the index in the list"),
                Fact("value", shown if nested else clipped(value), "the value of the member"),
            ],
            children=lambda: _json_nodes(value, own),
        )

    return LazySequence(len(items), one)
