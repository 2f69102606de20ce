"""What the bytes of a gap look like: padding, text, a page, a copy of metadata, encrypted modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.page_headers import check_header
from pqexplore.engine.file.plausible import implausible
from pqexplore.engine.format.thrift import fast, structs
from pqexplore.engine.format.thrift.metadata_copy import metadata_copy
from pqexplore.engine.text import clip, printable

if TYPE_CHECKING:
    from pqexplore.engine.file.file import ParquetFile

SAMPLE = 1 << 16
"""Max bytes of a gap that are looked at."""

TEXT = 60
"""Characters of a text that are shown."""

ZEROS = 4
"""Min number of zero bytes at the beginning of a gap that are described apart from the rest."""


COPY = "a second copy of"
"""How the reason of such a gap begins."""


def gap_reason(file: ParquetFile, start: int, end: int) -> str:
    """What the bytes of a gap look like."""
    sample = bytes(file.source.read(start, min(end - start, SAMPLE)))
    if file.footer.cipher is not None:
        from pqexplore.engine.format.encryption.modules import hop  # few files are encrypted

        modules = list(hop(lambda at: sample[at : at + 4], 0, end - start))
        if modules:
            whole = "" if modules[-1][1] == end - start else " to begin with"
            return f"encrypted modules, {len(modules):,}{whole}, of parts whose places need a key"
    if file.metadata is None:
        return "the footer says whose bytes these are, and it needs a key"
    if not any(sample):
        return "padding: all zero" if end - start > 7 else "alignment: zero bytes"
    zeros = len(sample) - len(sample.lstrip(b"\0"))
    if zeros < ZEROS:
        return _of_bytes(file, start, end, sample)
    return f"{zeros:,} zero bytes, then {_of_bytes(file, start + zeros, end, sample[zeros:])}"


def kind_of(reason: str) -> str:
    """A reason without what differs between gaps of one kind: the name of a column, the text."""
    if reason.startswith(COPY):
        return reason.rpartition(" of ")[0]
    return reason.partition(_QUOTED)[0]


_QUOTED = ' that reads "'


def _of_bytes(file: ParquetFile, start: int, end: int, sample: bytes) -> str:
    """What bytes look like that do not begin with zeros; `sample` are the first of `[start, end)`."""
    if sample in (b"PAR1", b"PARE"):
        return "a magic in the middle of the file"
    text = text_of(sample)
    if text:
        return f'unreferenced text{_QUOTED}{clip(printable(text), TEXT)}"'
    copy = metadata_copy(sample)
    if copy is not None:
        return f"{COPY} the {copy.kind} of {'.'.join(copy.metadata.path_in_schema)}"
    if _begins_with_a_page(file, sample, end - start):
        return "unreferenced bytes that begin like a page header"
    return "unreferenced bytes: no structure of the file points here"


def text_of(sample: bytes) -> str:
    """The bytes as text if they are printable UTF-8, with tabs and line ends; empty if not, or if they are few.

    Zeros after the text are padding.
    """
    data = sample.rstrip(b"\0")
    for cut in range(4):  # the sample may end inside a character
        try:
            text = data[: len(data) - cut].decode()
        except UnicodeDecodeError:
            continue
        shown = text.translate({ord(one): None for one in "\t\r\n"})
        return text if len(data) >= 4 and shown.isprintable() and shown else ""
    return ""


def _begins_with_a_page(file: ParquetFile, sample: bytes, size: int) -> bool:
    """Whether the bytes begin with a header of a page that fits into `size` bytes, and that a writer may write."""
    try:
        header, end = fast.decode(structs.PageHeader, sample)
        check_header(header, size - end, file.limits)
    except ParquetError:
        return False
    return not implausible(header)


def is_copy(file: ParquetFile, start: int, end: int) -> bool:
    """Whether a gap is a second copy of a chunk's metadata, and nothing else."""
    copy = metadata_copy(bytes(file.source.read(start, end - start))) if end - start <= SAMPLE else None
    return copy is not None and copy.size == end - start
