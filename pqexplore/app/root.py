"""Paths below the root of a server: what may be opened. Links are followed, and may not lead out."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import stat


class OutsideError(Exception):
    """There is no such file or folder below the root. It does not say why: that would tell what is outside."""


@dataclasses.dataclass(frozen=True, slots=True)
class Opened:
    """A file or a folder below the root: its real path, and of a file the descriptor, which the caller closes."""

    path: str
    descriptor: int | None


def opened(root: str, path: str, *, hidden: bool = False) -> Opened:
    """Open what `path`, with slashes, names below `root`. OutsideError if that is nothing, or leads out of it.

    The descriptor is that of the file that was below the root when it was looked at, whatever the path names later.
    `hidden`: names that begin with a dot may be opened, too.
    """
    parts = path.strip("/").split("/") if path.strip("/") else []
    if any(part in ("", ".", "..") or "\0" in part or os.sep in part or part.endswith(":") for part in parts):
        raise OutsideError(path)
    if not hidden and any(part.startswith(".") for part in parts):
        raise OutsideError(path)
    try:
        base = os.path.realpath(root, strict=True)
        real = os.path.realpath(os.path.join(base, *parts), strict=True)
        if os.path.commonpath([base, real]) != base or (not hidden and _hidden(base, real)):
            raise OutsideError(path)
        mode = os.stat(real).st_mode
        if stat.S_ISDIR(mode):
            return Opened(real, None)
        if not stat.S_ISREG(mode):
            raise OutsideError(path)
        return Opened(real, _descriptor(real))
    except (OSError, ValueError):
        raise OutsideError(path) from None


def _hidden(base: str, real: str) -> bool:
    below = os.path.relpath(real, base)
    return below != os.curdir and any(part.startswith(".") for part in below.split(os.sep))


def _descriptor(real: str) -> int:
    """The file, open. OutsideError if the path leads elsewhere by now."""
    flags = os.O_RDONLY
    for name in ("O_BINARY", "O_CLOEXEC", "O_NONBLOCK", "O_NOCTTY", "O_NOFOLLOW"):
        flags |= getattr(os, name, 0)
    descriptor = os.open(real, flags)
    with contextlib.ExitStack() as failed:
        failed.callback(os.close, descriptor)
        status = os.fstat(descriptor)
        same = os.path.realpath(real) == real and os.path.samestat(status, os.stat(real))
        if not same or not stat.S_ISREG(status.st_mode):
            raise OutsideError(real)
        failed.pop_all()
    return descriptor
