"""Who can read a file: what is predicted of each sample, what a run shows, and that the two agree."""

import collections
import csv
import dataclasses
import datetime
import decimal
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import uuid
from pathlib import Path

import cramjam
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from insight.doctor.cases_metadata import keyed
from insight.writers import defective_files
from made import parquet, rebuilt
from needs import has, needs
from table_files import table_rows

import pqexplore
from pqexplore.cli import main
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.format.thrift import structs
from pqexplore.engine.format.thrift.structs import CompressionCodec, ConvertedType, Type
from pqexplore.engine.writer import assembly
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.doctor.diagnose import steps
from pqexplore.insight.doctor.readers import run as runs
from pqexplore.insight.doctor.readers.compare import NotComparedError, first_difference
from pqexplore.insight.doctor.readers.features import features
from pqexplore.insight.doctor.readers.file_readers import predict
from pqexplore.insight.doctor.readers.known import KNOWN
from pqexplore.insight.doctor.readers.reader import Verdict
from pqexplore.insight.doctor.readers.table import SOURCES, VERSIONS
from pqexplore.insight.doctor.rules.readers import MAIN
from pqexplore.insight.doctor.verdict import above_notes
from pqexplore.insight.on_disk import on_disk
from pqexplore.insight.steps import finish

WORDS = {"ok": Verdict.READS, "wrong": Verdict.WRONG, "no": Verdict.REFUSES, "?": Verdict.UNKNOWN}

RUN = [one for one, version in VERSIONS.items() if version and version != "(source code)"]
"""The readers that were run: not ClickHouse, whose version is not known."""

TABLES = Path(__file__).parent / "tables" / "readers.txt"
PREDICTED = [line.split() for (line,) in table_rows(TABLES, "predicted")]
FROM_SOURCE = [line.split() for (line,) in table_rows(TABLES, "from source code")]


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Writes a sample, once, and returns its path."""
    folder = tmp_path_factory.mktemp("samples")

    def path(name):
        made = folder / f"{name}.parquet"
        if not made.exists():
            write_sample(name, made)
        return made

    return path


@pytest.mark.parametrize("row", PREDICTED, ids=[row[0] for row in PREDICTED])
def test_prediction_of_a_sample(samples, row):
    sample, *expected = row
    with pqexplore.open(samples(sample)) as file:
        found = {one.engine: one.verdict for one in predict(file)}
    assert {one: found[one] for one in RUN} == {one: WORDS[word] for one, word in zip(RUN, expected, strict=True)}


@pytest.mark.parametrize("row", FROM_SOURCE, ids=[row[0] for row in FROM_SOURCE])
def test_prediction_from_source_code(samples, row):
    sample, *words = row
    with pqexplore.open(samples(sample)) as file:
        found = {one.engine: one for one in predict(file)}
    for engine, word in zip(("Trino", "Impala", "parquet-go"), words, strict=True):
        assert found[engine].verdict is WORDS[word], str(found[engine])
        if word == "no":
            assert "source code" in found[engine].source and "https://" in found[engine].source


def test_every_source_outside_has_a_link():
    for key, source in SOURCES.items():
        assert source.url.startswith("https://") != (key in ("run", "own")), key


def schema(*elements):
    """A file without row groups."""
    inner = sum(one.num_children or 0 for one in elements)
    root = assembly.element("schema", None, None, num_children=len(elements) - inner)
    return assembly.file([root, *elements], [])


def of_group(name, children=1, repetition=1, **fields):
    return assembly.element(name, None, repetition, num_children=children, **fields)


def leaf(name, repetition=0, type=Type.INT32, **fields):
    return assembly.element(name, type, repetition, **fields)


def bounded(low):
    """A column index of one page, whose smallest value this is."""
    return structs.ColumnIndex(null_pages=[False], min_values=[low], max_values=[bytes(4)], boundary_order=0)


LIST, MAP, ENUM = (
    {"logicalType": structs.LogicalType(LIST=structs.ListType())},
    {"logicalType": structs.LogicalType(MAP=structs.MapType())},
    structs.LogicalType(ENUM=structs.EnumType()),
)
PAIR = (leaf("key"), leaf("value", 1))
ONE = pa.array([1])
GIVEN_UP = {"dictionary_pagesize_limit": 500, "data_page_size": 500, "write_batch_size": 50}
FEATURES = [
    # a file, the feature that it has, a near miss that has it not
    (parquet(pa.Table.from_arrays([ONE, ONE], ["a", "a"])), "duplicate-names",
        parquet(pa.Table.from_arrays([ONE, ONE], ["a", "b"]))),
    (parquet(pa.table({"a": ONE, "A": ONE})), "names-differ-in-case", parquet(pa.table({"a": ONE, "b": ONE}))),
    (parquet(pa.table({})), "no-columns", parquet(pa.table({"a": ONE}))),
    (parquet(pa.table({"d": pa.array([decimal.Decimal(1)], pa.decimal256(39))})), "wide-decimal",
        parquet(pa.table({"d": pa.array([decimal.Decimal(1)], pa.decimal128(38))}))),
    (parquet(pa.table({"t": pa.array([1], pa.timestamp("ns"))})), "nanoseconds",
        parquet(pa.table({"t": pa.array([1], pa.timestamp("us"))}))),
    (parquet(pa.table({"l": [[[1]]]})), "nested-list", parquet(pa.table({"l": [[1]]}))),
    (parquet(pa.table({"s": ["a", "b"]}), compression="brotli"), "brotli",
        parquet(pa.table({"s": ["a", "b"]}), compression="snappy")),
    (parquet(pa.table({"t": pa.array([1], pa.time64("us"))})), "time",
        parquet(pa.table({"t": pa.array([1], pa.timestamp("us"))}))),
    (parquet(pa.table({"s": [b"ab"]}, schema=pa.schema({"s": pa.binary(2)}))), "fixed-bytes",
        parquet(pa.table({"s": [b"ab"]}))),
    (parquet(pa.table({"s": [f"word {n}" for n in range(500)]}), **GIVEN_UP), "dictionary-fallback-text",
        parquet(pa.table({"s": [b"word %d" % n for n in range(500)]}), **GIVEN_UP)),
    (
        parquet(
            pa.table({"t": pa.array([datetime.datetime(2024, 1, 1, microsecond=1)])}),
            use_deprecated_int96_timestamps=True,
        ),
        "int96",
        parquet(pa.table({"t": pa.array([datetime.datetime(2024, 1, 1)])})),
    ),
    (parquet(pa.table({"t": pa.array([1], pa.timestamp("ns"))}), use_deprecated_int96_timestamps=True), "int96-fine",
        parquet(pa.table({"t": pa.array([1000], pa.timestamp("ns"))}), use_deprecated_int96_timestamps=True)),
    (defective_files.int96(None), "int96-day-zero",
        parquet(pa.table({"t": pa.array([0], pa.timestamp("ns"))}), use_deprecated_int96_timestamps=True)),
    (rebuilt(parquet(pa.table({"l": [[1]]})), schema__1__converted_type=None), "list-without-converted",
        parquet(pa.table({"l": [[1]]}))),
    (schema(of_group("l", 1, **LIST), of_group("bag", 1, 2), leaf("n", 2)), "legacy-list-of-lists",
        schema(of_group("l", 1, **LIST), of_group("array", 1, 2, **LIST), leaf("n", 2))),
    (schema(of_group("g", 1, 2), leaf("n")), "repeated-group-of-one",
        schema(of_group("g", 2, 2), leaf("n"), leaf("m"))),
    (
        schema(of_group("m", 1, 1), of_group("entries", 2, 2, converted_type=ConvertedType.MAP_KEY_VALUE), *PAIR),
        "map-key-value-alone",
        schema(of_group("m", 1, 1, **MAP), of_group("entries", 2, 2, converted_type=ConvertedType.MAP_KEY_VALUE), *PAIR)
    ),
    (schema(of_group("l", 1, **LIST), of_group("array", 1, 2, **MAP), of_group("key_value", 2, 2), *PAIR),
        "map-as-element", schema(of_group("m", 1, 1, **MAP), of_group("key_value", 2, 2), *PAIR)),
    (schema(leaf("n", 1, Type.BOOLEAN, logicalType=structs.LogicalType(UNKNOWN=structs.NullType()))), "null-boolean",
        schema(leaf("n", 1, Type.INT32, logicalType=structs.LogicalType(UNKNOWN=structs.NullType())))),
    (schema(leaf("e", 1, Type.BYTE_ARRAY, logicalType=ENUM, converted_type=ConvertedType.UTF8)), "enum-as-text",
        schema(leaf("e", 1, Type.BYTE_ARRAY, logicalType=ENUM))),
    (schema(*(of_group("g", 1) for _ in range(99)), leaf("n")), "deep-schema",
        schema(*(of_group("g", 1) for _ in range(98)), leaf("n"))),
    (rebuilt(parquet(pa.table({"a": ONE})), column_orders=[]), "column-orders-length", parquet(pa.table({"a": ONE}))),
    (keyed("geo", {"version": "1.1.0", "columns": {"x": {"encoding": "WKB"}}}), "geo-incomplete",
        keyed("geo", {"version": "1.1.0", "columns": {"x": {"encoding": "WKB", "geometry_types": []}}})),
    (parquet(pa.table({"t": pa.array([1], pa.timestamp("us", "-02:15"))})), "arrow-zone-of-minutes",
        parquet(pa.table({"t": pa.array([1], pa.timestamp("us", "-02:00"))}))),
    (defective_files.nulls(None), "values-of-no-bytes", defective_files.nulls(False)),
    (defective_files.columns(column_index=bounded(b""), offset_index=True), "index-bound-of-wrong-length",
        defective_files.columns(column_index=bounded(bytes(4)), offset_index=True)),
    (defective_files.bit_packed([1, None], created_by="impala version 2.11.0-SNAPSHOT"), "bit-packed-nulls-impala",
        defective_files.bit_packed([1, None], created_by="parquet-mr version 1.10.0")),
]  # fmt: skip


@pytest.mark.parametrize("data, feature, near", FEATURES, ids=[one[1] for one in FEATURES])
def test_features(data, feature, near):
    with pqexplore.open(data) as file:
        assert feature in {one.name for one in features(file)}
    with pqexplore.open(near) as file:
        assert feature not in {one.name for one in features(file)}


PLAIN = struct.pack("<600i", *range(600))
BLOCK = bytes(cramjam.lz4.compress_block(PLAIN, store_size=False))
FRAMINGS = {
    "lz4-hadoop": struct.pack(">II", len(PLAIN), len(BLOCK)) + BLOCK,
    "lz4-frame": bytes(cramjam.lz4.compress(PLAIN)),
    "lz4-bare": BLOCK,
}
"""A page under the codec LZ4, by the feature that names its framing."""
READS_LZ4 = {
    "lz4-hadoop": {"pyarrow", "DuckDB", "polars", "DataFusion"},
    "lz4-frame": {"DataFusion"},
    "lz4-bare": {"pyarrow", "DuckDB", "polars", "DataFusion", "fastparquet"},
}
"""The Python readers that read it."""


def under_lz4(body):
    """A file of 600 integers in one page, whose body is this."""
    page = dataclasses.replace(assembly.page_v1(PLAIN, 600), body=body)
    page.header.compressed_page_size, page.header.crc = len(body), None
    chunk = assembly.chunk("n", Type.INT32, [page], codec=CompressionCodec.LZ4)
    root = assembly.element("schema", repetition_type=None, num_children=1)
    group = assembly.row_group([chunk], 600)
    return assembly.file([root, assembly.element("n", Type.INT32)], [group])


@pytest.mark.parametrize("feature", FRAMINGS)
def test_the_framing_of_lz4(feature, tmp_path):
    path = tmp_path / "lz4.parquet"
    path.write_bytes(under_lz4(FRAMINGS[feature]))
    report = pqexplore.diagnose(path)
    with pqexplore.open(path) as file:
        assert {one.name for one in features(file)} & set(FRAMINGS) == {feature}
    said = report.readers()
    for engine in ("pyarrow", "DuckDB", "polars", "DataFusion", "fastparquet"):
        reads = engine in READS_LZ4[feature]
        assert said[engine].verdict is (Verdict.READS if reads else Verdict.REFUSES), engine
    if "pyarrow" in READS_LZ4[feature]:
        assert pq.read_table(path)["n"].to_pylist() == list(range(600))
    else:
        with pytest.raises(OSError, match="Lz4"):
            pq.read_table(path)
    refused = [one.message for one in report.findings if one.rule == "readers-refuse" and "pyarrow" in one.message]
    assert bool(refused) is ("pyarrow" not in READS_LZ4[feature])


GEO = [structs.KeyValue(key="geo", value='{"columns": {"g": {}}}')]
"""GeoParquet metadata for which DuckDB refuses a file."""
REFUSED = [
    # a sample, what is changed, how the finding about changed values begins, the way out
    ("int96-order", {}, "pyarrow 26.0.1 reads ", "Read it with DuckDB or Spark, or write it another way."),
    ("int96-order", {"column_orders": []}, "polars 2.1.0 reads ",
        "Read it with DuckDB or Spark, or write it another way."),
    ("int96-order", {"key_value_metadata": GEO}, "pyarrow 26.0.1 reads ",
        "Read it with Spark, or write it another way."),
    ("variant-shredded", {}, "pyarrow 26.0.1 reads ", "Read it with DuckDB, or write it another way."),
    ("variant-shredded", {"key_value_metadata": GEO}, "pyarrow 26.0.1 reads ", "Write it another way."),
]  # fmt: skip


@pytest.mark.parametrize("sample, changes, begins, fix", REFUSED)
def test_a_reader_that_refuses_the_file_neither_changes_it_nor_is_a_way_out(samples, sample, changes, begins, fix):
    findings = pqexplore.diagnose(rebuilt(samples(sample).read_bytes(), **changes)).findings
    found = next(one for one in findings if one.rule == "readers-change-values")
    assert found.message.startswith(begins) and found.fix == fix, found


def test_every_cell_has_a_version_or_a_source():
    for name, known in KNOWN.items():
        assert set(known.cells) <= set(VERSIONS), name
        for engine, cell in known.cells.items():
            assert cell.source in SOURCES, (name, engine)
            assert cell.verdict is Verdict.READS or cell.what, (name, engine)


def test_every_feature_that_is_found_is_in_the_table(samples):
    for sample, *_ in PREDICTED:
        with pqexplore.open(samples(sample)) as file:
            assert {one.name for one in features(file)} <= set(KNOWN)


def chunked(values, kind=None):
    return pa.chunked_array([pa.array(values, kind)])


ID = uuid.UUID("12345678-1234-5678-1234-567812345678")
SAME = [
    # ours, theirs: the same values in other forms
    (chunked(["a", None]), chunked(["a", None], pa.large_string())),
    (chunked([b"a"]), chunked(["a"])),
    (chunked([ID.bytes], pa.binary(16)), chunked([str(ID)])),
    (chunked([1.0, float("nan")]), chunked([1.0, float("nan")])),
    (chunked([1000], pa.timestamp("us")), chunked([1], pa.timestamp("ms", "UTC"))),
    (chunked([1], pa.date32()), chunked([86_400_000], pa.date64())),
    (chunked([decimal.Decimal("0.1")]), chunked([0.1])),
    (chunked([[("k", 1)]], pa.map_(pa.string(), pa.int32())), chunked([[{"key": "k", "value": 1}]])),
    (chunked([[1, 2], [], None]), chunked([[1, 2], [], None], pa.large_list(pa.int64()))),
    (chunked([b"\1\0\0\0\2\0\0\0\3\0\0\0"], pa.binary(12)), chunked([(1, 2, 3_000_000)], pa.month_day_nano_interval())),
    (chunked(["a", "a"]), chunked(["a", "a"]).dictionary_encode()),
]
DIFFERENT = [
    # ours, theirs, the first row that differs
    (chunked([1, 2, 3]), chunked([1, 2, 4]), 2),
    (chunked(["a", None]), chunked(["a", ""]), 1),
    (chunked([0.0, None]), chunked([0.0, float("nan")]), 1),
    (chunked([[], None]), chunked([[], []], pa.list_(pa.null())), 1),
    (chunked([1], pa.timestamp("s")), chunked([1], pa.timestamp("ms")), 0),
    (chunked([2**53 + 1]), chunked([float(2**53)]), 0),
    (chunked([decimal.Decimal("0.1")]), chunked([0.1000001]), 0),
    (chunked([{"a": 1, "b": None}]), chunked([{"a": 1, "b": 2}]), 0),
    (chunked([ID.bytes], pa.binary(16)), chunked([b""]), 0),
]


@pytest.fixture(scope="module")
def plain_field():
    """A field that is no Variant."""
    with pqexplore.open(parquet(pa.table({"a": ONE}))) as file:
        return file.schema.root.children[0]


@pytest.mark.parametrize("ours, theirs", SAME)
def test_same_values(plain_field, ours, theirs):
    assert first_difference(ours, theirs, plain_field, False) is None


@pytest.mark.parametrize("ours, theirs, row", DIFFERENT)
def test_different_values(plain_field, ours, theirs, row):
    found = first_difference(ours, theirs, plain_field, False)
    assert found is not None
    assert found[0] == row


@needs("pyarrow", "19", "it has no JSON type")
def test_json_is_compared_by_what_it_says():
    table = pa.table({"j": pa.array(['{"a": 1}']).cast(pa.json_())})
    with pqexplore.open(parquet(table)) as file:
        field = file.schema.root.children[0]
    ours = chunked(['{"a": 1}'])
    assert first_difference(ours, chunked(['{"a":1}']), field, False) is None
    assert first_difference(ours, chunked(['{"a":2}']), field, False) is not None


METADATA, VALUE = b"\1\0\0", b"\14\7"
"""A Variant of the number 7."""


def variants(**parts):
    kind = pa.struct([pa.field(name, pa.binary()) for name in parts])
    return pa.chunked_array([pa.array([parts], kind)])


def test_variants_are_compared_by_their_values(samples):
    ours = variants(metadata=METADATA, value=VALUE)
    with pqexplore.open(samples("variant")) as file:
        field = next(one for one in file.schema.root.children if one.kind == "variant")
    longer = b"\1\1\0\1x"
    assert first_difference(ours, variants(value=VALUE, metadata=longer), field, False) is None
    found = first_difference(ours, variants(value=b"\14\10", metadata=METADATA), field, False)
    assert found == (0, "7", "8")


def test_a_name_with_a_dot_is_no_path(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a1": [{"b": 1}], "a1.b": [2]}), path)
    with pqexplore.open(path) as file:
        (found,) = runs.run(file, str(path), ["pyarrow"])
    assert found.verdict is Verdict.READS, str(found)


def test_nan_stands_for_null_in_a_data_frame(plain_field):
    ours, theirs = chunked([0.0, None]), chunked([0.0, float("nan")])
    assert first_difference(ours, theirs, plain_field, True) is None


def test_a_run_finds_wrong_values_without_an_error(samples):
    found = pqexplore.diagnose(samples("int96-order")).readers(run=True)
    expected = {"pyarrow": Verdict.WRONG, "DuckDB": Verdict.READS}
    for engine, verdict in expected.items():
        if found[engine].verdict is not Verdict.ABSENT:
            assert found[engine].verdict is verdict, str(found[engine])
    wrong = found["pyarrow"]
    assert (wrong.column, wrong.row) == ("ordered", 19)
    assert "1699" in wrong.theirs and "2283" in wrong.ours
    assert found.sentence.startswith("Run here: pyarrow")
    assert found.table.column("row")[0].as_py() == 19


def test_a_run_uses_no_module_of_the_folder(samples, folder_of_others):
    found = pqexplore.diagnose(samples("int96-order")).readers(run=True)
    assert found["pyarrow"].verdict is Verdict.WRONG


def test_a_run_of_bytes_uses_a_copy_that_is_deleted():
    data = parquet(pa.table({"a": [1, None]}))
    with pqexplore.open(data) as file, on_disk(file) as path:
        (found,) = runs.run(file, path, ["pyarrow"])
    assert found.verdict is Verdict.READS
    assert found.version == pa.__version__
    assert not pathlib.Path(path).exists()


def test_datafusion_gives_the_rows_in_order(tmp_path):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"n": range(200_000)}), path)
    with pqexplore.open(path) as file:
        (found,) = runs.run(file, str(path), ["DataFusion"])
    assert found.verdict in (Verdict.READS, Verdict.ABSENT), str(found)


@pytest.mark.parametrize("engine", ["DuckDB", "DataFusion"])
def test_a_path_with_characters_of_a_pattern(tmp_path, engine):
    path = tmp_path / "a[1] *?%41{x}.parquet"
    pq.write_table(pa.table({"a": ONE}), path)
    with pqexplore.open(path) as file:
        (found,) = runs.run(file, str(path), [engine])
    assert found.verdict in (Verdict.READS, Verdict.ABSENT), str(found)


@needs("pyarrow", "19", "it has no JSON type")
def test_fastparquet_and_json_beside_a_name_with_a_dot(tmp_path):
    path = tmp_path / "a.parquet"
    text = pa.array(['{"a": 1}', None]).cast(pa.json_())
    pq.write_table(pa.table({"j": text, "a.b": [1.5, None]}), path)
    with pqexplore.open(path) as file:
        (found,) = runs.run(file, str(path), ["fastparquet"])
    assert found.verdict in (Verdict.READS, Verdict.ABSENT), str(found)


def test_a_reader_that_gives_no_answer_in_time(samples):
    path = samples("page-index")
    with pqexplore.open(path) as file:
        (found,) = runs.run(file, str(path), ["pyarrow"], seconds=0.01)
    assert found.verdict is Verdict.REFUSES
    assert found.error == "it gave no answer in 0.01 seconds"


def test_a_reader_that_is_not_installed(samples, monkeypatch):
    monkeypatch.setattr(runs.importlib.util, "find_spec", lambda name: None)
    path = samples("page-index")
    with pqexplore.open(path) as file:
        (found,) = runs.run(file, str(path), ["polars"])
    assert (found.verdict, found.ran) == (Verdict.ABSENT, False)
    assert str(found) == "polars: polars is not installed, so it was not run"


def test_an_outcome_that_cannot_be_read_is_no_verdict_of_values(samples, tmp_path):
    (tmp_path / "x").write_bytes(b"no Arrow")
    (tmp_path / "x.json").write_text('{"version": "1"}')
    with pqexplore.open(samples("page-index")) as file:
        found = runs.judge(file, "polars", runs.outcome(str(tmp_path / "x"), ""))
    assert found.verdict is Verdict.UNCOMPARED


def test_report_of_bytes_predicts():
    found = pqexplore.diagnose(parquet(pa.table({"a": ONE}))).readers
    assert found["pyarrow"].verdict is Verdict.READS
    assert len(found) == sum(map(bool, VERSIONS.values()))
    assert found.table.num_rows == len(found)
    assert "pyarrow 26.0.1: reads it all" in repr(found)


def test_nothing_is_claimed_of_pages_that_cannot_be_read():
    data = bytearray(parquet(pa.table({"a": ONE})))
    data[4:12] = b"\xff" * 8
    with pqexplore.open(bytes(data)) as file:
        assert "unread" in {one.name for one in features(file)}
        assert {one.verdict for one in predict(file)} == {Verdict.UNKNOWN}


def test_names_from_a_file_are_printable():
    data = parquet(pa.table({"a\x1b[31m": pa.array([decimal.Decimal(1)], pa.decimal256(39))}))
    found = pqexplore.diagnose(data).readers
    assert "\x1b" not in repr(found) + found.sentence
    assert "a\\x1b[31m" in found["polars"].sentence


def test_command_line(samples, capsys):
    path = str(samples("bit-packed-levels"))
    main(["doctor", path, "--readers"])
    out = " ".join(capsys.readouterr().out.split())
    assert "DataFusion reads it wrongly, without an error" in out
    main(["doctor", "--json", "--readers", path])
    document = json.loads(capsys.readouterr().out)["readers"]
    assert document["ran"] is False
    assert {one["engine"]: one["verdict"] for one in document["readers"]}["DuckDB"] == "refuses"


PROGRAM = """
import json, os, signal, sys
import pyarrow.parquet, pandas
from pqexplore.insight.doctor.readers import worker
engine, jobs = json.loads(sys.stdin.read())
__import__(engine.lower())
for path, out, names in jobs:
    child = os.fork()
    if not child:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1), os.dup2(quiet, 2)
        signal.alarm(60)
        try:
            worker.limit(3 << 30)
            worker.read(engine, path, out, names, 30.0)
        finally:
            os._exit(0)
    code = os.waitpid(child, 0)[1]
    with open(out + ".code", "w") as written:
        written.write(str(code))
"""
"""Reads files by one reader, each in a fork of its own: importing a reader for every file would take minutes."""

SMALL = 1_000_000
"""Bytes of the largest file that is run."""

UNPREDICTED = {
    ("simple_map_test.parquet", "polars"): "it gives the last value only of a key that a map has twice",
    ("parquet-all-types", "fastparquet"): "its lists of lists hold nothing that it could lose",
    ("list-of-list.parquet", "fastparquet"): "a list of lists becomes null before its pages are decompressed",
    ("different_encodings_with_filter.parquet", "fastparquet"): "not known: text of one page in PLAIN becomes null",
    ("no_columns_new.parquet", "DataFusion"): "the list of columns of its row group has another type",
}
"""What runs show and no feature predicts: part of a path, and the reader."""


def corpus_files(corpus):
    """Small files of the corpus that readers are expected to read: one of each repository for each set of features."""
    with open(corpus / "catalog.csv", newline="") as catalog:
        rows = [one for one in csv.DictReader(catalog) if one["klass"] in ("valid", "quirk", "metadata-only")]
    taken = set()
    for one in rows:
        if int(one["size"]) < SMALL:
            with pqexplore.open(corpus / one["path"]) as file:
                kind = one["source"], frozenset(found.name for found in features(file))
            if kind not in taken:
                taken.add(kind)
                yield str(corpus / one["path"])


@pytest.mark.full
@pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")
def test_prediction_agrees_with_runs(samples, corpus, tmp_path, record_property):
    """No reader does the opposite of what is predicted, for files in which check() finds no error.

    And a file that two of the main readers do not read as it is has a finding above a note, or is said to be locked or elsewhere.
    """
    paths = [*(str(samples(name)) for name, *_ in PREDICTED), *corpus_files(corpus)]
    opened = {}
    for path in paths:
        try:
            opened[path] = pqexplore.open(path)
        except ParquetError:
            continue
    counts, fail = collections.Counter(), collections.Counter()
    problems = []
    engines = [one for one in runs.READERS if has(one.lower(), VERSIONS[one])]
    for engine in engines:
        jobs = [
            (path, str(tmp_path / f"{engine}-{at}"), runs.column_names(file))
            for at, (path, file) in enumerate(opened.items())
        ]
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            input=json.dumps([engine, jobs]),
            text=True,
            check=True,
            stderr=subprocess.DEVNULL,
        )
        for path, out, _ in jobs:
            file = opened[path]
            code = int(pathlib.Path(f"{out}.code").read_text())
            if code == signal.SIGALRM:
                counts["any", "no answer in time"] += 1
                continue
            seen = runs.judge(file, engine, runs.outcome(out, f"code {code}" if code else ""))
            predicted = next(one for one in predict(file) if one.engine == engine)
            counts[predicted.verdict.value, seen.verdict.value] += 1
            fail[path] += engine in MAIN and seen.verdict in (Verdict.REFUSES, Verdict.WRONG)
            expected = any(part in path and engine == reader for part, reader in UNPREDICTED)
            if not agree(predicted.verdict, seen.verdict) and not expected and not damaged(file):
                problems.append(f"{path}: predicted {predicted}; seen {seen}")
    for path, file in opened.items():
        if fail[path] > 1:
            report = finish(steps(file, "data"))
            if not above_notes(report.findings) and not report.unseen:
                problems.append(f"{path}: {fail[path]} readers do not read it: {report.sentence}")
        file.close()
    pairs = "; ".join(f"{a} / {b} {n}" for (a, b), n in sorted(counts.items()))
    record_property("stated", f"readers: {len(opened)} files, {', '.join(engines)}; predicted / seen: {pairs}")
    assert not problems, "\n".join(problems)
    assert len(opened) >= 150


def agree(predicted, seen):
    """Whether a run does not contradict a prediction. What is not known, or not compared, contradicts nothing."""
    if predicted is Verdict.UNKNOWN:
        return True
    if seen is Verdict.UNCOMPARED:
        return predicted is not Verdict.REFUSES
    return predicted is seen


def damaged(file):
    try:
        return any(one.severity.level == "error" for one in file.check())
    except ParquetError:
        return True


def test_uncomparable_types_are_said(plain_field):
    ours = chunked([1])
    theirs = pa.chunked_array([pa.UnionArray.from_dense(
        pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])]
    )])  # fmt: skip
    with pytest.raises(NotComparedError, match="dense_union"):
        first_difference(ours, theirs, plain_field, False)
