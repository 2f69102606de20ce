"""Recognises that the disk of a store is full, wherever a run met it."""

from __future__ import annotations

import errno

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""No space, no quota, or a file larger than the file system or the process may write."""

_WORDS = "No space left on device"
"""What the error of a Spark job quotes."""


def disk_full(error: BaseException, root: str) -> OSError | None:
    """The error to raise for a run into the folder `root` that stopped because a disk is full; None for other errors."""
    if isinstance(error, OSError) and error.errno in FULL:
        number = error.errno
    elif isinstance(error, Exception) and _WORDS in str(error):
        number = errno.ENOSPC
    else:
        return None
    return OSError(
        number,
        f"the disk is full: the tables of this run do not fit into {root}, or its temporary files onto the disk where "
        "they were written; free some space, or scan with out= another folder; the run before, if there is one, stays "
        "current",
    )
