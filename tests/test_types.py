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
    "list[RowGroup]",
    "int",
    "str | None",
    "LogicalType | None",
    "ColumnMetaData | None",
    "list[int]",
    "int",
    "Statistics | None",
    "ColumnIndex | None",
    "DataPageHeaderV2 | None",
    "BoundingBox | None",
    "float",
]

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
    '"FileMetaData" has no attribute "row_group"',
    '"ColumnMetaData" has no attribute "num_value"',
    '"PageHeader" has no attribute "crc32"',
    'Unexpected keyword argument "kee" for "KeyValue"',
    'Argument "num_rows" to "RowGroup" has incompatible type "str"; expected "int"',
]

CALLS = {
    'pqexplore.open("a.parquet")': "ParquetFile",
    'pqexplore.explore("a.parquet")': "Explorer",
    'pqexplore.explore("a.parquet").to_html()': "str",
    'pqexplore.explore("a.parquet").to_frame()': "DataFrame",
    'pqexplore.explore_lake("folder")': "LakeExplorer",
    "f.read()": "Table",
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

class Table: ...
class Array: ...
class DataFrame: ...

def __getattr__(name: str) -> Any: ...
"""
"""Types for pyarrow and pandas, which have none of their own: without them a Table would be Any."""

PROGRAMS = {
    "structs_are": STRUCTS,
    "misspelt": MISSPELT,
    "calls": CALLED + "".join(f"reveal_type({call})\n" for call in CALLS),
}


@pytest.fixture(scope="module")
def messages(tmp_path_factory):
    """The messages of mypy about each program, by the program's name."""
    folder = tmp_path_factory.mktemp("programs")
    for name, text in PROGRAMS.items():
        (folder / f"{name}.py").write_text(text)
    for package in ("pyarrow", "pandas"):
        (folder / "stubs" / package).mkdir(parents=True)
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
    return {
        name: [line.partition(": ")[2] for line in lines if f"{name}.py:" in line]
        for name in PROGRAMS
    }


def test_fields_have_the_types_of_the_format(messages):
    assert revealed(messages["structs_are"]) == STRUCTS_ARE


def test_public_calls_have_types(messages):
    assert dict(zip(CALLS, revealed(messages["calls"]), strict=True)) == CALLS


def revealed(messages):
    """The revealed types, each without the modules that its classes are in. A message of another kind stays whole."""
    types = [line.split('"')[1] if "Revealed type" in line else line for line in messages]
    return [re.sub(r"(\w+\.)+(?=\w)", "", type) for type in types]


def test_misspelt_fields_are_errors(messages):
    errors = [line for line in messages["misspelt"] if line.startswith("error: ")]
    assert len(errors) == len(ERRORS)
    for error, expected in zip(errors, ERRORS, strict=True):
        assert error.startswith(f"error: {expected}")  # mypy may add a suggestion
