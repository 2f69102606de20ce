"""A file on a web server, read by byte ranges (RFC 9110, "Range Requests").

fsspec makes the session, with its loop and the user's `headers`, `auth` and certificates. `http_request` makes the requests,
because a server is not trusted: it may ignore ranges and send gigabytes, send another range, stop in the
middle, never answer, or redirect to a host that the user did not name.

Two storage options are ours: `timeout`, the seconds to wait for an answer (30), and `follow_outside`, whether to follow a
redirect to another host (False).
"""

from __future__ import annotations

import dataclasses
import urllib.parse
from collections.abc import Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING

from pqexplore.engine.errors import CorruptFileError, CredentialsError, NetworkError, UsageError
from pqexplore.engine.file import multipart
from pqexplore.engine.file.ahead import REMOTE_TAIL
from pqexplore.engine.file.http_request import Answer, Connection
from pqexplore.engine.file.retry import Requests
from pqexplore.engine.file.urls import masked

if TYPE_CHECKING:
    from fsspec.implementations.http import HTTPFileSystem

    from pqexplore.engine.file.outside import StorageOptions

WHOLE = 64 << 20
"""Bytes up to which a file is downloaded once if the server gives no ranges."""

SERVERS = 10_000
"""Servers that are remembered as giving one range a request."""
_ONE_RANGE: set[str] = set()


class HttpFile:
    """A file at a URL. `body` has the whole file if it was downloaded because the server gives no ranges, else None.

    `tail` are the last bytes of the file, up to `tail_bytes`, which came with its size; None if the server does not give
    the end of a file.

    Raises FileNotFoundError, a StoreError or another OSError if the server does not give the file, UsageError if the URL or a storage option is wrong.
    """

    def __init__(self, url: str, filesystem: HTTPFileSystem, tail_bytes: int = REMOTE_TAIL) -> None:
        self.url = url
        self.name = masked(url)
        self._server = urllib.parse.urlsplit(url).netloc.rpartition("@")[2]
        if filesystem.asynchronous:
            raise UsageError(f"{self.name}: the filesystem is asynchronous; give one that is not")
        self._filesystem = filesystem
        self._connection = Connection(url, filesystem)
        self.requests = Requests(self.name, hear=lambda error, *_: error)
        self._many = True
        self.body: bytes | None = None
        self.tail: bytes | None = None
        answer = self._end(tail_bytes)
        if answer is None:
            answer = self._probe()
        elif answer.status == HTTPStatus.PARTIAL_CONTENT:
            self.tail = answer.body
        if answer.status != HTTPStatus.PARTIAL_CONTENT:
            self.body = answer.body
        self.size = answer.size or 0
        self.opened_as = self.size, answer.state

    def fetch(self, start: int, length: int) -> bytes:
        """The bytes from `start`, by one request."""
        answer = self._get(_wanted(start, length), length, length)
        if answer.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise self._changed(start)
        all_of_it = answer.status == HTTPStatus.OK and (start, length) == (0, self.size)
        if not all_of_it:
            self._require_range(answer, start)
        size = self.size if answer.size is None else answer.size
        if (size, answer.state) != self.opened_as:
            raise self._changed(start)
        if answer.body is None or len(answer.body) != length:
            sent = f"more than {length:,}" if answer.body is None else f"{len(answer.body):,}"
            raise OSError(f"{self.name}: the server sends {sent} bytes where {length:,} are asked for")
        if not self._many and len(_ONE_RANGE) < SERVERS:  # it gives this file, one range a request
            _ONE_RANGE.add(self._server)
        return answer.body

    @property
    def gives_many(self) -> bool:
        """Whether the server may give several ranges in one answer; False once it did not."""
        return self._many and self._server not in _ONE_RANGE

    def fetch_many(self, ranges: Sequence[tuple[int, int]]) -> list[memoryview] | None:
        """The bytes of several ranges, by one request; None if the server does not give them so.

        A server may ignore such a request or refuse it (RFC 9110, section 14.2). `fetch` then reads range by range, and
        says what is wrong, if something is.
        """
        if not self.gives_many:
            return None
        wanted, length = multipart.header(ranges), multipart.most(ranges)

        def ask() -> Answer | None:
            try:
                return self._connection.get(wanted, length, 0)
            except (NetworkError, CredentialsError):  # it may fail at such a request only
                return None

        answer = self.requests.send(ask)
        try:
            if answer is None or answer.status != HTTPStatus.PARTIAL_CONTENT or not answer.body:
                raise multipart.NotMultipart
            if answer.state != self.opened_as[1]:
                raise self._changed(ranges[0][0])
            parts = multipart.parse(answer.kind, answer.body, self.size)
            found = multipart.pick(parts, ranges)
        except multipart.NotMultipart:
            self._many = False
            return None
        return found

    def fingerprint(self) -> object:
        """Size, ETag and Last-Modified as they are now; asks the server."""
        answer = self._probe()
        return answer.size, answer.state

    def sibling(self, name: str, tail_bytes: int = REMOTE_TAIL) -> HttpFile:
        """The file of that name in the same folder of the server."""
        parts = urllib.parse.urlsplit(self.url)
        path = parts.path.rpartition("/")[0] + "/" + urllib.parse.quote(name)
        return HttpFile(
            urllib.parse.urlunsplit((parts.scheme, parts.netloc, path, "", "")), self._filesystem, tail_bytes
        )

    def _end(self, length: int) -> Answer | None:
        """Asks for the last `length` bytes, where a Parquet file is read first; None if the server does not give them.

        A server may ignore such a range or refuse it; Azure documents only ranges with a start. `_probe` then finds out
        what it gives.
        """
        answer = self._get(f"-{length}", length, length)
        if answer.body is None:
            return None
        if answer.status == HTTPStatus.OK:  # the whole of a small file
            return dataclasses.replace(answer, size=len(answer.body))
        if answer.status != HTTPStatus.PARTIAL_CONTENT or answer.encoding not in ("", "identity"):
            return None
        size = answer.size or 0
        right = (answer.start, len(answer.body)) == (max(0, size - length), min(length, size))
        return answer if right else None

    def _probe(self) -> Answer:
        """Asks for the first byte, to learn the size of the file and whether the server gives ranges."""
        answer = self._get(_wanted(0, 1), 1, WHOLE)
        if answer.status == HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE:
            if answer.size == 0:  # an empty file has no first byte
                return dataclasses.replace(answer, body=b"")
            raise OSError(f"{self.name}: the server refuses to give a range of bytes (416)")
        if answer.status == HTTPStatus.OK:
            if answer.body is None:
                size = "an unknown number of" if answer.length is None else f"{answer.length:,}"
                raise OSError(
                    f"{self.name}: the server gives no ranges of bytes, so the file of {size} bytes would be downloaded "
                    f"for each read; up to {WHOLE:,} bytes it is downloaded once; copy the file to this machine"
                )
            return dataclasses.replace(answer, size=len(answer.body))
        self._require_range(answer, 0)
        if answer.size is None:
            raise OSError(f"{self.name}: the server does not say how long the file is (Content-Range)")
        if answer.body is None or len(answer.body) != 1:
            raise OSError(f"{self.name}: the server sends another number of bytes than the one that is asked for")
        return answer

    def _require_range(self, answer: Answer, start: int) -> None:
        """Raises OSError if an answer is not the range of bytes that begins at `start`."""
        if answer.status != HTTPStatus.PARTIAL_CONTENT:
            raise OSError(
                f"{self.name}: the server gave ranges of bytes before, and now gives the whole file; copy the file to "
                "this machine"
            )
        if answer.encoding not in ("", "identity"):
            raise OSError(
                f"{self.name}: the server compresses what it sends (Content-Encoding: {answer.encoding[:20]!r}), so a "
                "range of bytes is not one of the file; copy the file to this machine"
            )
        if answer.start != start:
            raise OSError(f"{self.name}: the server sends other bytes than the range that is asked for (Content-Range)")

    def _changed(self, start: int) -> CorruptFileError:
        return CorruptFileError(
            f"{self.name} changed while it was open; open it again to see what it is now", offset=start
        )

    def _get(self, wanted: str, length: int, most: int) -> Answer:
        """Asks for what is `wanted` by the header Range, and reads up to `length` bytes of it.

        If the answer is the whole file, reads up to `most` bytes of it.
        """
        return self.requests.send(lambda: self._connection.get(wanted, length, most))


def open_url(url: str, storage_options: StorageOptions, tail_bytes: int = REMOTE_TAIL) -> HttpFile:
    """The file at a URL of http or https. UsageError if the extra `remote` is not installed; else raises as `HttpFile`."""
    name = masked(url)
    try:
        from fsspec.implementations.http import HTTPFileSystem
    except ImportError as error:
        raise UsageError(f"{name}: to read from web servers, `pip install pqexplore[remote]` ({error})") from None
    try:
        filesystem = HTTPFileSystem(**storage_options)
    except TypeError as error:
        raise UsageError(f"{name}: storage_options: {error}") from None
    return HttpFile(url, filesystem, tail_bytes)


def _wanted(start: int, length: int) -> str:
    return multipart.header([(start, length)])
