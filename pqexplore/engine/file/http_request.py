"""One request to a web server, which is not trusted: what it may answer, how much of it is read, how long it may take."""

from __future__ import annotations

import asyncio
import dataclasses
import re
from http import HTTPStatus
from typing import TYPE_CHECKING

from pqexplore.engine.errors import (
    CredentialsError,
    NetworkError,
    NoAnswerError,
    StoreError,
    ThrottledError,
    UsageError,
)
from pqexplore.engine.file.http_redirect import redirected, same_origin
from pqexplore.engine.file.store_errors import FAILED, THROTTLED, TIMED_OUT, kind_of_status, unsaid
from pqexplore.engine.file.urls import masked

if TYPE_CHECKING:
    import aiohttp
    from fsspec.implementations.http import HTTPFileSystem

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
