"""Resolves names in a log to files below the table's root.

Names are as readers of the format take them: those of Iceberg as they are, those of Delta decoded (`unquote`) before they
come here. Nothing is decoded twice.

A log is not trusted: it may name `../secrets`, `/etc/passwd`, another bucket or host, or hide these with
percent signs. `Names.resolve` gives the path relative to the root, or None if the name is not below it.

If a table was copied, full paths in its log begin with the old location. They are resolved below the new root; the old
location is never read.
"""

from __future__ import annotations

import posixpath
import re

from pqexplore.lake.logs.table_log import LogError
from pqexplore.lake.places.allowed_paths import Boundary
from pqexplore.lake.places.place import Place

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:/")
_FILE = re.compile(r"file:/", re.IGNORECASE)


class Names:
    """The names of one table. `former` is the address of the folder that the table was copied from, if it was."""

    def __init__(self, place: Place, root: str, former: str | None = None) -> None:
        self._place, self._root = place, root
        self._real = place.real(root)
        self._former = _plain(former) if former else None

    def resolve(self, name: str) -> str | None:
        """The path relative to the root, with slashes; None if the name is outside of it, empty, or has a NUL."""
        if not name or "\0" in name:
            return None
        if _relative(name):
            return inside(name)
        if self._former is not None and (rest := _rest(_plain(name), self._former)) is not None:
            return inside(rest)
        own = self._own(name)
        if own is None or ".." in own.replace("\\", "/").split("/"):
            return None
        below = self._place.below(own, self._root)
        if below is None and self._real != self._root:
            below = self._place.below(own, self._real)
        return None if below is None else inside(below)

    def _own(self, name: str) -> str | None:
        """The path of a name in the table's place. A `file:` name is no URL here: its percent signs are part of it."""
        return _plain(name) if self._place.scheme == "file" and _FILE.match(name) else self._place.own(name)

    def absolute(self, name: str) -> str:
        """The address of a name outside of the root: a relative one begins at the root, not where this process runs.

        A name on this machine becomes a path.
        """
        if _FILE.match(name):
            return _plain(name)
        if not _relative(name) or "\0" in name:
            return name
        return self._place.address(posixpath.normpath(f"{self._root}/{name}"))


def _relative(name: str) -> bool:
    return not _URL.match(name) and not name.startswith("/")


def require_inside(place: Place, path: str, root: str, follow: bool = False) -> None:
    """Raise LogError if symbolic links lead from a file or folder of the log to a place outside of the table.

    Nothing is raised with `follow`: the caller allows it.
    """
    refusal = Boundary(place, root, follow).refusal(path)
    if refusal is not None:
        raise LogError("outside", f"{path}: {refusal}")


def inside(name: str) -> str | None:
    """A relative name without `.` and doubled slashes; None if it leaves its folder."""
    if "\\" in name and ".." in name:
        return None
    if ".." in name.split("/"):
        return None
    found = posixpath.normpath(name)
    return None if found in (".", "") or found.startswith("/") else found


def same_place(one: str, other: str) -> bool:
    """Whether two addresses, perhaps written differently, are the same folder."""
    return _plain(one).rstrip("/") == _plain(other).rstrip("/")


def _plain(address: str) -> str:
    """Normalizes an address: `s3a:`, `file:///`, doubled slashes."""
    address = re.sub("^file://localhost/", "file:///", address, flags=re.IGNORECASE)
    scheme, separator, rest = address.partition(":/")
    if not separator or "/" in scheme:
        return posixpath.normpath(address) if address.startswith("/") else address
    scheme = {"s3a": "s3", "s3n": "s3", "gcs": "gs"}.get(scheme.lower(), scheme.lower())
    rest = re.sub("/+", "/", "/" + rest)
    return rest if scheme == "file" else f"{scheme}:{rest}"


def _rest(address: str, folder: str) -> str | None:
    folder = folder.rstrip("/") + "/"
    return address[len(folder) :] if address.startswith(folder) else None
