"""The findings about a node, as a part of every answer about it."""

from __future__ import annotations

import dataclasses

from pqexplore.engine.address import Address
from pqexplore.engine.check.page_index import contradictions
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding, failure
from pqexplore.engine.format.page_index import num_pages
from pqexplore.engine.tree.find import CHUNK, PAGE
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer
from pqexplore.insight.places import is_column, leaf_at
from pqexplore.insight.wording import plural

CHECKED = 10_000
"""Max pages of a page index whose claims are compared for an answer; `f.check()` compares any number."""

NAMED = 2
"""Findings that a sentence quotes; the rest are counted."""

SEVERITIES = {"error": "Wrong", "warning": "Doubtful"}
"""The first word of a quoted finding. Notes are not quoted."""


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


def with_findings(file: ParquetFile, node: Node, answer: Answer, column: bool) -> Answer:
    """The answer with the findings about the node so far; the worst are quoted in its sentence.

    With `column`, the answer is about all chunks of the node's column.
    """
    findings = findings_about(file, node, column)
    if not findings:
        return answer
    sentence = " ".join(filter(None, (answer.sentence, _quoted(node, answer, findings))))
    return dataclasses.replace(answer, sentence=sentence, findings=tuple(findings))


def findings_about(file: ParquetFile, node: Node, column: bool = False) -> list[Finding]:
    """The findings so far at a node, below it, and at the page that contains it; the worst first.

    A leaf of the schema has those of its column chunks, too; so has a column chunk with `column`. A row group and a
    column chunk have those of their structs in the footer, and those that name them in their evidence.
    """
    known = file.findings
    if not known or not node.address:
        return sorted(known, key=_rank)
    page = PAGE.match(node.address)
    place = page[0].rstrip("/") if page else node.address
    leaf = _leaf(file, node) if column or node.kind == "schema_field" else None
    return sorted((one for one in known if _is_about(one, place, leaf)), key=_rank)


def _is_about(finding: Finding, place: str, leaf: int | None) -> bool:
    """Whether a finding is about a place, or about a chunk of a leaf."""
    names = (finding.address, finding.evidence.get("chunk", ""))
    return any(
        Address(one).is_in(place)
        or Address(one).is_in(Address.of("footer", place))
        or (leaf is not None and _is_of(one, leaf))
        for one in names
    )


def _leaf(file: ParquetFile, node: Node) -> int | None:
    chunk = CHUNK.match(node.address)
    if chunk:
        return int(chunk[2])
    try:
        return leaf_at(file, node.address).leaf_index if is_column(node) else None
    except ParquetError:
        return None


def _is_of(address: str, leaf: int) -> bool:
    chunk = CHUNK.match(address.removeprefix("footer/"))
    return chunk is not None and int(chunk[2]) == leaf


def _rank(finding: Finding) -> int:
    return ("error", "warning", "note").index(finding.severity)


def _quoted(node: Node, answer: Answer, findings: list[Finding]) -> str:
    """The worst findings that the answer does not already name, as sentences."""
    said = answer.sentence + answer.empty
    new = [one for one in findings if one.severity in SEVERITIES and one.message not in said]
    sentences = []
    for one in new[:NAMED]:
        where = "here" if one.address == node.address else f"at {one.address or 'the file'}"
        sentences.append(f"{SEVERITIES[one.severity]} {where}: {one.message.rstrip('.')}.")
    if len(new) > NAMED:
        rest = len(new) - NAMED
        sentences.append(f"There {'is' if rest == 1 else 'are'} {plural(rest, 'more finding')}.")
    return " ".join(sentences)
