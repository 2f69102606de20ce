"""What a saved page holds, its compressed replies among it."""

from __future__ import annotations

import base64
import gzip
import json
import re
from typing import Any

from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view


def parts_of(page: str) -> tuple[str, str]:
    """The replies that are read at once, and the compressed blocks."""
    first, later = (re.search(f'id="pqx-{name}">(.*?)</script>', page, re.S) for name in ("snapshot", "later"))
    assert first and later
    return first[1], later[1]


def blocks_of(page: str) -> list[str]:
    """The lines of the compressed replies."""
    blocks = filter(None, parts_of(page)[1].split("\n"))
    return [line for one in blocks for line in gzip.decompress(base64.b64decode(one)).decode().split("\n")]


def plain(page: str) -> str:
    """The page, and what is compressed in it."""
    return "\n".join([page, *blocks_of(page)])


def replies_of(page: str) -> dict[str, Any]:
    """The replies of a saved page by name."""
    lines = [*parts_of(page)[0].split("\n")[1:], *blocks_of(page)]
    return dict(map(json.loads, line.split("\t")) for line in lines)


def shown(file, address, lens, sure=False):
    """What the view gets of a lens: it is JSON without NaN, and small."""
    payload = lenses.finish(lens_view.show(file, address, lens, sure))
    assert len(json.dumps(payload, allow_nan=False)) < 512 << 10
    return payload
