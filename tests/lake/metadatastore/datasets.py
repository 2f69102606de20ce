"""Datasets and stores that these tests make for themselves."""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from pqexplore.engine.writer.file import write as write_file
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.lake.metadatastore import store_schema


def dataset(root: Path, **files) -> Path:
    """A dataset of Parquet files: each a table, or a dict of columns, by its path below `root`."""
    for name, columns in files.items():
        path = root / name
        path = path if path.suffix else path.with_suffix(".parquet")
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path)
        os.utime(path, (1_600_000_000, 1_600_000_000))
    return root


def column(name, kind="string", **metadata):
    """A column of a Spark schema, as its JSON has it."""
    return {"name": name, "type": kind, "nullable": True, "metadata": metadata}


def minmax(kind):
    """The Spark type of a MinMax index."""
    return {"type": "struct", "fields": [column("min", kind), column("max", kind)]}


def value_list(kind):
    """The Spark type of a ValueList index."""
    return {"type": "array", "elementType": kind, "containsNull": True}


BLOOM = {"type": "udt", "class": store_schema.BLOOM_UDT, "pyClass": None, "sqlType": "binary"}
LEGACY_BLOOM = {**BLOOM, "class": store_schema.LEGACY_BLOOM_UDT}


def store_files(directory: Path, columns: list[dict], *tables: pa.Table) -> Path:
    """A store as xskipper leaves it: files with this Spark schema and these rows, without this package's mark."""
    directory.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"type": "struct", "fields": columns})
    options = WriteOptions(key_value_metadata={store_schema.ROW_METADATA: text})
    for number, table in enumerate(tables):
        path = directory / f"part-{number:05}-c000.snappy.parquet"
        write_file(table, path, options, overwrite=True)
    return directory


def minmax_store(directory: Path, kind: str, arrow: pa.DataType, objects: dict, identifier: str = "/t") -> Path:
    """A store of version 4 with one MinMax index, on `x`: (min, max) or None by object name."""
    ends = pa.array(
        [None if one is None else {"min": one[0], "max": one[1]} for one in objects.values()],
        pa.struct([("min", arrow), ("max", arrow)]),
    )
    rows = pa.table({"obj_name": list(objects), "x_minmax_1": ends})
    columns = [
        column("obj_name", version=4, tableIdentifier=identifier),
        column("x_minmax_1", minmax(kind), index={"name": "minmax", "cols": ["x"]}),
    ]
    return store_files(directory, columns, rows)


def paths(names) -> list[str]:
    """The file names of objects, sorted."""
    return sorted(os.path.basename(name.partition("#")[0]) for name in names)
