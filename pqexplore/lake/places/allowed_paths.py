"""Decides which files outside of a folder may be opened: links, logs and stores can name any file.

A folder and a table end where they end (`Boundary`): a symbolic link that leads out of the folder, and a file outside of
the table's folder that its log names, are not opened. They are listed with the reason, which says where they lead. The
caller allows them by `follow_outside=True`. What the caller names is inside: a link that is itself the source is followed.

`AllowedPaths` is for a store that another person may have made. A store that was sent, or copied from a shared place, could name `/etc/passwd`, a pipe, or an address inside a network.
The content of a store is not trusted, so only these names are opened:

- files of this machine below the folder in which the store lies, links followed; never URLs;
- files below a place that the caller named in this session, as the source of a scan or refresh;
- all files, if the caller passes `follow_outside=True`, or if the whole store was made in this session.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.source import local_path
from pqexplore.lake.places.place import Item, Place, base

if TYPE_CHECKING:
    from pqexplore.lake.listed_files import LakeSource, StoredSource

_WILD = re.compile(r"[*?\[]")


ALLOW = "pass follow_outside=True (--follow-outside) to read it"


class Boundary:
    """Decides which paths below a folder lead out of it by symbolic links. With `follow`, all may be opened."""

    def __init__(self, place: Place, folder: str, follow: bool = False) -> None:
        self.follow = follow
        self._place, self._folder, self._real = place, folder, place.real(folder)
        self._folders: dict[str, str] = {}

    def real(self, path: str) -> str:
        """The path without symbolic links."""
        place, folder = self._place, self._place.parent(path)
        if folder not in self._folders:
            self._folders[folder] = place.real(folder)
        if place.is_link(path):
            return place.real(path)
        return place.join(self._folders[folder], base(path))

    def leads_out(self, path: str) -> bool:
        """Whether a path lies outside of the folder, allowed or not."""
        real = self.real(path)
        return real != self._real and self._place.below(real, self._real) is None

    def refusal(self, path: str) -> str | None:
        """Why a path must not be opened; None if it may be."""
        if self.follow or not self.leads_out(path):
            return None
        return f"a symbolic link leads to {self.real(path)}, outside of {self._folder}, and is not followed: {ALLOW}"

    def walk(self, start: str, enter: Callable[[str], bool]) -> tuple[list[Item], dict[str, str]]:
        """The files below `start`, and why some links must not be opened, by path.

        Links to files are in both, links to folders only in the second: these are not entered.
        """
        refused: dict[str, str] = {}

        def allowed(folder: str) -> bool:
            if not enter(folder):
                return False
            refusal = self.refusal(folder) if self._place.is_link(folder) else None
            if refusal is not None:
                refused[folder] = refusal
            return refusal is None

        items = list(self._place.walk(start, allowed, links=True))
        for item in items:
            refusal = self.refusal(item.path)
            if refusal is not None:
                refused[item.path] = refusal
        return items, refused


def named_outside(address: str, root: str) -> str:
    """Why a file that the log of the table at `root` names must not be opened."""
    return f"the log names {address[:500]}, outside of the table's folder {root}: {ALLOW}"


class AllowedPaths:
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
