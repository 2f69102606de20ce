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
from pqexplore.engine.file.caller_types import FsspecFileSystem

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


def open_s3(path: str, filesystem: FsspecFileSystem, name: str, tail_bytes: int) -> S3File | None:
    """The file at a path, with its last bytes, up to `tail_bytes`; raises what s3fs raises.

    None if the file system is not of s3fs, or there is no end of a file at that path: a folder, an empty file, nothing, a
    store without such ranges. `info` says what is there.
    """
    if not is_s3fs(filesystem) or filesystem.asynchronous or not filesystem.split_path(path)[1]:
        return None
    file = S3File(path, filesystem, name)
    try:
        file.read_end(tail_bytes)
    except (FileNotFoundError, _OtherRange):
        return None
    except OSError as error:
        if error.errno == errno.EINVAL:
            return None
        raise
    return file


class _OtherRange(Exception):
    """The store sends other bytes than those asked for."""


class S3File:
    """A file on S3, with the methods of a file system that read one file.

    `state` are size and ETag when its `tail`, its last bytes, was read.
    """

    state: Mapping[str, object]
    tail: bytes

    def __init__(self, path: str, filesystem: S3FileSystem, name: str) -> None:
        self._path, self._filesystem, self._name = path, filesystem, name
        self._bucket, self._key, self._version = filesystem.split_path(path)

    def read_end(self, length: int) -> None:
        """Reads up to `length` bytes from the end, and so the state."""
        self.state, start, self.tail = self._get(f"-{length}", length)
        if start + len(self.tail) != self.state["size"]:
            raise _OtherRange

    def info(self, path: str) -> Mapping[str, object]:
        """Size and ETag as they are now; asks the store."""
        return self._filesystem.info(path, refresh=True)

    def cat_file(self, path: str, start: int, end: int) -> bytes:
        """A range of bytes, by one request. CorruptFileError if the file is another one by now."""
        try:
            state, first, data = self._get(f"{start}-{end - 1}", end - start)
        except OSError as error:
            if error.errno != errno.EINVAL or self._is_same():
                raise
            raise self._changed(start) from None  # it is shorter by now
        except _OtherRange:
            raise OSError(f"{self._name}: the store sends other bytes than asked for") from None
        if state != self.state:
            raise self._changed(start)
        if first != start:
            raise OSError(f"{self._name}: the store sends other bytes than asked for")
        return data

    def _is_same(self) -> bool:
        facts = self.info(self._path)
        return all(facts.get(name) == value for name, value in self.state.items())

    def _changed(self, start: int) -> CorruptFileError:
        return CorruptFileError(
            f"{self._name} changed while it was open; open it again to see what it is now", offset=start
        )

    def _get(self, wanted: str, length: int) -> tuple[dict[str, object], int, bytes]:
        """Size and ETag, the offset of the first byte, and up to `length` bytes."""
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
                raise _OtherRange
            data = await body.read()
        finally:
            body.close()
        return {"size": int(place[3]), "ETag": answer.get("ETag")}, int(place[1]), data
