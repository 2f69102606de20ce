"""Three questions about a column, each answered yes, partly, no or not known, with a sentence of evidence.

The thresholds are those of the lens statistics and of the doctor's rules; where a rule has a finding, its sentence is the
evidence.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Literal

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.column_chunk import ColumnChunk
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.finding import Finding
from pqexplore.engine.format import types
from pqexplore.engine.format.encodings import plain
from pqexplore.engine.format.logical import meaning
from pqexplore.engine.format.thrift.structs import Type
from pqexplore.insight import skippable_sentences, skipping
from pqexplore.insight.axis import value_of
from pqexplore.insight.doctor.diagnose import kept
from pqexplore.insight.doctor.rules import DATA
from pqexplore.insight.doctor.rules.compression import USELESS
from pqexplore.insight.doctor.rules.values import LEAST_ROWS
from pqexplore.insight.lenses.group_chunks import GroupChunk, Known, always_null, null_count
from pqexplore.insight.lenses.statistics import INDEX_BYTES
from pqexplore.insight.skippable import Skippable, joint_axis, judged, page_parts
from pqexplore.insight.wording import factor, percent, plural, size

Verdict = Literal["yes", "partly", "no", "not known"]

WRONG_TYPE = frozenset({"int96", "text-values-of-another-type"})
"""Rules of the doctor that say that a column's type is not its values'."""

DOUBTFUL_TYPE = frozenset({"wide-decimals", "wide-integers", "whole-numbers-as-floats", "text-of-another-type"})
"""Rules that say that another type would be smaller, or may be better."""


@dataclasses.dataclass(slots=True)
class Question:
    """A question, its answer, the evidence as a sentence, and the lens that explains it at `address`."""

    question: str
    verdict: Verdict
    evidence: str
    lens: str
    address: str


LOCKED = "The column is encrypted, and its key was not given."


def can_skip(file: ParquetFile, of: Known, chunk: ColumnChunk | None, address: str) -> Question:
    """Whether a condition on the column lets a query skip row groups, or pages if there is one row group."""
    verdict, evidence = _skips(file, of, chunk)
    if verdict in ("no", "partly") and of.readable and _all_have_filters(file, of):
        verdict = "partly"
        evidence += " Bloom filters can rule out single values."
    return Question("Can a query skip?", verdict, evidence, "statistics", address)


def _skips(file: ParquetFile, of: Known, chunk: ColumnChunk | None) -> tuple[Verdict, str]:
    by = of.verdict
    evidence = skippable_sentences.groups_sentence(file, of.leaf, of.parts, by)
    if not of.parts:
        return "not known", "There is no row group."
    if of.locked:
        return "not known", LOCKED
    if all(part.error for part in of.parts):
        return "not known", f"The statistics cannot be read: {of.parts[0].error.rstrip('.')}."
    if by.verdict == skipping.NO_STATISTICS:
        only_nulls = by.empty == len(of.parts) and any(part.values for part in of.parts)
        return ("yes" if only_nulls else "no"), evidence
    if by.verdict in (skipping.SORTED, skipping.SEPARATE):
        return "yes", evidence
    if by.verdict == skipping.USELESS_FOR_SKIPPING:
        return "no", evidence
    if by.verdict == skipping.ALONE and len(of.parts) == 1 and chunk is not None:
        pages = _pages(chunk)
        inside = judged(pages, joint_axis(of.leaf, pages))
        if inside.verdict in (skipping.SORTED, skipping.SEPARATE, skipping.OVERLAPPING):
            full = inside.verdict != skipping.OVERLAPPING
            sentence = skippable_sentences.pages_sentence(of.parts[0], len(pages), inside)
            return ("yes" if full else "partly"), sentence
    return "partly", evidence


def _pages(chunk: ColumnChunk) -> list[Skippable]:
    """The pages of a chunk by its column index; empty if that is absent, large or damaged."""
    try:
        length = chunk.struct.column_index_length or 0
        return page_parts(chunk) if length <= INDEX_BYTES else []
    except ParquetError:
        return []


def _all_have_filters(file: ParquetFile, of: Known) -> bool:
    """Whether the footer locates a Bloom filter for each chunk."""
    try:
        found = (file.row_groups[one.group].columns[of.leaf.leaf_index].metadata for one in of.chunks)
        return all(one.bloom_filter_offset is not None for one in found)
    except ParquetError:
        return False


def compresses(file: ParquetFile, of: Known, findings: Sequence[Finding], address: str) -> Question:
    """Whether the column takes less than its values do in PLAIN without a codec; else, than without its codec."""
    verdict, evidence = _compresses(file, of, findings)
    return Question("Does it compress?", verdict, evidence, "compare", address)


def _compresses(file: ParquetFile, of: Known, findings: Sequence[Finding]) -> tuple[Verdict, str]:
    chunks = [one for one in of.readable if one.values > 0 and one.compressed > 0]
    if not chunks:
        return "not known", _why_no_sizes(of)
    for one in findings:
        if one.rule == "codec-enlarges":
            return "no", one.sentence
    verdict, sentence = _smaller(file, of, chunks)
    given = next((one for one in findings if one.rule == "dictionary-given-up"), None)
    return ("partly", f"{sentence} {given.sentence}") if verdict == "yes" and given else (verdict, sentence)


def _why_no_sizes(of: Known) -> str:
    if of.locked:
        return LOCKED
    trouble = next((one.trouble for one in of.chunks if not one.codec), "")
    return f"{trouble.rstrip('.')}." if trouble else "There are no values."


def _smaller(file: ParquetFile, of: Known, chunks: Sequence[GroupChunk]) -> tuple[Verdict, str]:
    """Whether chunks are smaller than their values in PLAIN; where that is not known, than their pages without the codec."""
    flat = [plain_bytes(file, of, one.group) for one in chunks]
    counted = [one for one in flat if one is not None]
    if len(counted) == len(flat) and any(counted):
        return _compare_sizes(chunks, counted, in_plain=True)
    if any(one.codec != "UNCOMPRESSED" for one in chunks):
        return _compare_sizes(chunks, [one.uncompressed for one in chunks], in_plain=False)
    stored = size(sum(one.compressed for one in chunks))
    if all(one.encodings == ("PLAIN",) for one in chunks):
        return "no", f"{stored} in PLAIN, without a codec."
    return "not known", f"{stored} without a codec; what PLAIN would take is not known."


def _compare_sizes(chunks: Sequence[GroupChunk], sizes: Sequence[int], in_plain: bool) -> tuple[Verdict, str]:
    """Whether chunks are smaller than `sizes`, those of their values in PLAIN or of their pages without the codec."""
    stored, base = sum(one.compressed for one in chunks), sum(sizes)
    if base <= 0:
        return "not known", "The footer counts no bytes before compression."
    entries = plural(sum(one.values for one in chunks), "entry", "entries")
    what = "the same values in PLAIN without a codec" if in_plain else "its pages before compression"
    sentence = f"{size(stored)} for {entries}; {what}: {size(base)}"
    if stored > USELESS * base:
        return "no", f"{sentence}."
    sentence += f", {factor(base / stored)} as much"
    pairs = zip(chunks, sizes, strict=True)
    larger = sum(one.compressed > USELESS * n and (in_plain or n > 0) for one, n in pairs)
    if 2 * larger >= len(chunks):
        shrink = f"{larger:,} of {plural(len(chunks), 'row group')} shrink by less than {percent(1 - USELESS)}"
        return "partly", f"{sentence}; {shrink}."
    return "yes", f"{sentence}."


def plain_bytes(file: ParquetFile, of: Known, group: int) -> int | None:
    """The bytes of a chunk's values in PLAIN, by the footer's counts; None if they do not tell."""
    nulls, values = null_count(of.leaf, of.parts[group]), of.parts[group].values
    if nulls is None or values is None:
        return None
    present = values - nulls
    kind = of.leaf.physical_type
    if kind == Type.BOOLEAN:
        return (present + 7) // 8
    if kind != Type.BYTE_ARRAY:
        return present * plain.value_bytes(kind, of.leaf.type_length)
    try:
        sizes = file.row_groups[group].columns[of.leaf.leaf_index].metadata.size_statistics
    except ParquetError:
        return None
    count = None if sizes is None else sizes.unencoded_byte_array_data_bytes
    return None if count is None or count < 0 else count + 4 * present


def type_is_right(file: ParquetFile, of: Known, findings: Sequence[Finding], address: str) -> Question:
    """Whether the doctor knows a better type for the column's values."""
    verdict, evidence = _type(file, of, findings)
    return Question("Is the type right?", verdict, evidence, "schema", address)


def _type(file: ParquetFile, of: Known, findings: Sequence[Finding]) -> tuple[Verdict, str]:
    wrong = next((one for one in findings if one.rule in WRONG_TYPE), None)
    if wrong is not None:
        return "no", wrong.sentence
    doubtful = next((one for one in findings if one.rule in DOUBTFUL_TYPE), None)
    if doubtful is not None:
        return "partly", doubtful.sentence
    return _fits(file, of)


def _fits(file: ParquetFile, of: Known) -> tuple[Verdict, str]:
    """Whether the type is right, where no rule speaks against it: if the values were looked at."""
    kind = types.describe(of.leaf)
    report = kept(file)
    if report is None:
        return "not known", f"{kind}; the rules about types have not run."
    if of.locked:
        return "not known", LOCKED
    if not of.readable or not any(one.values for one in of.readable):
        return "not known", f"{kind}; there are no values to judge it by."
    if always_null(of.leaf) or all(part.only_nulls for part in of.parts):
        return "not known", f"{kind}; it has nulls only."
    read = report.level == DATA
    if _judged_by_values(of) and sum(one.rows for one in of.readable) < LEAST_ROWS:
        why = f"below {LEAST_ROWS:,} rows the values are not held against other types"
        return "not known", f"{kind}; {why}."
    if not read and _judged_by_values(of) and not _settled(of):
        why = "nothing in the footer speaks against it, and the values were not read"
        return "not known", f"{kind}; {why}."
    looked = "values" if read else "footer"
    return "yes", f"{kind}; nothing in the {looked} speaks against it."


def _judged_by_values(of: Known) -> bool:
    """Whether the doctor's rules look at the values of columns of this type: floats and text."""
    kind, logical = of.leaf.physical_type, meaning(of.leaf).name
    if logical:
        return kind == Type.BYTE_ARRAY and logical == "STRING"
    return kind in (Type.FLOAT, Type.DOUBLE)


def _settled(of: Known) -> bool:
    """Whether bounds are enough: of text they are there and whole, of floats one is no whole number."""
    if of.leaf.physical_type == Type.BYTE_ARRAY:
        return all(
            part.only_nulls or (part.bounded and part.low_exact is not False and part.high_exact is not False)
            for part in of.parts
        )
    ends = [value_of(of.leaf, raw) for part in of.parts for raw in (part.low, part.high)]
    return any(isinstance(end, float) and math.isfinite(end) and not end.is_integer() for end in ends)
