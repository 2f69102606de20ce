"""One column across the row groups: what is the same everywhere, which row group stands out, and why.

The row groups of a file are written by the same program from the same table, so they are alike. If one is not, the
reason matters: its dictionary grew too large, it has other values, or fewer rows. Sizes are compared per value, so that
a last row group with few rows does not stand out for its size alone.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import math
from collections.abc import Sequence
from typing import Any

from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.format.field import Leaf
from pqexplore.engine.tree.find import chunk_at
from pqexplore.engine.tree.node import Node
from pqexplore.insight.answer import Answer, Column, Table
from pqexplore.insight.lenses.compare_groups import (
    GroupChunk,
    Outlier,
    bytes_text,
    group_chunks,
    outlier,
    ranges,
)
from pqexplore.insight.lenses.lens import Lens
from pqexplore.insight.places import is_column, leaf_at
from pqexplore.insight.wire import Figure, Mark
from pqexplore.insight.wording import factor, listing, name, plural, size

DRAWN = 500
"""Max row groups that have a bar."""

COLUMNS = (
    Column("group", "row group", "number", "its number"),
    Column("rows", "rows", "number", "rows of the row group"),
    Column("compressed", "bytes", "bytes", "bytes of its pages in the file"),
    Column("share", "of the column", "share", "its part of the column's bytes"),
    Column("each", "a value", "number", "bytes that a value takes in the file"),
    Column("uncompressed", "uncompressed", "bytes", "bytes of its pages before compression"),
    Column("ratio", "ratio", "number", "uncompressed to compressed size"),
    Column("codec", "codec", "text", "how its pages are compressed"),
    Column("encodings", "encodings", "text", "of its data pages"),
    Column("pages", "data pages", "number", "by the count of the writer; absent without one"),
    Column("nulls", "nulls", "number", "by its statistics"),
    Column("min", "minimum", "code", "by its statistics"),
    Column("max", "maximum", "code", "by its statistics"),
    Column("trouble", "trouble", "text", "why it cannot be read"),
)

PLAIN, ODD = "#0072B2", "#D55E00"


@dataclasses.dataclass(slots=True)
class Picture:
    """Bars over the row groups, the first `drawn` of `groups`; `outlier` is the row group that stands out, or None."""

    figure: Figure
    drawn: int
    groups: int
    outlier: int | None


def answer(file: ParquetFile, node: Node) -> Answer:
    """The column of the node in every row group."""
    in_schema = node.kind == "schema_field"
    leaf = leaf_at(file, node.address) if in_schema else chunk_at(file, node.address).leaf
    here = None if in_schema else chunk_at(file, node.address).row_group.index
    return compare(file, leaf, here)


def compare(file: ParquetFile, leaf: Leaf, here: int | None = None) -> Answer:
    """A column in every row group; `here` is the selected one."""
    chunks = group_chunks(file, leaf)
    odd = outlier(chunks)
    code = f"pqexplore.explore(f).to_frame('compare', at='schema/{leaf.index}')"
    total = len(file.row_groups)
    if not chunks:
        return Answer(
            f"There is no row group, so column {name(leaf.path)} has no values.",
            empty="The file has no rows: a writer that got none writes no row group.",
            code=code,
        )
    number = None if odd is None else odd.group
    picture = Picture(
        figure=_figure(chunks[:DRAWN], number, here),
        drawn=min(len(chunks), DRAWN),
        groups=len(chunks),
        outlier=number,
    )
    sentence = _sentence(chunks, odd, total)
    if here is not None and len(chunks) > 1 and here < len(chunks) and chunks[here].each:
        each = bytes_text(chunks[here].each or 0)
        sentence = f"Row group {here:,}: {each} a value. {sentence}"
    return Answer(sentence, picture, _table(leaf, chunks, total), code=code)


def _sentence(chunks: Sequence[GroupChunk], odd: Outlier | None, total: int) -> str:
    known = [one for one in chunks if one.codec]
    lost = len(chunks) - len(known)
    rest = ranges(chunks)
    if not known:
        return f"{plural(len(chunks), 'row group')}, and none can be read: {chunks[0].trouble.rstrip('.')}."
    if len(chunks) == 1:
        one = known[0]
        ratio = "" if one.ratio is None else f", {factor(one.ratio)} {one.codec}"
        encoded = f", encoded as {listing(one.encodings)}" if one.encodings else ""
        return (
            f"Only one row group, so there is nothing to compare: {size(one.compressed)} for "
            f"{plural(one.values, 'value')}{ratio}{encoded}."
        )
    if odd is not None:
        first = f"Row group {odd.group} stands out: {odd.why}"
    else:
        each = [one.each for one in known if one.each is not None] or [0.0]
        low, high = bytes_text(min(each)), bytes_text(max(each))
        encodings = {one.encodings for one in known}
        same = (
            f", all {listing(known[0].encodings)}"
            if len(encodings) == 1 and known[0].encodings
            else ""
        )
        first = f"{plural(len(known), 'row group')} are alike: {low if low == high else f'{low.split()[0]} to {high}'} a value{same}"
    tail = [rest] if rest else []
    if lost:
        tail.append(
            f"{plural(lost, 'row group')} cannot be read: {next(o.trouble for o in chunks if not o.codec).rstrip('.')}"
        )
    if total > len(chunks):
        tail.append(f"the first {len(chunks):,} of {total:,} row groups were compared")
    return "; ".join([first, *tail]) + "."


def _table(leaf: Leaf, chunks: Sequence[GroupChunk], total: int) -> Table:
    """A row a row group."""
    trouble = any(one.trouble for one in chunks)
    columns = COLUMNS if trouble else COLUMNS[:-1]
    table = Table(columns, f"{'.'.join(leaf.path)}, a row a row group", total=total)
    whole = max(1, sum(one.compressed for one in chunks))
    for one in chunks:
        known = bool(one.codec)
        table.add(
            one.group,
            one.rows if known else None,
            one.compressed if known else None,
            one.compressed / whole if known else None,
            None if one.each is None else round(one.each, 3),
            one.uncompressed if known else None,
            None if one.ratio is None else round(one.ratio, 2),
            one.codec or None,
            ", ".join(one.encodings) or None,
            one.pages,
            None if one.bounds is None else one.bounds.null_count,
            one.low,
            one.high,
            *([one.trouble or None] if trouble else []),
            address=one.address,
            span=one.span,
        )
    return table


def _figure(chunks: Sequence[GroupChunk], odd: int | None, here: int | None) -> Figure:
    """Bars over the row groups: bytes in the file and before compression, ratio, and ranges if there are some."""
    groups = [one.group for one in chunks]
    colours = [ODD if group == odd else PLAIN for group in groups]
    patterns = ["/" if group == odd else "" for group in groups]
    marker = {
        "color": colours,
        "pattern": {
            "shape": patterns,
            "fillmode": "overlay",
            "fgcolor": "#000000",
            "fgopacity": 0.5,
            "size": 6,
        },
    }
    marks = [Mark(one.address, _mark_text(one, odd), one.span) for one in chunks]
    bars = {"type": "bar", "x": groups, "hoverinfo": "none"}
    data: list[dict[str, Any]] = [
        {
            **bars,
            "name": "before compression",
            "y": [one.uncompressed for one in chunks],
            "marker": {"color": "rgba(0,114,178,0.18)", "line": {"color": PLAIN, "width": 1}},
            "yaxis": "y",
        },
        {
            **bars,
            "name": "in the file",
            "y": [one.compressed for one in chunks],
            "customdata": marks,
            "marker": marker,
            "yaxis": "y",
        },
        {
            **bars,
            "name": "ratio",
            "y": [one.ratio for one in chunks],
            "marker": marker,
            "yaxis": "y2",
        },
    ]
    low, high, axis = _ranges(chunks)
    bottom = 0.36 if low else 0.0
    if low:
        data.append(
            {
                **bars,
                "name": "range",
                "base": low,
                "y": high,
                "marker": marker,
                "yaxis": "y3",
            }
        )
    middle = bottom + (1 - bottom) * 0.42
    layout: dict[str, Any] = {
        "barmode": "overlay",
        "bargap": 0.15,
        "showlegend": False,
        "dragmode": False,
        "margin": {"l": 78, "r": 16, "t": 6, "b": 34},
        "xaxis": {
            "title": {"text": "row group", "standoff": 4},
            "anchor": "y3" if low else "y2",
            "tickmode": "auto" if len(groups) > 20 else "array",
            "tickvals": groups,
            "fixedrange": True,
        },
        "yaxis": _axis("bytes", [middle + 0.05, 1], tickformat="~s", rangemode="tozero"),
        "yaxis2": _axis(
            "ratio", [bottom + (0.05 if low else 0), middle - 0.02], rangemode="tozero"
        ),
    }
    if low:
        layout["yaxis3"] = _axis("range", [0, 0.33], **axis)
    if here is not None and here in groups:
        layout["shapes"] = [
            {
                "type": "rect",
                "xref": "x",
                "yref": "paper",
                "x0": here - 0.5,
                "x1": here + 0.5,
                "y0": 0,
                "y1": 1,
                "line": {"width": 0},
                "fillcolor": "rgba(128,128,128,0.22)",
                "layer": "below",
            }
        ]
    return Figure(data, layout)


def _axis(title: str, domain: list[float], **more: Any) -> dict[str, Any]:
    return {
        "title": {"text": title, "standoff": 2},
        "domain": domain,
        "nticks": 3,
        "fixedrange": True,
        "zeroline": False,
        **more,
    }


def _mark_text(one: GroupChunk, odd: int | None) -> str:
    if not one.codec:
        return f"row group {one.group}: {one.trouble}"
    words = [f"row group {one.group}", f"{size(one.compressed)} for {one.values:,} values"]
    if one.ratio is not None:
        words.append(f"{factor(one.ratio)} {one.codec}")
    if one.low is not None or one.high is not None:
        words.append(f"{one.low} to {one.high}")
    return ", ".join(words) + (" (stands out)" if one.group == odd else "")


def _ranges(
    chunks: Sequence[GroupChunk],
) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """The start and length of each range, and the axis; by rank if the values are not numbers."""
    bounds = [one.bounds for one in chunks]
    values = [
        None
        if one is None or one.min is None or one.max is None
        else (_number(one.min), _number(one.max))
        for one in bounds
    ]
    if not any(values):
        values = [None] * len(chunks)
    known = [pair for pair in values if pair is not None]
    if known and all(low is not None and high is not None for low, high in known):
        base = [None if pair is None else pair[0] for pair in values]
        length = [
            None if pair is None or None in pair else max(0.0, (pair[1] or 0) - (pair[0] or 0))
            for pair in values
        ]
        spread = max((pair[1] or 0) for pair in known) - min((pair[0] or 0) for pair in known)
        shortest = spread / 60 or 1.0
        dated = any(
            isinstance(one.min, (datetime.date, datetime.datetime)) for one in bounds if one
        )
        axis = {"showticklabels": False} if dated else {"tickformat": "~s"}
        return base, [None if n is None else max(n, shortest) for n in length], axis
    keys = sorted(
        {key for one in bounds if one for key in (one.min_key, one.max_key) if key is not None}
    )
    if not keys:
        return [], [], {}
    rank = {key: place for place, key in enumerate(keys)}
    lows = [None if one is None or one.min_key is None else rank[one.min_key] for one in bounds]
    highs = [None if one is None or one.max_key is None else rank[one.max_key] for one in bounds]
    shortest = max(0.3, len(keys) / 60)
    lengths = [
        None if a is None or b is None else max(b - a, shortest)
        for a, b in zip(lows, highs, strict=True)
    ]
    return lows, lengths, {"showticklabels": False}


def _number(value: Any) -> float | None:
    """A bound as a number for an axis; None if it is not a finite number."""
    if isinstance(value, datetime.datetime):
        return (value.replace(tzinfo=None) - datetime.datetime(1970, 1, 1)).total_seconds()
    if isinstance(value, datetime.date):
        return float(value.toordinal())
    if isinstance(value, (bool, int, float, decimal.Decimal)):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number if math.isfinite(number) else None
    return None


LENS = Lens(
    "compare",
    title="Across row groups",
    answer=answer,
    kinds=frozenset({"schema_field", "column_chunk"}),
    where=is_column,
    whole_column=True,
    picture=Picture,
)
