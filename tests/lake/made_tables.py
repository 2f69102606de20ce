"""Delta and Iceberg tables of 100 rows in two partitions, written by deltalake and pyiceberg."""

import tempfile

import pyarrow as pa

ROWS = pa.table({"id": list(range(100)), "day": ["ab"[n % 2] for n in range(100)]})


def delta(store, name: str = "events"):
    """A Delta table of which the rows below 50 were deleted; its URL."""
    from deltalake import DeltaTable, write_deltalake

    url = f"{store.url}/{name}"
    write_deltalake(url, ROWS, partition_by=["day"], storage_options=store.deltalake or None)
    DeltaTable(url, storage_options=store.deltalake or None).delete("id < 50")
    return url


def delta_reads(store, url: str, day: str | None) -> tuple[list[str], int]:
    """Files and rows that deltalake reads, of one partition or of all."""
    from deltalake import DeltaTable

    table = DeltaTable(url, storage_options=store.deltalake or None)
    files = [uri for uri in table.file_uris() if day is None or f"/day={day}/" in uri]
    only = [("day", "=", day)] if day else None
    return sorted(files), table.to_pyarrow_table(filters=only).num_rows


def catalog(store):
    """A catalog of pyiceberg whose tables lie in a store."""
    from pyiceberg.catalog.sql import SqlCatalog

    warehouse = store.url if "://" in store.url else f"file://{store.url}"
    found = SqlCatalog(
        "tests", uri=f"sqlite:///{tempfile.mkdtemp()}/catalog.db", warehouse=warehouse, **store.pyiceberg
    )
    found.create_namespace_if_not_exists("n")
    return found


def iceberg(store, name: str = "events", within=None):
    """An Iceberg table of which the rows below 50 were deleted; pyiceberg's Table."""
    location = f"{store.url}/{name}"
    table = (within or catalog(store)).create_table(
        f"n.{name}", schema=ROWS.schema, location=location if "://" in location else f"file://{location}"
    )
    with table.update_spec() as update:
        update.add_identity("day")
    table.append(ROWS)
    table.delete("id < 50")
    return table


def iceberg_reads(table, day: str | None) -> tuple[list[str], int]:
    """Files and rows that pyiceberg reads, of one partition or of all."""
    scan = table.scan(row_filter=f"day = '{day}'") if day else table.scan()
    files = [task.file.file_path.removeprefix("file://") for task in scan.plan_files()]
    return sorted(files), scan.to_arrow().num_rows


def metadata_files(store, table) -> list[str]:
    """The metadata files of an Iceberg table, oldest first."""
    folder = table.location().removeprefix("file://") + "/metadata"
    files = store.filesystem()
    return sorted(one for one in files.ls(folder, detail=False) if one.endswith(".metadata.json"))
