"""Tables of every kind, on a store of this machine or S3, with what their own readers read of them."""

import dataclasses
import json
import tempfile
from collections.abc import Callable

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
from lake import made_tables
from lake.logs.made_logs import add, delete_by, inline_vector, remove

ROWS = made_tables.ROWS
MORE = pa.table({"id": [7, 8, 1000], "day": ["a", "b", "a"]})


@dataclasses.dataclass(frozen=True)
class Kind:
    """How a table is made, below which folder its data lies, and the folder of its partition `day=a`; None without one."""

    make: Callable
    data: str = ""
    part: str | None = "day=a"


@dataclasses.dataclass(frozen=True)
class Made:
    """A table: its URL, and `reads(day)`: the files and rows that its own reader reads of a partition, None for all.

    Rows are None where only the data says how many they are.
    """

    url: str
    reads: Callable[[str | None], tuple[list[str], int | None]]


def _delta(store, url: str) -> Made:
    return Made(url, lambda day: made_tables.delta_reads(store, url, day))


def _change(how: Callable) -> Callable:
    """A kind of Delta table: rows below 50 deleted, then changed by `how(table, options)`."""

    def make(store) -> Made:
        from deltalake import DeltaTable

        url, options = made_tables.delta(store), store.deltalake or None
        how(DeltaTable(url, storage_options=options))
        return _delta(store, url)

    return make


def _merge(table) -> None:
    merge = table.merge(MORE, "s.id = t.id", source_alias="s", target_alias="t")
    merge.when_matched_update_all().when_not_matched_insert_all().execute()


def _checkpoint(table) -> None:
    table.update({"id": "id + 1"}, predicate="id > 90")
    table.create_checkpoint()
    table.cleanup_metadata()
    table.delete("id > 95")


def _vacuum(table) -> None:
    table.delete("id < 60")
    table.vacuum(0, dry_run=False, enforce_retention_duration=False)


def _write(store, url: str, version: int, *actions: dict) -> None:
    text = "\n".join(map(json.dumps, actions))
    store.filesystem().pipe_file(f"{url}/_delta_log/{version:020}.json", text.encode())


def _queried(store, url: str) -> Callable:
    """Reads with deltalake's engine a copy on this machine: deletion vectors and column mapping need it."""

    def reads(day: str | None) -> tuple[list[str], int]:
        from deltalake import DeltaTable, QueryBuilder

        with tempfile.TemporaryDirectory() as copy:
            store.filesystem().get(url, f"{copy}/t", recursive=True)
            table = DeltaTable(f"{copy}/t")
            where = "" if day is None else f" WHERE day = '{day}'"
            query = f"SELECT count(*) AS n FROM t{where}"
            rows = pa.table(QueryBuilder().register("t", table).execute(query).read_all())
            names = [one.removeprefix(f"{copy}/t/") for one in _live(table, day)]
        return sorted(f"{url}/{name}" for name in names), rows["n"][0].as_py()

    return reads


def _live(table, day: str | None) -> list[str]:
    actions = pa.table(table.get_add_actions(flatten=True)).to_pylist()
    wanted = {row["path"] for row in actions if day is None or row["partition.day"] == day}
    return [uri for uri in table.file_uris() if any(uri.endswith(one) for one in wanted)]


def _vectors(store) -> Made:
    from deltalake import DeltaTable, write_deltalake

    url, options = f"{store.url}/events", store.deltalake or None
    write_deltalake(url, ROWS, partition_by=["day"], storage_options=options)
    [one, _] = sorted(uri.removeprefix(f"{url}/") for uri in DeltaTable(url, storage_options=options).file_uris())
    features = {"readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
    vector = {"deletionVector": inline_vector([1, 3, 5]), "partitionValues": {"day": "a"}}
    size = store.filesystem().size(f"{url}/{one}")
    action = add(one, 50, **vector, modificationTime=1)
    action["add"]["size"] = size
    protocol = {"protocol": {"minReaderVersion": 3, "minWriterVersion": 7, **features}}
    _write(store, url, 1, protocol, remove(one, partitionValues={"day": "a"}), action)
    return Made(url, _queried(store, url))


def _mapped(store) -> Made:
    url, files = f"{store.url}/events", store.filesystem()
    schema = {
        "type": "struct",
        "fields": [
            {
                "name": name,
                "type": type_,
                "nullable": True,
                "metadata": {"delta.columnMapping.id": number, "delta.columnMapping.physicalName": f"col-{number}"},
            }
            for number, name, type_ in ((1, "id", "long"), (2, "day", "string"))
        ],
    }
    options = {"delta.columnMapping.mode": "name", "delta.columnMapping.maxColumnId": "2"}
    metadata = {"id": "x", "partitionColumns": ["day"], "configuration": options, "schemaString": json.dumps(schema)}
    metadata |= {"format": {"provider": "parquet", "options": {}}, "createdTime": 1}
    adds = []
    for folder, day in (("Ab", "a"), ("x9", "b")):
        rows = ROWS.filter(pa.compute.equal(ROWS["day"], day)).select(["id"])
        sink = pa.BufferOutputStream()
        pq.write_table(rows.rename_columns(["col-1"]), sink)
        name = f"{folder}/part-1.parquet"
        files.makedirs(f"{url}/{folder}", exist_ok=True)
        files.pipe_file(f"{url}/{name}", sink.getvalue().to_pybytes())
        action = add(name, 50, partitionValues={"col-2": day}, modificationTime=1)
        action["add"]["size"] = sink.getvalue().size
        adds.append(action)
    files.makedirs(f"{url}/_delta_log", exist_ok=True)
    protocol = {"protocol": {"minReaderVersion": 2, "minWriterVersion": 5}}
    _write(store, url, 0, protocol, {"metaData": metadata}, *adds)
    return Made(url, _queried(store, url))


def _iceberg(how: Callable) -> Callable:
    """A kind of Iceberg table: rows below 50 deleted, then changed by `how(table)`."""

    def make(store) -> Made:
        table = made_tables.iceberg(store)
        column = how(table) or "day"
        return _of_iceberg(store, table, column)

    return make


def _of_iceberg(store, table, column: str | None) -> Made:
    def reads(day: str | None) -> tuple[list[str], int | None]:
        scan = table.scan(row_filter=f"{column} = '{day}'") if day else table.scan()
        files = [task.file.file_path.removeprefix("file://") for task in scan.plan_files()]
        return sorted(files), scan.to_arrow().num_rows

    return Made(table.location().removeprefix("file://"), reads)


def _rename(table) -> str:
    with table.update_schema() as update:
        update.rename_column("day", "weekday").rename_column("id", "number")
    table.append(pa.table({"number": [1000], "weekday": ["a"]}))
    return "weekday"


def _expire(table) -> None:
    table.maintenance.expire_snapshots().by_id(table.metadata.snapshots[0].snapshot_id).commit()


def _deleting(equal: list[int] | None) -> Callable:
    """An Iceberg table without partitions, with a file of position or equality deletes."""

    def make(store) -> Made:
        at = f"{store.url}/events"
        table = made_tables.catalog(store).create_table(
            "n.events", schema=ROWS.schema, location=at if "://" in at else f"file://{at}"
        )
        table.append(ROWS)
        table.append(MORE)
        [first] = [t.file.file_path for t in table.scan().plan_files() if t.file.record_count == 100]
        if equal is None:
            delete_by(table, {first: [1, 2, 2, 99]})
            return _of_iceberg(store, table, None)
        delete_by(table, equal=equal)
        names = table.inspect.data_files()["file_path"].to_pylist()
        files = sorted({one.removeprefix("file://") for one in names if "deletes" not in one})
        return Made(table.location().removeprefix("file://"), lambda _: (files, None))

    return make


def _plain(partitions: list[str]) -> Callable:
    def make(store) -> Made:
        url, files = f"{store.url}/events", store.filesystem()
        files.makedirs(url, exist_ok=True)
        own = pq.write_to_dataset
        own(ROWS, url.removeprefix("s3://"), partition_cols=partitions or None, filesystem=files)
        prefix = "s3://" if store.options else ""

        def reads(day: str | None) -> tuple[list[str], int]:
            found = ds.dataset(url.removeprefix("s3://"), format="parquet", partitioning="hive", filesystem=files)
            only = ds.field("day") == day if day and partitions else None
            some = [f"{prefix}{one.path}" for one in found.get_fragments(filter=only)]
            return sorted(some), found.to_table(filter=only).num_rows

        return Made(url, reads)

    return make


KINDS = {
    "delta delete": Kind(_change(lambda table: None)),
    "delta update": Kind(_change(lambda table: table.update({"id": "id + 1"}, predicate="id > 90"))),
    "delta merge": Kind(_change(_merge)),
    "delta checkpoint": Kind(_change(_checkpoint)),
    "delta vacuum": Kind(_change(_vacuum)),
    "delta deletion vectors": Kind(_vectors),
    "delta column mapping": Kind(_mapped, part="Ab"),
    "iceberg delete": Kind(_iceberg(lambda table: None), "data"),
    "iceberg rename": Kind(_iceberg(_rename), "data", None),
    "iceberg snapshots": Kind(_iceberg(lambda table: table.append(MORE)), "data"),
    "iceberg expired": Kind(_iceberg(_expire), "data"),
    "iceberg position deletes": Kind(_deleting(None), "data", None),
    "iceberg equality deletes": Kind(_deleting([1, 2]), "data", None),
    "hive": Kind(_plain(["day"])),
    "plain": Kind(_plain([]), part=None),
}

STARTS = ("root", "parent", "partition", "glob")


def source(kind: Kind, made: Made, start: str) -> tuple[str, str | None]:
    """Where a scan begins, and the partition that is meant; None for all."""
    data = "/".join(one for one in (made.url, kind.data) if one)
    if start == "root":
        return made.url, None
    if start == "parent":
        return made.url.rpartition("/")[0], None
    if start == "partition":
        return (data, None) if kind.part is None else (f"{data}/{kind.part}", "a")
    if kind.part is None:
        return f"{data}/**/*.parquet", None
    return f"{data}/{kind.part[:-1]}[{kind.part[-1]}]/*.parquet", "a"
