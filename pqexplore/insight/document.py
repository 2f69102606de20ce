"""A file, a node, an answer or a finding as values that every JSON reader takes: version 1 (docs/json.md).

Bytes become `{"hex": …}`. NaN and infinities become text. Thrift structs become objects with the specification's field
names, and the names of its enums. Text is not changed; JSON escapes it. docs/json.schema.json describes all of it.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import types
from pqexplore.engine.format.field import Field, Leaf
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.span import Span
from pqexplore.engine.tree.node import Node
from pqexplore.insight import account, features, places, summary
from pqexplore.insight.answer import Answer, Table
from pqexplore.insight.axis import value_of
from pqexplore.insight.gaps import gaps
from pqexplore.insight.json_values import plain
from pqexplore.insight.key_values import Described, described
from pqexplore.insight.skippable import group_part
from pqexplore.insight.steps import finish
from pqexplore.insight.totals import Totals
from pqexplore.insight.trouble import describe

VERSION = 1
"""The version of the documents. It grows when a member is renamed, or its meaning changes; new ones may come."""

_WORDS = ("message", "how", "place")
"""The parts of the sentence of what `check()` found; empty texts in other findings."""

ALIKE = 100
"""Other places of a fault that are written."""


MOST_BYTES = 1 << 26
"""Bytes of a node that are written."""


def file_document(file: ParquetFile) -> dict[str, Any]:
    """The footer of a file: its most important property, identity, schema, columns, row groups with their chunks, features, bytes by kind.

    A part that cannot be read is an object with `error`.
    """
    from pqexplore.insight.doctor.diagnose import so_far
    from pqexplore.insight.lenses.overview_headline import line as headline  # and all rules

    first, report = headline(file), finish(so_far(file))
    return {
        "name": plain(file.name),
        "headline": first,
        "verdict": report.verdict,
        "diagnosis": [diagnosis_document(one) for one in report.findings],
        "identity": plain(dataclasses.asdict(summary.identity(file))),
        "key_value_metadata": _or_error(lambda: [_pair(one) for one in described(file)]),
        "schema": _or_error(lambda: [_field(field) for field in file.schema.fields]),
        "columns": _or_error(lambda: [_column(one) for one in summary.columns(file)]),
        "totals": _or_error(lambda: plain(summary.sums(file))),
        "row_groups": _or_error(lambda: _row_groups(file)),
        "features": [dataclasses.asdict(one) for one in features.features(file)],
        "bytes": _or_error(lambda: [dataclasses.asdict(one) for one in account.shares(file)]),
        "gaps": _or_error(lambda: [plain(one) | {"bytes": len(one.span)} for one in gaps(file)]),
        "findings": [finding_document(one, file) for one in file.findings],
    }


def about(file: ParquetFile, **content: object) -> dict[str, Any]:
    """A document about a file: its name, then `content`."""
    return {"name": plain(file.name), **content}


def answer_document(answer: Answer) -> dict[str, Any]:
    """An answer: its sentence, why there is no picture, and its table as rows of named values."""
    table = answer.table
    return {
        "lens": answer.lens or None,
        "sentence": answer.sentence,
        "empty": answer.empty or None,
        "code": answer.code or None,
        "columns": None
        if table is None
        else [{"name": c.name, "title": c.title, "meaning": c.meaning or None} for c in table.columns],
        "rows": None if table is None else _rows(table),
        "total": None if table is None else table.total,
        **_totals(answer.totals),
        "findings": [diagnosis_document(one) for one in answer.findings],
    }


def _rows(table: Table) -> list[dict[str, Any]]:
    """The rows of a table as objects, each with its address and bytes."""
    return [
        {
            **{c.name: plain(v) for c, v in zip(table.columns, row, strict=True)},
            "address": table.addresses[i],
            "span": plain(table.spans[i]),
        }
        for i, row in enumerate(table.rows)
    ]


def _totals(found: Totals | None) -> dict[str, Any]:
    """The totals of a table, and those of each column."""
    if found is None:
        return {}
    by_column = None if found.by_column is None else _rows(found.by_column)
    return {"totals": plain(found.values), "by_column": by_column}


def node_document(node: Node, children: int) -> dict[str, Any]:
    """A node with its facts, and its first `children` children in brief."""
    document = brief(node)
    document["facts"] = _or_error(
        lambda: [
            {
                "name": fact.name,
                "value": plain(fact.value),
                "meaning": fact.meaning,
                "span": plain(fact.span),
                "address": fact.address,
            }
            for fact in node.facts
        ]
    )
    document["children_count"] = _or_error(lambda: len(node.children))
    document["children"] = _or_error(lambda: [brief(child) for child in node.children[:children]])
    return document


def node_bytes(file: ParquetFile, node: Node, most: int) -> dict[str, Any] | None:
    """The first bytes of a node, at most `most`, and how many it has if there are more; None for a node without bytes."""
    span = node.span
    if span is None:
        return None
    end = min(span.end, span.start + min(most, MOST_BYTES))
    made: dict[str, Any] = {"hex": file.bytes(Span(span.start, end, span.space)).hex()}
    return made if end == span.end else made | {"length": len(span)}


def brief(node: Node) -> dict[str, Any]:
    """A node without its facts and children."""
    document = {
        "address": node.address,
        "kind": node.kind,
        "label": node.label,
        "span": plain(node.span),
        "state": node.state,
    }
    return {**document, "reason": node.reason} if node.reason else document


def finding_document(finding: Finding, file: ParquetFile | None = None) -> dict[str, Any]:
    """A finding with its evidence, and the bytes in `file` that it is about."""
    return {
        "rule": finding.rule,
        "severity": finding.severity.level,
        "harm": finding.severity.value,
        "address": plain(finding.address),
        "span": None if file is None else plain(places.file_span(finding, file)),
        "message": finding.message,
        "evidence": plain(finding.evidence),
        "specification": finding.specification,
    }


def diagnosis_document(one: Finding) -> dict[str, Any]:
    """A diagnosis with its evidence; the severity by its word."""
    made: dict[str, Any] = plain(dataclasses.replace(one, alike=()))
    made["alike"] = [_alike(each) for each in one.alike[:ALIKE]]
    words = {"message": one.message, "how": one.how, "place": one.place} if one.violation else dict.fromkeys(_WORDS, "")
    return made | {"severity": one.severity.value, "sentence": one.sentence, **words}


_PLACE = ("address", "column", "row_groups", "page", "first_row", "rows", "message", "evidence")


def _alike(one: Finding) -> dict[str, Any]:
    """Where the same fault is, too, and what shows it."""
    return {field: plain(getattr(one, field)) for field in _PLACE}


def _or_error(make: Callable[[], object]) -> object:
    try:
        return make()
    except ParquetError as error:
        return {"error": describe(error)}


def _field(field: Field) -> dict[str, Any]:
    document = {
        "address": f"schema/{field.index}",
        "index": field.index,
        "path": list(field.path),
        "kind": field.kind,
        "repetition": structs.enum_name(structs.FieldRepetitionType, field.repetition),
        "max_definition_level": field.max_definition_level,
        "max_repetition_level": field.max_repetition_level,
        "element": plain(field.element),
    }
    if isinstance(field, Leaf):
        return {
            **document,
            "column": field.leaf_index,
            "type": types.describe(field),
            "physical_type": structs.enum_name(structs.Type, field.physical_type),
            "type_length": field.type_length,
        }
    return {**document, "list_rule": field.list_rule}


def _column(one: summary.ColumnSummary) -> dict[str, Any]:
    return {**plain(dataclasses.asdict(one)), "ratio": one.ratio}


def _pair(one: Described) -> dict[str, Any]:
    made: dict[str, Any] = plain(dataclasses.asdict(one) | {"problem": one.problem or None})
    return made


def _statistics(chunk: ColumnChunk) -> dict[str, Any] | None:
    """The bounds of a chunk in its logical type and as stored, its counts, and what speaks against them."""
    part = group_part(chunk)
    if chunk.statistics is None:
        return None
    return {
        "min": plain(value_of(chunk.leaf, part.low)),
        "min_bytes": plain(part.low),
        "min_exact": part.low_exact,
        "max": plain(value_of(chunk.leaf, part.high)),
        "max_bytes": plain(part.high),
        "max_exact": part.high_exact,
        "null_count": part.nulls,
        "nan_count": part.nans,
        "distinct_count": part.distinct,
        "usable": part.trusted,
        "remark": part.remark,
    }


def _row_groups(file: ParquetFile) -> list[dict[str, Any]]:
    return [
        {
            "address": f"row_groups/{one.index}",
            **plain(dataclasses.asdict(one)),
            "columns": _or_error(functools.partial(_chunks, file, one.index)),
        }
        for one in summary.row_groups(file)
    ]


def _chunks(file: ParquetFile, group: int) -> list[dict[str, Any]]:
    documents = []
    for chunk in file.row_groups[group].columns:
        document: dict[str, Any] = {"address": chunk.address, "path": ".".join(chunk.leaf.path)}
        try:
            document["struct"] = plain(chunk.struct)
            if chunk.struct.meta_data is None:
                document["struct"]["meta_data"] = plain(chunk.metadata)
            document["span"] = None if chunk.elsewhere else plain(chunk.span)
            document["statistics"] = _statistics(chunk)
        except ParquetError as error:
            document["error"] = describe(error)
        documents.append(document)
    return documents
