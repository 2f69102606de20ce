"""A file on S3, read by byte ranges through s3fs.

`info` and `cat_file` of s3fs do not give what came with an answer: the size and the ETag. So the requests are made here, as
`cat_file` makes them. A file then opens with one request, and each range is known to be of the file that was opened.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypeGuard, cast

from pqexplore.engine.errors import CorruptFileError
from pqexplore.engine.file.outside import FsspecFileSystem

if TYPE_CHECKING:
    import asyncio

_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-(\d{1,18})/(\d{1,18})")


class _Body(Protocol):
    async def read(self) -> bytes: ...
    def close(self) -> None: ...


class S3FileSystem(FsspecFileSystem, Protocol):
    """What is used of `s3fs.S3FileSystem`."""

    asynchronous: bool
    loop: asyncio.AbstractEventLoop

    def info(self, path: str, refresh: bool = False) -> Mapping[str, object]:
        """What is known of a file; `refresh` asks the store."""

    def split_path(self, path: str) -> tuple[str, str, str | None]:
        """Bucket, key and version."""

    async def _call_s3(self, method: str, **arguments: str) -> Mapping[str, object]: ...


def is_s3fs(filesystem: FsspecFileSystem) -> TypeGuard[S3FileSystem]:
    """Whether it is one of s3fs, which others that speak to S3 are not."""
    return hasattr(filesystem, "_call_s3") and hasattr(filesystem, "split_path")


class S3File:
    """A file on S3, with the methods of a file system that read one file.

    `tail` are its last bytes, up to `tail_bytes`, which come with the size when this object is made.

    Raises LookupError if there is no end of a file at that path (a folder, an empty file, a store without such ranges),
    else what s3fs raises.
    """

    def __init__(self, path: str, filesystem: S3FileSystem, name: str, tail_bytes: int) -> None:
        self._path, self._filesystem, self._name = path, filesystem, name
        self._bucket, self._key, self._version = filesystem.split_path(path)
        if not self._key or filesystem.asynchronous:
            raise LookupError(path)
        try:
            self._state, start, self.tail = self._get(f"-{tail_bytes}", tail_bytes)
        except OSError as error:
            if isinstance(error, FileNotFoundError) or error.errno == errno.EINVAL:
                raise LookupError(path) from None
            raise
        if start + len(self.tail) != self._state["size"]:
            raise LookupError(path)

    @property
    def state(self) -> Mapping[str, object]:
        """Size and ETag when this object was made, as `info` gives them."""
        return self._state

    def info(self, path: str) -> Mapping[str, object]:
        """Size and ETag as they are now; asks the store."""
        return self._filesystem.info(path, refresh=True)

    def cat_file(self, path: str, start: int, end: int) -> bytes:
        """A range of bytes, by one request. CorruptFileError if the file is another one by now."""
        try:
            state, first, data = self._get(f"{start}-{end - 1}", end - start)
        except LookupError:
            raise OSError(
                f"{self._name}: the store sends other bytes than those asked for"
            ) from None
        except OSError as error:
            if error.errno != errno.EINVAL:
                raise
            state, first, data = {}, start, b""  # it is shorter by now
        if state != self._state:
            raise CorruptFileError(
                f"{self._name} changed while it was open; open it again to see what it is now",
                offset=start,
            )
        if first != start:
            raise OSError(f"{self._name}: the store sends other bytes than those asked for")
        return data

    def _get(self, wanted: str, length: int) -> tuple[dict[str, object], int, bytes]:
        """Size and ETag, the offset of the first byte, and up to `length` bytes. LookupError if the store sends more."""
        from fsspec.asyn import sync

        answer: tuple[dict[str, object], int, bytes] = sync(
            self._filesystem.loop, self._request, f"bytes={wanted}", length
        )
        return answer

    async def _request(self, wanted: str, length: int) -> tuple[dict[str, object], int, bytes]:
        version = {"VersionId": self._version} if self._version else {}
        answer = await self._filesystem._call_s3(
            "get_object", Bucket=self._bucket, Key=self._key, Range=wanted, **version
        )
        body = cast("_Body", answer["Body"])
        try:
            place = _CONTENT_RANGE.fullmatch(str(answer.get("ContentRange")))
            if place is None or int(place[2]) - int(place[1]) >= length:
                raise LookupError(self._path)
            data = await body.read()
        finally:
            body.close()
        return {"size": int(place[3]), "ETag": answer.get("ETag")}, int(place[1]), data
