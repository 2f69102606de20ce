"""Delta's transaction log → a `TableLog`.

The log is a folder of numbered commits (JSON, one action a line) and checkpoints (Parquet, the state at a version). The
state is the newest complete checkpoint and every commit after it, as the protocol's "Action Reconciliation" says: of
each (path, deletion vector) the latest add or remove holds. A missing commit in between makes the state unknown.

Commits before the checkpoint are read for history alone: which version removed a file, and whether every version since
the first is there. Only then does a file that no version names count as an orphan.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from pqexplore.lake.logs import checkpoint, columns, retention
from pqexplore.lake.logs.commits import (
    COMMITS,
    Action,
    actions,
    at,
    contents,
    later_names,
    path_of,
    wanted,
)
from pqexplore.lake.logs.fields import of_delta
from pqexplore.lake.logs.names import Names, check_no_way_out
from pqexplore.lake.logs.statistics import DeltaStatistics
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
    moment,
    partition_text,
)
from pqexplore.lake.logs.vectors import vector_file
from pqexplore.lake.places.place import Item, Place, base

LOG_BYTES = 2 << 30
"""Max bytes of commits that are read in total."""
STATISTICS = 256 << 20
"""Max characters of the live files' statistics that are kept, to be compared with footers."""

FEATURES = frozenset(
    (
        *(
            "columnMapping",
            "deletionVectors",
            "timestampNtz",
            "v2Checkpoint",
            "vacuumProtocolCheck",
        ),
        *("typeWidening", "typeWidening-preview", "variantType", "variantType-preview"),
        *("variantShredding", "variantShredding-preview", "geospatial"),
    )
)
"""Reader features with which reconciling add and remove actions still gives the live files."""

_COMMIT = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(
    r"(\d{20})\.checkpoint(?:\.(\d{10})\.(\d{10})|\.[0-9a-fA-F-]{36})?\.(parquet|json)"
)


@dataclasses.dataclass
class _Add:
    """A live add: its name in the log, its rows, and the rows that its deletion vector deletes."""

    name: str
    rows: int | None
    deleted: int
    vector: str | None
    size: int | None
    partition: object
    stats: str | None


class _Removal(NamedTuple):
    """`words`: by which version or when; `at`: when, in microseconds since 1970, None if the log does not say."""

    words: str
    at: int | None


class _Replay:
    """The state of a table while actions are applied."""

    def __init__(self) -> None:
        self.live: dict[str, _Add] = {}
        self.removed: dict[str, _Removal] = {}
        self.vectors: dict[str, _Removal] = {}  # files of removed deletion vectors
        self.changes: dict[str, int | None] = {}
        self.protocol: Action | None = None
        self.metadata: Action | None = None
        self.changed: dict[int, bool] = {}  # version → whether it changed rows

    def version(self, actions: Iterator[Action], version: int | None) -> None:
        """Apply all actions of one commit, or of the checkpoint (`version` None). Their order does not matter."""
        adds: dict[str, _Add] = {}
        removes: dict[str, tuple[str | None, _Removal]] = {}
        changed = False
        for action in actions:
            for kind in ("protocol", "metaData", "add", "remove", "cdc"):
                body = action.get(kind)
                if body is None:
                    continue
                if not isinstance(body, dict):
                    raise LogError(
                        "corrupt", f"the action {kind} of {at(version)} is not an object"
                    )
                changed |= kind in ("add", "remove") and body.get("dataChange") is not False
                if kind == "protocol":
                    self.protocol = body
                elif kind == "metaData":
                    self.metadata = body
                elif kind == "add":
                    add = _add(body, version)
                    if add.name in adds and adds[add.name].vector != add.vector:
                        raise LogError("corrupt", f"{at(version)} adds {add.name!r} twice")
                    adds[add.name] = add
                elif kind == "remove":
                    removal = _removal(body, version)
                    removes[path_of(body, version)] = (_vector(body), removal)
                    if (file := _vector_file(_vector(body))) is not None:
                        self.vectors[file] = removal
                else:
                    self.changes[path_of(body, version)] = version
        if version is not None:
            self.changed[version] = changed
        for name, (vector, removal) in removes.items():
            before = self.live.get(name)
            if before is not None and before.vector == vector:
                del self.live[name]
            self.removed[name] = removal
        for name, add in adds.items():
            if name in self.live and self.live[name].vector != add.vector and name not in removes:
                raise LogError(
                    "corrupt",
                    f"{at(version)} adds {name!r} with another deletion vector and does not remove the earlier one",
                )
            self.live[name] = add


def read(place: Place, root: str, version: Version | None = None) -> TableLog:
    """The table at `root`, by default its newest version. LogError, or the errors of reading, if the log is broken.

    A time means the last version that was committed by then.
    """
    folder = place.join(root, DELTA_LOG)
    check_no_way_out(place, folder, root)
    items = place.files(folder)
    for item in items:
        if place.is_link(item.path):
            check_no_way_out(place, item.path, root)
    commits, checkpoints = _found(items)
    if not commits and not checkpoints:
        raise LogError("corrupt", "the log has no commit and no checkpoint")
    newest = last = max([*commits, *checkpoints])
    every = commits
    if version is not None:
        newest = wanted(place, commits, checkpoints, version)
        commits = {number: item for number, item in commits.items() if number <= newest}
    start = max((number for number in checkpoints if number <= newest), default=-1)
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
    past = _Replay()  # of the commits before the checkpoint: which version removed what
    state = _Replay()
    if start >= 0:
        state.version(checkpoint.actions(place, folder, checkpoints[start]), None)
    first = history[0] if history else newest + 1
    for version, data in contents(place, [commits[v] for v in history], history):
        try:
            (state if version > start else past).version(actions(data, version), version)
        except LogError:
            if version > start:
                raise
            past, first = _Replay(), version + 1  # a broken old commit: the state does not need it
    _check(state)
    later = later_names(place, every, newest, last)
    found = _answer(place, root, (newest, last), first, past, state, later)
    if newest < last:  # a later version may have any of the files again
        found.retention = retention.UNKNOWN_RETENTION
    return found


def _answer(
    place: Place,
    root: str,
    versions: tuple[int, int],
    first: int,
    past: _Replay,
    state: _Replay,
    later: set[str] | None,
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
            outside[decoded] = fact

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
    named_columns = columns.of_delta(metadata)
    keys = {} if named_columns is None else named_columns.by_path
    room = STATISTICS
    for name, add in state.live.items():
        if (file := _vector_file(add.vector)) is not None:
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
            partition=_partition(add.partition, keys),
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
    return TableLog(
        "delta",
        root,
        named,
        outside,
        unnamed,
        f"version {newest:,} of {DELTA_LOG}",
        "log",
        version=newest,
        fields=of_delta(metadata),
        partitions=tuple(map(str, partitions)) if isinstance(partitions, list) else (),
        changed=past.changed | state.changed,
        retention=retention.of_delta(metadata),
        columns=named_columns,
        indexed=_indexed(metadata),
        remarks=[]
        if room >= 0
        else [f"more than {STATISTICS:,} bytes of statistics are not compared"],
    )


def _partition(values: object, names: Mapping[tuple[str, ...], str]) -> str | None:
    """The partition values of an add, whose keys are names in files; None if it has none."""
    try:
        pairs = dict(values).items() if isinstance(values, dict | list) else None
    except (TypeError, ValueError):
        return None
    if pairs is None:
        return None
    return partition_text(
        (names.get((str(key),), str(key)), None if value in (None, "") else str(value))
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


def _numbered(removed: dict[str, _Removal]) -> dict[str, _Removal]:
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


def _add(body: Action, version: int | None) -> _Add:
    vector = body.get("deletionVector")
    deleted = 0
    if isinstance(vector, dict):
        counted = vector.get("cardinality")
        if type(counted) is not int or counted < 0:
            raise LogError(
                "corrupt", f"a deletion vector of {at(version)} does not say how many rows it has"
            )
        deleted = counted
    size = body.get("size")
    size = size if type(size) is int and size >= 0 else None
    stats = body.get("stats")
    return _Add(
        path_of(body, version),
        _rows(body),
        deleted,
        _vector(body),
        size,
        body.get("partitionValues"),
        stats if isinstance(stats, str) else None,
    )


def _rows(body: Action) -> int | None:
    """Rows by the add's statistics; None if they do not say."""
    text = body.get("stats")
    rows: object = None
    if isinstance(text, str):
        try:
            stats = json.loads(text)
            rows = stats.get("numRecords") if isinstance(stats, dict) else None
        except (ValueError, RecursionError):
            return None
    return rows if type(rows) is int and rows >= 0 else None


def _vector(body: Action) -> str | None:
    """The protocol's unique id of a deletion vector."""
    vector = body.get("deletionVector")
    if not isinstance(vector, dict):
        return None
    return f"{vector.get('storageType')}{vector.get('pathOrInlineDv')}@{vector.get('offset')}"


def _vector_file(vector: str | None) -> str | None:
    """The file of a deletion vector, by its unique id."""
    if vector is None:
        return None
    return vector_file(vector[:1], vector[1:].rpartition("@")[0])


def _removal(body: Action, version: int | None) -> _Removal:
    stamp = body.get("deletionTimestamp")
    when = stamp if type(stamp) is int and 0 < stamp < 1 << 45 else None
    micros = None if when is None else when * 1000
    if version is not None:
        return _Removal(f"removed by version {version:,}", micros)
    if when is None:
        return _Removal("removed before the last checkpoint", None)
    return _Removal(f"removed at {moment(when)}", micros)


def _check(state: _Replay) -> None:
    """Raise LogError if this reader does not support the table's protocol."""
    if state.protocol is None or state.metadata is None:
        what = "protocol" if state.protocol is None else "metaData"
        raise LogError("corrupt", f"the log has no action {what}")
    version = state.protocol.get("minReaderVersion")
    if type(version) is not int or not 1 <= version <= 3:
        raise LogError(
            "unsupported", f"the table needs a reader of version {version!r}; 1 to 3 are supported"
        )
    named = state.protocol.get("readerFeatures") or []
    unknown = [str(one) for one in named if one not in FEATURES] if isinstance(named, list) else []
    if version == 3 and unknown:
        raise LogError(
            "unsupported", f"the table needs readers that support {', '.join(sorted(unknown))}"
        )
