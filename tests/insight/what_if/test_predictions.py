"""Predictions held against files that are then written: 12 files of many natures, with 6 sets of options."""

import os
import re

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.what_if.prediction_cases import FILES, OPTIONS, TYPES, options, write
from needs import ANY_BYTE_STREAM_SPLIT, require_duckdb

import pqexplore
from pqexplore.engine.format.thrift.structs import Encoding, Type
from pqexplore.insight.what_if.writer_storage import retyped

QUICK = ("few texts", "decimals", "nested", "dictionary fallback")
"""Files that `make test` takes; the others are in `make test-full`."""


def marked(names):
    """The names as parameters, those that are not quick marked as slow."""
    return [pytest.param(one, marks=() if one in QUICK else pytest.mark.full) for one in names]


@pytest.fixture(scope="module")
def largest():
    """The largest errors, printed at the end (`pytest -s`): what was predicted, less what was written, by who wrote it."""
    found = {}
    yield found
    print("largest errors:", ", ".join(f"{one} {off:+.2%} ({case})" for one, (off, case) in found.items()))  # fmt: skip


def note(largest, writer, off, case):
    """Keep an error if it is the largest."""
    if abs(off) >= abs(largest.get(writer, (0, ""))[0]):
        largest[writer] = off, case


@pytest.fixture(scope="module", params=marked(FILES))
def source(request, tmp_path_factory):
    """A file, the trial of it, and a trial of a third of its bytes."""
    path = tmp_path_factory.mktemp("predictions") / "source.parquet"
    write(request.param, path)
    third = pqexplore.Budget(bytes=os.path.getsize(path) // 3)
    trials = pqexplore.what_if(path), pqexplore.what_if(path, budget=third)
    return request.param, path, *trials


@pytest.mark.parametrize("name", OPTIONS)
def test_a_file_has_the_size_that_was_predicted(source, name, tmp_path, largest):
    case, path, whole, third = source
    with pqexplore.open(path) as file:
        chosen = options(name, whole, file.schema)
    pqexplore.rewrite(path, tmp_path / "new.parquet", chosen, verify=False)
    real = os.path.getsize(tmp_path / "new.parquet")
    exact, sampled = whole.predict(chosen), third.predict(chosen)
    assert (exact.size, exact.error, exact.sampled) == (real, 0, False)
    off = sampled.size / real - 1
    note(largest, "ours, of a sample", off, f"{case}, {name}")
    assert abs(off) < 0.05
    assert sampled.sampled or sampled.size == real


WRITERS = (pytest.param("pyarrow", marks=ANY_BYTE_STREAM_SPLIT), "DuckDB", "polars")
DICTIONARY = {Encoding.PLAIN_DICTIONARY, Encoding.RLE_DICTIONARY}
LEVELS = {Encoding.RLE, Encoding.BIT_PACKED}


def run(writer, script):
    """Run a script in the current folder; returns the file that it wrote, open."""
    if writer == "DuckDB":
        require_duckdb()
        duckdb.sql(script.code)
    else:
        exec(script.code, {})
    return pqexplore.open("fixed.parquet")


def as_chosen(best, chunks):
    """Whether the chunks of a column have the encoding of its best choice, and whether they have its codec."""
    used = {Encoding(one) for chunk in chunks for one in chunk.metadata.encodings}
    encoding = Encoding(best.encoding)
    if encoding in DICTIONARY:
        has = all(DICTIONARY & set(chunk.metadata.encodings) for chunk in chunks)
    else:
        has = encoding in used and not DICTIONARY & used
    return has, {chunk.metadata.codec for chunk in chunks} == {best.codec}


def named(script, what):
    """How many columns a sentence of `left_out` is about: those that it names, and "2 more"."""
    about = [one.split(":")[0] for one in script.left_out if one.startswith(f"The {what} of ")]
    more = [int(count) for one in about for count in re.findall(r"(\d+) more$", one)]
    return sum(one.count("`") // 2 for one in about) + sum(more)


@pytest.mark.parametrize("writer", WRITERS)
def test_a_script_writes_the_file_that_was_predicted(source, writer, tmp_path, monkeypatch, largest):  # fmt: skip
    case, path, trial, _ = source
    os.link(path, tmp_path / "source.parquet")
    monkeypatch.chdir(tmp_path)
    script = trial.code[writer]
    with pqexplore.open(path) as old, run(writer, script) as new:
        if script.size is None:
            assert named(script, "type")
        else:
            off = script.size / new.size - 1
            note(largest, writer, off, case)
            assert abs(off) < 0.1
        assert [one.num_rows for one in new.row_groups] == [one.num_rows for one in old.row_groups]
        other = {"type": 0, "encoding": 0, "codec": 0}
        for index, column in enumerate(trial.columns):
            chunks = [group.columns[index] for group in new.row_groups]
            encoding, codec = as_chosen(column.best, chunks)
            other["encoding"] += not encoding
            other["codec"] += not codec
            other["type"] += named_type(chunks[0].leaf) != named_type(column.leaf)
    assert named(script, "encoding") == other["encoding"]
    assert named(script, "codec") >= other["codec"]  # levels differ, too
    assert named(script, "type") >= other["type"]  # units differ, too


def named_type(leaf):
    name = Type(leaf.physical_type).name
    return f"{name}({leaf.type_length})" if name == "FIXED_LEN_BYTE_ARRAY" else name


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("name", TYPES)
def test_the_type_that_a_writer_stores(name, writer, tmp_path, monkeypatch):
    """`retyped` says it exactly where the physical type or the unit of time is another one in the file that is written."""
    monkeypatch.chdir(tmp_path)
    array, options = TYPES[name]
    pq.write_table(pa.table({"a": array}), "source.parquet", **options)
    trial = pqexplore.what_if("source.parquet")
    script = trial.code[writer]
    with pqexplore.open("source.parquet") as old, run(writer, script) as new:
        [before], [after] = old.schema.leaves, new.schema.leaves
        unit = [re.findall(r"MILLIS=|MICROS=|NANOS=", str(leaf.logical_type)) for leaf in (before, after)]  # fmt: skip
        integers = "store_decimal_as_integer" in script.code
        said = retyped(before, writer, integers=integers)
        stored = named_type(after)
        if Type(before.physical_type) == Type.INT96 or named_type(before) != stored:
            assert said.startswith(stored.removesuffix(")"))
        else:
            assert bool(said) == (unit[0] != unit[1])
        assert (script.size is None) == bool(said)
        if said:
            assert f"The type of `a`: {writer} stores it as {said}." in script.left_out
