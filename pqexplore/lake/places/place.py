"""The interface of a file system: this machine's, or a store that fsspec supports.

A `Place` lists folders and reads small files whole; the logs of tables need no more. Paths are the place's own: a path
of this machine, or what fsspec makes of a URL (`bucket/folder/name`). `address` gives the user's name: the path, or
the URL.
"""

from __future__ import annotations

import dataclasses
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator

from pqexplore.engine.file.source import Source

READ = 256 << 20
"""Max bytes of a log file. Logs of millions of files stay below it."""


@dataclasses.dataclass(frozen=True, slots=True)
class Item:
    """A file in a folder's listing: path, size in bytes, time of modification in microseconds since 1970, ETag."""

    path: str
    size: int | None = None
    modified: int | None = None
    etag: str | None = None


class Place(ABC):
    """A file system. `scheme` is the scheme of its URLs; `file` for this machine."""

    scheme: str

    @abstractmethod
    def address(self, path: str) -> str:
        """The path or URL by which a user names a file."""

    @abstractmethod
    def own(self, address: str) -> str | None:
        """The path of an address in this place; None if the address is of another scheme or place."""

    @abstractmethod
    def is_folder(self, path: str) -> bool:
        """Whether a path is a folder. OSError if the store does not answer."""

    @abstractmethod
    def files(self, folder: str) -> list[Item]:
        """The files directly in a folder; none if there is no such folder. OSError if it cannot be listed."""

    @abstractmethod
    def walk(self, folder: str, enter: Callable[[str], bool], links: bool = False) -> Iterator[Item]:
        """Every file below a folder. `enter(folder)` decides whether to list that folder.

        With `links`, symbolic links to folders are followed. A folder is listed once, by its own path if it has one
        below the start.
        """

    @abstractmethod
    def read(self, path: str, limit: int = READ) -> bytes:
        """A whole file. LimitExceededError if it has more bytes than `limit`, OSError if it cannot be read."""

    @abstractmethod
    def source(self, path: str) -> Source:
        """A Parquet file, for positional reads. OSError if it cannot be opened."""

    @abstractmethod
    def item(self, path: str) -> Item:
        """Size, time and ETag of one file; without a size if it is not there. OSError if the store does not answer."""

    def real(self, path: str) -> str:
        """The path without symbolic links."""
        return path

    def is_link(self, path: str) -> bool:
        """Whether a file is a symbolic link."""
        return False

    def join(self, folder: str, *names: str) -> str:
        """A path below a folder."""
        return "/".join([folder.rstrip("/"), *names])

    def parent(self, path: str) -> str:
        """The folder of a path; the path itself at the place's root."""
        head = path.rstrip("/").rpartition("/")[0]
        return head or path

    def below(self, path: str, folder: str) -> str | None:
        """The path relative to a folder, with slashes; None if it does not lie below it."""
        prefix = folder.rstrip("/") + "/"
        return path[len(prefix) :] if path.startswith(prefix) else None


def base(path: str) -> str:
    """The last name of a path, on every system."""
    return re.split(r"[/\\]", path)[-1]
