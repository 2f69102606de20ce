"""Delta's "Action Reconciliation": the actions of commits and of a checkpoint → the state of a table.

Of each (path, deletion vector) the latest add or remove holds.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from typing import NamedTuple

from pqexplore.lake.logs.commits import Action, at, file_of_vector, path_of, vector_of
from pqexplore.lake.logs.table_log import LogError, moment


@dataclasses.dataclass
class Add:
    """A live add: its name in the log, its rows, and the rows that its deletion vector deletes."""

    name: str
    rows: int | None
    deleted: int
    vector: str | None
    size: int | None
    partition: object
    stats: str | None


class Removal(NamedTuple):
    """`words`: by which version or when; `at`: when, in microseconds since 1970, None if the log does not say."""

    words: str
    at: int | None


_Removes = dict[str, tuple[str | None, Removal]]
"""The files that are removed, by name, each with its deletion vector."""


class Replay:
    """The state of a table while actions are applied."""

    def __init__(self) -> None:
        self.live: dict[str, Add] = {}
        self.removed: dict[str, Removal] = {}
        self.vectors: dict[str, Removal] = {}  # files of removed deletion vectors
        self.changes: dict[str, int | None] = {}
        self.protocol: Action | None = None
        self.metadata: Action | None = None
        self.changed: dict[int, bool] = {}  # version → whether it changed rows

    def version(self, actions: Iterator[Action], version: int | None) -> None:
        """Apply all actions of one commit, or of the checkpoint (`version` None). Their order does not matter."""
        adds, removes, changed = self._read(actions, version)
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

    def _read(self, actions: Iterator[Action], version: int | None) -> tuple[dict[str, Add], _Removes, bool]:
        """The files that are added and removed, by name, and whether that changes data; takes note of other actions."""
        adds: dict[str, Add] = {}
        removes: _Removes = {}
        changed = False
        for action in actions:
            for kind in ("protocol", "metaData", "add", "remove", "cdc"):
                body = action.get(kind)
                if body is None:
                    continue
                if not isinstance(body, dict):
                    raise LogError("corrupt", f"the action {kind} of {at(version)} is not an object")
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
                    removes[path_of(body, version)] = (vector_of(body), removal)
                    if (file := file_of_vector(vector_of(body))) is not None:
                        self.vectors[file] = removal
                else:
                    self.changes[path_of(body, version)] = version
        return adds, removes, changed


def _add(body: Action, version: int | None) -> Add:
    vector = body.get("deletionVector")
    deleted = 0
    if isinstance(vector, dict):
        counted = vector.get("cardinality")
        if type(counted) is not int or counted < 0:
            raise LogError("corrupt", f"a deletion vector of {at(version)} does not say how many rows it has")
        deleted = counted
    size = body.get("size")
    size = size if type(size) is int and size >= 0 else None
    stats = body.get("stats")
    return Add(
        path_of(body, version),
        _rows(body),
        deleted,
        vector_of(body),
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


def _removal(body: Action, version: int | None) -> Removal:
    stamp = body.get("deletionTimestamp")
    when = stamp if type(stamp) is int and 0 < stamp < 1 << 45 else None
    micros = None if when is None else when * 1000
    if version is not None:
        return Removal(f"removed by version {version:,}", micros)
    if when is None:
        return Removal("removed before the last checkpoint", None)
    return Removal(f"removed at {moment(when)}", micros)
