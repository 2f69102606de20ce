"""Nodes of the file itself: its two ends, its schema, its key-value metadata and its gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.address import Address
from pqexplore.engine.errors import NoNodeError, ParquetError
from pqexplore.engine.fact import Fact
from pqexplore.engine.format import types
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import FieldRepetitionType
from pqexplore.engine.format.variant.shape import is_variant_shape
from pqexplore.engine.kind import Kind
from pqexplore.engine.lazy_sequence import LazySequence
from pqexplore.engine.span import Span
from pqexplore.engine.text import plural
from pqexplore.engine.tree import layout
from pqexplore.engine.tree.chunk_facts import geoparquet_facts
from pqexplore.engine.tree.chunks import row_group_node
from pqexplore.engine.tree.gap_reason import gap_reason
from pqexplore.engine.tree.key_values import file_key_values_node
from pqexplore.engine.tree.node import Node
from pqexplore.engine.tree.struct_nodes import metadata_node, struct_node

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile


def crypto_metadata_node(file: ParquetFile) -> Node:
    """The FileCryptoMetaData before an encrypted footer, with facts of algorithm and key."""
    footer = file.footer
    data = file.source.read(footer.start, footer.crypto_end - footer.start)
    inner = struct_node(
        structs.FileCryptoMetaData,
        data,
        0,
        Address("crypto_metadata"),
        "file crypto metadata",
        file.limits,
        base=footer.start,
    )
    cipher = footer.cipher
    return Node(
        inner.kind,
        inner.label,
        inner.address,
        inner.span,
        facts=lambda: [*(cipher.facts if cipher is not None else ()), *inner.facts],
        children=lambda: inner.children,
        state=inner.state,
        reason=inner.reason,
    )


def footer_module_node(file: ParquetFile) -> Node:
    """The module of an encrypted footer."""
    from pqexplore.engine.format.encryption.modules import Module, ModuleType
    from pqexplore.engine.tree.modules import module_node

    footer = file.footer
    assert footer.cipher is not None
    span = Span(footer.crypto_end, footer.end)
    data = file.source.read(span.start, len(span))
    return module_node(footer.cipher, None, Module(ModuleType.FOOTER), data, span, Address("footer/module"))


def encrypted_footer_node(file: ParquetFile, inner: Node | None) -> Node:
    """An encrypted footer: its module, and the fields of the FileMetaData (`inner`) if it was decrypted."""
    from pqexplore.engine.tree.modules import module_fact

    footer = file.footer
    frame, span = footer_module_node(file), Span(footer.crypto_end, footer.end)
    if inner is None:
        reason = "" if footer.locked is None else footer.locked.message
        return Node(
            Kind.FOOTER,
            "footer (encrypted)",
            "footer",
            span,
            facts=lambda: frame.facts,
            children=[frame],
            state="locked",
            reason=reason,
        )
    return Node(
        Kind.FOOTER,
        inner.label,
        "footer",
        span,
        facts=lambda: [*inner.facts, module_fact(frame)],
        children=lambda: [frame, *inner.children],
        state=inner.state,
        reason=inner.reason,
    )


def signature_node(file: ParquetFile, start: int) -> Node:
    """The nonce and the tag that sign a plaintext footer."""
    from pqexplore.engine.format.encryption.modules import NONCE_BYTES, Module, ModuleType
    from pqexplore.engine.tree.modules import aad_facts, part_node

    footer, cipher = file.footer, file.footer.cipher
    assert cipher is not None
    verdict = "verified" if footer.signature_ok else "not verified: no key"
    data = file.source.read(start, NONCE_BYTES + 16)
    span, address = Span(start, footer.end), Address("footer_signature")

    def facts() -> Sequence[Fact]:
        return [
            Fact("signature", verdict, "whether the plaintext footer is what the writer signed"),
            *cipher.facts,
            *aad_facts(cipher.aad(Module(ModuleType.FOOTER))),
        ]

    children = [
        part_node(data, span, address, "nonce", 0, NONCE_BYTES),
        part_node(data, span, address, "tag", NONCE_BYTES, len(span)),
    ]
    return Node(Kind.FOOTER_SIGNATURE, "footer signature", address, span, facts=facts, children=children)


def file_node(file: ParquetFile) -> Node:
    """The root: the whole file."""
    damage = file.footer_damage
    state, reason = "ok", ""
    if damage is not None:
        state, reason = "corrupt", damage.message
    elif file.metadata is None:
        state = "locked"
        reason = "" if file.footer.locked is None else file.footer.locked.message
    return Node(
        Kind.FILE,
        file.name.replace("\\", "/").rpartition("/")[2],
        "",
        Span(0, file.size),
        facts=lambda: _file_facts(file),
        children=lambda: _file_children(file) if damage is None else _damaged_children(file, damage),
        state=state,
        reason=reason,
    )


def _file_facts(file: ParquetFile) -> Sequence[Fact]:
    facts = [
        Fact("size", file.size, "bytes of the file"),
        Fact("footer", file.footer.end - file.footer.start, "bytes of the footer", address="footer"),
    ]
    if file.footer_damage is not None:
        return facts
    cipher = file.footer.cipher
    if cipher is not None:
        facts.append(Fact("encryption", cipher.algorithm.name, "how modules of the file are encrypted"))
    metadata = file.metadata
    if metadata is None:
        return facts
    return [
        Fact("rows", metadata.num_rows, "rows as the footer counts them", address="footer/num_rows"),
        Fact("row groups", len(metadata.row_groups or ()), "horizontal slices of the rows", address="row_groups"),
        *_other_files(file),
        Fact("columns", _leaf_count(file), "leaves of the schema: columns with data", address="schema"),
        Fact("created by", metadata.created_by, "the writer, in its own words", address="footer/created_by"),
        Fact("format version", metadata.version, "1 and 2 are interchangeable", address="footer/version"),
        *facts,
    ]


def _other_files(file: ParquetFile) -> Sequence[Fact]:
    if not file.other_files:
        return ()
    meaning = "files that hold the column chunks: this file is the footer of a data set"
    return [Fact("other files", len(file.other_files), meaning)]


def _leaf_count(file: ParquetFile) -> int | None:
    try:
        return len(file.schema.leaves)
    except ParquetError:
        return None


def _file_children(file: ParquetFile) -> Sequence[Node]:
    children = [_magic_node(file)]
    if file.metadata is not None:
        children += [schema_node(file), row_groups_node(file)]
        if file.metadata.key_value_metadata:
            children.append(file_key_values_node(file))
    footer = file.footer
    if footer.crypto_metadata is not None:
        children.append(crypto_metadata_node(file))
    children.append(footer_node(file))
    if footer.signature_start is not None:
        children.append(signature_node(file, footer.signature_start))
    children += [_length_node(file), _footer_magic_node(file)]
    return [*children, *_unowned_nodes(file)]


def _damaged_children(file: ParquetFile, damage: ParquetError) -> Sequence[Node]:
    """The children of a file whose large footer is damaged after its beginning."""
    span = Span(file.footer.start, file.footer.end)
    footer = Node(Kind.FOOTER, "footer", "footer", span, state="corrupt", reason=damage.message)
    return [_magic_node(file), footer, _length_node(file), _footer_magic_node(file)]


def _magic_node(file: ParquetFile) -> Node:
    def facts() -> Sequence[Fact]:
        magic = bytes(file.source.read(0, 4))
        return [Fact("magic", magic, "PAR1, or PARE where the footer is encrypted", Span(0, 4))]

    return Node(Kind.MAGIC, "magic", "magic", Span(0, 4), facts=facts)


def _footer_magic_node(file: ParquetFile) -> Node:
    span = Span(file.size - 4, file.size)
    fact = Fact("magic", file.footer.magic, "PAR1, or PARE where the footer is encrypted", span)
    return Node(Kind.MAGIC, "closing magic", "footer_magic", span, facts=[fact])


def _length_node(file: ParquetFile) -> Node:
    span = Span(file.size - 8, file.size - 4)
    length = file.footer.end - file.footer.start
    fact = Fact("footer length", length, "bytes of the footer before these four, little-endian", span)
    return Node(Kind.FOOTER_LENGTH, "footer length", "footer_length", span, facts=[fact])


def footer_node(file: ParquetFile) -> Node:
    """The FileMetaData: every field with its bytes."""
    encrypted = file.footer.crypto_metadata is not None
    if file.footer.raw is None:
        return encrypted_footer_node(file, None)
    inner = metadata_node(file)
    return encrypted_footer_node(file, inner) if encrypted else inner


def row_groups_node(file: ParquetFile) -> Node:
    """All row groups."""
    try:
        groups = file.row_groups
    except ParquetError as error:
        return Node(Kind.GROUP, "row groups", "row_groups", state="corrupt", reason=error.message)
    return Node(
        Kind.GROUP,
        f"row groups ({len(groups):,})",
        "row_groups",
        children=LazySequence(len(groups), lambda index: row_group_node(groups[index])),
    )


def schema_node(file: ParquetFile) -> Node:
    """The schema: nodes nested as its fields are, addressed by the number of their SchemaElement."""
    try:
        schema = file.schema
    except ParquetError as error:
        return Node(Kind.SCHEMA, "schema", "schema", state="corrupt", reason=error.message)
    return Node(
        Kind.SCHEMA,
        f"schema ({plural(len(schema.leaves), 'column')})",
        "schema",
        facts=[Fact("root", schema.root.name, "the name of the schema's root")],
        children=LazySequence(len(schema.fields), lambda i: field_node(file, schema.fields[i])),
    )


def field_node(file: ParquetFile, field: Field) -> Node:
    """One field of the schema."""
    return Node(
        Kind.SCHEMA_FIELD,
        ".".join(field.path) or field.name,
        Address.of("schema", field.index),
        facts=lambda: _field_facts(file, field),
    )


def _field_facts(file: ParquetFile, field: Field) -> Sequence[Fact]:
    facts = [
        Fact("path", ".".join(field.path), "names from the root to here"),
        Fact(
            "repetition",
            structs.enum_name(FieldRepetitionType, field.repetition),
            "whether a value must be there, may, or may often",
        ),
        Fact(
            "maximum definition level",
            field.max_definition_level,
            "optional and repeated fields on the path: a value at this level is there",
        ),
        Fact("maximum repetition level", field.max_repetition_level, "repeated fields on the path"),
    ]
    if isinstance(field, Leaf):
        facts += [
            Fact("type", types.describe(field), "the logical type, or the physical one if there is none"),
            *_geospatial_facts(field),
            *geoparquet_facts(file, field),
            Fact("column", field.leaf_index, "its chunks have this number in every row group"),
        ]
    elif field.kind == "variant":
        facts.append(Fact("shape", "Variant", "a value of any type in each row, as metadata and value"))
    elif field.list_rule:
        facts.append(Fact("shape", field.list_rule, "how the specification's rules read this group"))
    elif field.kind == "group" and is_variant_shape(field):
        facts.append(Fact("shape", "perhaps a Variant", "it has the fields of one, and does not say that it is"))
    facts.append(
        Fact(
            "schema element",
            field.index,
            "where the footer declares it",
            address=Address.of("footer/schema", field.index),
        )
    )
    return facts


def _geospatial_facts(leaf: Leaf) -> Sequence[Fact]:
    """The reference system and the edges of geometries, by default where the schema does not state them."""
    logical = meaning(leaf)
    if logical.name not in ("GEOMETRY", "GEOGRAPHY"):
        return ()
    from pqexplore.engine.format import geospatial  # few files have geometries

    crs = Fact(
        "coordinate reference system",
        logical.crs or geospatial.DEFAULT_CRS,
        "what coordinates mean on the earth" if logical.crs else "the default: longitude and latitude in degrees",
    )
    if logical.name == "GEOMETRY":
        return [crs]
    return [crs, Fact("edges", *geospatial.edges_of(logical))]


LISTED_CHUNKS = 20_000
"""Column chunks of a file up to which gaps are found when its children are asked for."""


def _unowned_nodes(file: ParquetFile) -> list[Node]:
    """Gaps, and parts whose places need a key; those beside the column chunks, until their page headers are read."""
    level = "pages" if file.metadata is None or layout.known(file) else "chunks"
    if level == "chunks" and (file.footer.num_row_groups or 0) * (_leaf_count(file) or 0) > LISTED_CHUNKS:
        return []
    nodes = []
    parts, gaps = layout.unknown(file, level), layout.gaps(file, level)
    if parts:
        from pqexplore.engine.tree import unknown_parts

        label = f"pages and indexes, not known without {unknown_parts.missing_key(file)}"
        nodes.append(
            Node(
                Kind.GROUP,
                label,
                "unknown_parts",
                children=LazySequence(len(parts), lambda i: unknown_parts.part_node(file, *parts[i])),
                state="locked",
                reason=label,
            )
        )
    if gaps:
        nodes.append(
            Node(
                Kind.GROUP,
                f"bytes that nobody owns ({len(gaps):,})",
                "gaps",
                children=LazySequence(len(gaps), lambda i: gap_node(file, str(gaps[i][0]))),
            )
        )
    return nodes


def gap_node(file: ParquetFile, name: str) -> Node:
    """The gap that begins at byte `name`. NoNodeError if there is none."""
    # Before the page headers are read, a gap can be longer: `layout("chunks")` has its address.
    of_levels = (layout.gaps(file, level) for level in ("pages", "chunks"))
    gap = next((gap for gaps in of_levels for gap in gaps if str(gap[0]) == name), None)
    if gap is None:
        raise NoNodeError(f"no gap begins at byte {name}")
    start, end = gap
    return Node(
        Kind.GAP,
        f"gap of {end - start:,} bytes",
        Address.of("gaps", start),
        Span(start, end),
        facts=lambda: [
            Fact("size", end - start, "bytes that no structure of the file points at"),
            Fact("reason", gap_reason(file, start, end), "what they look like"),
        ],
    )
