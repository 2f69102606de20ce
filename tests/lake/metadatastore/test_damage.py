"""A damaged or foreign store raises a ParquetError or a UsageError, and nothing else."""

import contextlib
import copy
import json
import random

import pyarrow as pa
import pytest
from lake.metadatastore.datasets import BLOOM, column, minmax, value_list

from pqexplore.engine.errors import CorruptFileError, ParquetError, UsageError
from pqexplore.engine.writer.file import write as write_file
from pqexplore.engine.writer.options import WriteOptions
from pqexplore.lake import metadatastore
from pqexplore.lake.metadatastore import store_schema
from pqexplore.lake.panels import answer_of

ENDS = pa.array([{"min": 1, "max": 2}, None], pa.struct([("min", pa.int64()), ("max", pa.int64())]))
ROWS = pa.table(
    {
        "obj_name": ["/t/y=1/a#1", "/t/y=2/b#2"],
        "x_minmax_1": ENDS,
        "s_valuelist_1": [["x", "y"], None],
        "b_bloomfilter_1": pa.array([None, None], pa.binary()),
        "virtual_y": [1, 2],
    }
)
DOCUMENT = {
    "type": "struct",
    "fields": [
        column("obj_name", version=4, tableIdentifier="/t"),
        column("x_minmax_1", minmax("long"), index={"name": "minmax", "cols": ["x"]}),
        column("s_valuelist_1", value_list("string"), index={"name": "valuelist", "cols": ["s"]}),
        column(
            "b_bloomfilter_1",
            BLOOM,
            index={"name": "bloomfilter", "cols": ["b"], "params": {"io.xskipper.index.bloom.ndv": "9"}},
        ),
        column("virtual_y", "long"),
    ],
}  # fmt: skip


def put(directory, document=DOCUMENT, rows=ROWS):
    directory.mkdir(exist_ok=True)
    path = directory / "part-0.parquet"
    options = WriteOptions(key_value_metadata={store_schema.ROW_METADATA: json.dumps(document)})
    write_file(rows, path, options, overwrite=True)
    return path


def used(directory) -> None:
    """All that is done with a store; ParquetError and UsageError are answers."""
    with contextlib.suppress(ParquetError, UsageError):
        store = metadatastore.open(directory)
        works = [
            lambda: repr(store),
            lambda: [(one.values, one.partition) for one in store],
            lambda: [(one.fpp, one.ndv, one.value_type) for one in store.indexes],
            lambda: store.findings,
            lambda: store.check_upstream(),
            lambda: answer_of(store, "objects"),
            lambda: store.upgrade(directory.parent / "upgraded"),
            lambda: store.refresh(),
        ]
        for text in ("x < 5", "s = 'x'", "b = 'u'", "y = 1"):
            for mode in ("sound", "xskipper"):
                works.append(lambda t=text, m=mode: [*store.evaluate(t, m).reasons.values()])
        for work in works:
            with contextlib.suppress(ParquetError, UsageError):
                work()


def fields(value, path=()):
    """The path of every field of a JSON document."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(inner, (dict, list)):
            yield from fields(inner, (*path, key))


@pytest.mark.parametrize(
    "value", [None, "nan", *(pytest.param(one, marks=pytest.mark.full) for one in (5, [], {}))], ids=repr
)
def test_any_field_of_the_schema_may_be_something_else(tmp_path, value):
    for field in fields(DOCUMENT):
        document = copy.deepcopy(DOCUMENT)
        at = document
        for key in field[:-1]:
            at = at[key]
        at[field[-1]] = value
        put(tmp_path / "s", document)
        used(tmp_path / "s")


OTHER = {
    "whole numbers": pa.array([1, 2]),
    "numbers": pa.array([1.5, 2.5]),
    "text": pa.array(["x", "y"]),
    "bytes": pa.array([b"\xff", b"\xfe"]),
    "lists": pa.array([[1], [2]]),
    "structs of other fields": pa.array([{"min": 1}, {"min": 2}]),
    "structs of text": pa.array([{"min": "x", "max": "y"}] * 2),
}
FITTING = {("obj_name", "text"), ("b_bloomfilter_1", "bytes"), ("virtual_y", "whole numbers")}


@pytest.mark.parametrize("name", ROWS.column_names)
@pytest.mark.parametrize("kind", OTHER)
def test_values_of_another_type_than_the_schema_says(tmp_path, name, kind):
    rows = ROWS.set_column(ROWS.column_names.index(name), name, OTHER[kind])
    put(tmp_path / "s", rows=rows)
    if (name, kind) not in FITTING:
        with pytest.raises(CorruptFileError, match=f"column '{name}'.*Spark schema says") as raised:
            metadatastore.open(tmp_path / "s").values(name)
        assert raised.value.address == f"schema/{name}"
    used(tmp_path / "s")


@pytest.mark.parametrize("name", ROWS.column_names)
def test_a_column_that_is_not_there(tmp_path, name):
    put(tmp_path / "s", rows=ROWS.drop_columns([name]))
    used(tmp_path / "s")


def test_bytes_that_are_something_else(tmp_path):
    path = put(tmp_path / "s")
    sound, seed = path.read_bytes(), random.Random(1)
    for data in (b"", sound[:-10], sound[:100], sound[50:], b"garbage" * 20):
        path.write_bytes(data)
        used(tmp_path / "s")
    for _ in range(60):
        data = bytearray(sound)
        for _ in range(seed.choice((1, 3, 20))):
            data[seed.randrange(len(data))] = seed.randrange(256)
        path.write_bytes(bytes(data))
        used(tmp_path / "s")
