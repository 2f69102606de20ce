"""Assigns the chosen files to tables, and finds their states in the tables' logs.

Table roots are found below the start of the listing, by the names in a folder, and above it. Each log is read once. A
file belongs to the innermost root above it.
"""

from __future__ import annotations

import contextlib
import dataclasses
import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pqexplore.engine.errors import CredentialsError, StoreError, UsageError
from pqexplore.engine.file.caller_types import StorageOptions
from pqexplore.lake.listed_files import Entry
from pqexplore.lake.listing import names
from pqexplore.lake.listing.choice import Choice
from pqexplore.lake.listing.logged_tables import Table
from pqexplore.lake.listing.retention import kept_until
from pqexplore.lake.logs import reading
from pqexplore.lake.logs.table_log import (
    DELETES,
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
from pqexplore.lake.places.allowed_paths import Boundary, named_outside
from pqexplore.lake.places.choice import place_of
from pqexplore.lake.places.place import Item, Place, base
from pqexplore.lake.places.urls import WEB
from pqexplore.lake.store.store import is_store

if TYPE_CHECKING:
    from pyiceberg.table import Table as IcebergTable


ABOVE = 64
"""Max folders above the start that are searched for a table's log."""

OTHERS = 10_000
"""Max files of a listing that are listed although their names are not those of Parquet files; more are only counted."""

_LOG_FOLDERS = {"delta": DELTA_LOG, "iceberg": ICEBERG_METADATA}


class Members:
    """Collects the files of all sources of one listing."""

    def __init__(
        self, patterns: Sequence[str], options: StorageOptions, follow_outside: bool, version: Version | None = None
    ) -> None:
        self.patterns, self.options, self._follow = patterns, options, follow_outside
        self.version = version
        self.facts: dict[str, Fact] = {}
        self.names: dict[str, str] = {}  # of live files, as their logs resolve them
        self._fits = re.compile("|".join(fnmatch.translate(one) for one in patterns)).match
        self._entries: dict[str, Entry] = {}
        self._others: dict[str, Entry] = {}
        self._tables: dict[tuple[str, str], Table] = {}
        self._pinned: dict[tuple[str, str], int] = {}  # versions by the keys of `_tables`
        self._above: dict[tuple[str, str], tuple[str, str] | None] = {}
        self._looked_at = self._listed_others = 0
        self.not_listed = 0
        self._needed: set[tuple[str, str]] = set()  # (scheme, path) that logs need through links, or from elsewhere
        self._removable: dict[str, tuple[str, str]] = {}  # the same of entries with `kept_until`

    def sorted(self) -> tuple[list[Entry], list[Entry], list[Table]]:
        """Entries, others and tables, each sorted by path. A path in entries is not in others."""
        for path, key in self._removable.items():
            if key in self._needed and path in self._others:
                words = f"{self._others[path].state_reason}; but a table of this lake needs it"
                self._others[path] = dataclasses.replace(self._others[path], state_reason=words, kept_until=None)
        others = [one for path, one in sorted(self._others.items()) if path not in self._entries]
        tables = sorted(self._tables.values(), key=lambda table: table.path)
        return [self._entries[path] for path in sorted(self._entries)], others, tables

    def add(self, entry: Entry) -> None:
        """Add a chosen file."""
        self._entries[entry.path] = entry

    def pin(self, address: str, version: int) -> None:
        """Read the table at an address at a version or snapshot, unless the caller asks for another."""
        place, root = place_of(address, self.options)
        key = place.scheme, root.rstrip("/")
        if self.version is None and self._pinned.setdefault(key, version) != version:
            raise UsageError(f"{address} is in the list at the versions {self._pinned[key]} and {version}")

    def add_table(self, table: IcebergTable) -> None:
        """Add the files of a pyiceberg Table, at the state that its catalog has now."""
        with contextlib.suppress(NotImplementedError):  # a StaticTable cannot be refreshed
            table.refresh()
        place, root = place_of(table.metadata.location, self.options)
        root = root.rstrip("/")
        choice = Choice(place, root, root if place.scheme == "file" else None, table.metadata.location)
        found = self._table(choice, root, "iceberg", table)
        self._assign(choice, found, root, *self._walk(choice, {root: "iceberg"}))

    def add_choice(self, choice: Choice) -> bool:
        """Add the files of a choice. Returns False if there are none."""
        roots: dict[str, str] = {}
        enclosing = self._enclosing(choice)
        if enclosing is not None:
            roots[enclosing[0]] = enclosing[1]
        items, refused = self._items(choice, roots)
        owned: dict[str, list[Item]] = {root: [] for root in roots}
        owners: dict[str, str | None] = {}
        count = 0
        for item in items:
            root = _owner(choice.place, choice.place.parent(item.path), roots, owners)
            if root is not None:
                owned[root].append(item)
            elif self._left_out(choice, item):
                self._put_other(_entry(choice, item, fact=_hidden(item)))
                count += self._is_named(item.path)
            elif item.path in refused:
                count += self._refuse(choice, item, refused[item.path])
            elif choice.names(item.path) or self._is_named(item.path):
                self.add(_entry(choice, item))
                count += 1
            else:
                count += self._other(choice, item)
        for root, some in owned.items():
            table = self._table(choice, root, roots[root])
            count += self._assign(choice, table, root, some, refused)
            count += choice.covers(root) or isinstance(table.log, LogError)
        files = {item.path for item in items}
        for link in refused.keys() - files:  # to folders; the log of a table names the files that it needs
            root = _owner(choice.place, choice.place.parent(link), roots, owners)
            if root is None or isinstance(self._table(choice, root, roots[root]).log, LogError):
                self._others[choice.shown(link)] = Entry(choice.shown(link), error=refused[link])
                count += 1
        return count > 0

    def _refuse(self, choice: Choice, item: Item, refusal: str, table: Table | None = None) -> bool:
        """Add a link that is not followed. Returns whether it would be read as Parquet by its name."""
        if choice.names(item.path) or self._is_named(item.path):
            entry = _entry(choice, item, table)
            self._others[entry.path] = dataclasses.replace(entry, error=refusal)
            return True
        state, reason = names.meaning(base(item.path)) or (names.OTHER, refusal)
        self._put_other(_entry(choice, item, table, Fact(state, reason)))
        return False

    def _left_out(self, choice: Choice, item: Item) -> bool:
        """Whether a file is hidden, and neither its path nor the patterns of names ask for it."""
        name = base(item.path)
        asked = any(one[:1] == name[:1] and names.is_hidden(one) for one in self.patterns)
        return choice.leaves_out(item.path) and not (asked and self._is_named(item.path))

    def _is_named(self, path: str) -> bool:
        return self._fits(base(path)) is not None

    def _other(self, choice: Choice, item: Item) -> bool:
        """Add a file that is not taken for Parquet by its name. Returns whether it is Parquet by its content."""
        name = base(item.path)
        state, reason = names.meaning(name) or (names.OTHER, names.OTHER_NAME)
        if state == names.OTHER and names.says_nothing(name, self.patterns):
            if choice.place.scheme != "file" or self._looked_at >= names.LOOKED_AT:
                reason = names.NOT_LOOKED_AT
            elif self._has_magic(item.path):
                self.add(_entry(choice, item))
                return True
            else:
                reason = names.NOT_PARQUET
        self._put_other(_entry(choice, item, fact=Fact(state, reason)))
        return False

    def _has_magic(self, path: str) -> bool:
        self._looked_at += 1
        return names.has_magic(path)

    def _put_other(self, entry: Entry) -> None:
        """Add a file without data by its name; beyond `OTHERS` it is only counted."""
        if self._listed_others >= OTHERS and entry.path not in self._others:
            self.not_listed += 1
            return
        self._listed_others += 1
        self._others[entry.path] = entry

    # Files and table roots.

    def _items(self, choice: Choice, roots: dict[str, str]) -> tuple[list[Item], dict[str, str]]:
        """The chosen files, and why some links are not followed. Adds the table roots below the start to `roots`."""
        if choice.file is not None:
            return [choice.place.item(choice.file)], {}
        items, refused = self._walk(choice, roots)
        return [item for item in items if choice.means(item.path)], refused

    def _walk(self, choice: Choice, roots: dict[str, str]) -> tuple[list[Item], dict[str, str]]:
        place = choice.place
        within = next(iter(roots), choice.start)  # the folder of the table in which the choice begins

        def enter(folder: str) -> bool:
            name, parent = base(folder), place.parent(folder)
            if name == DELTA_LOG:
                roots[parent] = "delta"
                return False
            if name == ICEBERG_METADATA and _is_iceberg(place, folder):
                roots.setdefault(parent, "iceberg")  # Delta's, if it is readable as Iceberg, too
                return False
            if place.scheme == "file" and is_store(folder):
                return False
            return choice.enters(folder)

        try:
            return Boundary(place, within, self._follow).walk(choice.start, enter)
        except StoreError:
            raise
        except OSError as error:
            raise UsageError(f"{choice.source} cannot be listed: {error.strerror or error}") from None

    def _enclosing(self, choice: Choice) -> tuple[str, str] | None:
        """The root of the table in which a choice begins, and its format; None outside of tables."""
        place, start = choice.place, choice.start
        if "?" in (choice.file or "") and place.scheme in WEB:
            return None  # the query may be the permission to read this file, and no other
        key = (place.scheme, start)
        if key not in self._above:
            self._above[key] = None
            at = start
            for _ in range(ABOVE):
                try:
                    format = format_of(place, at)
                except CredentialsError:
                    if at == start and choice.file is None:
                        raise
                    format = None  # no rights above the folder
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

    def _table(self, choice: Choice, root: str, format: str, table: IcebergTable | None = None) -> Table:
        key = (choice.place.scheme, root)
        if key not in self._tables:
            follow = (lambda address: place_of(address, self.options)) if self._follow else None
            log: TableLog | LogError
            try:
                version = self._pinned.get(key, self.version)
                log = reading.read(choice.place, root, format, table, follow, version)
            except NoSuchVersion as error:
                raise UsageError(f"{choice.shown(root)}: {error.message}") from None
            except LogError as error:
                log = error
            name = choice.place.below(root, choice.start) or base(root)
            self._tables[key] = Table(choice.shown(root), format, log, name=name)
        found = self._tables[key]
        found.whole |= choice.covers(root)
        return found

    def _assign(
        self, choice: Choice, table: Table, root: str, items: Sequence[Item], refused: Mapping[str, str]
    ) -> int:
        """Add entries for a table's files. Returns how many are chosen."""
        place, log, count = choice.place, table.log, 0
        if isinstance(log, LogError):
            return self._assign_unknown(
                choice, table, f"the table's live files are unknown: {log.message}", items, refused
            )
        left: dict[str, Fact] = {}
        if choice.file is None:
            left = {name: fact for name, fact in log.named.items() if fact.state == LIVE}
        links = Boundary(place, root, self._follow)
        self._needed.update(needed(place, log, links))
        for item in items:
            name = place.below(item.path, root) or ""
            fact = log.named.get(name)
            left.pop(name, None)
            if fact is None:
                fact = log.unnamed
                if not (choice.names(item.path) or self._is_named(item.path)):
                    fact = Fact(*(names.meaning(base(name)) or (fact.state, fact.reason)))
                    until = self._until(choice, log, item, fact, links)
                    self._put_other(_entry(choice, item, table, fact, until))
                    continue
            self._put(choice, table, item, fact, links)
            count += 1
        for name, fact in left.items():
            path = place.join(root, *name.split("/"))
            if choice.means(path):
                self._put(choice, table, _item(place, path), fact, links)
                count += 1
        if choice.covers(root):
            for address, fact in log.outside.items():
                self._put_outside(table, address, fact)
        elif log.outside:
            remark = f"{len(log.outside):,} live files are outside of the table's folder, and so outside of this part"
            if remark not in table.remarks:
                table.remarks.append(remark)
        return count

    def _assign_unknown(
        self, choice: Choice, table: Table, reason: str, items: Sequence[Item], refused: Mapping[str, str]
    ) -> int:
        """`_assign` for a table whose log cannot be read, as `reason` says."""
        count = 0
        for item in items:
            if self._left_out(choice, item):
                self._put_other(_entry(choice, item, table, _hidden(item)))
            elif item.path in refused:
                count += self._refuse(choice, item, refused[item.path], table)
            elif choice.names(item.path) or self._is_named(item.path):
                self.add(_entry(choice, item, table, Fact(UNKNOWN, reason)))
                count += 1
            else:
                stated = names.meaning(base(item.path)) or (UNKNOWN, reason)
                self._put_other(_entry(choice, item, table, Fact(*stated)))
        return count

    def _put(self, choice: Choice, table: Table, item: Item, fact: Fact, links: Boundary) -> None:
        until = None
        if isinstance(table.log, TableLog):
            until = self._until(choice, table.log, item, fact, links)
        entry = _entry(choice, item, table, fact, until)
        if fact.state == LIVE and isinstance(table.log, TableLog):
            self._note(entry.path, fact, choice.place.below(item.path, table.log.root) or "")
        if fact.state != LIVE or not fact.parquet:
            self._others[entry.path] = entry
        elif (refusal := links.refusal(item.path)) is not None:
            self._others[entry.path] = dataclasses.replace(entry, error=refusal)
        else:
            self.add(entry)

    def _note(self, path: str, fact: Fact, name: str) -> None:
        """Remember what a log says of a live file, and how it names the file."""
        self.facts[path], self.names[path] = fact, name

    def _until(self, choice: Choice, log: TableLog, item: Item, fact: Fact, links: Boundary) -> int | None:
        """Until when a file is kept; None for a file that a link leads to outside of the table."""
        name = choice.place.below(item.path, log.root) or ""
        until = kept_until(log, name, fact, item)
        if until is None or links.leads_out(item.path):
            return None
        self._removable[choice.shown(item.path)] = choice.place.scheme, links.real(item.path)
        return until

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
            item = _item(place, path)
            entry = dataclasses.replace(entry, path=place.address(path), size=item.size, modified=item.modified)
            self._note(entry.path, fact, address)
            self.add(entry)
        else:
            error = named_outside(address, table.path)
            self._others[address] = dataclasses.replace(entry, error=error)


def _entry(
    choice: Choice, item: Item, table: Table | None = None, fact: Fact | None = None, until: int | None = None
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
        kept_until=until,
        partition=None if fact is None else fact.partition,
    )


def _hidden(item: Item) -> Fact:
    return Fact(*(names.meaning(base(item.path)) or (names.HIDDEN, names.HIDDEN_NAME)))


def _owner(place: Place, folder: str, roots: dict[str, str], known: dict[str, str | None]) -> str | None:
    """The innermost root at or above a folder."""
    if folder in roots:
        return folder
    if folder not in known:
        above = place.parent(folder)
        known[folder] = None if above == folder else _owner(place, above, roots, known)
    return known[folder]


def _item(place: Place, path: str) -> Item:
    """Size and time of a file that a log names; without them if it is not there, or the store refuses (S3 does for a missing file)."""
    try:
        return place.item(path)
    except CredentialsError:
        return Item(path)


def _is_iceberg(place: Place, metadata: str) -> bool:
    try:
        return any(is_metadata(item.path) for item in place.files(metadata))
    except PermissionError:
        return False


# Which files a table needs elsewhere than its log says.


def needed(place: Place, log: TableLog, links: Boundary) -> Iterator[tuple[str, str]]:
    """Scheme and path of files that a table needs and that do not lie where its log says, or outside of its folder."""
    for address in log.outside:
        own = place.own(address)
        if own is not None:
            yield place.scheme, place.real(own)
    if place.scheme == "file":
        for name, fact in log.named.items():
            path = place.join(log.root, *name.split("/"))
            if fact.state in (LIVE, DELETES) and (real := links.real(path)) != path:
                yield place.scheme, real
