"""Commits of Delta's log: reads them, and finds the one of a version or of a time."""

from __future__ import annotations

import bisect
import datetime
import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from pqexplore.lake.logs.table_log import LogError, NoSuchVersion, Version, moment
from pqexplore.lake.logs.vectors import vector_file
from pqexplore.lake.places.place import Item, Place

COMMITS = 20_000
"""Max commits that are read: the newest. With more, the history counts as incomplete."""
LINE = 32 << 20
"""Max bytes of one action."""
AT_ONCE = 16

Action = dict[str, object]
"""One action of the log: a JSON object, or a row of a checkpoint in the same form. It is not trusted."""


def wanted(place: Place, commits: dict[int, Item], checkpoints: dict[int, list[Item]], version: Version) -> int:
    """The number of a version or of the state at a time. NoSuchVersion if the log does not have it."""
    if isinstance(version, datetime.datetime):
        numbers = sorted(commits)
        instant = int(version.timestamp() * 1000)
        found = bisect.bisect_right(numbers, instant, key=lambda number: _committed(place, commits[number], number))
        if found == 0:
            begin = moment(_committed(place, commits[numbers[0]], numbers[0])) if numbers else ""
            since = f" begins with version {numbers[0]:,}, of {begin}" if numbers else " has no commit"
            raise NoSuchVersion(f"the log{since}: no version is as old as {version.isoformat()}")
        version = numbers[found - 1]
    oldest = 0 if 0 in commits else min(checkpoints, default=min(commits, default=0))
    last = max([*commits, *checkpoints])
    if version not in (*commits, *checkpoints) or int(version) < oldest:
        text = f"{oldest:,} to {last:,}"
        raise NoSuchVersion(f"the log has versions {text}, and no version {version}")
    return int(version)


def _committed(place: Place, item: Item, version: int) -> int:
    """When a version was committed, in milliseconds since 1970: its in-commit timestamp, or the time in its commitInfo.

    Without an in-commit timestamp, readers may also go by the commit file's time of modification (from documentation:
    https://docs.delta.io/latest/delta-batch.html), which a copy changes; here it counts only for a commit without either.
    """
    for action in actions(place.read(item.path), version):
        info = action.get("commitInfo")
        if isinstance(info, dict):
            for name in ("inCommitTimestamp", "timestamp"):
                stamp = info.get(name)
                if type(stamp) is int:
                    return stamp
    if item.modified is None:
        raise NoSuchVersion(f"version {version:,} does not say when it was committed")
    return item.modified // 1000


def later_names(place: Place, commits: dict[int, Item], newest: int, last: int) -> set[str] | None:
    """The names in all versions after `newest`, up to the `last`, with the files of deletion vectors.

    None if one of them cannot be read.
    """
    numbers = list(range(newest + 1, last + 1))
    if len(numbers) > COMMITS or not all(number in commits for number in numbers):
        return None
    found: set[str] = set()
    try:
        for version, data in contents(place, [commits[one] for one in numbers], numbers):
            for action in actions(data, version):
                for body in map(action.get, ("add", "remove", "cdc")):
                    if isinstance(body, dict):
                        found.add(path_of(body, version))
                        file = file_of_vector(vector_of(body))
                        found.update([] if file is None else [file])
    except LogError:
        return None
    return found


def contents(place: Place, items: Sequence[Item], versions: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """The commits in order, remote ones read ahead."""
    if place.scheme == "file":
        for version, item in zip(versions, items, strict=True):
            yield version, place.read(item.path)
        return
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for first in range(0, len(items), 4 * AT_ONCE):
            some = slice(first, first + 4 * AT_ONCE)
            texts = pool.map(lambda item: place.read(item.path), items[some])
            yield from zip(versions[some], texts, strict=True)


def actions(data: bytes, version: int) -> Iterator[Action]:
    """The actions of a commit. LogError if a line is none."""
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        if len(line) > LINE:
            raise LogError("limit", f"line {number:,} of {at(version)} has more than {LINE:,} bytes")
        try:
            action = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise LogError("corrupt", f"line {number:,} of {at(version)} is not JSON: {error}") from None
        if not isinstance(action, dict):
            raise LogError("corrupt", f"line {number:,} of {at(version)} is not a JSON object")
        yield action


def path_of(body: Action, version: int | None) -> str:
    """The path of an action. LogError if it has none."""
    path = body.get("path")
    if not isinstance(path, str) or not path:
        raise LogError("corrupt", f"an action of {at(version)} has no path")
    return path


def vector_of(body: Action) -> str | None:
    """The protocol's unique id of the deletion vector of an action."""
    vector = body.get("deletionVector")
    if not isinstance(vector, dict):
        return None
    return f"{vector.get('storageType')}{vector.get('pathOrInlineDv')}@{vector.get('offset')}"


def file_of_vector(vector: str | None) -> str | None:
    """The file of a deletion vector, by its unique id."""
    if vector is None:
        return None
    return vector_file(vector[:1], vector[1:].rpartition("@")[0])


def at(version: int | None) -> str:
    """A version in words; None is the checkpoint."""
    return "the checkpoint" if version is None else f"version {version:,}"
