"""A file on a web server, read by byte ranges (RFC 9110, "Range Requests").

fsspec makes the session, with its loop and the user's `headers`, `auth` and certificates. `http_request` makes the requests,
because a server is not trusted: it may ignore ranges and send gigabytes, send another range, stop in the
middle, never answer, or redirect to a host that the user did not name.

Two storage options are ours: `timeout`, the seconds to wait for an answer (30), and `follow_outside`, whether to follow a
redirect to another host (False).
"""

from __future__ import annotations

import asyncio
import bisect
import dataclasses
import re
import urllib.parse
from collections.abc import Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING

from pqexplore.engine.errors import (
    CorruptFileError,
    CredentialsError,
    NetworkError,
    NoAnswerError,
    StoreError,
    ThrottledError,
    UsageError,
)
from pqexplore.engine.file.prefetch import REMOTE_TAIL
from pqexplore.engine.file.retry import Requests
from pqexplore.engine.file.store_errors import FAILED, THROTTLED, TIMED_OUT, kind_of_status, unsaid
from pqexplore.engine.file.urls import masked

if TYPE_CHECKING:
    import aiohttp
    import yarl
    from fsspec.implementations.http import HTTPFileSystem

    from pqexplore.engine.file.caller_types import StorageOptions


MAX_RANGES = 200
"""Ranges of one request: Apache ignores the header if there are more (`MaxRanges`).

Source: https://httpd.apache.org/docs/2.4/mod/core.html#maxranges."""
MAX_BYTES = 1 << 20
"""Bytes of one request; more come by several requests at the same time."""
PART_HEADER = 1024
"""Bytes that may come with each part: boundary, Content-Type, Content-Range."""

_BOUNDARY = re.compile(r"""boundary=(?:"([^"\\\r\n]{1,70})"|([^\s;,"]{1,70}))""", re.IGNORECASE)
"""RFC 2046, section 5.1.1: 1 to 70 characters."""
_RANGE = re.compile(
    rb"^content-range:[ \t]*bytes[ \t]+(\d{1,18})-(\d{1,18})/(\d{1,18})[ \t]*\r$", re.IGNORECASE | re.MULTILINE
)
_END_OF_HEADER = re.compile(rb"\r\n\r\n")

Part = tuple[int, memoryview]
"""The offset in the file, and the bytes."""


class NotMultipart(Exception):
    """The answer is not the ranges that were asked for."""


def header(ranges: Sequence[tuple[int, int]]) -> str:
    """The value of the header Range, without its unit, for (start, length) pairs."""
    return ",".join(f"{start}-{start + length - 1}" for start, length in ranges)


def most(ranges: Sequence[tuple[int, int]]) -> int:
    """Bytes that the answer may have."""
    return sum(length for _, length in ranges) + PART_HEADER * (len(ranges) + 1)


def groups(ranges: Sequence[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    """The ranges as requests of up to `MAX_RANGES` ranges and `MAX_BYTES` bytes, or one range."""
    made: list[list[tuple[int, int]]] = []
    size = 0
    for one in ranges:
        if not made or len(made[-1]) == MAX_RANGES or size + one[1] > MAX_BYTES:
            made.append([])
            size = 0
        made[-1].append(one)
        size += one[1]
    return made


def parse(kind: str, body: bytes, size: int) -> list[Part]:
    """The parts of an answer with the Content-Type `kind`, for a file of `size` bytes. Raises NotMultipart."""
    boundary = _BOUNDARY.search(kind)
    if boundary is None or not kind.strip().lower().startswith("multipart/byteranges"):
        raise NotMultipart
    line = b"--" + (boundary[1] or boundary[2]).encode("latin-1", "replace")
    data = memoryview(body)
    parts: list[Part] = []
    at = body.find(line, 0, PART_HEADER)  # an empty line, or a preamble, may come first
    while at >= 0 and body.startswith(line, at):
        at += len(line)
        if body.startswith(b"--", at):
            return parts
        end = _END_OF_HEADER.search(body, at, at + PART_HEADER)
        found = None if end is None else _RANGE.findall(body, at, end.end())
        if end is None or not found or len(found) > 1:
            raise NotMultipart
        start, last, whole = map(int, found[0])
        begin, at = end.end(), end.end() + last - start + 1
        if not start <= last < whole == size or at > len(body):
            raise NotMultipart
        parts.append((start, data[begin:at]))
        if not body.startswith(b"\r\n", at):  # the line break before a boundary
            raise NotMultipart
        at += 2
    raise NotMultipart


def pick(parts: Sequence[Part], ranges: Sequence[tuple[int, int]]) -> list[memoryview]:
    """The bytes of each range, each inside one part. Raises NotMultipart if one is not there."""
    parts = sorted(parts, key=lambda part: (part[0], len(part[1])))
    starts = [start for start, _ in parts]
    found = []
    for start, length in ranges:
        place = bisect.bisect_right(starts, start) - 1
        if place < 0 or start + length > starts[place] + len(parts[place][1]):
            raise NotMultipart
        at = start - starts[place]
        found.append(parts[place][1][at : at + length])
    return found


def redirected(name: str, url: yarl.URL, location: str, *, outside: bool) -> yarl.URL:
    """The target of a redirect from `url`; OSError if it must not be followed.

    `name` is for messages; `outside`: another host, or no encryption, is allowed.
    """
    import yarl

    try:
        target = url.join(yarl.URL(location, encoded="%" in location))
        place = f"{target.scheme}://{target.host}" + (f":{target.port}" if target.port else "")
    except ValueError:
        raise OSError(f"{name}: the server redirects to what is not a URL") from None
    if target.scheme not in ("http", "https") or not target.host:
        raise OSError(f"{name}: the server redirects to {place}, which is not followed")
    other = (target.host or "").lower() != (url.host or "").lower()
    if not outside and (other or (url.scheme, target.scheme) == ("https", "http")):
        what = "another host" if other else "a connection without encryption"
        raise OSError(
            f"{name}: the server redirects to {what}, {place}; if you trust it, open that URL, or follow with "
            'storage_options={"follow_outside": True}'
        )
    if url.user is not None and target.user is None and same_origin(url, target):
        target = target.with_user(url.user).with_password(url.password)
    return target


def same_origin(url: yarl.URL, target: yarl.URL) -> bool:
    """Whether a redirect stays on a server: the same scheme, host and port, or from http to https."""
    upgrade = (url.scheme, url.port, target.scheme, target.port) == ("http", 80, "https", 443)
    return url.host == target.host and (upgrade or url.origin() == target.origin())


TIMEOUT = 30.0
"""Seconds to wait for a connection, or for the next bytes."""

MIN_SPEED = 100_000
"""Bytes a second at which an answer must arrive, after the time-out."""

MAX_REDIRECTS = 5

_REFUSALS = (HTTPStatus.BAD_REQUEST, HTTPStatus.NOT_IMPLEMENTED)
"""What a server may answer that does not know ranges of the last bytes, or several ranges."""

_CONTENT_RANGE = re.compile(r"bytes (?:(\d{1,18})-(\d{1,18})|\*)/(\d{1,18}|\*)")


@dataclasses.dataclass(frozen=True)
class Answer:
    """A response: the range's first byte, the size and the state of the file by its headers (None if absent).

    `body` is None if it is longer than allowed; `length` is its Content-Length, `kind` its Content-Type.
    """

    status: int
    start: int | None
    size: int | None
    state: tuple[str | None, str | None]
    encoding: str
    length: int | None
    body: bytes | None
    kind: str = ""


class Connection:
    """Asks for ranges of the file at a URL; `name` is the URL for messages."""

    def __init__(self, url: str, filesystem: HTTPFileSystem) -> None:
        self.url = url
        self.name = masked(url)
        self._filesystem = filesystem
        self._options = dict(filesystem.kwargs)
        self._follow_outside = bool(self._options.pop("follow_outside", False))
        self._timeout = _seconds(self._options.pop("timeout", None))

    def get(self, wanted: str, length: int, most: int) -> Answer:
        """Asks for what is `wanted` by the header Range, and reads up to `length` bytes of it.

        If the answer is the whole file, reads up to `most` bytes of it. Raises as `HttpFile`; a StoreError says whether to
        ask again.
        """
        import aiohttp
        from fsspec.asyn import sync

        seconds = f"{self._timeout:g} seconds"
        try:
            answer: Answer = sync(self._filesystem.loop, self._request, wanted, length, most)
            return answer
        except TimeoutError:  # also those of aiohttp and asyncio
            raise NoAnswerError(
                f"{self.name}: the server did not answer within {seconds}, or sends less than {MIN_SPEED:,} bytes a "
                'second; storage_options={"timeout": …} waits longer'
            ) from None
        except ValueError:
            raise UsageError(f"{self.name} is not a valid URL") from None
        except aiohttp.ClientConnectorCertificateError:
            raise NetworkError(f"{self.name}: the certificate of the server is not valid") from None
        except aiohttp.ClientConnectorError as error:
            why = error.os_error.strerror or type(error.os_error).__name__
            raise NetworkError(f"{self.name}: no connection to {error.host}:{error.port}: {why}") from None
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError, aiohttp.ClientPayloadError):
            raise NetworkError(
                f"{self.name}: the server closed the connection before it sent all of its answer, or sent what cannot "
                "be decoded",
                again=True,
            ) from None
        except aiohttp.ClientError as error:
            raise OSError(f"{self.name}: what the server sends is not HTTP ({type(error).__name__})") from None
        except TypeError as error:  # a keyword that no request has
            said = unsaid(masked(str(error)), self._filesystem.storage_options)
            raise UsageError(f"{self.name}: storage_options: {said}") from None

    async def _request(self, wanted: str, length: int, most: int) -> Answer:
        import aiohttp

        patience = aiohttp.ClientTimeout(sock_connect=self._timeout, sock_read=self._timeout)
        plain = not wanted.startswith("-") and "," not in wanted
        ours = {"Range": f"bytes={wanted}", "Accept-Encoding": "identity"}
        session = await self._filesystem.set_session()
        url = self._filesystem.encode_url(self.url)
        options = {**self._options, "headers": {**(self._options.get("headers") or {}), **ours}}
        outside: aiohttp.ClientSession | None = None
        try:
            for _ in range(MAX_REDIRECTS + 1):
                async with (
                    asyncio.timeout(self._timeout) as deadline,
                    (outside or session).get(url, allow_redirects=False, timeout=patience, **options) as response,
                ):
                    expected = min(max(most, length), response.content_length or max(most, length))
                    deadline.reschedule(asyncio.get_running_loop().time() + self._timeout + expected / MIN_SPEED)
                    location = response.headers.get("Location")
                    if not plain and response.status in _REFUSALS:
                        return Answer(response.status, None, None, (None, None), "", None, None)
                    if location is None or not 300 < response.status < 400:
                        return await self._answer(response, length, most)
                    target = redirected(self.name, url, location, outside=self._follow_outside)
                    response.close()
                if not same_origin(url, target) and outside is None:
                    # Another server gets no headers, cookies or passwords that are meant for the first.
                    outside = aiohttp.ClientSession(connector=session.connector, connector_owner=False)
                    options = {"headers": ours}
                url = target
        finally:
            if outside is not None:
                await outside.close()
        raise OSError(f"{self.name}: the server redirects more than {MAX_REDIRECTS} times")

    async def _answer(self, response: aiohttp.ClientResponse, asked: int, most: int) -> Answer:
        """A response with its body: the `asked` bytes of a range, or up to `most` bytes of the whole file."""
        status, headers = response.status, response.headers
        if status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE):
            response.close()
            raise self._refused(status, headers.get("Retry-After", ""))
        match = _CONTENT_RANGE.fullmatch(headers.get("Content-Range", "").strip())
        length = response.content_length
        encoding = headers.get("Content-Encoding", "").strip().lower()
        body: bytes | None = b""
        if status == HTTPStatus.OK or (status == HTTPStatus.PARTIAL_CONTENT and encoding in ("", "identity")):
            room = most if status == HTTPStatus.OK else asked
            too_long = length is not None and length > room
            body = None if too_long else await _body(response, room)
        if not body:
            response.close()
        return Answer(
            status,
            int(match[1]) if match is not None and match[1] else None,
            int(match[3]) if match is not None and match[3] != "*" else None,
            (headers.get("ETag"), headers.get("Last-Modified")),
            encoding,
            length,
            body,
            headers.get("Content-Type", ""),
        )

    def _refused(self, status: int, after: str) -> OSError:
        """The error of a status; `after` is the header Retry-After, whose dates are not read."""
        try:
            words = f"{status} {HTTPStatus(status).phrase}"
        except ValueError:
            words = str(status)
        if status in (HTTPStatus.NOT_FOUND, HTTPStatus.GONE):
            return FileNotFoundError(f"{self.name}: the server has no such file ({words})")
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            return CredentialsError(
                f"{self.name}: the server refuses access ({words}); credentials go into storage_options, such as "
                '{"headers": {"Authorization": …}}'
            )
        kind, said = kind_of_status(status), f"{self.name}: the server answers {words}"
        if kind == THROTTLED:
            seconds = float(after) if re.fullmatch(r"\d{1,6}", after) else None
            return ThrottledError(f"{said}: it asks for fewer requests; try later", again=True, after=seconds)
        if kind == TIMED_OUT:
            return NoAnswerError(said)
        return StoreError(said, again=kind == FAILED)


def _seconds(timeout: object) -> float:
    if timeout is None:
        return TIMEOUT
    if isinstance(timeout, (int, float)) and not isinstance(timeout, bool) and timeout > 0:
        return float(timeout)
    raise UsageError("the timeout is a number of seconds, more than 0")


async def _body(response: aiohttp.ClientResponse, most: int) -> bytes | None:
    """The body; None if it is longer than `most`."""
    parts: list[bytes] = []
    left = most
    async for part in response.content.iter_chunked(1 << 16):
        left -= len(part)
        if left < 0:
            return None
        parts.append(part)
    return b"".join(parts)


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
        wanted, length = header(ranges), most(ranges)

        def ask() -> Answer | None:
            try:
                return self._connection.get(wanted, length, 0)
            except (NetworkError, CredentialsError):  # it may fail at such a request only
                return None

        answer = self.requests.send(ask)
        try:
            if answer is None or answer.status != HTTPStatus.PARTIAL_CONTENT or not answer.body:
                raise NotMultipart
            if answer.state != self.opened_as[1]:
                raise self._changed(ranges[0][0])
            parts = parse(answer.kind, answer.body, self.size)
            found = pick(parts, ranges)
        except NotMultipart:
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
    return header([(start, length)])
