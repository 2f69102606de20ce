"""The one way in which a file that a user names is written: no file is lost, and no half of one appears.

The bytes go to a file of a temporary name in the same folder, which is renamed when it is complete. What fails or is
interrupted leaves nothing. A target is refused before the work: one that is read at the same time, also by another name;
one that exists, unless it may be replaced; a link, a folder, a named pipe, a device.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from pqexplore.engine import ending
from pqexplore.engine.errors import TargetError

_KINDS = (
    (stat.S_ISDIR, "a folder; name a file in it"),
    (stat.S_ISFIFO, "a named pipe, and only files are written; name a new file"),
    (stat.S_ISSOCK, "a socket, and only files are written; name a new file"),
    (stat.S_ISCHR, "a device, and only files are written; name a new file"),
    (stat.S_ISBLK, "a device, and only files are written; name a new file"),
)

LONGEST = 255
"""Bytes of a file's name on most file systems."""


class OutputFile:
    """A file that is being written. `name` is its temporary path, `target` the one that it gets when it is complete."""

    def __init__(self, target: str, name: str, file: BinaryIO) -> None:
        self.target = target
        self.name = name
        self._file = file

    def write(self, data: bytes | bytearray | memoryview, /) -> int:
        """Write bytes. OSError names the target."""
        ending.check()
        with _named(self.target):
            return self._file.write(data)

    def flush(self, *, to_disk: bool = False) -> None:
        """Hand what was written to the system; `to_disk` waits until the disk has it."""
        with _named(self.target):
            self._file.flush()
            if to_disk:
                os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file. What cannot be flushed anymore is dropped: `flush` says so before."""
        with contextlib.suppress(OSError):
            self._file.close()


@contextlib.contextmanager
def writing(
    target: str | os.PathLike[str], *, overwrite: bool = False, sources: Iterable[str] = ()
) -> Iterator[OutputFile]:
    """Gives an OutputFile; it gets the name `target` if the `with` ends without an exception.

    `sources` are paths of files that are read meanwhile. With `overwrite`, an existing file is replaced at the end; its
    permissions stay. Raises TargetError for a target that is a source, a link, a folder or a special file, FileExistsError
    for one that exists, without `overwrite`, and OSError, with the target's name, if it cannot be written there.
    """
    path = os.fsdecode(target)
    refuse(path, overwrite=overwrite, sources=sources)
    folder, name = os.path.split(path)
    # The name is clipped so that a long one does not get too long.
    short = os.fsdecode(os.fsencode(name)[: LONGEST - 20])
    partial = os.path.join(os.path.abspath(folder), f".{short}.{secrets.token_hex(4)}.partial")
    with ending.removing(partial):
        with _named(path):
            file = open(partial, "xb")  # noqa: SIM115  # closed below, before it is renamed
        out = OutputFile(path, partial, file)
        try:
            with contextlib.suppress(OSError):
                if os.path.isfile(path):
                    os.chmod(partial, stat.S_IMODE(os.stat(path).st_mode))
            yield out
            # A file that is replaced is not lost before the new one is on the disk.
            out.flush(to_disk=os.path.lexists(path))
        finally:
            out.close()
        ending.check()
        refuse(path, overwrite=overwrite)  # it may be another file by now
        with _named(path):
            _rename(partial, path, overwrite=overwrite)


class _Probed(Exception):
    """Ends the writing of a file that was only tried."""


def require(target: str | os.PathLike[str], *, overwrite: bool = False, sources: Iterable[str] = ()) -> None:
    """Raise what `writing` raises before the work, for what is opened or computed before it."""
    with contextlib.suppress(_Probed), writing(target, overwrite=overwrite, sources=sources):
        raise _Probed


def refuse(target: str | os.PathLike[str], *, overwrite: bool = False, sources: Iterable[str] = ()) -> None:
    """Raise what `writing` raises for a target that is not written to."""
    path = os.fsdecode(target)
    if "\0" in path:
        raise TargetError(path, "names no file: it has a NUL character")
    if "://" in path:
        raise TargetError(path, "is a URL, and only files of this machine are written; name a file")
    if not os.path.basename(path):
        raise TargetError(path, "names no file; name one in the folder" if path else "names no file")
    if is_one_of(path, sources):
        raise TargetError(path, "is a file that is read, and is not replaced; name another one")
    try:
        mode = os.lstat(path).st_mode
    except OSError:  # there is none; if it cannot be made, opening it says why
        return
    if stat.S_ISLNK(mode):
        raise TargetError(path, "is a symbolic link, and is not followed; name a file")
    for is_kind, what in _KINDS:
        if is_kind(mode):
            raise TargetError(path, f"is {what}")
    if not overwrite:
        raise _exists(path)


def require_folder(folder: str | os.PathLike[str]) -> None:
    """Raise TargetError if a folder of this machine, which may not exist yet, cannot be written into."""
    path = os.fsdecode(folder)
    if "\0" in path:
        raise TargetError(path, "names no folder: it has a NUL character")
    if os.path.lexists(path) and not os.path.isdir(path):
        raise TargetError(path, "is not a folder, and what is written needs one; name another")
    above = os.path.abspath(path)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    if not os.path.isdir(above):
        raise TargetError(path, f"cannot be made: {above} is not a folder; name another")
    if not os.access(above, os.W_OK | os.X_OK):
        raise TargetError(path, f"cannot be written: there is no right to write in {above}; name another")  # fmt: skip


def is_one_of(target: str, sources: Iterable[str]) -> bool:
    """Whether a path leads to the same file as one of `sources`, by whatever links."""
    try:
        status = os.stat(target)
    except (OSError, ValueError):
        return False  # `sources` may be many: they are not looked at
    for source in sources:
        with contextlib.suppress(OSError, ValueError):  # no path: a URL, "bytes"
            if os.path.samestat(status, os.stat(os.path.expanduser(source))):
                return True
    return False


def source_names(source: object) -> list[str]:
    """The paths of what is read: a path; those of an open file, with the other files that it reads; none for a table in memory."""
    if isinstance(source, str | os.PathLike):
        return [os.fsdecode(source)]
    several = getattr(source, "local_names", None)
    if several is not None:
        return list(several)
    name = getattr(source, "name", None)
    return [name] if isinstance(name, str) else []


def _exists(path: str) -> FileExistsError:
    said = "it exists, and is not replaced without overwrite=True (at the terminal: --force)"
    return FileExistsError(errno.EEXIST, said, path)


@contextlib.contextmanager
def _named(target: str) -> Iterator[None]:
    """Raises an OSError with the name of the target, not with the temporary one."""
    try:
        yield
    except OSError as error:
        said = error.strerror or str(error)
        raise OSError(error.errno or errno.EIO, said, target) from None


def _rename(partial: str, path: str, *, overwrite: bool) -> None:
    if overwrite:
        os.replace(partial, path)
        return
    try:
        os.link(partial, path)  # fails if the name was taken meanwhile, which a rename would not
    except FileExistsError:
        raise _exists(path) from None
    except (OSError, AttributeError):  # a file system without hard links
        if os.path.lexists(path):
            raise _exists(path) from None
        os.rename(partial, path)
