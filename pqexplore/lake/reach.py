"""Decides which files a store may name: another person may have made the store.

A store that was sent, or copied from a shared place, could name `/etc/passwd`, a pipe, or an address inside a network.
The content of a store is not trusted, so only these names are opened:

- files of this machine below the folder in which the store lies, links followed; never URLs;
- files below a place that the caller named in this session, as the source of a scan or refresh;
- all files, if the caller passes `follow_outside=True`, or if the whole store was made in this session.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.source import local_path

if TYPE_CHECKING:
    from pqexplore.lake.entries import LakeSource, StoredSource

_WILD = re.compile(r"[*?\[]")


class Reach:
    """The files that the store at `place` may name. `everywhere` allows all (`follow_outside`)."""

    def __init__(self, place: str, everywhere: bool = False) -> None:
        self.place = place
        self.everywhere = everywhere
        above = os.path.dirname(os.path.abspath(place))
        inside = place if os.path.dirname(above) == above else above  # not all of the machine
        self.folder = os.path.realpath(inside)
        self._named: list[str] = []
        self._listed: set[str] = set()

    def name(self, source: LakeSource) -> None:
        """Allow all files below a source that the caller named."""
        if isinstance(source, (str, os.PathLike)):
            self._named.append(_fixed(os.fspath(source)))
        elif isinstance(source, Iterable) and not hasattr(source, "inputFiles"):
            # for a DataFrame and a table of a library, `include` adds the files
            for one in source:
                self.name(one)

    def include(self, paths: Iterable[str]) -> None:
        """Allow files that were listed in a source that the caller named."""
        self._listed.update(paths)

    def allows(self, path: str) -> bool:
        """Whether a path or URL may be opened."""
        return self.everywhere or path in self._listed or self._allows(path)

    def _allows(self, path: str) -> bool:
        where = local_path(path)
        if where is not None:
            real = _real(where)
            named = (local_path(one) for one in self._named)
            folders = [self.folder, *(_real(one) for one in named if one is not None)]
            return any(_below(real, folder, os.sep) for folder in folders)
        if ".." in re.split(r"[/\\?#]|%2[fF]", path.replace("%2e", ".").replace("%2E", ".")):
            return False
        return any(_below(path, one, "/") for one in self._named)

    def require(self, path: str) -> None:
        """Raise UsageError unless a path or URL may be opened."""
        if not self.allows(path):
            raise UsageError(self._refusal(path))

    def require_all(self, paths: Iterable[str]) -> None:
        """`require` for files that were listed in the store's own source, because links and logs can leave its folder."""
        for path in paths:
            self.require(path)

    def require_source(self, source: StoredSource) -> None:
        """Raise UsageError unless a source that the store names may be listed. A table's name never may."""
        if self.everywhere:
            return
        if isinstance(source, list):
            for one in source:
                self.require_source(one)
            return
        where = local_path(source)
        if where is not None and os.sep not in where and not os.path.lexists(where):
            raise UsageError(self._refusal(source))  # a table of Spark's catalog, perhaps
        self.require(_fixed(source))

    def _refusal(self, path: str) -> str:
        return (
            f"the store {self.place} names {path[:500]!r}, which is outside of {self.folder}, and was not made in this "
            "session: if you trust who made it, open it with follow_outside=True, as "
            f"pqexplore.explore_lake({self.place!r}, follow_outside=True) does; or pass the source to refresh"
        )


def _real(path: str) -> str:
    return os.path.realpath(os.path.expanduser(path))


def _fixed(source: str) -> str:
    """The folder of a pattern before its first wildcard; a path or URL without wildcards unchanged."""
    match = _WILD.search(source)
    return source if match is None else source[: match.start()].rpartition("/")[0] or os.sep


def _below(path: str, folder: str, separator: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(separator) + separator)
