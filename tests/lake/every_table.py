"""41 tables in a folder each, and what is true of them: their live files and their rows, or why they are refused.

The rows of a Delta table are those that deltalake reads, those of an Iceberg table those of pyiceberg; where these do not
read a feature, and for folders without a log, they are known. A table is copied or served from where it was made.
"""

import dataclasses
import datetime
import json
import os
import shutil
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from lake import made_tables
from lake.conftest import Store
from lake.logs.made_logs import add, commit, delete_by, filed_vector, inline_vector, remove

ROWS = made_tables.ROWS.slice(0, 20)
MORE = pa.table({"id": [100, 101, 102], "day": ["a", "b", "a"]})
ODD = ["a", "b c", "x=y", "50%", "ä/ö", None, "q?#&+[*]", "%41"]
"""Values of partitions whose names need percent signs: in folders, in the log, in URLs."""


@dataclasses.dataclass(frozen=True)
class Truth:
    """What is true of a table.

    `files` are the live ones below its folder, `rows` its rows. `refused` are words of the reason if it is refused, then
    `files` are those that a scan reads without a mistake, None for none. `counted` is whether the rows are known without
    reading data. `version` chooses a state. `stores` are those for which all this holds, `elsewhere` is for the others.
    """

    files: list[str] | None
    rows: list[dict] | None
    refused: str = ""
    counted: bool = True
    version: dict = dataclasses.field(default_factory=dict)
    stores: tuple[str, ...] = ("local", "S3", "http")
    elsewhere: "Truth | None" = None

    def on(self, store: str) -> "Truth":
        """What is true on a store."""
        return self if store in self.stores or self.elsewhere is None else self.elsewhere


def plainly(rows: pa.Table) -> list[dict]:
    """Rows in an order that does not matter."""
    return sorted(rows.to_pylist(), key=repr)


def names(root: Path) -> list[str]:
    return sorted(str(path.relative_to(root)) for path in root.rglob("*.parquet"))


# Delta.


def delta_truth(root: Path, **more) -> Truth:
    """What deltalake reads, by its own engine: it knows deletion vectors and column mapping."""
    from urllib.parse import unquote

    from deltalake import DeltaTable, QueryBuilder

    table = DeltaTable(root, **more.get("version", {}))
    actions = pa.table(table.get_add_actions(flatten=True))
    files = sorted(unquote(path) for path in actions["path"].to_pylist()) if actions.num_rows else []
    rows = QueryBuilder().register("t", table).execute("SELECT * FROM t").read_all()
    return Truth(files, plainly(pa.table(rows)), **more)


def written(root: Path, rows: pa.Table = ROWS, **more) -> None:
    from deltalake import write_deltalake

    write_deltalake(root, rows, **more)


def delta_plain(root: Path) -> Truth:
    written(root)
    written(root, MORE, mode="append")
    return delta_truth(root)


def delta_deleted(root: Path) -> Truth:
    from deltalake import DeltaTable

    written(root, partition_by=["day"])
    DeltaTable(root).delete("id < 10")
    return delta_truth(root)


def delta_merged(root: Path) -> Truth:
    from deltalake import DeltaTable

    written(root)
    merge = DeltaTable(root).merge(
        pa.table({"id": [3, 200], "day": ["z", "z"]}), "s.id = t.id", source_alias="s", target_alias="t"
    )
    merge.when_matched_update_all().when_not_matched_insert_all().execute()
    return delta_truth(root)


def delta_odd_partitions(root: Path) -> Truth:
    from deltalake import DeltaTable

    written(root, pa.table({"id": range(len(ODD)), "g": ODD}), partition_by=["g"])
    DeltaTable(root).delete("id = 0")
    return delta_truth(root)


def delta_typed_partitions(root: Path) -> Truth:
    rows = pa.table(
        {
            "id": [1, 2, 3],
            "d": [datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31)],
            "n": pa.array([7, -1, None], pa.int32()),
            "ok": [True, None, False],
            "price": pa.array([Decimal("1.50"), None, Decimal("20.05")], pa.decimal128(9, 2)),
            "at": pa.array([datetime.datetime(2024, 1, 2, 3, 4, 5, 678901, datetime.UTC), None, None], pa.timestamp("us", "UTC")),
        }
    )  # fmt: skip
    written(root, rows, partition_by=["d", "n", "ok", "price", "at"])
    return delta_truth(root)


def _with_vector(root: Path, make: Callable) -> Truth:
    """A table of two files, of which one has rows 1, 3 and 5 deleted."""
    from deltalake import DeltaTable

    written(root, partition_by=["day"])
    [one, _] = sorted(pa.table(DeltaTable(root).get_add_actions())["path"].to_pylist())
    features = {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
    action = add(one, 10, deletionVector=make([1, 3, 5]), partitionValues={"day": "a"}, modificationTime=1)
    action["add"]["size"] = (root / one).stat().st_size
    protocol = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}}
    commit(root, 1, protocol, remove(one, partitionValues={"day": "a"}), action)
    return delta_truth(root)


def delta_inline_vector(root: Path) -> Truth:
    return _with_vector(root, inline_vector)


def delta_filed_vector(root: Path) -> Truth:
    return _with_vector(root, lambda rows: filed_vector(root, rows, "ab"))


def delta_vector_of_later(root: Path) -> Truth:
    """The version before the deletion vector: its file is of another version, and no row is deleted."""
    delta_filed_vector(root)
    return delta_truth(root, version={"version": 0})


def _mapped_field(name: str, type_: object, number: int, stored: str) -> dict:
    about = {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": stored}
    return {"name": name, "type": type_, "nullable": True, "metadata": about}


def _mapped(mode: str) -> Callable[[Path], Truth]:
    """Columns that were renamed, also into each other's names, inside of structs and lists, and one that was dropped."""

    def make(root: Path) -> Truth:
        inner = {
            "type": "struct",
            "fields": [_mapped_field("new", "long", 4, "c4"), _mapped_field("more", "string", 8, "c8")],
        }
        fields = [
            _mapped_field("b", "long", 1, "a"),
            _mapped_field("a", "string", 2, "b"),
            _mapped_field("s", inner, 3, "c3"),
            _mapped_field("l", {"type": "array", "elementType": inner, "containsNull": True}, 5, "c5"),
            _mapped_field("day", "string", 6, "c6"),
        ]
        options = {"delta.columnMapping.mode": mode, "delta.columnMapping.maxColumnId": "8"}
        schema = json.dumps({"type": "struct", "fields": fields})
        about = {"id": "x", "partitionColumns": ["day"], "configuration": options, "schemaString": schema}
        about |= {"format": {"provider": "parquet", "options": {}}, "createdTime": 1}

        def field(name: str, kind: pa.DataType, number: int) -> pa.Field:
            return pa.field(name, kind, metadata={"PARQUET:field_id": str(number)})

        own = pa.struct([field("c4", pa.int64(), 4), field("c7", pa.string(), 7)])  # c7 was dropped
        stored = [
            field("a", pa.int64(), 1),
            field("b", pa.string(), 2),
            field("c3", own, 3),
            field("c5", pa.list_(pa.field("element", own)), 5),
            field("c9", pa.string(), 9),
        ]
        pair = {"c4": 5, "c7": "gone"}
        rows = pa.table(
            [pa.array([1, 2, None]), ["x", None, "z"], pa.array([pair, None, pair], own), pa.array([[pair, None], [], None], pa.list_(own)), ["gone"] * 3],
            schema=pa.schema(stored),
        )  # fmt: skip
        (root / "Ab").mkdir(parents=True)
        pq.write_table(rows, root / "Ab" / "part-1.parquet")
        action = add("Ab/part-1.parquet", 3, partitionValues={"c6": "mon"}, modificationTime=1)
        action["add"]["size"] = (root / "Ab" / "part-1.parquet").stat().st_size
        commit(root, 0, {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}, {"metaData": about}, action)
        one = {"new": 5, "more": None}
        known = [
            {"b": 1, "a": "x", "s": one, "l": [one, None], "day": "mon"},
            {"b": 2, "a": None, "s": None, "l": [], "day": "mon"},
            {"b": None, "a": "z", "s": one, "l": None, "day": "mon"},
        ]
        return Truth(["Ab/part-1.parquet"], sorted(known, key=repr))

    return make


def delta_evolved(root: Path) -> Truth:
    written(root)
    new = pa.table({"id": [300], "day": ["c"], "extra": pa.array([{"x": 1}]), "when": [datetime.date(2024, 1, 1)]})
    written(root, new, mode="append", schema_mode="merge")
    return delta_truth(root)


def delta_widened(root: Path) -> Truth:
    """A column that was INT32, and is a long since (type widening)."""
    written(root, pa.table({"id": pa.array([1, 2], pa.int32())}))
    pq.write_table(pa.table({"id": [1 << 40]}), root / "later.parquet")
    schema = {"type": "struct", "fields": [{"name": "id", "type": "long", "nullable": True, "metadata": {}}]}
    about = {"id": "x", "partitionColumns": [], "configuration": {}, "schemaString": json.dumps(schema)}
    about |= {"format": {"provider": "parquet", "options": {}}, "createdTime": 1}
    features = {"readerFeatures": ["typeWidening"], "writerFeatures": ["typeWidening"]}
    protocol = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}}
    commit(root, 1, protocol, {"metaData": about}, add("later.parquet", 1, partitionValues={}, modificationTime=1))
    return Truth(names(root), [{"id": 1 << 40}, {"id": 1}, {"id": 2}])


def delta_checkpointed(root: Path) -> Truth:
    from deltalake import DeltaTable

    written(root, partition_by=["day"])
    table = DeltaTable(root)
    table.update({"id": "id + 1"}, predicate="id > 15")
    table.create_checkpoint()
    (root / "_delta_log" / f"{0:020}.json").unlink()  # as log cleanup does
    DeltaTable(root).delete("id > 18")
    return delta_truth(root)


def delta_vacuumed(root: Path) -> Truth:
    """The files that earlier versions need are gone."""
    from deltalake import DeltaTable

    delta_deleted(root)
    DeltaTable(root).vacuum(0, dry_run=False, enforce_retention_duration=False)
    return delta_truth(root)


def delta_older_version(root: Path) -> Truth:
    delta_deleted(root)
    return delta_truth(root, version={"version": 0})


def delta_orphans(root: Path) -> Truth:
    """Files that no version names, in folders that are hidden and in others, and those of a job that has not committed."""
    truth = delta_deleted(root)
    for name in (
        "day=a/orphan.parquet",
        "_temporary/0/part-0.parquet",
        "_change_data/cdc-1.parquet",
        ".staging/x.parquet",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(MORE, root / name)
    return truth


def delta_empty(root: Path) -> Truth:
    from deltalake import DeltaTable

    written(root)
    DeltaTable(root).delete()
    return delta_truth(root)


def delta_mixed_types(root: Path) -> Truth:
    """`id` is text in one file, and a long in the log: deltalake and Spark cannot read it."""
    written(root)
    pq.write_table(pa.table({"id": ["7", "8"], "day": ["a", "b"]}), root / "text.parquet")
    commit(root, 1, add("text.parquet", 2, partitionValues={}, modificationTime=1))
    return Truth(names(root), None, refused="column 'id' is STRING in this file, and int64 in the table")


def delta_broken(root: Path) -> Truth:
    delta_deleted(root)
    commit(root, 1, '{"add": {"path"')
    return Truth(None, None, refused="is not JSON")


def delta_clone(root: Path) -> Truth:
    """A shallow clone: the log names files of another table by their whole addresses."""
    written(root.parent / "origin")
    [file] = names(root.parent / "origin")
    written(root, MORE)
    commit(root, 1, add(f"file://{root.parent}/origin/{file}", 20, partitionValues={}, modificationTime=1))
    return Truth(names(root), None, refused="outside of the table's folder")


# Iceberg.


def table_at(root: Path, rows: pa.Table = ROWS, **more):
    here = Store(str(root.parent), {}, {}, {})
    return made_tables.catalog(here).create_table("n.t", schema=rows.schema, location=f"file://{root}", **more)


def iceberg_truth(root: Path, table, **more) -> Truth:
    """What pyiceberg reads."""
    scan = table.scan(snapshot_id=more["version"]["snapshot"]) if "version" in more else table.scan()
    files = sorted(os.path.relpath(one.file.file_path.removeprefix("file://"), root) for one in scan.plan_files())
    return Truth(files, plainly(scan.to_arrow()), **more)


def iceberg_plain(root: Path) -> Truth:
    table = table_at(root)
    table.append(ROWS)
    table.append(MORE)
    return iceberg_truth(root, table)


def iceberg_deleted(root: Path) -> Truth:
    table = table_at(root)
    table.append(ROWS)
    table.delete("id < 10")
    return iceberg_truth(root, table)


def iceberg_expired(root: Path) -> Truth:
    """Two partitions, rows that were deleted, and a snapshot that is gone."""
    table = table_at(root)
    with table.update_spec() as update:
        update.add_identity("day")
    table.append(ROWS)
    table.delete("id < 10")
    table.append(MORE)
    table.maintenance.expire_snapshots().by_id(table.metadata.snapshots[0].snapshot_id).commit()
    return iceberg_truth(root, table)


def iceberg_odd_partitions(root: Path) -> Truth:
    rows = pa.table({"id": pa.array(range(len(ODD)), pa.int64()), "g": pa.array(ODD, pa.string())})
    table = table_at(root, rows)
    with table.update_spec() as update:
        update.add_identity("g")
    table.append(rows)
    table.delete("id = 0")
    return iceberg_truth(root, table)


def iceberg_renamed(root: Path) -> Truth:
    """Columns that took each other's names, and one that was dropped and added again under its name."""
    from pyiceberg.types import LongType

    rows = pa.table(
        {"a": pa.array([1, 2]), "b": ["x", "y"], "gone": ["p", "q"], "s": pa.array([{"x": 1, "y": "u"}, None])}
    )
    table = table_at(root, rows)
    table.append(rows)
    with table.update_schema(allow_incompatible_changes=True) as update:
        update.rename_column("a", "tmp").delete_column("gone").rename_column("s.x", "z")
    with table.update_schema() as update:
        update.rename_column("b", "a")
    with table.update_schema() as update:
        update.rename_column("tmp", "b").add_column("gone", LongType())
    table.append(table.scan().to_arrow())
    return iceberg_truth(root, table)


def iceberg_position_deletes(root: Path) -> Truth:
    table = table_at(root)
    table.append(ROWS)
    table.append(MORE)
    [first] = [one.file.file_path for one in table.scan().plan_files() if one.file.record_count == 20]
    delete_by(table, {first: [1, 2, 2, 19]})
    return iceberg_truth(root, table)


def iceberg_equality_deletes(root: Path) -> Truth:
    """Rows with the ids 1 and 2 are deleted where they were written before the deletes, not after."""
    table = table_at(root)
    table.append(ROWS)
    delete_by(table, equal=[1, 2])
    table.append(ROWS.slice(0, 3))
    known = pa.concat_tables([ROWS.slice(0, 1), ROWS.slice(3), ROWS.slice(0, 3)])
    return Truth([one for one in names(root) if "deletes" not in one], plainly(known), counted=False)


def iceberg_vector(root: Path) -> Truth:
    """A deletion vector of format version 3, in a Puffin file."""
    table = table_at(root)
    table.append(ROWS)
    [first] = [one.file.file_path for one in table.scan().plan_files()]
    delete_by(table, vector=(first, [0, 7, 8]))
    known = ROWS.filter(pa.array([n not in (0, 7, 8) for n in range(20)]))
    return Truth([one for one in names(root) if "deletes" not in one], plainly(known))


def iceberg_older_snapshot(root: Path) -> Truth:
    table = table_at(root)
    table.append(ROWS)
    first = table.current_snapshot().snapshot_id
    table.delete("id < 10")
    table.append(MORE)
    return iceberg_truth(root, table, version={"snapshot": first})


def iceberg_orphans(root: Path) -> Truth:
    table = table_at(root)
    table.append(ROWS)
    pq.write_table(MORE, root / "data" / "orphan.parquet")
    (root / "data" / "_temporary").mkdir()
    pq.write_table(MORE, root / "data" / "_temporary" / "x.parquet")
    return iceberg_truth(root, table)


def iceberg_added(root: Path) -> Truth:
    """Files without field ids, which a name mapping explains, and a column renamed since."""
    table = table_at(root)
    (root / "data").mkdir(exist_ok=True)
    pq.write_table(ROWS, root / "data" / "from hive.parquet")
    table.add_files([f"file://{root}/data/from hive.parquet"])
    with table.update_schema() as update:
        update.rename_column("id", "number")
    return iceberg_truth(root, table)


def iceberg_promoted(root: Path) -> Truth:
    from pyiceberg.types import DecimalType, DoubleType, LongType

    rows = pa.table(
        {"n": pa.array([1], pa.int32()), "x": pa.array([0.5], pa.float32()), "d": pa.array([Decimal("1.25")], pa.decimal128(5, 2))}
    )  # fmt: skip
    table = table_at(root, rows)
    table.append(rows)
    with table.update_schema() as update:
        update.update_column("n", LongType()).update_column("x", DoubleType()).update_column("d", DecimalType(18, 2))
    table.append(table.scan().to_arrow())
    return iceberg_truth(root, table)


def iceberg_empty(root: Path) -> Truth:
    return iceberg_truth(root, table_at(root))


# Folders without a log.


def put(root: Path, **tables: pa.Table) -> None:
    for name, rows in tables.items():
        path = root / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(rows, path)


def plain(root: Path) -> Truth:
    put(root, a=ROWS, b=MORE)
    return Truth(names(root), plainly(pa.concat_tables([ROWS, MORE])))


def plain_hidden(root: Path) -> Truth:
    """What Spark hides: folders and files whose names begin with `_` or a dot."""
    put(root, **{"a": ROWS, "_temporary/0/part": MORE, ".hidden": MORE, "x/_staging": MORE})
    return Truth(["a.parquet"], plainly(ROWS))


def plain_odd_names(root: Path) -> Truth:
    put(root, **{"100% sure/ü #1": ROWS, "a+b&c=d;e": MORE})
    both = pa.concat_tables([ROWS, MORE])
    return Truth(names(root), plainly(both))


def hive(root: Path) -> Truth:
    """Folders as pyarrow, Spark and Hive write them: with percent signs for what file systems may not have."""
    rows = pa.table({"id": range(len(ODD)), "g": ODD})
    pq.write_to_dataset(rows, root, partition_cols=["g"])
    return Truth(names(root), plainly(rows))


def hive_typed(root: Path) -> Truth:
    put(root, **{"year=2024/month=01/a": pa.table({"id": [1]}), "year=2023/month=12/b": pa.table({"id": [2]})})
    known = [{"id": 1, "year": 2024, "month": "01"}, {"id": 2, "year": 2023, "month": "12"}]
    return Truth(names(root), known)


def plain_evolved(root: Path) -> Truth:
    """A column more, one less, another order, wider numbers."""
    put(root, a=pa.table({"id": pa.array([1], pa.int32()), "old": ["x"]}), b=pa.table({"new": [0.5], "id": [1 << 40]}))
    known = [{"id": 1, "old": "x", "new": None}, {"id": 1 << 40, "old": None, "new": 0.5}]
    return Truth(names(root), sorted(known, key=repr))


def plain_mixed(root: Path) -> Truth:
    """`id` is a number in one file and text in the other: the rows are read, the number as text, and that is said."""
    put(root, a=pa.table({"id": [1]}), b=pa.table({"id": ["x"]}))
    return Truth(names(root), [{"id": "1"}, {"id": "x"}])


def plain_links(root: Path) -> Truth:
    """A link to a file of the folder is a file of it; one that leads out is refused. Servers have files in their place."""
    put(root, a=ROWS)
    put(root.parent / "out", b=MORE)
    (root / "again.parquet").symlink_to("a.parquet")
    (root / "out.parquet").symlink_to(root.parent / "out" / "b.parquet")
    three = Truth(names(root), plainly(pa.concat_tables([ROWS, ROWS, MORE])))
    inside = ["a.parquet", "again.parquet"]
    return Truth(inside, None, refused="a symbolic link leads to", stores=("local",), elsewhere=three)


TABLES: dict[str, Callable[[Path], Truth]] = {
    "Delta: two files": delta_plain,
    "Delta: deleted rows": delta_deleted,
    "Delta: merged": delta_merged,
    "Delta: odd partitions": delta_odd_partitions,
    "Delta: typed partitions": delta_typed_partitions,
    "Delta: vector in the log": delta_inline_vector,
    "Delta: vector in a file": delta_filed_vector,
    "Delta: version before a vector": delta_vector_of_later,
    "Delta: mapping by name": _mapped("name"),
    "Delta: mapping by id": _mapped("id"),
    "Delta: evolved": delta_evolved,
    "Delta: widened": delta_widened,
    "Delta: checkpoint": delta_checkpointed,
    "Delta: vacuumed": delta_vacuumed,
    "Delta: older version": delta_older_version,
    "Delta: orphans and hidden folders": delta_orphans,
    "Delta: empty": delta_empty,
    "Delta: text in place of a number": delta_mixed_types,
    "Delta: broken log": delta_broken,
    "Delta: shallow clone": delta_clone,
    "Iceberg: two files": iceberg_plain,
    "Iceberg: deleted rows": iceberg_deleted,
    "Iceberg: expired": iceberg_expired,
    "Iceberg: odd partitions": iceberg_odd_partitions,
    "Iceberg: renamed": iceberg_renamed,
    "Iceberg: position deletes": iceberg_position_deletes,
    "Iceberg: equality deletes": iceberg_equality_deletes,
    "Iceberg: deletion vector": iceberg_vector,
    "Iceberg: older snapshot": iceberg_older_snapshot,
    "Iceberg: orphans": iceberg_orphans,
    "Iceberg: added files": iceberg_added,
    "Iceberg: promoted": iceberg_promoted,
    "Iceberg: empty": iceberg_empty,
    "plain": plain,
    "plain: hidden folders": plain_hidden,
    "plain: odd names": plain_odd_names,
    "plain: evolved": plain_evolved,
    "plain: text in place of a number": plain_mixed,
    "plain: links": plain_links,
    "hive: odd partitions": hive,
    "hive: typed partitions": hive_typed,
}


def copied(folder: Path, filesystem, to: str) -> None:
    """Put the files of a folder into a bucket, links as files."""
    for place, _, files in os.walk(folder, followlinks=True):
        for name in files:
            path = Path(place) / name
            filesystem.pipe_file(f"{to}/{path.relative_to(folder)}", path.read_bytes())


def moved(folder: Path, to: Path) -> None:
    shutil.copytree(folder, to, symlinks=True)
