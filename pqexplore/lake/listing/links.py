"""Which files a table needs elsewhere than its log says."""

from __future__ import annotations

from collections.abc import Iterator

from pqexplore.lake.allowed_paths import Boundary
from pqexplore.lake.logs.table_log import DELETES, LIVE, TableLog
from pqexplore.lake.places.place import Place


def needed(place: Place, log: TableLog, links: Boundary) -> Iterator[tuple[str, str]]:
    """Scheme and path of files that a table needs and that do not lie where its log says, or outside of its folder."""
    for address in log.outside:
        own = place.own(address)
        if own is not None:
            yield place.scheme, place.real(own)
    if place.scheme == "file":
        for name, fact in log.named.items():
            path = place.join(log.root, *name.split("/"))
            if fact.state in (LIVE, DELETES) and (real := links.real(path)) != path:
                yield place.scheme, real
