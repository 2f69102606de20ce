"""Assigns the chosen files to tables, and finds their states in the tables' logs.

Table roots are found below the start of the listing, by the names in a folder, and above it. Each log is read once. A
file belongs to the innermost root above it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fnmatch
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.outside import StorageOptions
from pqexplore.lake.entries import Entry
from pqexplore.lake.listing.choice import Choice
from pqexplore.lake.listing.tables import Table
from pqexplore.lake.logs import reading
from pqexplore.lake.logs.table_log import (
    DELTA_LOG,
    ICEBERG_METADATA,
    LIVE,
    UNKNOWN,
    Fact,
    LogError,
    NoSuchVersion,
    TableLog,
    Version,
    format_of,
    is_metadata,
)
from pqexplore.lake.places.choice import place_of
from pqexplore.lake.places.place import Item, Place
from pqexplore.lake.store import is_store

if TYPE_CHECKING:
    from pyiceberg.table import Table as IcebergTable

ABOVE = 64
"""Max folders above the start that are searched for a table's log."""

_LOG_FOLDERS = {"delta": DELTA_LOG, "iceberg": ICEBERG_METADATA}


class Members:
    """Collects the files of all sources of one listing."""

    def __init__(
        self,
        patterns: Sequence[str],
        options: StorageOptions,
        follow_outside: bool,
        version: Version | None = None,
    ) -> None:
        self.patterns, self.options, self._follow = patterns, options, follow_outside
        self._version = version
        self.facts: dict[str, Fact] = {}
        self._fits = re.compile("|".join(fnmatch.translate(one) for one in patterns)).match
        self._entries: dict[str, Entry] = {}
        self._others: dict[str, Entry] = {}
        self._tables: dict[tuple[str, str], Table] = {}
        self._above: dict[tuple[str, str], tuple[str, str] | None] = {}

    def sorted(self) -> tuple[list[Entry], list[Entry], list[Table]]:
        """Entries, others and tables, each sorted by path. A path in entries is not in others."""
        others = [one for path, one in sorted(self._others.items()) if path not in self._entries]
        tables = sorted(self._tables.values(), key=lambda table: table.path)
        return [self._entries[path] for path in sorted(self._entries)], others, tables

    def add(self, entry: Entry) -> None:
        """Add a chosen file."""
        self._entries[entry.path] = entry

    def add_table(self, table: IcebergTable) -> None:
        """Add the files of a pyiceberg Table, at the state that its catalog has now."""
        with contextlib.suppress(NotImplementedError):  # a StaticTable cannot be refreshed
            table.refresh()
        place, root = place_of(table.metadata.location, self.options)
        root = root.rstrip("/")
        choice = Choice(
            place, root, root if place.scheme == "file" else None, table.metadata.location
        )
        found = self._table(choice, root, "iceberg", table)
        self._assign(choice, found, root, self._walk(choice, {root: "iceberg"}))

    def add_choice(self, choice: Choice) -> bool:
        """Add the files of a choice. Returns False if there are none."""
        roots: dict[str, str] = {}
        enclosing = self._enclosing(choice)
        if enclosing is not None:
            roots[enclosing[0]] = enclosing[1]
        items = self._items(choice, roots)
        owned: dict[str, list[Item]] = {root: [] for root in roots}
        owners: dict[str, str | None] = {}
        count = 0
        for item in items:
            root = _owner(choice.place, choice.place.parent(item.path), roots, owners)
            if root is not None:
                owned[root].append(item)
            elif choice.names(item.path) or self._is_named(item.path):
                self.add(_entry(choice, item))
                count += 1
        for root, some in owned.items():
            table = self._table(choice, root, roots[root])
            count += self._assign(choice, table, root, some)
            count += choice.covers(root) or isinstance(table.log, LogError)
        return count > 0

    def _is_named(self, path: str) -> bool:
        return self._fits(re.split(r"[/\\]", path)[-1]) is not None

    # Files and table roots.

    def _items(self, choice: Choice, roots: dict[str, str]) -> list[Item]:
        """The chosen files. Adds the table roots below the start to `roots`."""
        if choice.file is not None:
            return [choice.place.item(choice.file)]
        return [item for item in self._walk(choice, roots) if choice.means(item.path)]

    def _walk(self, choice: Choice, roots: dict[str, str]) -> list[Item]:
        place = choice.place

        def enter(folder: str) -> bool:
            name, parent = re.split(r"[/\\]", folder)[-1], place.parent(folder)
            if name == DELTA_LOG:
                roots[parent] = "delta"
                return False
            if (
                name == ICEBERG_METADATA
                and roots.get(parent) != "delta"
                and _is_iceberg(place, folder)
            ):
                roots[parent] = "iceberg"
                return False
            if place.scheme == "file" and is_store(folder):
                return False
            return choice.enters(folder)

        try:
            return list(place.walk(choice.start, enter, links=bool(choice.segments)))
        except OSError as error:
            raise UsageError(
                f"{choice.source} cannot be listed: {error.strerror or error}"
            ) from None

    def _enclosing(self, choice: Choice) -> tuple[str, str] | None:
        """The root of the table in which a choice begins, and its format; None outside of tables."""
        place, start = choice.place, choice.start
        if place.scheme in ("http", "https") and choice.file is not None:
            return None  # a web server of single files has no folders to search
        key = (place.scheme, start)
        if key not in self._above:
            self._above[key] = None
            at = start
            for _ in range(ABOVE):
                format = format_of(place, at)
                if format is not None:
                    log = place.join(at, _LOG_FOLDERS[format])
                    if start != log and place.below(start, log) is None:
                        self._above[key] = at, format
                    break
                above = place.parent(at)
                if above == at or not above:
                    break
                at = above
        return self._above[key]

    # Tables.

    def _table(
        self, choice: Choice, root: str, format: str, table: IcebergTable | None = None
    ) -> Table:
        key = (choice.place.scheme, root)
        if key not in self._tables:
            follow = (lambda address: place_of(address, self.options)) if self._follow else None
            log: TableLog | LogError
            try:
                log = reading.read(choice.place, root, format, table, follow, self._version)
            except NoSuchVersion as error:
                raise UsageError(f"{choice.shown(root)}: {error.message}") from None
            except LogError as error:
                log = error
            self._tables[key] = Table(choice.shown(root), format, log)
        found = self._tables[key]
        found.whole |= choice.covers(root)
        return found

    def _assign(self, choice: Choice, table: Table, root: str, items: Sequence[Item]) -> int:
        """Add entries for a table's files. Returns how many are chosen."""
        place, log = choice.place, table.log
        if isinstance(log, LogError):
            reason = f"the table's live files are unknown: {log.message}"
            some = [one for one in items if choice.names(one.path) or self._is_named(one.path)]
            for item in some:
                self.add(_entry(choice, item, table, Fact(UNKNOWN, reason)))
            return len(some)
        count = 0
        left: dict[str, Fact] = {}
        if choice.file is None:
            left = {name: fact for name, fact in log.named.items() if fact.state == LIVE}
        links = _Links(place, root)
        for item in items:
            name = place.below(item.path, root) or ""
            fact = log.named.get(name)
            left.pop(name, None)
            if fact is None:
                if not (choice.names(item.path) or self._is_named(item.path)):
                    continue
                fact = log.unnamed
            self._put(choice, table, item, fact, links)
            count += 1
        for name, fact in left.items():
            path = place.join(root, *name.split("/"))
            if choice.means(path):
                self._put(choice, table, place.item(path), fact, links)
                count += 1
        if choice.covers(root):
            for address, fact in log.outside.items():
                self._put_outside(table, address, fact)
        elif log.outside:
            remark = f"{len(log.outside):,} live files are outside of the table's folder, and so outside of this part"
            if remark not in table.remarks:
                table.remarks.append(remark)
        return count

    def _put(self, choice: Choice, table: Table, item: Item, fact: Fact, links: _Links) -> None:
        entry = _entry(choice, item, table, fact)
        if fact.state == LIVE:
            self.facts[entry.path] = fact
        if fact.state != LIVE or not fact.parquet:
            self._others[entry.path] = entry
        elif not self._follow and links.lead_out(item.path):
            error = "a symbolic link leads to a file outside of the table's folder; pass follow_outside=True to read it"
            self._others[entry.path] = dataclasses.replace(entry, error=error)
        else:
            self.add(entry)

    def _put_outside(self, table: Table, address: str, fact: Fact) -> None:
        entry = Entry(
            address,
            listed_rows=fact.rows,
            table_path=table.path,
            state=fact.state,
            state_reason="the log names it outside of the table's folder",
            deleted_rows=fact.deleted,
            partition=fact.partition,
        )
        if self._follow and fact.parquet:
            place, path = place_of(address, self.options)
            item = place.item(path)
            self.add(
                dataclasses.replace(
                    entry, path=place.address(path), size=item.size, modified=item.modified
                )
            )
        else:
            error = "the log names a file outside of the table's folder; pass follow_outside=True to read it"
            self._others[address] = dataclasses.replace(entry, error=error)


class _Links:
    """Whether symbolic links lead out of a table's folder."""

    def __init__(self, place: Place, root: str) -> None:
        self._place, self._real = place, place.real(root)
        self._folders: dict[str, bool] = {}

    def lead_out(self, path: str) -> bool:
        """Whether the file at a path lies elsewhere."""
        place, folder = self._place, self._place.parent(path)
        if folder not in self._folders:
            real = place.real(folder)
            self._folders[folder] = real != self._real and place.below(real, self._real) is None
        if self._folders[folder]:
            return True
        return place.is_link(path) and place.below(place.real(path), self._real) is None


def _entry(
    choice: Choice, item: Item, table: Table | None = None, fact: Fact | None = None
) -> Entry:
    return Entry(
        choice.shown(item.path),
        item.size,
        item.modified,
        item.etag,
        choice.is_hidden(item.path),
        None if fact is None else fact.rows,
        None if table is None else table.path,
        None if fact is None else fact.state,
        None if fact is None else fact.reason,
        None if fact is None else fact.deleted,
        partition=None if fact is None else fact.partition,
    )


def _owner(
    place: Place, folder: str, roots: dict[str, str], known: dict[str, str | None]
) -> str | None:
    """The innermost root at or above a folder."""
    if folder in roots:
        return folder
    if folder not in known:
        above = place.parent(folder)
        known[folder] = None if above == folder else _owner(place, above, roots, known)
    return known[folder]


def _is_iceberg(place: Place, metadata: str) -> bool:
    try:
        return any(is_metadata(item.path) for item in place.files(metadata))
    except OSError:
        return False
