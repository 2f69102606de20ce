"""Finds the current metadata file of an Iceberg table without a catalog.

A table's folder `metadata` keeps a file for each commit, also those of commits that failed. `version-hint.text` names
the current one if a file system is the catalog. Without it, the contents of the files decide: each names the files before
it (`metadata-log`), and has `last-sequence-number` and `last-updated-ms`. Times of modification are not used: a copy or
`touch` changes them.

Files that no other file names are heads. A single head is the current file. Of several heads, one is current if its
branch has more commits after the fork and the other branch has one: the other is a failed commit. All other cases are
ambiguous, which is an error.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
import zlib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor

from pqexplore.lake.logs.table_log import METADATA_ENDINGS, VERSION_HINT, LogError
from pqexplore.lake.places.place import Place, base

CANDIDATES = 2_000
"""Max metadata files that are read to find the current one: those with the highest numbers in their names."""
BYTES = 4 << 30
"""Max bytes of metadata files that are read in total."""

METADATA_BYTES = 128 << 20
"""Max bytes of one metadata file; ten thousand snapshots need a tenth of this."""

_NUMBER = re.compile(r"v?(\d{1,18})")


@dataclasses.dataclass(frozen=True)
class Metadata:
    """A metadata file: its name in the folder, and the fields that decide. `before` are names, oldest first.

    Files of the same `digest` have the same content.
    """

    name: str
    digest: bytes
    uuid: str | None
    sequence: int
    updated: int
    before: tuple[str, ...]
    oldest: int
    """`timestamp-ms` of the first entry of the metadata log; `updated` without one."""

    @property
    def rank(self) -> tuple[int, int, int]:
        """A key that is larger for later metadata."""
        return self.sequence, self.updated, len(self.before)


def current(place: Place, folder: str) -> tuple[Metadata, str]:
    """The current metadata of the folder `metadata`, and the evidence. LogError if it cannot be decided."""
    sizes = {base(item.path): item.size or 0 for item in place.files(folder) if item.path.endswith(METADATA_ENDINGS)}
    hint = place.join(folder, VERSION_HINT)
    if any(base(item.path) == VERSION_HINT for item in place.files(folder)):
        name = _hinted(place.read(hint, 4096), set(sizes))
        return parse(name, text_of(place, folder, name)), VERSION_HINT
    if not sizes:
        raise LogError("corrupt", f"{folder} has no metadata file")
    names = sorted(sizes, key=lambda name: (_number(name), name))[-CANDIDATES:]
    if sum(sizes[name] for name in names) > BYTES:
        raise LogError("limit", f"the metadata files have more than {BYTES:,} bytes; give the catalog's table")

    def read(name: str) -> Metadata | LogError:
        try:
            return parse(name, text_of(place, folder, name))
        except LogError as error:
            return error

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(read, names))
    parsed = {one.name: one for one in found if isinstance(one, Metadata)}
    broken = {name: one for name, one in zip(names, found, strict=True) if isinstance(one, LogError)}
    if not parsed:
        raise next(iter(broken.values()))
    chosen = _head(parsed)
    named = {name for one in parsed.values() for name in one.before}
    for name, error in broken.items():
        if name not in named and _number(name) >= _number(chosen.name):
            raise LogError("corrupt", f"{error.message}; it may be the current metadata, so the live files are unknown")
    return chosen, "metadata files"


def text_of(place: Place, folder: str, name: str) -> bytes:
    """The JSON of a metadata file, decompressed. LogError if that fails."""
    data = place.read(place.join(folder, name), METADATA_BYTES)
    if data[:2] != b"\x1f\x8b":
        return data
    unpack = zlib.decompressobj(31)
    try:
        data = unpack.decompress(data, METADATA_BYTES)
    except zlib.error as error:
        raise LogError("corrupt", f"{name} cannot be decompressed: {error}") from None
    if not unpack.eof:
        raise LogError("corrupt", f"{name} is cut off, or has more than {METADATA_BYTES:,} bytes")
    return data


def parse(name: str, text: bytes) -> Metadata:
    """The fields of a metadata file. LogError if it is not one."""
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise LogError("corrupt", f"{name} is not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise LogError("corrupt", f"{name} is not a JSON object")
    updated, sequence = fields.get("last-updated-ms"), fields.get("last-sequence-number", 0)
    if type(updated) is not int or type(sequence) is not int:
        raise LogError("corrupt", f"{name} has no last-updated-ms, so it is no table's metadata")
    log = fields.get("metadata-log")
    entries = [one for one in log if isinstance(one, dict)] if isinstance(log, list) else []
    before = tuple(base(one["metadata-file"]) for one in entries if isinstance(one.get("metadata-file"), str))
    times = [one["timestamp-ms"] for one in entries if type(one.get("timestamp-ms")) is int]
    uuid = fields.get("table-uuid")
    return Metadata(
        name,
        hashlib.sha256(text).digest(),
        uuid if isinstance(uuid, str) else None,
        sequence,
        updated,
        before,
        min(times, default=updated),
    )


def _head(files: dict[str, Metadata]) -> Metadata:
    uuids = {one.uuid for one in files.values() if one.uuid is not None}
    if len(uuids) > 1:
        raise LogError("ambiguous", f"metadata of {len(uuids):,} tables lies in one folder; give the catalog's table")
    named = {name for one in files.values() for name in one.before}
    heads = [one for name, one in files.items() if name not in named]
    if not heads:
        raise LogError("corrupt", "the metadata files name one another in a circle")
    best = max(heads, key=lambda one: (one.rank, one.name))
    for other in heads:
        if other is best or other.digest == best.digest:
            continue
        if not _is_dead(other, best, files):
            raise LogError(
                "ambiguous",
                f"{best.name} and {other.name} both claim to be the latest metadata and neither is built on the "
                "other; give the catalog's table",
            )
    return best


def _is_dead(head: Metadata, best: Metadata, files: dict[str, Metadata]) -> bool:
    """Whether a head is older than the whole metadata log of `best`, or a failed commit."""
    mine, theirs = _line(head, files), _line(best, files)
    common = [name for name in theirs if name in set(mine)]
    if not common:
        return head.updated < best.oldest and head.sequence <= best.sequence
    since = theirs.index(common[-1])
    return len(mine) - mine.index(common[-1]) == 2 and len(theirs) - since > 2


def _line(head: Metadata, files: dict[str, Metadata]) -> list[str]:
    """Names of all metadata that a file is built on, oldest first, itself last; logs are joined where they are cut."""
    line = [*head.before, head.name]
    for _ in range(len(files)):
        first = files.get(line[0])
        if first is None or not first.before or first.before[-1] in line:
            break
        line = [*first.before, *line]
    return line


def _hinted(data: bytes, names: set[str]) -> str:
    """The file that a version hint names. A number may be outdated: later versions are used if they exist."""
    text = data.decode(errors="replace").strip()
    if text.isascii() and text.isdigit() and len(text) < 19:
        number, found = int(text), None
        while (name := _versioned(number, names)) is not None:
            number, found = number + 1, name
        if found is not None:
            return found
    elif re.fullmatch(r"[\w.+-]+", text):
        for name in (text, f"{text}.metadata.json"):
            if name in names:
                return name
    raise LogError("missing", f"{VERSION_HINT} says {text[:100]!r}, and there is no such metadata file")


def _versioned(number: int, names: Iterable[str]) -> str | None:
    choices = (f"v{number}{ending}" for ending in (*METADATA_ENDINGS, ".gz.metadata.json"))
    return next((name for name in choices if name in names), None)


def _number(name: str) -> int:
    match = _NUMBER.match(name)
    return int(match[1]) if match else -1
