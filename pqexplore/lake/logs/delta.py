"""Delta's transaction log → a `TableLog`.

The log is a folder of numbered commits (JSON, one action a line) and checkpoints (Parquet, the state at a version). The
state is the newest complete checkpoint and every commit after it (`reconciliation`). A missing commit in between makes
the state unknown.

Commits before the checkpoint are read for history alone: which version removed a file, and whether every version since
the first is there. Only then does a file that no version names count as an orphan.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

from pqexplore.lake.logs import checkpoint, retention
from pqexplore.lake.logs.commits import COMMITS, Action, actions, at, contents, file_of_vector, later_names, wanted
from pqexplore.lake.logs.log_paths import Names, require_inside
from pqexplore.lake.logs.log_statistics import DeltaStatistics
from pqexplore.lake.logs.reconciliation import Removal, Replay
from pqexplore.lake.logs.table_log import (
    CHANGES,
    DELETES,
    DELTA_LOG,
    LIVE,
    ORPHAN,
    OTHER,
    REMOVED,
    UNKNOWN,
    UNREFERENCED,
    Fact,
    LogError,
    TableLog,
    Version,
    partition_text,
)
from pqexplore.lake.logs.table_schema import TableSchema, of_delta
from pqexplore.lake.places.place import Item, Place, base

LOG_BYTES = 2 << 30
"""Max bytes of commits that are read in total."""
STATISTICS = 256 << 20
"""Max characters of the live files' statistics that are kept, to be compared with footers."""

FEATURES = frozenset(
    (
        *("columnMapping", "deletionVectors", "timestampNtz", "v2Checkpoint", "vacuumProtocolCheck"),
        *("typeWidening", "typeWidening-preview", "variantType", "variantType-preview"),
        *("variantShredding", "variantShredding-preview", "geospatial"),
    )
)
"""Reader features with which reconciling add and remove actions still gives the live files."""

_COMMIT = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10})|\.[0-9a-fA-F-]{36})?\.(parquet|json)")


def read(place: Place, root: str, version: Version | None = None, follow: bool = False) -> TableLog:
    """The table at `root`, by default its newest version. LogError, or the errors of reading, if the log is broken.

    A time means the last version that was committed by then. With `follow`, links may lead outside of the table.
    """
    folder = place.join(root, DELTA_LOG)
    require_inside(place, folder, root, follow)
    items = place.files(folder)
    for item in items:
        if place.is_link(item.path):
            require_inside(place, item.path, root, follow)
    commits, checkpoints = _found(items)
    if not commits and not checkpoints:
        raise LogError("corrupt", "the log has no commit and no checkpoint")
    newest = last = max([*commits, *checkpoints])
    every = commits
    if version is not None:
        newest = wanted(place, commits, checkpoints, version)
        commits = {number: item for number, item in commits.items() if number <= newest}
    start = max((number for number in checkpoints if number <= newest), default=-1)
    history = _history(commits, start, newest)
    past = Replay()  # of the commits before the checkpoint: which version removed what
    state = Replay()
    if start >= 0:
        state.version(checkpoint.actions(place, folder, checkpoints[start], follow), None)
    first = history[0] if history else newest + 1
    for version, data in contents(place, [commits[v] for v in history], history):
        try:
            (state if version > start else past).version(actions(data, version), version)
        except LogError:
            if version > start:
                raise
            past, first = Replay(), version + 1  # a broken old commit: the state does not need it
    _check(state)
    later = later_names(place, every, newest, last)
    found = _answer(place, root, (newest, last), first, past, state, later)
    if newest < last:  # a later version may have any of the files again
        found.retention = retention.UNKNOWN_RETENTION
    return found


def _history(commits: Mapping[int, Item], start: int, newest: int) -> list[int]:
    """The versions whose commits are read: those after the checkpoint of version `start` (-1: none), and some before it.

    LogError if one of them is missing, or if they are too many.
    """
    missing = [v for v in range(start + 1, newest + 1) if v not in commits]
    if missing:
        since = f"the checkpoint of version {start:,}" if start >= 0 else "the beginning"
        raise LogError(
            "corrupt",
            f"version {newest:,} is there and version {missing[0]:,} is not, and no checkpoint after it: the versions "
            f"since {since} do not add up to a state",
        )
    history = sorted(commits)[-COMMITS:]
    if sum(commits[v].size or 0 for v in history) > LOG_BYTES:
        history = [v for v in history if v > start]
        if sum(commits[v].size or 0 for v in history) > LOG_BYTES:
            raise LogError("limit", f"the commits have more than {LOG_BYTES:,} bytes")
    if start < newest and history[0] > start + 1:
        raise LogError("limit", f"there are more than {COMMITS:,} commits after the checkpoint")
    return history


def _answer(
    place: Place, root: str, versions: tuple[int, int], first: int, past: Replay, state: Replay, later: set[str] | None
) -> TableLog:
    """The facts of all names; `first` is the version from which on every commit was read.

    `versions` are the one that is read, and the newest; `later` are the names in those between, None if they are unknown.
    """
    newest, last = versions
    names = Names(place, root)
    named: dict[str, Fact] = {}
    outside: dict[str, Fact] = {}

    def put(name: str, fact: Fact) -> None:
        decoded = unquote(name)
        below = names.resolve(decoded)
        if below is not None:
            named[below] = fact
        elif fact.state == LIVE:
            outside[names.absolute(decoded)] = fact

    for replay in (past, state):
        for name, version in replay.changes.items():
            reason = f"changes of {at(version)}, for readers of the change data feed"
            put(name, Fact(CHANGES, reason))
    for name in past.live.keys() - state.live.keys():
        put(name, Fact(REMOVED, "an earlier version has it; reading that version needs it"))
    for after, before in ((state.removed, past.removed), (state.vectors, past.vectors)):
        for name, (words, when) in {**after, **before, **_numbered(after)}.items():
            reason = f"{words}; reading earlier versions needs it"
            put(name, Fact(REMOVED, reason, removed_at=when))
    for name in later or ():
        put(name, Fact(OTHER, f"versions after {newest:,} name it"))
    metadata = state.metadata or {}
    schema = of_delta(metadata)
    room = STATISTICS
    for name, add in state.live.items():
        if (file := file_of_vector(add.vector)) is not None:
            put(file, Fact(DELETES, "a deletion vector of a live file: it deletes rows of it"))
        room -= len(add.stats or "")
        statistics = None
        if add.stats is not None and room >= 0:
            statistics = DeltaStatistics(add.stats, add.vector is not None)
        fact = Fact(
            LIVE,
            None,
            add.rows,
            add.deleted,
            size=add.size,
            vector=add.vector,
            partition=_partition(add.partition, schema),
            statistics=statistics,
        )
        put(name, fact)
    if later is None:
        reason = f"the versions after {newest:,} cannot all be read, and one of them may have it"
        unnamed = Fact(UNKNOWN, reason)
    elif first == 0:
        reason = f"no version from 0 to {last:,} names it; a writer that has not committed yet leaves such files, too"
        unnamed = Fact(ORPHAN, reason)
    else:
        reason = (
            f"the log does not name it as far as it is kept; versions before {first:,} are gone or cannot be read, "
            "and one of them may have removed it"
        )
        unnamed = Fact(UNREFERENCED, reason)
    partitions = metadata.get("partitionColumns")
    keys = tuple(map(str, partitions)) if isinstance(partitions, list) else ()
    return TableLog(
        "delta",
        root,
        named,
        outside,
        unnamed,
        f"version {newest:,} of {DELTA_LOG}",
        "log",
        version=newest,
        schema=schema,
        partitions=keys,
        constants=frozenset(keys),
        changed=past.changed | state.changed,
        retention=retention.of_delta(metadata),
        indexed=_indexed(metadata),
        remarks=[] if room >= 0 else [f"more than {STATISTICS:,} bytes of statistics are not compared"],
    )


def _partition(values: object, schema: TableSchema | None) -> str | None:
    """The partition values of an add, whose keys are names in files; None if it has none."""
    try:
        pairs = dict(values).items() if isinstance(values, dict | list) else None
    except (TypeError, ValueError):
        return None
    if pairs is None:
        return None
    return partition_text(
        (str(key) if schema is None else schema.present(str(key)), None if value in (None, "") else str(value))
        for key, value in pairs
    )


def _indexed(metadata: Action) -> int | None:
    """How many columns have statistics by the table's properties: 32 by default; None for all, or if columns are named.

    Source: https://docs.delta.io/latest/table-properties.html, `delta.dataSkippingNumIndexedCols`.
    """
    options = metadata.get("configuration")
    pairs = dict(options) if isinstance(options, dict | list) else {}
    text = str(pairs.get("delta.dataSkippingNumIndexedCols", "32"))
    if "delta.dataSkippingStatsColumns" in pairs or not text.isdecimal():
        return None
    return int(text)


def _numbered(removed: dict[str, Removal]) -> dict[str, Removal]:
    """Removals with a known version."""
    return {n: one for n, one in removed.items() if one.words.startswith("removed by version")}


def _found(items: Sequence[Item]) -> tuple[dict[int, Item], dict[int, list[Item]]]:
    """Commits by version, and the files of each complete checkpoint."""
    commits: dict[int, Item] = {}
    parts: dict[int, dict[tuple[str, int], list[Item]]] = {}
    for item in items:
        name = base(item.path)
        if match := _COMMIT.fullmatch(name):
            commits[int(match[1])] = item
        elif match := _CHECKPOINT.fullmatch(name):
            of = int(match[3] or 1)
            kind = f"{of}" if match[3] else name
            parts.setdefault(int(match[1]), {}).setdefault((kind, of), []).append(item)
    complete: dict[int, list[Item]] = {}
    for version, kinds in parts.items():
        for (_, of), some in sorted(kinds.items()):
            if len(some) == of:
                complete[version] = sorted(some, key=lambda item: item.path)
                break
    return commits, complete


def _check(state: Replay) -> None:
    """Raise LogError if this reader does not support the table's protocol."""
    if state.protocol is None or state.metadata is None:
        what = "protocol" if state.protocol is None else "metaData"
        raise LogError("corrupt", f"the log has no action {what}")
    version = state.protocol.get("minReaderVersion")
    if type(version) is not int or not 1 <= version <= 3:
        raise LogError("unsupported", f"the table needs a reader of version {version!r}; 1 to 3 are supported")
    named = state.protocol.get("readerFeatures") or []
    unknown = [str(one) for one in named if one not in FEATURES] if isinstance(named, list) else []
    if version == 3 and unknown:
        raise LogError("unsupported", f"the table needs readers that support {', '.join(sorted(unknown))}")
