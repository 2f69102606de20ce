"""The findings about a node, as a part of every answer about it."""

from __future__ import annotations

import dataclasses
from collections.abc import Set

from pqexplore.engine.address import Address
from pqexplore.engine.check.page_index import contradictions
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.format.page_index import num_pages
from pqexplore.engine.rule import Severity
from pqexplore.engine.tree.at import CHUNK, PAGE
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer
from pqexplore.insight.doctor.findings_by_place import places
from pqexplore.insight.doctor.verdict import together
from pqexplore.insight.places import is_column, leaf_at
from pqexplore.insight.wording import plural
from pqexplore.insight.writers.defects import BY_SOURCE

CHECKED = 10_000
"""Max pages of a page index whose claims are compared for an answer; `f.check()` compares any number."""

NAMED = 2
"""Findings that a sentence quotes; the rest are counted."""

LOST = (Severity.DAMAGE, Severity.WRONG)
"""Severities of the rules that every answer about the whole file quotes; the overview shows the others."""


def noted_claims(chunk: ColumnChunk) -> list[Finding]:
    """Notes what is contradictory in the page index of a chunk, and returns it; only the indexes are read.

    Nothing for an index of more than `CHECKED` pages. ParquetError if an index cannot be read.
    """
    if num_pages(chunk.column_index, chunk.offset_index) > CHECKED:
        return []
    try:
        findings = list(contradictions(chunk))
    except ParquetError as error:
        findings = [failure(error, Address.of(chunk.address, "column_index"))]
    for finding in findings:
        chunk.file.note(finding)
    return findings


def with_findings(
    file: ParquetFile, node: Node, answer: Answer, column: bool, misled_by: Set[str] = frozenset()
) -> Answer:
    """The answer with the findings about the node so far; the worst are quoted in its sentence.

    With `column`, the answer is about all chunks of the node's column. `misled_by` is the lens's (`Lens`).
    """
    findings = findings_about(file, node, column)
    if not findings:
        return answer
    nothing = answer.empty and answer.picture is None
    concerned = [one for one in findings if _concerns(one, node, frozenset() if nothing else misled_by)]
    sentence = " ".join(filter(None, (answer.sentence, _quoted(node, answer, concerned))))
    return dataclasses.replace(answer, sentence=sentence, findings=tuple(findings))


def findings_about(file: ParquetFile, node: Node, column: bool = False) -> list[Finding]:
    """The findings so far at a node, below it, at the page that contains it, and about its column; the worst first.

    A leaf of the schema has those of its column chunks, too; so has a column chunk with `column`. A column chunk has those
    of the rules about its column. A row group and a column chunk have those of their structs in the footer, and those that
    name them in their evidence.
    """
    page = PAGE.match(node.address)
    return list(together(_about(file, node, page[0].rstrip("/") if page else node.address, column)))


def flagged(file: ParquetFile, node: Node) -> list[Finding]:
    """The findings above a note at a node, below it, and about its column; the worst first."""
    found = together(_about(file, node, node.address, False))
    return [one for one in found if one.severity is not Severity.NOTE]


def _about(file: ParquetFile, node: Node, place: str, column: bool) -> list[Finding]:
    known = places(file)
    if not known.all or not place:
        return list(known.faults)
    whole = column or node.kind == "schema_field"
    chunk = CHUNK.match(node.address) if whole or node.kind == "column_chunk" else None
    leaf = int(chunk[2]) if chunk else _leaf(file, node) if whole else None
    found = known.about(place, leaf)
    if whole or chunk is None:
        return found
    here = {id(one) for one in known.about(place)}
    return [one for one in found if id(one) in here or _of_column(one, int(chunk[1]))]


def _of_column(one: Finding, group: int) -> bool:
    """Whether a finding about a column, not about one place, holds in a row group."""
    return not one.violation and (not one.row_groups or group in one.row_groups)


def _leaf(file: ParquetFile, node: Node) -> int | None:
    try:
        return leaf_at(file, node.address).leaf_index if is_column(node) else None
    except ParquetError:
        return None


def _concerns(one: Finding, node: Node, misled_by: Set[str]) -> bool:
    """Whether a finding concerns an answer at a node: a defect of the writer by which other answers are wrong does not."""
    defect = BY_SOURCE.get(str(one.evidence.get("defect", one.evidence.get("writer", ""))))
    if defect is None or one.severity is not Severity.WRONG or defect.misleads in misled_by:
        return True
    return bool(one.address) and Address(node.address).is_in(one.address)


def _quoted(node: Node, answer: Answer, findings: list[Finding]) -> str:
    """The worst findings that the answer does not already name, as sentences."""
    said = answer.sentence + answer.empty
    new = [
        one
        for one in findings
        if one.severity is not Severity.NOTE
        and one.message not in said
        and (one.violation or node.address or one.severity in LOST)
    ]
    sentences = [_quote(one, node) for one in new[:NAMED]]
    if len(new) > NAMED:
        rest = len(new) - NAMED
        sentences.append(f"There {'is' if rest == 1 else 'are'} {plural(rest, 'more finding')}.")
    return " ".join(sentences)


def _quote(one: Finding, node: Node) -> str:
    if not one.violation:
        return f"{one.severity.value.capitalize()}: {one.sentence}"
    if one.address != node.address:
        return one.sentence
    lead = one.sentence.partition(":")[0]
    return f"{lead} here: {one.message.rstrip('.')}."
