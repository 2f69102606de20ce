"""A column across the row groups: sizes, ratio and ranges as bars, one a row group."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import math
from typing import Any

from pqexplore.engine.schema import Leaf
from pqexplore.engine.tree import Node
from pqexplore.insight import compare as insight
from pqexplore.insight.answer import Answer
from pqexplore.insight.compare import Part
from pqexplore.insight.wording import factor, size
from pqexplore.widget.places import chunk_at

TITLE = "Across row groups"
FIRST: frozenset[str] = frozenset()

DRAWN = 500
"""Row groups with bars of their own."""


def applies(node: Node) -> bool:
    """Column chunks, and leaves of the schema."""
    if node.kind == "schema_field":
        return any(fact.name == "column" for fact in node.facts)
    return node.kind == "column_chunk"


def answer(file: Any, node: Node) -> Answer:
    """The column of the node in every row group."""
    leaf: Leaf = (
        file.schema.fields[int(node.name)]
        if node.kind == "schema_field"
        else chunk_at(file, node.address).leaf
    )
    made = insight.compare(file, leaf)
    if made.picture is None:
        return made
    found, odd = made.picture["parts"], made.picture["outlier"]
    here = None if node.kind == "schema_field" else int(node.address.split("/")[1])
    picture = {
        "figure": figure(found[:DRAWN], odd, here),
        "drawn": min(len(found), DRAWN),
        "groups": len(found),
        "outlier": odd,
    }
    return dataclasses.replace(made, picture=picture)


PLAIN, ODD = "#0072B2", "#D55E00"


def figure(found: list[Part], odd: int | None, here: int | None) -> dict[str, Any]:
    """Bars over the row groups: bytes (and those before compression), ratio, and ranges where there are some."""
    groups = [one.group for one in found]
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
    said = [_said(one, odd) for one in found]
    spans = [[None, None] if one.span is None else [one.span.start, one.span.end] for one in found]
    marks = [
        [one.address, words, *span] for one, words, span in zip(found, said, spans, strict=True)
    ]
    bars = {"type": "bar", "x": groups, "hoverinfo": "none"}
    data: list[dict[str, Any]] = [
        {
            **bars,
            "name": "before compression",
            "y": [one.uncompressed for one in found],
            "marker": {"color": "rgba(0,114,178,0.18)", "line": {"color": PLAIN, "width": 1}},
            "yaxis": "y",
        },
        {
            **bars,
            "name": "in the file",
            "y": [one.compressed for one in found],
            "customdata": marks,
            "marker": marker,
            "yaxis": "y",
        },
        {
            **bars,
            "name": "ratio",
            "y": [one.ratio for one in found],
            "marker": marker,
            "yaxis": "y2",
        },
    ]
    low, high, axis = _ranges(found)
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
    return {"data": data, "layout": layout}


def _axis(title: str, domain: list[float], **more: Any) -> dict[str, Any]:
    return {
        "title": {"text": title, "standoff": 2},
        "domain": domain,
        "nticks": 3,
        "fixedrange": True,
        "zeroline": False,
        **more,
    }


def _said(one: Part, odd: int | None) -> str:
    if not one.codec:
        return f"row group {one.group}: {one.trouble}"
    words = [f"row group {one.group}", f"{size(one.compressed)} for {one.values:,} values"]
    if one.ratio is not None:
        words.append(f"{factor(one.ratio)} {one.codec}")
    if one.low is not None or one.high is not None:
        words.append(f"{one.low} to {one.high}")
    return ", ".join(words) + (" (stands out)" if one.group == odd else "")


def _ranges(found: list[Part]) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """Where each range begins and how long it is, and the axis; by rank where the values are no numbers."""
    bounds = [one.bounds for one in found]
    values = [
        None
        if one is None or one.min is None or one.max is None
        else (_number(one.min), _number(one.max))
        for one in bounds
    ]
    if not any(values):
        values = [None] * len(found)
    known = [pair for pair in values if pair is not None]
    if known and all(low is not None and high is not None for low, high in known):
        base = [None if pair is None else pair[0] for pair in values]
        length = [
            None if pair is None or None in pair else max(0.0, (pair[1] or 0) - (pair[0] or 0))
            for pair in values
        ]
        spread = max((pair[1] or 0) for pair in known) - min((pair[0] or 0) for pair in known)
        least = spread / 60 or 1.0
        dated = any(
            isinstance(one.min, (datetime.date, datetime.datetime)) for one in bounds if one
        )
        axis = {"showticklabels": False} if dated else {"tickformat": "~s"}
        return base, [None if n is None else max(n, least) for n in length], axis
    keys = sorted(
        {key for one in bounds if one for key in (one.min_key, one.max_key) if key is not None}
    )
    if not keys:
        return [], [], {}
    rank = {key: place for place, key in enumerate(keys)}
    lows = [None if one is None or one.min_key is None else rank[one.min_key] for one in bounds]
    highs = [None if one is None or one.max_key is None else rank[one.max_key] for one in bounds]
    least = max(0.3, len(keys) / 60)
    lengths = [
        None if a is None or b is None else max(b - a, least)
        for a, b in zip(lows, highs, strict=True)
    ]
    return lows, lengths, {"showticklabels": False}


def _number(value: Any) -> float | None:
    """A bound as a number for an axis; None where it is none."""
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
