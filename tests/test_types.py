"""What a type checker makes of programs that use the package: the types of fields, and misspelt ones."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

STRUCTS = """
import pqexplore
from pqexplore.engine.format.thrift import structs

f = pqexplore.open("a.parquet")
assert f.metadata is not None
reveal_type(f.metadata.row_groups)
reveal_type(f.metadata.num_rows)
reveal_type(f.metadata.created_by)
reveal_type(f.metadata.schema[0].logicalType)
reveal_type(f.row_groups[0].metadata.columns[0].meta_data)
chunk = f.row_groups[0].columns[0]
reveal_type(chunk.metadata.encodings)
reveal_type(chunk.metadata.codec)
reveal_type(chunk.metadata.statistics)
reveal_type(chunk.column_index)
reveal_type(chunk.pages[0].header.data_page_header_v2)
reveal_type(structs.GeospatialStatistics().bbox)
reveal_type(structs.BoundingBox().xmin)
"""
STRUCTS_ARE = [
    "list[RowGroup]", "int", "str | None", "LogicalType | None", "ColumnMetaData | None", "list[int]", "int",
    "Statistics | None", "ColumnIndex | None", "DataPageHeaderV2 | None", "BoundingBox | None", "float",
]  # fmt: skip

MISSPELT = """
import pqexplore
from pqexplore.engine.format.thrift import structs

f = pqexplore.open("a.parquet")
assert f.metadata is not None
f.metadata.row_group
f.row_groups[0].columns[0].metadata.num_value
f.row_groups[0].columns[0].pages[0].header.crc32
structs.KeyValue(kee="key")
structs.RowGroup(num_rows="three")
"""
ERRORS = [
    '"FileMetaData" has no attribute "row_group"', '"ColumnMetaData" has no attribute "num_value"',
    '"PageHeader" has no attribute "crc32"', 'Unexpected keyword argument "kee" for "KeyValue"',
    'Argument "num_rows" to "RowGroup" has incompatible type "str"; expected "int"',
]  # fmt: skip

CALLS = {
    'pqexplore.open("a.parquet")': "ParquetFile",
    'pqexplore.explore("a.parquet")': "Explorer",
    'pqexplore.explore("a.parquet").to_html()': "str",
    'pqexplore.explore("a.parquet").to_frame()': "DataFrame",
    'pqexplore.explore_lake("folder")': "LakeExplorer",
    "f.read()": "Table",
    "len(f)": "int",
    "f.shape": "tuple[int, int]",
    "f.columns": "FileColumns",
    "f.columns[0].name": "str",
    "f.column_names": "list[str]",
    'f["n"]': "Column",
    'f["n"].chunks': "Sequence[ColumnChunk]",
    'f["n"].statistics': "ColumnStatistics",
    "f.head()": "Table",
    "f.to_pandas()": "DataFrame",
    'f.ask("n > 1")': "Plan",
    "f.diagnose()": "Report",
    'f.diff("b.parquet")': "Diff",
    'f.view("overview")': "Answer",
    "chunk.codec.name": "str",
    "chunk.page_bounds": "Sequence[IndexedPage]",
    "chunk.values": "Array",
    "chunk.statistics.struct if chunk.statistics else None": "Statistics | None",
    "pqexplore.samples.events": "ParquetFile",
    'pqexplore.samples.decryption("encrypted")': "Decryption | None",
    'pqexplore.glossary.explain("page")': "Term",
    "f.check()": "list[Finding]",
    "f.layout()": "Table",
    "f.schema": "Schema",
    'f.node("footer")': "Node",
    "f.bytes(pqexplore.Span(0, 4))": "bytes",
    "chunk": "ColumnChunk",
    "chunk.statistics": "Statistics | None",
    "chunk.bloom_filter": "BloomFilter | None",
    "chunk.pages": "Sequence[Page]",
    "chunk.pages[0].values": "Array",
    "chunk.pages[0].trace()": "Iterator[Step]",
    'pqexplore.write(table, "a.parquet")': "Plan",
    "pqexplore.plan(table)": "Plan",
    'pqexplore.salvage("a.parquet")': "Salvaged",
    'lake.scan(None, "folder")': "Lake",
    'lake.open("folder").runs': "Table",
    'metadatastore.open("store")': "Store",
    'metadatastore.open("store").findings': "list[Finding]",
}
"""Public calls and the types that they give."""

CALLED = """
import pyarrow as pa

import pqexplore
from pqexplore import lake
from pqexplore.lake import metadatastore

table = pa.table({"n": [1]})
f = pqexplore.open("a.parquet")
chunk = f.row_groups[0].columns[0]
"""

STUB = """
from typing import Any

class Table:
    def __getattr__(self, name: str) -> Any: ...
class Array:
    def __getattr__(self, name: str) -> Any: ...
class DataFrame:
    def __getattr__(self, name: str) -> Any: ...

def __getattr__(name: str) -> Any: ...
"""
"""Types for pyarrow and pandas, which have none of their own: without them a Table would be Any."""

USER = """
import pathlib

import pqexplore

here = pathlib.Path("events.parquet")
pqexplore.samples.write("events", here)
with pqexplore.open(here) as f:
    rows: int = len(f)
    shape: tuple[int, int] = f.shape
    names: list[str] = f.column_names
    print(f"{rows:,} rows, {shape[1]} columns, {f.num_row_groups} row groups, {f.size:,} bytes")
    print(f.created_by, f.key_value_metadata, "country" in f, list(f) == names)
    for column in f.columns:
        print(column.name, column.path, column.type, column.index)
    country = f["country"]
    print(country.statistics.min, country.statistics.max, country.statistics.null_count)
    print(country.read().num_chunks, len(country.chunks))
    print(f.head(3).num_rows, f.head(columns=["id"]).column_names)
    print(f.read(["id"], [0]).num_rows, f.to_pandas(["id"]).shape)
    print(sum(batch.num_rows for batch in f.iter_batches(5_000, ["id"])))
    for group in f.row_groups:
        print(group.index, group.num_rows, group.span)
    chunk = f.row_groups[0].columns["country"]
    print(chunk.codec, chunk.encodings, chunk.metadata.total_compressed_size, chunk.span)
    if chunk.statistics is not None:
        print(chunk.statistics.min, chunk.statistics.max_value, chunk.statistics.trusted, chunk.statistics.why)
    for bounds in chunk.page_bounds:
        print(bounds.first_row, bounds.rows, bounds.null_count, bounds.min, bounds.max)
    print(len(chunk.values), chunk.read().num_chunks, chunk.dictionary)
    for page in chunk.pages:
        print(page.kind, page.encoding, page.num_values, page.crc_ok, len(page.span))
    leaf = f.schema.leaf("tags.list.element")
    print(leaf.path, leaf.max_definition_level, leaf.max_repetition_level)
    node = f.node("row_groups/0/columns/0")
    print(node.kind, node.label, [fact.name for fact in node.facts], len(node.children))
    print(f.layout().num_rows, f.root.span, f.bytes_read, len(f.bytes(pqexplore.Span(0, 4))))
    plan = f.ask("country = 'FR'", engine="duckdb")
    print(plan.sentence, len(plan.kept))
    report = f.diagnose()
    print(report.sentence, [one.rule for one in report.findings])
    answer = f.view("statistics", at="row_groups/0/columns/3")
    print(answer.sentence, answer.table)
    print(f.findings, f.footer_damage)
    pqexplore.write(f.head(100), "small.parquet", pqexplore.WriteOptions(codec="ZSTD"))
    difference = f.diff("small.parquet")
    print(difference.sentence, difference.same)
print(pqexplore.plan(pqexplore.samples.events.head()).size, pqexplore.glossary.explain("page").meaning)
keys = pqexplore.samples.decryption("encrypted")
try:
    pqexplore.open(pqexplore.samples.data("encrypted")).read()
except pqexplore.EncryptedFileError as error:
    print(error.address, error.offset)
print(pqexplore.open(pqexplore.samples.data("encrypted"), decryption=keys).num_rows)
try:
    pqexplore.samples.events["nothing"]
except KeyError as error:
    print(error)
"""
"""A user's script: what people do with a file, in more than forty calls."""

PROGRAMS = {
    "user": USER,
    "structs_are": STRUCTS,
    "misspelt": MISSPELT,
    "calls": CALLED + "".join(f"reveal_type({call})\n" for call in CALLS),
}


@pytest.fixture(scope="module")
def messages():
    """The messages of mypy about each program, by the program's name."""
    folder = ROOT / ".cache" / "types"  # mypy reads what it knows from the last time
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in PROGRAMS.items():
        (folder / f"{name}.py").write_text(text)
    for package in ("pyarrow", "pandas"):
        (folder / "stubs" / package).mkdir(parents=True, exist_ok=True)
        (folder / "stubs" / package / "__init__.pyi").write_text(STUB)
    options = ["--strict", "--no-pretty", "--hide-error-codes", "--cache-dir", folder / "cache"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *(folder / f"{name}.py" for name in PROGRAMS)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(folder / "stubs")},
        timeout=600,
    )
    lines = done.stdout.splitlines()
    return {name: [line.partition(": ")[2] for line in lines if f"{name}.py:" in line] for name in PROGRAMS}


@pytest.mark.full
def test_fields_have_the_types_of_the_format(messages):
    assert revealed(messages["structs_are"]) == STRUCTS_ARE


@pytest.mark.full
def test_public_calls_have_types(messages):
    assert dict(zip(CALLS, revealed(messages["calls"]), strict=True)) == CALLS


def revealed(messages):
    """The revealed types, each without the modules that its classes are in. A message of another kind stays whole."""
    types = [line.split('"')[1] if "Revealed type" in line else line for line in messages]
    return [re.sub(r"(\w+\.)+(?=\w)", "", type) for type in types]


def test_a_users_script_has_no_type_errors(messages):
    assert messages["user"] == []


def test_a_users_script_runs(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", USER],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
    )
    assert done.stderr == "" and done.returncode == 0
    for words in ("20,000 rows, 10 columns, 3 row groups", "AR ZA 0", "no column 'nothing'; columns are id"):
        assert words in done.stdout


def test_misspelt_fields_are_errors(messages):
    errors = [line for line in messages["misspelt"] if line.startswith("error: ")]
    assert len(errors) == len(ERRORS)
    for error, expected in zip(errors, ERRORS, strict=True):
        assert error.startswith(f"error: {expected}")  # mypy may add a suggestion
