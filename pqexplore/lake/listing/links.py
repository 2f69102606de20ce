"""Where symbolic links below a table's folder lead, and which files a table needs elsewhere."""

from __future__ import annotations

from collections.abc import Iterator

from pqexplore.lake.logs.table_log import DELETES, LIVE, TableLog
from pqexplore.lake.places.place import Place, base


class Links:
    """Where symbolic links below a table's folder lead."""

    def __init__(self, place: Place, root: str) -> None:
        self._place, self._root = place, place.real(root)
        self._folders: dict[str, str] = {}

    def real(self, path: str) -> str:
        """The path without symbolic links."""
        place, folder = self._place, self._place.parent(path)
        if folder not in self._folders:
            self._folders[folder] = place.real(folder)
        if place.is_link(path):
            return place.real(path)
        return place.join(self._folders[folder], base(path))

    def lead_out(self, path: str) -> bool:
        """Whether the file at a path lies outside of the table's folder."""
        return self._place.below(self.real(path), self._root) is None


def needed(place: Place, log: TableLog, links: Links) -> Iterator[tuple[str, str]]:
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
