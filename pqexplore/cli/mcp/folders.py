"""Which files and addresses the tools may open: those in the folders that were given at the start.

A path is decided when a call begins. What a folder has in it is then read as the command line reads it: links that lead out
of the folder are not followed, and a table's log names no file outside of its table (`pqexplore.lake.places.allowed_paths`).
"""

from __future__ import annotations

import dataclasses
import glob
import os
import re
import urllib.parse
from collections.abc import Iterable, Sequence

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.source import local_path
from pqexplore.engine.file.urls import masked
from pqexplore.engine.text import clip, listing, printable

_SEPARATORS = re.compile(r"[/\\]")
_SHOWN = 200
"""Characters of a path in a sentence."""


class NotAllowed(Exception):
    """A path that the tools do not open: the sentence that says why."""


@dataclasses.dataclass(frozen=True)
class Folders:
    """The `folders`, absolute; the beginnings of addresses that are allowed; and the files of `keys`, which no tool shows."""

    folders: tuple[str, ...]
    urls: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()

    @classmethod
    def of(cls, folders: Sequence[str], urls: Iterable[str] = (), keys: Iterable[str] = ()) -> Folders:
        """The folders and addresses that are given. UsageError for a folder that is none, and for what begins no address."""
        for one in folders:
            if not os.path.isdir(one):
                raise UsageError(f"{one}: there is no folder of that name")
        urls = tuple(urls)
        for one in urls:
            if local_path(one) is not None or _climbs(one):
                raise UsageError(
                    f"{masked(one)} does not begin an address such as https://example.org/data or s3://bucket"
                )
        return cls(
            tuple(dict.fromkeys(map(os.path.abspath, folders))),
            tuple(one.rstrip("/") for one in urls),
            frozenset(map(os.path.realpath, keys)),
        )

    def allowed(self, path: str) -> str:
        """The path as it is opened: absolute, or the address. NotAllowed with the reason."""
        shown = printable(clip(masked(path), _SHOWN))
        if not path:
            raise NotAllowed("the path is empty")
        if "\0" in path:
            raise NotAllowed(f"{shown}: a path has no zero byte in it")
        if local_path(path) != path:
            return self._address(path, shown)
        if os.pardir in _SEPARATORS.split(path):
            raise NotAllowed(f"{shown}: a path with .. in it is not opened")
        return self._local(path, shown)

    def _address(self, url: str, shown: str) -> str:
        begins = any(url == one or url.startswith(f"{one}/") for one in self.urls)
        if not begins or _climbs(url):
            names = listing([masked(one) for one in self.urls], "or")
            allowed = f"those below {names}" if names else "none; pqexplore mcp --allow-url PREFIX allows some"
            raise NotAllowed(f"{shown} is an address that is not opened: this server opens {allowed}")
        return url

    def _local(self, path: str, shown: str) -> str:
        found = [os.path.join(one, path) for one in self.folders]  # an absolute path stays as it is
        inside = [one for one in found if any(_below(one, folder) for folder in self.folders)]
        if not inside:
            raise NotAllowed(f"{shown} lies outside of the folders of this server: {listing(self.folders)}")
        chosen = next(filter(os.path.lexists, inside), inside[0])
        real = os.path.realpath(chosen)
        if not any(_below(real, os.path.realpath(folder)) for folder in self.folders):
            raise NotAllowed(f"{shown} leads by a symbolic link out of the folders of this server")
        if real in self.keys:
            raise NotAllowed(f"{shown} holds a key, and is not opened")
        if glob.has_magic(chosen) and not os.path.lexists(chosen):
            raise NotAllowed(f"{shown}: there is no such file, and patterns are not opened; name a file or a folder")
        return os.path.normpath(chosen)


def _below(path: str, folder: str) -> bool:
    try:
        return os.path.commonpath([path, folder]) == os.path.commonpath([folder])
    except ValueError:  # on another drive
        return False


def _climbs(url: str) -> bool:
    """Whether an address has another one in it, or a part that leads up."""
    plain = urllib.parse.unquote(urllib.parse.unquote(url))
    return "::" in plain or plain.count("://") > 1 or os.pardir in re.split(r"[/\\?#]", plain)
