"""Stores that fsspec supports: memory, S3, GCS, Azure, HDFS, HTTP and others, with one set of storage options.

A path of a web server is a URL, in the one form of `urls`.
"""

from __future__ import annotations

import dataclasses
import html
import importlib.util
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from pqexplore.engine.errors import CredentialsError, LimitExceededError, StoreError, UsageError
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.engine.file.drivers import filesystem_of
from pqexplore.engine.file.opening import open_source
from pqexplore.engine.file.retry import Requests
from pqexplore.engine.file.source import Source
from pqexplore.engine.file.store_errors import plain
from pqexplore.engine.file.urls import masked
from pqexplore.lake.places.place import READ, Item, Place
from pqexplore.lake.places.urls import WEB, decoded, encoded, same_form

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

T = TypeVar("T")

_SAME = {"s3a": "s3", "s3n": "s3", "abfss": "abfs", "gcs": "gs", "wasbs": "abfs"}
"""Other names of the same scheme, which Spark and Iceberg write."""

FOLDERS = 100_000
"""Max folders of a web server that are listed: its pages may name folders without end."""

_OURS = ("follow_outside", "timeout")
"""Storage options for http and https that `engine.file.http_file` supports and fsspec does not."""

_HTML = ("text/html", "application/xhtml+xml")


class Remote(Place):
    """One fsspec file system. Its cache of listings is not used, because it may be older than the log."""

    def __init__(self, filesystem: AbstractFileSystem, scheme: str) -> None:
        self._filesystem = filesystem
        self.scheme = scheme
        self._requests = Requests(scheme, filesystem)

    def _send(self, request: Callable[[], T], path: str) -> T:
        return self._requests.send(request, self.address(path))

    @classmethod
    def of(cls, url: str, options: StorageOptions) -> tuple[Remote, str]:
        """The store of a URL, and the path there. UsageError if no driver knows it."""
        scheme = url.partition(":")[0].lower()
        given = {k: v for k, v in dict(options).items() if scheme not in WEB or k not in _OURS}
        if importlib.util.find_spec("fsspec") is None:
            raise UsageError(
                f"{masked(url)}: fsspec lists remote files; `pip install pqexplore[remote]` and the driver of the scheme"
            )
        try:
            filesystem, path = filesystem_of(url, given)
        except UsageError:
            raise
        except (ImportError, ValueError) as error:
            raise UsageError(f"{masked(url)} cannot be listed: {plain(str(error))}") from None
        filesystem.invalidate_cache()
        return cls(filesystem, scheme), same_form(path) if scheme in WEB else path

    def address(self, path: str) -> str:
        """The URL of a path."""
        return str(self._filesystem.unstrip_protocol(path))

    def own(self, address: str) -> str | None:
        """The path of a URL of the same scheme; a path without a scheme is one of this place."""
        scheme, separator, _ = address.partition("://")
        if not separator:
            return address if address.startswith("/") and self.scheme == "memory" else None
        scheme = scheme.lower()
        if _SAME.get(scheme, scheme) != _SAME.get(self.scheme, self.scheme):
            return None
        if scheme != self.scheme:
            address = f"{self.scheme}://{address.partition('://')[2]}"
        path = str(self._filesystem._strip_protocol(address))
        return same_form(path) if self.scheme in WEB else path

    def join(self, folder: str, *names: str) -> str:
        """A path below a folder."""
        if self.scheme in WEB:
            names = tuple(map(encoded, names))
        return super().join(folder, *names)

    def below(self, path: str, folder: str) -> str | None:
        """The path relative to a folder, with slashes, decoded; None if it does not lie below it."""
        found = super().below(path, folder)
        if found is None or self.scheme not in WEB:
            return found
        return decoded(found)

    def is_folder(self, path: str) -> bool:
        """Whether something lies below a path. On a web server, a folder is a page of links."""
        if self.scheme in WEB:
            return self._is_page(path) and bool(self._filesystem.isdir(path))
        try:
            return bool(self._send(lambda: self._filesystem.isdir(path), path))
        except (FileNotFoundError, NotADirectoryError):
            return False

    def _is_page(self, url: str) -> bool:
        """Whether a URL is an HTML page, by its headers; `isdir` would download a file of any size to look for links."""
        if url.endswith("/"):
            return True
        try:
            facts = self._send(lambda: self._filesystem.info(url), url)
        except CredentialsError:  # many servers refuse what is not there
            return False
        except StoreError:
            raise
        except OSError:
            return False
        return facts.get("mimetype") in _HTML

    def files(self, folder: str) -> list[Item]:
        """The files directly in a folder."""

        def listed() -> list[dict[str, object]]:
            try:
                return list(self._filesystem.ls(folder, detail=True, refresh=True))
            except TypeError:  # the driver has no cache to refresh
                return list(self._filesystem.ls(folder, detail=True))

        if self.scheme in WEB:
            try:
                return self._page(folder)[0]
            except FileNotFoundError:
                return []
        try:
            found = self._send(listed, folder)
        except FileNotFoundError:
            return []
        return [_item(facts) for facts in found if facts.get("type") == "file"]

    def _page(self, folder: str) -> tuple[list[Item], list[str]]:
        """The files and folders that a web server's page of a folder links to, directly below the folder."""
        found = self._send(lambda: self._filesystem.ls(folder, detail=True, refresh=True), folder)
        prefix, files, folders = folder.rstrip("/") + "/", dict[str, Item](), dict[str, None]()
        for facts in found:
            link = html.unescape(str(facts["name"])).replace("/./", "/")
            url = same_form(link)
            name = url.removeprefix(prefix)
            if name == url or "?" in name or "#" in name or name.strip("/") in ("", ".", ".."):
                continue  # a link to another place, or to the same page in another order
            if name.endswith("/") and "/" not in name[:-1]:
                folders[url.rstrip("/")] = None
            elif "/" not in name:
                files[url] = dataclasses.replace(_item(facts), path=url)
        return list(files.values()), list(folders)

    def walk(self, folder: str, enter: Callable[[str], bool], links: bool = False) -> Iterator[Item]:
        """Every file below a folder, in one listing; of a web server, in one for each folder."""
        if self.scheme in WEB:
            yield from self._pages(folder, enter)
            return
        entered: dict[str, bool] = {folder.rstrip("/"): True}

        def inside(at: str) -> bool:
            if at not in entered:
                above = at.rpartition("/")[0]
                entered[at] = len(at) <= len(folder) or (inside(above) and enter(at))
            return entered[at]

        found = self._send(lambda: self._filesystem.find(folder, detail=True), folder)
        for facts in found.values():
            item = _item(facts)
            if inside(item.path.rpartition("/")[0]):
                yield item

    def _pages(self, start: str, enter: Callable[[str], bool]) -> Iterator[Item]:
        todo, count = [start.rstrip("/")], 0
        while todo:
            count += 1
            if count > FOLDERS:
                raise OSError(f"the server names more than {FOLDERS:,} folders")
            files, folders = self._page(todo.pop())
            yield from files
            todo += [one for one in folders if enter(one)]

    def read(self, path: str, limit: int = READ) -> bytes:
        """A whole file, if its size is within the limit."""

        def read() -> bytes:
            with self._filesystem.open(path, "rb", cache_type="none") as file:
                data: bytes = file.read(limit + 1)
                return data

        data = self._send(read, path)
        if len(data) > limit:
            raise LimitExceededError(f"{path} has more than {limit:,} bytes", address="")
        return data

    def source(self, path: str) -> Source:
        """A Parquet file, for positional reads."""
        return open_source(path, filesystem=self._filesystem)

    def parent(self, path: str) -> str:
        """The folder of a path; the path itself at the root, or at a web server's host."""
        head = super().parent(path)
        return path if head.endswith((":", ":/")) else head

    def item(self, path: str) -> Item:
        """Size, time and ETag of one file; without a size if it is not there."""
        try:
            return _item(self._send(lambda: self._filesystem.info(path), path))
        except FileNotFoundError:
            return Item(path)


def _item(facts: dict[str, object]) -> Item:
    size = facts.get("size")
    etag = next((str(facts[k]).strip('"') for k in ("ETag", "etag", "md5") if facts.get(k)), None)
    return Item(str(facts["name"]), size if isinstance(size, int) else None, _modified(facts), etag)


def _modified(facts: dict[str, object]) -> int | None:
    # fsspec's memory has only the time at which a file was created, which is each time that it is written.
    for name in ("mtime", "LastModified", "last_modified", "updated", "created"):
        value = facts.get(name)
        if isinstance(value, (int, float)):
            return int(value * 1_000_000)
        if hasattr(value, "timestamp"):
            return int(value.timestamp() * 1_000_000)
    return None
