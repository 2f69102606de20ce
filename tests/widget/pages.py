"""What a saved page holds, its compressed replies among it."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import re
from typing import Any

from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view


def parts_of(page: str) -> tuple[str, str]:
    """The state and the block of replies that is read at once, and the other blocks."""
    first, later = (re.search(f'id="pqx-{name}">(.*?)</script>', page, re.S) for name in ("snapshot", "later"))
    assert first and later
    return first[1], later[1]


def blocks_of(page: str) -> list[str]:
    """The blocks of replies; the first one is read at once."""
    first, later = parts_of(page)
    return [one for one in (*first.split("\n")[1:], *later.split("\n")) if one]


def plain(page: str) -> str:
    """The page, and what is compressed in it."""
    unpacked = (gzip.decompress(base64.b64decode(one)) for one in blocks_of(page))
    return "\n".join([page, *(one.decode("utf-8", "backslashreplace") for one in unpacked)])


def replies_of(page: str) -> dict[str, Any]:
    """The replies of a saved page by name; their buffers are bytes."""
    return {name: reply for one in blocks_of(page) for name, reply in unpacked(one).items()}


def unpacked(block: str) -> dict[str, Any]:
    """The replies of a block, as js/src/replyblock.ts reads it."""
    names, data, joined = gzip.decompress(base64.b64decode(block)).split(b"\n", 2)
    results, lengths = map(values_of, json.loads(data))
    ends = list(itertools.accumulate(lengths))
    buffers = [joined[end - length : end] for end, length in zip(ends, lengths, strict=True)]
    for one in results:
        one["buffers"] = [buffers[i] for i in one["buffers"]]
    return dict(zip(values_of(json.loads(names)), results, strict=True))


def values_of(column: Any) -> list[Any]:
    """The values of a column (`pqexplore.widget.reply_block`)."""
    match column:
        case ["same", value, times]:
            return [value] * times
        case ["steps", steps]:
            return list(itertools.accumulate(steps))
        case ["words", words, which]:
            return [words[i] for i in which]
        case ["objects", names, columns]:
            rows = zip(*map(values_of, columns), strict=True)
            return [dict(zip(names, row, strict=True)) for row in rows]
        case ["lists", lengths, items]:
            each = iter(values_of(items))
            return [list(itertools.islice(each, length)) for length in values_of(lengths)]
        case ["kinds", which, columns]:
            found = [iter(values_of(one)) for one in columns]
            return [next(found[i]) for i in which]
        case ["values", values]:
            return list(values)
    raise AssertionError(column)


def shown(file, address, lens, sure=False):
    """What the view gets of a lens: it is JSON without NaN, and small."""
    payload = lenses.finish(lens_view.show(file, address, lens, sure))
    assert len(json.dumps(payload, allow_nan=False)) < 512 << 10
    return payload
