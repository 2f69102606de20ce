"""The sentence of the column card: type, size, ratio, range and nulls, each only as far as the footer's evidence goes.

Apart from `column.py`, because both together are longer than one file should be.
"""

from __future__ import annotations

from collections.abc import Sequence

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format import types
from pqexplore.engine.format.ordering import is_float
from pqexplore.insight.axis import text_of
from pqexplore.insight.lenses.column_groups import Known, always_null, is_locked, null_count
from pqexplore.insight.lenses.compare_groups import GroupChunk
from pqexplore.insight.parts import Skippable
from pqexplore.insight.wording import factor, name, percent, plural, size

BOUND = 40
"""Max characters of a bound."""

NO_RANGE = "no range"


def sentence(file: ParquetFile, of: Known, mine: int | None) -> str:
    """What the column is, and what is most important about it; with `mine`, about its chunk in that row group."""
    at = None if mine is None or mine >= len(of.chunks) else mine
    chunks = of.chunks if at is None else [of.chunks[at]]
    parts = of.parts if at is None else [of.parts[at]]
    what = f"{name(of.leaf.path)}, {types.describe(of.leaf)}"
    where = "" if mine is None else f" in row group {mine:,}"
    known = [one for one in chunks if one.codec]
    if not chunks:
        return f"{what}: there is no row group, so there are no values."
    if not known:
        return f"{what}{where}: {chunks[0].trouble.rstrip('.')}."
    text = f"{what}{where}: {_size(file, known)}"
    text += _cut(file, chunks, known)
    if not any(one.values for one in known):
        return f"{text}, and no values."
    return f"{text}; {_contents(of, parts)}."


def _size(file: ParquetFile, known: Sequence[GroupChunk]) -> str:
    """The bytes, their share of the file, and what the codec makes of them."""
    stored = sum(one.compressed for one in known)
    loose = sum(one.uncompressed for one in known)
    inside = all(one.span is not None and one.span.space == "file" for one in known)
    share = f", {percent(stored / file.size)} of the file" if inside else ""
    codecs = sorted({one.codec for one in known})
    packed = ", without a codec" if codecs == ["UNCOMPRESSED"] else ""
    if not packed and stored > 0 and all(one.uncompressed > 0 for one in known if one.compressed):
        packed = f", compressed {factor(loose / stored)} by {' and '.join(codecs)}"
    return f"{size(stored)}{share}{packed}"


def _cut(file: ParquetFile, chunks: Sequence[GroupChunk], known: Sequence[GroupChunk]) -> str:
    """What is not counted."""
    lost = len(chunks) - len(known)
    text = f" ({plural(lost, 'row group')} cannot be read)" if lost else ""
    total = len(file.row_groups)
    if len(chunks) > 1 and total > len(chunks):
        text += f" (the first {len(chunks):,} of {total:,} row groups)"
    return text


def _contents(of: Known, parts: Sequence[Skippable]) -> str:
    """The range and the nulls, by the statistics."""
    entries = sum(part.values or 0 for part in parts)
    counts = [null_count(of.leaf, part) for part in parts]
    nulls = None if None in counts else sum(count or 0 for count in counts)
    nested = of.leaf.max_repetition_level > 0
    amount = plural(entries, "entry", "entries") if nested else plural(entries, "value")
    if entries and nulls == entries:
        by = "its type" if always_null(of.leaf) else "the statistics"
        return f"{amount}, {'none of them holds a value' if nested else 'all null'} by {by}"
    if all(is_locked(part) for part in parts):
        return f"{amount}; its statistics are encrypted"
    claims = [_range(of, parts)]
    if of.leaf.max_definition_level == 0:
        amount += ", which cannot be null"
    elif nulls is not None:
        share = percent(nulls / max(1, entries))
        if nested:
            claims.insert(0, f"{share} without a value" if nulls else "all with a value")
        else:
            claims.insert(0, f"{share} null" if nulls else "no nulls")
    if claims == [NO_RANGE]:
        return f"{amount}; the statistics give no range"
    return f"{amount}; by the statistics {', '.join(claims)}"


def _range(of: Known, parts: Sequence[Skippable]) -> str:
    """The range of all parts; that it is not known, if one of them has none that can be used."""
    some = [part for part in parts if not part.only_nulls or part.elsewhere]
    some = [part for part in some if part.values != 0 or part.error]
    if not some or not all(part.bounded for part in some):
        why = next((part.error or part.why for part in some if not part.bounded), "")
        if any(part.error or part.low is not None for part in some) and why:
            return f"a range that cannot be used: {why.rstrip('.')}"
        return NO_RANGE
    at = {id(part): i for i, part in enumerate(of.parts)}
    total, rank = len(of.parts), of.axis.rank
    low = min(some, key=lambda part: rank[at[id(part)]])
    high = max(some, key=lambda part: rank[total + at[id(part)]])
    first, last = text_of(of.leaf, low.low, BOUND), text_of(of.leaf, high.high, BOUND)
    cut = low.low_exact is False or high.high_exact is False
    floats = is_float(of.leaf)
    if low.low == high.high and not cut and not floats:
        return f"each of them {first}"
    aside = ", NaNs aside" if floats and any(part.nans != 0 for part in some) else ""
    return f"all between {'the cut bounds ' if cut else ''}{first} and {last}{aside}"
