"""Nodes of key-value metadata, of the file and of columns; descriptions of the schema that they hold are opened.

Writers leave notes as text: some of it is JSON, one is an Arrow schema in base64. What is known is decoded and becomes
a tree of its own, with the places where it disagrees with the Parquet schema.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from pqexplore.engine import embedded
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.tree import Fact, LazySequence, Node, join

if TYPE_CHECKING:
    from pqexplore.engine.file import ParquetFile
    from pqexplore.engine.schema import Schema
    from pqexplore.engine.thrift import structs

LONGEST = 2_000
"""Characters of a value that are shown as a fact."""
LARGEST_JSON = 16 << 20
"""Characters of a value up to which it is tried as JSON."""


def file_key_values_node(file: ParquetFile) -> Node:
    """The footer's key-value metadata."""
    pairs = file.footer_metadata.key_value_metadata or []
    return key_values_node(pairs, "key_value_metadata", "footer/key_value_metadata", file)


def key_values_node(
    pairs: Sequence[structs.KeyValue], address: str, footer_address: str, file: ParquetFile
) -> Node:
    """A list of key-value pairs; `footer_address` is where its bytes are."""

    def one(index: int) -> Node:
        own, bytes_at = join(address, index), join(footer_address, index)
        return key_value_node(pairs[index], own, bytes_at, file)

    return Node(
        "group",
        f"key-value metadata ({len(pairs):,})",
        address,
        children=LazySequence(len(pairs), one),
    )


def key_value_node(
    pair: structs.KeyValue, address: str, footer_address: str, file: ParquetFile
) -> Node:
    """One pair."""
    content = _Content(pair, file)
    return Node(
        "key_value",
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


def clipped(text: Any, most: int = LONGEST) -> Any:
    """A text, or its beginning and how much there is."""
    if isinstance(text, str) and len(text) > most:
        return f"{text[:most]}… ({len(text):,} characters)"
    return text


class _Content:
    """What a value says, decoded when asked for."""

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
        """What it is, what is wrong with it, where it disagrees."""
        found = self.decode()
        if found is None:
            return []
        if found.problem is not None:
            return [Fact("problem", found.problem, "why it is not opened")]
        facts = [Fact("content", _summary(found.content), "what the note turns out to be")]
        schema = self._schema()
        said = [] if schema is None else embedded.disagreements(found, schema)
        facts += [
            Fact("disagreement", one, "where it parts from the Parquet schema") for one in said
        ]
        return facts

    def _schema(self) -> Schema | None:
        try:
            return self._file.schema
        except ParquetError:
            return None

    def children(self, address: str) -> Sequence[Node]:
        """Its parts."""
        found = self.decode()
        if found is None or found.content is None:
            return ()
        if isinstance(found.content, pa.Schema):
            return _arrow_nodes(found.content, address)
        return _json_nodes(found.content, address)


def _json(key: str, value: Any) -> embedded.Embedded | None:
    """A value under an unknown key that is a JSON object or list."""
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


def _arrow_nodes(schema: pa.Schema, address: str) -> Sequence[Node]:
    def one(index: int) -> Node:
        field = schema.field(index)
        return Node(
            "described_field",
            f"{field.name}: {clipped(str(field.type), 60)}",
            join(address, index),
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
        Fact(_text(key), clipped(_text(value)), "metadata of the schema")
        for key, value in schema.metadata.items()
    ]
    return [*nodes, Node("group", "metadata of the schema", join(address, "metadata"), facts=facts)]


def _text(data: bytes) -> str:
    return data.decode(errors="backslashreplace")


def _json_nodes(content: Any, address: str) -> Sequence[Node]:
    """Members of an object, elements of a list; nothing for other values."""
    if isinstance(content, dict):
        items = list(content.items())
    elif isinstance(content, list):
        items = [(str(index), value) for index, value in enumerate(content)]
    else:
        return ()

    def one(index: int) -> Node:
        name, value = items[index]
        own = join(address, index)
        nested = isinstance(value, (dict, list))
        shown = _summary(value) if nested else clipped(json.dumps(value, ensure_ascii=False), 60)
        label = value.get("name") if isinstance(value, dict) else None
        return Node(
            "described_field",
            f"{name if label is None else f'{name} {label}'}: {shown}",
            own,
            facts=[
                Fact("name", name, "the member of the object, or the place in the list"),
                Fact("value", shown if nested else clipped(value), "what it says"),
            ],
            children=lambda: _json_nodes(value, own),
        )

    return LazySequence(len(items), one)
