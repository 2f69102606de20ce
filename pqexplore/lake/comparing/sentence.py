"""The answer of a comparison of many files in words: which files, whether the rows are the same, what else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.insight.diff.sentence import and_more
from pqexplore.insight.wording import plural

if TYPE_CHECKING:
    from pqexplore.lake.comparing.comparison import LakeDiff

_OF_LEAD = ("files-added", "files-removed", "rows", "values")
"""Differences that the first part of the sentence tells."""


def sentence(found: LakeDiff) -> str:
    """See `LakeDiff.sentence`."""
    first, second = found.first, found.second
    kept = len(found.of("kept"))
    if found.same:
        looked = "" if found.level == "data" or found.one_table else "by their footers, "
        return begin(f"{looked}{first} and {second} have the same {plural(kept, 'file')}.")
    said = begin(f"{_files(found)}{_rows(found)}.")
    rest = [one for one in found.differences if one.what not in _OF_LEAD]
    if rest:
        said += f" {begin(rest[0].sentence)}{and_more(len(rest) - 1)}"
    return said


def begin(text: str) -> str:
    """A sentence whose first word may be the name of a version or folder, with a capital letter."""
    return text[:1].upper() + text[1:] if text.startswith(_WORDS) else text


_WORDS = ("the first folder", "the second folder", "version ", "snapshot ", "by ")


def _files(found: LakeDiff) -> str:
    added, removed, changed = (len(found.of(state)) for state in ("added", "removed", "changed"))
    first, second = found.first, found.second
    parts = []
    if added:
        parts.append(f"has {plural(added, 'new file')}")
    if removed:
        parts.append(f"lacks {removed:,} of {first}" if added else f"lacks {plural(removed, 'file')} of {first}")
    if parts:
        return f"{second} {' and '.join(parts)}" + (
            f"; {changed:,} of the files that both have {'differs' if changed == 1 else 'differ'}" if changed else ""
        )
    if changed:
        return f"{changed:,} of the {plural(len(found.pairs), 'file')} of {first} and {second} {'differs' if changed == 1 else 'differ'}"
    return f"{first} and {second} have the same {plural(len(found.pairs), 'file')}"


def _rows(found: LakeDiff) -> str:
    """What is known of the rows, after a semicolon; "" if no file differs."""
    if not found.of("added", "removed", "changed"):
        return ""
    if found.same_rows:
        proof = (
            "the log says that the rows are the same" if found.by_log else "the rows are the same, by hashes of 64 bits"
        )
        return f"; {proof}{_rewritten(found)}"
    first, second = found.rows
    if first is None or second is None:
        return "; how many rows both have is not known"
    only = found.rows_only
    if only is not None and not only.why:
        return f"; {plural(only.only_first or 0, 'row')} of {found.first} {'is' if only.only_first == 1 else 'are'} gone, {only.only_second:,} {'is' if only.only_second == 1 else 'are'} new"
    if first == second:
        return f"; both have {plural(first, 'row')}"
    more = second - first
    it = "it" if found.of("added", "removed") else found.second
    return f"; {it} has {plural(abs(more), 'row')} {'more' if more > 0 else 'fewer'}"


def _rewritten(found: LakeDiff) -> str:
    """What happened to files whose rows stayed the same."""
    added, removed = len(found.of("added")), len(found.of("removed"))
    if not added or not removed or found.of("changed"):
        return ""
    before, after = plural(removed, "file"), plural(added, "file")
    if added < removed:
        return f": {before} {'was' if removed == 1 else 'were'} compacted into {after}"
    return f": {before} {'was' if removed == 1 else 'were'} rewritten as {after}"
