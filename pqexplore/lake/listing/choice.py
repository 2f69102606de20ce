"""Resolves a path, URL or pattern to a choice: a file, the files of a folder, or the files that match.

A choice can test any path, also of files that no longer exist: the log of a table may still name them.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import functools
import os
import re
from collections.abc import Iterable, Sequence

from pqexplore.engine.errors import CredentialsError, UsageError
from pqexplore.engine.file.caller_types import FileSystem, StorageOptions
from pqexplore.engine.file.source import local_path
from pqexplore.engine.tables import is_table
from pqexplore.lake.listing.catalog import is_table as is_library_table
from pqexplore.lake.listing.names import PATTERNS, is_hidden
from pqexplore.lake.places.choice import place_of
from pqexplore.lake.places.place import Place
from pqexplore.lake.places.urls import WEB

_WILD = re.compile(r"[*?\[]")


@dataclasses.dataclass(frozen=True)
class Choice:
    """`start` is the folder where listing begins; `given` is the same as the user wrote it, for files of this machine.

    `file` is the only chosen file, `segments` the pattern below `start`. Without either, all files below are chosen.
    """

    place: Place
    start: str
    given: str | None
    source: str
    file: str | None = None
    segments: tuple[str, ...] = ()

    def means(self, path: str) -> bool:
        """Whether the location of a file is chosen. Its name may still not match the patterns of names."""
        if self.place.below(path, self.start) is None:
            return False
        return self.names(path) or self._in_folder(self._parts(path)[:-1])

    def names(self, path: str) -> bool:
        """Whether a file is chosen by its own name, not by its folder. Then patterns of names do not apply."""
        if self.file is not None:
            return path == self.file
        return bool(self.segments) and _matches(self.segments, self._parts(path))

    def enters(self, folder: str) -> bool:
        """Whether chosen files may lie below a folder."""
        return self.file is None and (not self.segments or _may_match(self.segments, self._parts(folder)))

    def covers(self, folder: str) -> bool:
        """Whether all files below a folder are chosen."""
        if folder == self.start:
            return self.file is None and not self.segments
        return self.place.below(folder, self.start) is not None and self._in_folder(self._parts(folder))

    def shown(self, path: str) -> str:
        """A path as the user would write it."""
        if self.given is None:
            return self.place.address(path)
        if path == (self.file or self.start):
            return self.given
        below = self.place.below(path, self.start)
        return path if below is None else os.path.join(self.given, *below.split("/"))

    def is_hidden(self, path: str) -> bool:
        """Whether a name below `start` is one that Spark and Hive ignore."""
        return any(map(is_hidden, self._parts(path)))

    def leaves_out(self, path: str) -> bool:
        """Whether a file is hidden and not asked for: neither is it the chosen file, nor does the pattern name its `_` or dot."""
        if self.file is not None:
            return False
        parts = self._parts(path)
        named = [*self.segments, *[""] * len(parts)]
        return any(
            is_hidden(part) and not segment.startswith(part[0]) for part, segment in zip(parts, named, strict=False)
        )

    def _in_folder(self, parts: tuple[str, ...]) -> bool:
        if not self.segments:
            return self.file is None
        if "**" in self.segments:  # the pattern itself matches files in folders
            return False
        return len(parts) >= len(self.segments) and _matches(self.segments, parts[: len(self.segments)])

    def _parts(self, path: str) -> tuple[str, ...]:
        below = self.place.below(path, self.start)
        return () if below is None else tuple(below.split("/"))


def choice_of(source: str, patterns: Sequence[str], options: StorageOptions) -> Choice | None:
    """The choice of a path, URL or pattern; None for a path of this machine that does not exist."""
    place, path = place_of(source, options)
    here = local_path(source)
    given = None if here is None else os.path.expanduser(here)
    wild = _WILD.search(given or path)
    if place.scheme in WEB:
        address = re.split("[?#]", path, maxsplit=1)[0]  # a "?" begins the query
        wild = _WILD.search(address)
        name = address.rpartition("/")[2]
        if wild is None and any(fnmatch.fnmatch(name, one) for one in patterns):
            return Choice(place, place.parent(path), given, source, file=path)
    denied: CredentialsError | None = None
    try:
        if place.is_folder(path):
            return Choice(place, path.rstrip("/") or path, given, source)
    except CredentialsError as error:  # perhaps only its files may be read
        denied = error
    if given is not None and os.path.lexists(given):
        return Choice(place, place.parent(path), given, source, file=path)
    if wild is not None:
        return _by_pattern(source, place, path, given, wild.start())
    if given is not None:
        return None
    if place.item(path).size is None:
        raise denied or UsageError(f"{source} has no file named {', '.join(patterns)}")
    return Choice(place, place.parent(path), None, source, file=path)


def _by_pattern(source: str, place: Place, path: str, given: str | None, wild: int) -> Choice:
    """The choice of a pattern: the folder before its first wildcard, at `wild`, and the segments below it."""
    fixed = os.path.dirname((given or path)[:wild])
    start = os.path.abspath(fixed) if given is not None else fixed
    below = place.below(path, start)
    segments = tuple(part for part in (below or "").split("/") if part)
    return Choice(place, start, None if given is None else fixed, source, segments=segments)


def is_file(source: object, filesystem: FileSystem | None, storage_options: StorageOptions | None) -> bool:
    """Whether a source is one file: bytes, a file object, a table in memory, a path or a URL that is no folder, no pattern."""
    if filesystem is not None or isinstance(source, bytes | bytearray | memoryview):
        return True
    if is_table(source):
        return True
    if not isinstance(source, str | os.PathLike):
        many = hasattr(source, "inputFiles") or is_library_table(source)
        return hasattr(source, "read") or not (many or isinstance(source, Iterable))
    text = os.fspath(source)
    here = local_path(text)
    if here is not None:
        return not os.path.isdir(os.path.expanduser(here)) and (
            os.path.lexists(os.path.expanduser(here)) or _WILD.search(text) is None
        )
    if text.startswith(("http://", "https://")):
        return _is_file_of_server(text, storage_options or {})
    chosen = choice_of(text, ("*",), storage_options or {})
    return chosen is None or chosen.file is not None


def _is_file_of_server(url: str, options: StorageOptions) -> bool:
    """Whether a URL of a web server is one file: by its name or query, else a folder is a page of links."""
    if "?" in url or "#" in url:
        return True
    if _WILD.search(url) is not None:
        return False
    name = url.rpartition("/")[2]
    if any(fnmatch.fnmatch(name, one) for one in PATTERNS):
        return True
    try:
        chosen = choice_of(url, PATTERNS, options)
    except (UsageError, OSError):  # opening it says what is wrong
        return True
    return chosen is None or chosen.file is not None


@functools.lru_cache(1 << 16)
def _matches(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether a path matches a pattern of names; `**` is any number of folders that are not hidden."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        if _matches(pattern[1:], parts):
            return True
        return bool(parts) and not parts[0].startswith(".") and _matches(pattern, parts[1:])
    return bool(parts) and _fits(pattern[0], parts[0]) and _matches(pattern[1:], parts[1:])


def _may_match(pattern: tuple[str, ...], parts: tuple[str, ...]) -> bool:
    """Whether a path below these folders may match. Below a match, every path may match."""
    if not parts or not pattern:
        return True
    if pattern[0] == "**":
        return not parts[0].startswith(".") or _may_match(pattern[1:], parts)
    return _fits(pattern[0], parts[0]) and _may_match(pattern[1:], parts[1:])


def _fits(segment: str, name: str) -> bool:
    if name.startswith(".") and not segment.startswith("."):
        return False
    return fnmatch.fnmatchcase(name, segment)
