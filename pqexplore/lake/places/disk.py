"""The file system of this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from pqexplore.engine.errors import LimitExceededError, NotParquetError, UsageError
from pqexplore.engine.file.local_file import read_small
from pqexplore.engine.file.opening import open_source
from pqexplore.engine.file.source import Source, local_path
from pqexplore.lake.places.place import READ, Item, Place


class Disk(Place):
    """Paths are absolute. Symbolic links to files are listed."""

    scheme = "file"

    def address(self, path: str) -> str:
        """The path itself."""
        return path

    def own(self, address: str) -> str | None:
        """A path or `file:` URL as a path; None for other URLs."""
        path = local_path(address)
        return None if path is None else os.path.abspath(path)

    def is_folder(self, path: str) -> bool:
        """Whether a path is a folder, or a link to one."""
        return os.path.isdir(path)

    def files(self, folder: str) -> list[Item]:
        """The files directly in a folder."""
        try:
            with os.scandir(folder) as found:
                return [_item(item) for item in found if not os.path.isdir(item.path)]
        except (FileNotFoundError, NotADirectoryError):
            return []

    def walk(self, folder: str, enter: Callable[[str], bool], links: bool = False) -> Iterator[Item]:
        """Every file below a folder; a subfolder that cannot be listed is skipped."""
        todo = [(folder, os.path.realpath(folder))]
        entered = {todo[0][1]}
        linked: list[str] = []  # followed when all other folders are known
        while todo or linked:
            if not todo:
                path = linked.pop()
                real = os.path.realpath(path)
                if real in entered:
                    continue
                entered.add(real)
                todo.append((path, real))
            at, real = todo.pop()
            try:
                with os.scandir(at) as found:
                    items = list(found)
            except OSError:
                if at == folder:
                    raise
                continue
            for item in items:
                if item.is_dir(follow_symlinks=False):
                    below = os.path.join(real, item.name)
                    if below not in entered and enter(item.path):
                        entered.add(below)
                        todo.append((item.path, below))
                elif not os.path.isdir(item.path):  # a link to itself leads nowhere
                    yield _item(item)
                elif links and enter(item.path):
                    linked.append(item.path)

    def read(self, path: str, limit: int = READ) -> bytes:
        """A whole regular file; OSError for a pipe, a device or a folder, before anything is read."""
        try:
            data = read_small(path, limit + 1)
        except (NotParquetError, UsageError) as error:
            raise OSError(str(error)) from None
        if len(data) > limit:
            raise LimitExceededError(f"{path} has more than {limit:,} bytes", address="")
        return data

    def source(self, path: str) -> Source:
        """A Parquet file, for positional reads."""
        return open_source(path)

    def item(self, path: str) -> Item:
        """Size and time of a file; without a size if it is not there."""
        try:
            status = os.stat(path)
        except OSError:
            return Item(path)
        return Item(path, status.st_size, status.st_mtime_ns // 1000)

    def real(self, path: str) -> str:
        """The path without symbolic links."""
        return os.path.realpath(path)

    def is_link(self, path: str) -> bool:
        """Whether a file is a symbolic link."""
        return os.path.islink(path)

    def join(self, folder: str, *names: str) -> str:
        """A path below a folder."""
        return os.path.join(folder, *names)

    def parent(self, path: str) -> str:
        """The folder of a path; the path itself at the root."""
        return os.path.dirname(path)

    def below(self, path: str, folder: str) -> str | None:
        """The path relative to a folder, with slashes; None if it does not lie below it."""
        prefix = folder if folder.endswith(os.sep) else folder + os.sep
        return path[len(prefix) :].replace(os.sep, "/") if path.startswith(prefix) else None


def _item(found: os.DirEntry[str]) -> Item:
    try:
        status = found.stat()
    except OSError:
        return Item(found.path)
    return Item(found.path, status.st_size, status.st_mtime_ns // 1000)
