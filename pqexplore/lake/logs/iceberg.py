"""Reads Iceberg's metadata into a `TableLog`, with pyiceberg.

pyiceberg parses metadata, manifest lists and manifests; every byte that it gets is read here, from below the table's
root, so that it works on every store and opens nothing else.

Live are the entries of the current snapshot's data manifests that are not deleted. Data files of other snapshots are
needed to read those. A file that no snapshot names is an orphan only if no snapshot has been expired.
"""

from __future__ import annotations

import dataclasses
import datetime
import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pqexplore.lake.logs import retention
from pqexplore.lake.logs.current import current, text_of
from pqexplore.lake.logs.deletes import Data, DeleteFile, Deletes, Partition, is_parquet, is_vector
from pqexplore.lake.logs.log_paths import Names, require_inside, same_place
from pqexplore.lake.logs.log_statistics import IcebergStatistics
from pqexplore.lake.logs.table_log import (
    DELETES,
    ICEBERG_METADATA,
    LIVE,
    ORPHAN,
    OTHER,
    REMOVED,
    UNREFERENCED,
    Fact,
    Follow,
    LogError,
    NoSuchVersion,
    TableLog,
    Version,
    moment,
    partition_text,
)
from pqexplore.lake.logs.table_schema import of_iceberg
from pqexplore.lake.places.allowed_paths import Boundary, named_outside
from pqexplore.lake.places.place import Place

if TYPE_CHECKING:
    from pyiceberg.manifest import ManifestEntry, ManifestFile
    from pyiceberg.partitioning import PartitionField, PartitionSpec
    from pyiceberg.schema import Schema
    from pyiceberg.table.metadata import TableMetadata
    from pyiceberg.table.snapshots import Snapshot


SNAPSHOTS = 1_000
"""Max snapshots that are read besides the current one: the newest. With more, the history counts as incomplete."""
ENTRIES = 20_000_000
"""Max entries of manifests that are read in total."""


def read(
    place: Place, root: str, table: object | None = None, follow: Follow | None = None, snapshot: Version | None = None
) -> TableLog:
    """The table at `root`, by default its current snapshot. `table` is a pyiceberg Table, if a catalog gave one.

    `snapshot` is the id of a snapshot, the name of a branch or tag, or a time, for the snapshot that was current then.
    """
    try:
        from pyiceberg.table.metadata import TableMetadataUtil
    except ImportError:
        raise LogError(
            "missing-library",
            "pyiceberg reads the metadata of Iceberg tables: `pip install pqexplore[lake]`; without it, the live files "
            "are unknown",
        ) from None
    metadata: TableMetadata
    if table is not None:
        metadata, name = table.metadata, table.metadata_location  # type: ignore[attr-defined]
        source = "catalog"
    else:
        folder = place.join(root, ICEBERG_METADATA)
        for path in (folder, *(item.path for item in place.files(folder) if place.is_link(item.path))):
            require_inside(place, path, root, follow is not None)
        chosen, source = current(place, folder)
        name = chosen.name
        text = text_of(place, folder, name).decode()
        try:
            metadata = TableMetadataUtil.parse_raw(text)
        except Exception as error:
            raise LogError("unsupported", f"pyiceberg cannot read {name}: {error}") from None
    former = None if _is_here(place, root, metadata.location) else metadata.location
    now = metadata.current_snapshot() if snapshot is None else snapshot_of(metadata, snapshot)
    return _Reader(place, root, metadata, former, follow).log(str(name), source, now)


def _is_here(place: Place, root: str, location: str) -> bool:
    own = place.own(location)
    return same_place(location, place.address(root)) or (
        own is not None and place.real(own.rstrip("/")) == place.real(root)
    )


class _Reader:
    """Reads the snapshots of one table."""

    def __init__(
        self, place: Place, root: str, metadata: TableMetadata, former: str | None, follow: Follow | None
    ) -> None:
        self._place, self._root, self._metadata, self._former = place, root, metadata, former
        self._names = Names(place, root, former)
        self._io = Below(place, root, self._names, follow)
        self._named: dict[str, Fact] = {}
        self._outside: dict[str, Fact] = {}
        self._removed_by: dict[str, int | None] = {}
        self._partitions: dict[Partition, str] = {}
        self._seen: set[str] = set()
        self._entries = 0
        self._remarks: list[str] = []
        self._deletes: Deletes | None = None

    def log(self, name: str, source: str, now: Snapshot | None) -> TableLog:
        """The facts of all names, as seen from the snapshot `now`."""
        if self._former is not None:
            self._remarks.append(
                f"the metadata says that the table lies at {self._former}: this is a copy, so its paths are resolved here"
            )
        if now is not None:
            self._live(now)
        whole, read = self._others(now)
        for gone, snapshot in self._removed_by.items():
            if gone not in self._named:
                reason = f"removed by snapshot {snapshot}; no snapshot that is kept has it"
                self._named[gone] = Fact(UNREFERENCED, reason)
        schema = self._schema(now).model_dump_json()
        return TableLog(
            "iceberg",
            self._root,
            self._named,
            self._outside,
            self._unnamed(whole),
            name,
            source,
            snapshot_id=None if now is None else now.snapshot_id,
            copied_from=self._former,
            remarks=self._remarks,
            schema=of_iceberg(schema, self._metadata.properties.get("schema.name-mapping.default")),
            changed=self._changed(now),
            retention=self._retention(read),
            deletes=self._deletes,
            constants=self._constants(),
        )

    def _retention(self, read: bool) -> retention.Retention:
        """How long files are kept; without end if some snapshots were not `read`, which may name them."""
        found = retention.of_iceberg(self._metadata, self._former is not None)
        if read:
            return found
        words = "some snapshots cannot be read, and may name files: no file counts as removable"
        return retention.Retention(None, None, words)

    def _schema(self, now: Snapshot | None) -> Schema:
        """The schema by which a snapshot is read: the table's present one for the current snapshot, else its own."""
        present = now is None or now.snapshot_id == self._metadata.current_snapshot_id
        number = None if now is None or present else now.schema_id
        found = (one for one in self._metadata.schemas if one.schema_id == number)
        return next(found, self._metadata.schema())

    def _partition(self, partition: Partition, now: Snapshot) -> str:
        """The values of a partition as text."""
        if partition not in self._partitions:
            spec = self._metadata.specs()[partition[0]]
            self._partitions[partition] = partition_values(spec, partition[1], self._schema(now))
        return self._partitions[partition]

    def _changed(self, now: Snapshot | None) -> dict[int, bool]:
        """Whether each snapshot that led here changed rows: one whose operation is `replace` does not.

        Source: https://iceberg.apache.org/spec/#snapshots
        """
        known = {one.snapshot_id: one for one in self._metadata.snapshots}
        made: dict[int, bool] = {}
        while now is not None and now.snapshot_id not in made:
            operation = None if now.summary is None else now.summary.operation.value
            made[now.snapshot_id] = operation != "replace"
            parent = now.parent_snapshot_id
            now = None if parent is None else known.get(parent)
        return dict(reversed(made.items()))

    def _constants(self) -> frozenset[str]:
        """The columns whose values partitions have, which files need not have: those of identity transforms."""
        fields = [field for spec in self._metadata.specs().values() for field in spec.fields]
        schema = self._metadata.schema()
        plain = {
            schema.find_column_name(one.source_id) or one.name for one in fields if str(one.transform) == "identity"
        }
        return frozenset(plain - {one.name for one in fields if str(one.transform) not in ("identity", "void")})

    def _unnamed(self, whole: bool) -> Fact:
        if whole:
            reason = (
                "no snapshot names it, and none was expired; a writer that has not committed yet leaves such files, too"
            )
            return Fact(ORPHAN, reason)
        reason = "no snapshot that is kept names it; others were expired, or could not be read, and may have had it"
        return Fact(UNREFERENCED, reason)

    def _live(self, now: Snapshot) -> None:
        """The facts of the current snapshot."""
        data: list[Data] = []
        deletes: list[DeleteFile] = []
        for manifest in self._manifests(now):
            self._seen.add(manifest.manifest_path)
            vectors: list[tuple[str | None, int | None]] | None = None
            for position, entry in self._read(manifest):
                file = entry.data_file
                below = self._names.resolve(file.file_path)
                kind, number = int(file.content), entry.sequence_number or 0
                partition = (file.spec_id, tuple(file.partition[i] for i in range(len(file.partition))))
                if kind == 0:
                    data.append(
                        Data(
                            below,
                            file.file_path,
                            file.record_count,
                            number,
                            partition,
                            is_parquet(file),
                            file.file_size_in_bytes,
                            self._partition(partition, now),
                            IcebergStatistics(
                                file.lower_bounds, file.upper_bounds, file.null_value_counts, file.value_counts
                            ),
                        )
                    )
                    continue
                vector: tuple[str | None, int | None] = (None, None)
                if is_vector(file):
                    vectors = self._vectors(manifest) if vectors is None else vectors
                    vector = vectors[position] if position < len(vectors) else vector
                deletes.append(DeleteFile(file, kind, number, partition, *vector))
                if below is not None:
                    reason = f"a delete file of the current snapshot {now.snapshot_id}: it deletes rows of data files"
                    self._named[below] = Fact(DELETES, reason, rows=file.record_count)
        self._deletes = Deletes(self._io.find, self._names, data, deletes)
        counts, remarks = self._deletes.counts()
        self._remarks += remarks
        for one, deleted in zip(data, counts, strict=True):
            words = None if one.parquet else "a data file of another format than Parquet"
            fact = Fact(
                LIVE, words, one.rows, deleted, one.parquet, one.size, partition=one.values, statistics=one.statistics
            )
            if one.name is not None:
                self._named[one.name] = fact
            else:
                self._outside[self._names.absolute(one.address)] = fact

    def _others(self, now: Snapshot | None) -> tuple[bool, bool]:
        """Add the facts of the other snapshots. Returns whether no snapshot is missing, and whether all could be read."""
        refs: dict[int, list[str]] = {}
        for label, ref in self._metadata.refs.items():
            if now is None or ref.snapshot_id != now.snapshot_id:
                refs.setdefault(ref.snapshot_id, []).append(f"{ref.snapshot_ref_type.value} {label}")
        snapshots = sorted(
            (one for one in self._metadata.snapshots if now is None or one.snapshot_id != now.snapshot_id),
            key=lambda one: (self._is_later(one, now), one.sequence_number or 0, one.timestamp_ms),
            reverse=True,
        )
        read = len(snapshots) <= SNAPSHOTS
        ends = retention.expiry(self._metadata)
        manifests: dict[str, tuple[ManifestFile, str, int | None, bool]] = {}
        for snapshot in snapshots[:SNAPSHOTS]:
            label = ", ".join(refs.get(snapshot.snapshot_id, ()))
            words = f"snapshot {snapshot.snapshot_id}" + (f" ({label})" if label else "")
            try:
                for one in self._manifests(snapshot):
                    if one.manifest_path not in self._seen:
                        known = manifests.setdefault(
                            one.manifest_path, (one, words, ends[snapshot.snapshot_id], self._is_later(snapshot, now))
                        )
                        end = retention.later(known[2], ends[snapshot.snapshot_id])
                        manifests[one.manifest_path] = (known[0], known[1], end, known[3])
            except (OSError, LogError) as error:
                read = False
                self._remarks.append(f"{words} cannot be read: {error}")
        for manifest, words, end, later in manifests.values():
            try:
                self._earlier(manifest, words, end, later)
            except (OSError, LogError) as error:
                read = False
                self._remarks.append(f"{words} cannot be read: {error}")
        if not read or self._former is not None:
            for name, fact in self._named.items():
                self._named[name] = dataclasses.replace(fact, kept_until=None)
        return read and self._is_whole(), read

    def _earlier(self, manifest: ManifestFile, words: str, end: int | None, later: bool) -> None:
        """Add the facts of a manifest that only other snapshots have, which keep its files until `end`.

        `later`: one of them is later than the version that is read.
        """
        for _, entry in self._read(manifest):
            below = self._names.resolve(entry.data_file.file_path)
            if below is None:
                continue
            fact = self._named.get(below)
            if fact is None and later:
                self._named[below] = Fact(OTHER, f"{words} has it")
            elif fact is None:
                reason = self._removal(below, words)
                self._named[below] = Fact(REMOVED, reason, kept_until=end)
            elif (
                fact is not None and fact.state == REMOVED and retention.later(fact.kept_until, end) != fact.kept_until
            ):
                self._named[below] = dataclasses.replace(fact, kept_until=end)

    def _is_later(self, snapshot: Snapshot, now: Snapshot | None) -> bool:
        """Whether a snapshot is the table's current one or newer, and `now` an older one that the caller asked for."""
        current = self._metadata.current_snapshot_id
        if now is None or now.snapshot_id == current:
            return False
        return snapshot.snapshot_id == current or (
            (snapshot.sequence_number or 0, snapshot.timestamp_ms) > (now.sequence_number or 0, now.timestamp_ms)
        )

    def _removal(self, below: str, words: str) -> str:
        if below in self._removed_by:
            return f"removed by snapshot {self._removed_by[below]}; reading {words} needs it"
        return f"not in the snapshot that was read; reading {words} needs it"

    def _is_whole(self) -> bool:
        """Whether no snapshot was expired."""
        snapshots, last = self._metadata.snapshots, self._metadata.last_sequence_number
        if self._metadata.format_version >= 2 and last:
            return {one.sequence_number for one in snapshots} >= set(range(1, last + 1))
        known = {one.snapshot_id for one in snapshots}
        return all(one.parent_snapshot_id is None or one.parent_snapshot_id in known for one in snapshots)

    def _manifests(self, snapshot: Snapshot) -> list[ManifestFile]:
        from pyiceberg.manifest import read_manifest_list

        if not snapshot.manifest_list:
            raise LogError("unsupported", f"snapshot {snapshot.snapshot_id} has no manifest list")
        return list(read_manifest_list(self._io.new_input(snapshot.manifest_list)))

    def _vectors(self, manifest: ManifestFile) -> list[tuple[str | None, int | None]]:
        """`referenced_data_file` and `content_offset` of each entry of a manifest; none if pyiceberg has no such fields.

        They are of format version 3, whose fields pyiceberg's own reader of manifests leaves out.
        """
        from pyiceberg import manifest as manifests
        from pyiceberg.avro.file import AvroFile

        schema = manifests.MANIFEST_ENTRY_SCHEMAS.get(3)
        fields = [one.name for one in manifests.DATA_FILE_TYPE[3].fields] if schema else []
        if schema is None or not {"referenced_data_file", "content_offset"} <= set(fields):
            return []
        at, begin = fields.index("referenced_data_file"), fields.index("content_offset")
        held = self._io.new_input(manifest.manifest_path)
        types = {-1: manifests.ManifestEntry, 2: manifests.DataFile}
        with AvroFile[manifests.ManifestEntry](held, schema, read_types=types) as entries:
            return [(entry.data_file[at], entry.data_file[begin]) for entry in entries]

    def _read(self, manifest: ManifestFile) -> Iterator[tuple[int, ManifestEntry]]:
        """The live entries of a manifest, with their positions. Stores for each deleted entry the snapshot that deleted it."""
        entries = manifest.fetch_manifest_entry(self._io, discard_deleted=False)
        for position, entry in enumerate(entries):
            self._entries += 1
            if self._entries > ENTRIES:
                raise LogError("limit", f"the manifests have more than {ENTRIES:,} entries")
            if int(entry.status) != 2:
                yield position, entry
            elif (below := self._names.resolve(entry.data_file.file_path)) is not None:
                self._removed_by.setdefault(below, entry.snapshot_id)


# Gives pyiceberg the files that it asks for: those below a table's root, and others only if the caller allows it.


class Held:
    """The content of a file, as pyiceberg's InputFile."""

    def __init__(self, location: str, data: bytes) -> None:
        self.location = location
        self._data = data

    def __len__(self) -> int:
        return len(self._data)

    def exists(self) -> bool:
        """True: the content is here."""
        return True

    def open(self, seekable: bool = True) -> io.BytesIO:
        """The content as a stream."""
        return io.BytesIO(self._data)


class Below:
    """A FileIO of pyiceberg that reads files below the table's root, and others only through `follow`."""

    def __init__(self, place: Place, root: str, names: Names, follow: Follow | None) -> None:
        self._place, self._root, self._names, self._follow = place, root, names, follow
        self._boundary = Boundary(place, root, follow is not None)

    def find(self, location: str) -> tuple[Place, str]:
        """The place and path of a location. LogError if it is outside of the root and `follow` is None."""
        name = self._names.resolve(location)
        path = None if name is None else self._place.join(self._root, *name.split("/"))
        if path is None and self._follow is not None:
            return self._follow(self._names.absolute(location))
        if path is None:
            raise LogError("outside", named_outside(location, self._root))
        refusal = self._boundary.refusal(path)
        if refusal is not None:
            raise LogError("outside", f"{path}: {refusal}")
        return self._place, path

    def new_input(self, location: str) -> Held:
        """The content of a file. LogError as `find` raises it, OSError if it cannot be read."""
        place, path = self.find(location)
        return Held(location, place.read(path))


# Finds a snapshot of an Iceberg table, and writes partition values as text.


def snapshot_of(metadata: TableMetadata, wanted: Version) -> Snapshot:
    """The snapshot of an id, a name or a time. NoSuchVersion if the metadata has none."""
    number: object = wanted
    if isinstance(wanted, datetime.datetime):
        at = int(wanted.timestamp() * 1000)
        before = [one.snapshot_id for one in metadata.snapshot_log if one.timestamp_ms <= at]
        number = before[-1] if before else f"as old as {wanted.isoformat()}"
    elif str(wanted) in metadata.refs:
        number = metadata.refs[str(wanted)].snapshot_id
    found = next((one for one in metadata.snapshots if str(one.snapshot_id) == str(number)), None)
    if found is None:
        known = ", ".join(map(_dated, metadata.snapshots[-5:])) or "none"
        raise NoSuchVersion(f"the metadata has no snapshot {number}; the last are {known}")
    return found


def _dated(snapshot: Snapshot) -> str:
    return f"{snapshot.snapshot_id} ({moment(snapshot.timestamp_ms)})"


def _value_text(field: PartitionField, schema: Schema, value: object) -> str:
    """A partition value as people write it; as it is stored if its column was dropped."""
    try:
        kind = field.transform.result_type(schema.find_type(field.source_id))
    except ValueError:
        return str(value)
    return str(field.transform.to_human_string(kind, value))


def partition_values(spec: PartitionSpec, values: Sequence[object], schema: Schema) -> str:
    """The values of a partition as text: by the column's name if they are its own, else by the field's name."""
    pairs = []
    for field, value in zip(spec.fields, values, strict=False):
        if str(field.transform) == "void":
            continue  # the field was dropped from the spec, and may have its column's name
        name = field.name
        if str(field.transform) == "identity":
            name = schema.find_column_name(field.source_id) or name
        pairs.append((name, None if value is None else _value_text(field, schema, value)))
    return partition_text(pairs)
