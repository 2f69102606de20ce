"""cat, head, stats and `open_table` read a table by its log: what each says and prints. `test_three_stores` has the rows."""

import csv
import io
import json
import os
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import every_table, made_tables
from lake.conftest import Store
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit

import pqexplore
from pqexplore.cli import DONE, FOUND, UNREADABLE, USAGE, main
from pqexplore.engine.errors import CorruptFileError, UsageError
from pqexplore.lake import open_table


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Makes a table of `every_table` once: its folder, and what is true of it."""
    known = {}

    def make(name):
        if name not in known:
            root = tmp_path_factory.mktemp("table") / "t"
            known[name] = root, every_table.TABLES[name](root)
        return known[name]

    return make


def run(capsys, *words):
    status = main([str(word) for word in words])
    out, err = capsys.readouterr()
    return status, out, err


READ = ["Delta: deleted rows", "Delta: vector in a file", "Delta: mapping by name", "Iceberg: renamed", "Iceberg: equality deletes"]  # fmt: skip


@pytest.mark.parametrize("name", READ)
def test_csv_of_a_table_has_one_head_with_the_present_names(tables, capsys, name):
    root, truth = tables(name)
    _, out, _ = run(capsys, "cat", root, "--csv")
    head, *rows = csv.reader(io.StringIO(out))
    assert head == list(truth.rows[0])
    assert len(rows) == len(truth.rows)


@pytest.mark.parametrize("rows", ["2:4", ":3", "-3:", "0:-1", "5:100", "100:", "3:3"])
def test_rows_are_counted_without_deleted_ones(tables, capsys, rows):
    root, _ = tables("Delta: vector in a file")
    every = open_table(root).read().to_pylist()
    first, last = (int(one) if one else None for one in rows.split(":"))
    _, out, _ = run(capsys, "cat", root, f"--rows={rows}")
    assert list(map(json.loads, out.splitlines())) == every[first:last]


CONDITIONS = {
    # the table, the condition, which rows meet it
    "a column of the log": ("Delta: vector in a file", "day = 'a'", lambda row: row["day"] == "a"),
    "columns of both": ("Delta: vector in a file", "day = 'a' AND id > 7", lambda row: row["day"] == "a" and row["id"] > 7),
    "deleted rows do not meet it": ("Delta: vector in a file", "id < 8", lambda row: row["id"] < 8),
    "a present name": ("Delta: mapping by name", "b = 2", lambda row: row["b"] == 2),
    "a present name inside of a struct": ("Delta: mapping by name", "s.new = 5", lambda row: row["s"] and row["s"]["new"] == 5),
    "a column that files lack": ("Delta: evolved", "extra IS NOT NULL", lambda row: row["extra"] is not None),
    "a widened column": ("Delta: widened", "id > 3000000000", lambda row: row["id"] > 3_000_000_000),
    "a name taken from another": ("Iceberg: renamed", "a = 'x'", lambda row: row["a"] == "x"),
    "folders": ("hive: typed partitions", "year = 2024", lambda row: row["year"] == 2024),
}  # fmt: skip


@pytest.mark.parametrize("case", CONDITIONS)
def test_a_condition_is_about_the_columns_of_the_table(tables, capsys, case):
    name, where, meets = CONDITIONS[case]
    root, truth = tables(name)
    expected = [row for row in truth.rows if meets(row)]
    assert expected
    assert every_table.plainly(open_table(root).read(where=where)) == expected
    _, out, _ = run(capsys, "head", root, "--jsonl", "--where", where)
    assert len(out.splitlines()) == len(expected)


def test_values_of_every_type_are_those_that_pyiceberg_reads(tmp_path, capsys):
    """All primitive types of Iceberg, as columns that all files have, and as one that an older file lacks."""
    import datetime as dt
    import uuid
    from decimal import Decimal

    from pyiceberg.types import StringType

    one = uuid.UUID(int=7)
    rows = pa.table(
        {
            "ok": [True, None],
            "i": pa.array([1, None], pa.int32()),
            "x": pa.array([0.5, None], pa.float32()),
            "d": pa.array([Decimal("1.25"), None], pa.decimal128(20, 2)),
            "day": [dt.date(2024, 2, 29), None],
            "time": pa.array([dt.time(1, 2, 3, 4), None], pa.time64("us")),
            "at": pa.array([dt.datetime(2024, 1, 2, 3), None], pa.timestamp("us")),
            "atz": pa.array([dt.datetime(2024, 1, 2, 3, tzinfo=dt.UTC), None], pa.timestamp("us", "UTC")),
            "b": pa.array([b"\xff", None], pa.binary()),
            "f": pa.array([b"abc", None], pa.binary(3)),
            "u": pa.array([one.bytes, None], pa.uuid()),
            "m": pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int64())),
            "n": pa.array([[[1], None, []], None], pa.list_(pa.list_(pa.int64()))),
        }
    )
    root = tmp_path / "t"
    table = every_table.table_at(root, rows)
    table.append(rows)
    with table.update_schema() as update:
        update.add_column("new", StringType())
    truth = table.scan().to_arrow().to_pylist()
    for row in truth:
        row["u"] = None if row["u"] is None else row["u"].bytes  # `read` has the stored types
    assert open_table(root).read().to_pylist() == truth
    assert open_table(root).read(where=f"u = '{one}'").num_rows == 1
    _, out, _ = run(capsys, "cat", root, "--rows", "0:1")
    printed = json.loads(out)
    assert (printed["u"], printed["d"], printed["b"], printed["new"]) == (str(one), "1.25", {"hex": "ff"}, None)


def test_columns_are_chosen_by_their_present_names(tables):
    root, _ = tables("Delta: mapping by name")
    table = open_table(root)
    assert table.column_names == ["b", "a", "s", "l", "day"]
    assert table.read(["day", "b"]).column_names == ["b", "day"]
    assert table.read(["s.new"]).schema.field("s").type == pa.struct([("new", pa.int64())])
    with pytest.raises(UsageError, match="no column 'c3'; the columns of the table are b, a, s, l, day"):
        table.read(["c3"])
    with pytest.raises(UsageError, match="did you mean"):
        table.read("day")


def test_a_table_is_what_other_libraries_read(tables):
    import duckdb

    root, truth = tables("Delta: vector in a file")
    table = live = open_table(root)
    assert len(table) == table.num_rows == len(truth.rows)
    assert duckdb.sql("SELECT count(*) FROM live").fetchall() == [(len(live),)]
    assert pa.table(table).num_rows == len(table.to_pandas()) == len(table.to_polars()) == 17
    assert [batch.num_rows for batch in table.iter_batches(10)] == [7, 10]
    assert repr(table) == f"<LakeTable {root}: Delta table, version 1: 2 live files>"
    assert "num_rows" in dir(table) and "opened" not in dir(table)
    with pytest.raises(UsageError, match="a LakeTable is open already"):
        pqexplore.open(table)


def test_a_table_of_a_library_is_read_at_its_version(tmp_path):
    from deltalake import DeltaTable

    root = made_tables.delta(Store(str(tmp_path), {}, {}, {}))
    assert open_table(DeltaTable(root)).num_rows == 50
    assert open_table(DeltaTable(root, version=0)).num_rows == 100
    assert open_table(root, version=0).num_rows == 100
    iceberg = made_tables.iceberg(Store(str(tmp_path), {}, {}, {}), "i")
    assert open_table(iceberg).num_rows == 50


PARTS = [
    # the table, a folder in it, which rows are there
    ("Delta: deleted rows", "day=a", lambda row: row["day"] == "a"),
    ("Delta: checkpoint", "day=a", lambda row: row["day"] == "a"),
    ("Delta: vector in a file", "day=a", lambda row: row["day"] == "a"),
    ("Delta: mapping by name", "Ab", lambda row: True),
    ("Iceberg: expired", "data/day=a", lambda row: row["day"] == "a"),
]


@pytest.mark.parametrize(("name", "part", "is_there"), PARTS)
def test_a_part_of_a_table_is_read_by_the_log_above(tables, capsys, name, part, is_there):
    root, truth = tables(name)
    for start in (root / part, f"{root}/{part[:-1]}[{part[-1]}]/**/*.parquet"):
        _, out, err = run(capsys, "cat", start)
        assert sorted(map(json.loads, out.splitlines()), key=repr) == [row for row in truth.rows if is_there(row)]


def test_head_says_which_table_it_is(tables, capsys):
    root, _ = tables("Delta: deleted rows")
    _, out, _ = run(capsys, "head", root, "-n", "1")
    assert out.startswith(f"{root}: Delta table, version 1: 2 live files\n  id  day\n")
    _, out, _ = run(capsys, "head", root, "-n", "1", "--version", "0")
    assert out.startswith(f"{root}: Delta table, version 0: 2 live files\n")
    status, _, err = run(capsys, "head", root, "--version", "9")
    assert status == USAGE and "the log has versions 0 to 1, and no version 9" in err


STATS = {
    # the table: rows of the answer, column: (minimum, maximum, values, nulls, files without the column)
    "Delta: deleted rows": {"id": ("10", "19", 10, 0, 0), "day": ("a", "b", 10, 0, 0)},
    "Delta: odd partitions": {"id": ("1", "7", 7, 0, 0), "g": ("%41", "ä/ö", 7, 1, 0)},
    "Delta: mapping by name": {"b": ("1", "2", 3, 1, 0), "a": ("x", "z", 3, 1, 0), "s.new": ("5", "5", 3, 1, 0), "l.list.element.new": ("5", "5", 4, 3, 0), "day": ("mon", "mon", 3, 0, 0)},
    "Delta: evolved": {"id": ("0", "300", 21, 0, 0), "day": ("a", "c", 21, 0, 0), "extra.x": ("1", "1", 21, 20, 1), "when": ("2024-01-01", "2024-01-01", 21, 20, 1)},
    "Iceberg: renamed": {"b": ("1", "2", 4, 0, 0), "a": ("x", "y", 4, 0, 0), "gone": (None, None, 4, 4, 1)},
}  # fmt: skip


@pytest.mark.parametrize("name", STATS)
def test_stats_are_those_of_the_columns_over_the_live_files(tables, capsys, name):
    root, _ = tables(name)
    made = open_table(root).statistics().table
    rows = {row[0]: dict(zip([one.name for one in made.columns], row, strict=True)) for row in made.rows}
    for column, expected in STATS[name].items():
        row = rows[column]
        assert (row["min"], row["max"], row["values"], row["nulls"], row["absent"]) == expected, column
    status, out, _ = run(capsys, "stats", root)
    assert status == DONE and out.startswith(f"{root}\n  {open_table(root).sentence}, ")
    _, out, _ = run(capsys, "stats", root, "--json")
    document = json.loads(out)
    assert [one["column"] for one in document["answer"]["rows"]] == made.column("column")


def test_stats_say_that_deleted_rows_count(tables):
    root, _ = tables("Delta: vector in a file")
    assert open_table(root).statistics().sentence.endswith("3 rows of them are deleted, and still count here.")
    root, _ = tables("Iceberg: equality deletes")
    assert "Rows of 1 file may be deleted, and still count here." in open_table(root).statistics().sentence
    root, _ = tables("Delta: deleted rows")
    assert "deleted" not in open_table(root).statistics().sentence


def test_stats_of_a_place_are_those_of_each_live_file(tables, capsys):
    root, truth = tables("Delta: deleted rows")
    _, out, _ = run(capsys, "stats", root, "--column", "id")
    said = [line.partition(".parquet: ")[0] + ".parquet" for line in out.splitlines() if ".parquet: " in line]
    assert said == sorted(str(root / one) for one in truth.files)


def test_other_verbs_look_at_live_files_only(tables, capsys):
    root, truth = tables("Delta: orphans and hidden folders")
    _, out, _ = run(capsys, "check", root)
    said = [line.partition(".parquet: ")[0] + ".parquet" for line in out.splitlines() if ".parquet: " in line]
    assert said == [str(root / one) for one in truth.files]


REFUSED = {
    "Delta: broken log": "is not JSON",
    "Delta: shallow clone": "outside of the table's folder",
    "Delta: text in place of a number": "column 'id' is STRING in this file, and int64 in the table",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_right_is_refused(tables, capsys, name):
    root, _ = tables(name)
    status, _, err = run(capsys, "cat", root)
    assert status == UNREADABLE and REFUSED[name] in err and str(root) in err
    assert run(capsys, "cat", root, "--json")[0] == UNREADABLE


def test_a_clone_is_read_if_that_is_allowed(tables, capsys):
    root, _ = tables("Delta: shallow clone")
    status, out, _ = run(capsys, "cat", root, "--follow-outside")
    assert status == DONE and len(out.splitlines()) == 23
    assert open_table(root, follow_outside=True).num_rows == 23


@pytest.mark.parametrize("damage, words", [
    ("another size", "has a deletion vector of"),
    ("another checksum", "has another checksum"),
    ("another count", "the deletion vector has 3 rows, and the log says 4"),
    ("no file", "No such file"),
    ("a row too far", "row 77 is deleted, and the file has 10 rows"),
])  # fmt: skip
def test_a_deletion_vector_that_is_damaged_deletes_nothing(tmp_path, damage, words):
    root = tmp_path / "t"
    positions = [1, 3, 77] if damage == "a row too far" else [1, 3, 5]
    try:
        every_table._with_vector(root, lambda _: every_table.filed_vector(root, positions))
    except Exception:  # deltalake refuses the row, too
        assert damage == "a row too far"
    [file] = root.glob("deletion_vector_*.bin")
    data = bytearray(file.read_bytes())
    start = len(data) - data[::-1].index(b"\x64\x39\xd3\xd1") - 4  # the magic number of the last vector
    if damage == "another size":
        data[start - 4 : start] = b"\x7f\xff\xff\xff"
    elif damage == "another checksum":
        data[-1] ^= 1
    elif damage == "another count":
        log = root / "_delta_log" / f"{1:020}.json"
        log.write_text(log.read_text().replace('"cardinality": 3', '"cardinality": 4'))
    file.write_bytes(data)
    if damage == "no file":
        file.unlink()
    with pytest.raises((pqexplore.ParquetError, OSError), match=words):
        open_table(root).read()


def test_a_plain_folder_says_what_it_does(tmp_path, capsys):
    root = tmp_path / "t"
    every_table.put(root, **{"a": pa.table({"id": [1], "old": ["x"]}), "day=2024-01-01/b": pa.table({"id": ["y"]})})
    status, out, err = run(capsys, "cat", root)
    assert (status, [json.loads(line) for line in out.splitlines()]) == (
        DONE,
        [{"id": 1, "old": "x", "day": None}, {"id": "y", "old": None, "day": "2024-01-01"}],
    )
    assert f"{root}: 2 files of a folder, read as one table; not all files have old: null where it is not" in err
    assert f"id is INT64 in {root}/a.parquet and STRING in {root}/day=2024-01-01/b.parquet" in err
    table = open_table(root)
    assert table.read().to_pylist()[0]["id"] == "1"
    assert table.schema.field("day").type == pa.date32()
    assert len(table.remarks) == 2


def test_a_plain_folder_of_equal_files_needs_no_words(tables, capsys):
    root, truth = tables("plain")
    status, out, err = run(capsys, "cat", root, "--csv")
    assert (status, err, out.count("id,day")) == (DONE, "", 1)
    assert len(out.splitlines()) == 1 + len(truth.rows)


def test_head_of_a_plain_folder_opens_only_what_it_needs(tables, capsys, monkeypatch):
    from pqexplore.lake.rows import table_files

    root, _ = tables("plain")
    opened, real = [], table_files.open_listed
    monkeypatch.setattr(
        table_files, "open_listed", lambda entry, options: opened.append(entry.path) or real(entry, options)
    )
    run(capsys, "head", root, "-n", "2")
    assert {os.path.basename(one) for one in opened} == {"a.parquet"}


def test_a_damaged_file_of_a_plain_folder_costs_its_own_rows(tmp_path, capsys):
    every_table.put(tmp_path, a=pa.table({"x": [1]}), c=pa.table({"x": [3]}))
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and nothing more PAR1")
    status, out, err = run(capsys, "cat", tmp_path)
    assert status == UNREADABLE and "b.parquet" in err
    assert out.splitlines() == ['{"x": 1}', '{"x": 3}']
    with pytest.raises(pqexplore.ParquetError, match=r"b\.parquet"):
        open_table(tmp_path).read()


def test_several_tables_of_a_folder_are_printed_one_by_one(tmp_path, capsys):
    here = Store(str(tmp_path), {}, {}, {})
    made_tables.delta(here, "d")
    made_tables.iceberg(here, "i")
    _, out, _ = run(capsys, "head", tmp_path, "-n", "1")
    assert [line.partition(":")[0] for line in out.splitlines() if " live file" in line] == [
        f"{tmp_path}/d",
        f"{tmp_path}/i",
    ]
    with pytest.raises(UsageError, match="there are 2 tables, and one is read"):
        open_table(tmp_path)


def test_a_column_of_an_unknown_type_is_refused_by_name(tmp_path):
    schema = json.dumps({"type": "struct", "fields": [{"name": "a", "type": "long", "nullable": True, "metadata": {}}, {"name": "b", "type": "interval", "nullable": True, "metadata": {}}]})  # fmt: skip
    every_table.put(tmp_path, a=pa.table({"a": [1]}))
    about = {"metaData": {"id": "x", "partitionColumns": [], "configuration": {}, "schemaString": schema}}
    commit(tmp_path, 0, {"protocol": {"minReaderVersion": 1}}, about, {"add": {"path": "a.parquet", "size": 1}})
    with pytest.raises(pqexplore.ParquetError, match="column 'b' has the type interval"):
        open_table(tmp_path).read()
    assert open_table(tmp_path).read(["a"]).to_pylist() == [{"a": 1}]


def test_a_log_without_a_schema_is_refused(tmp_path):
    every_table.put(tmp_path, a=pa.table({"a": [1]}))
    commit(tmp_path, 0, PROTOCOL, METADATA, add("a.parquet"))
    with pytest.raises(CorruptFileError, match="the log has no schema"):
        open_table(tmp_path).read()


def test_partition_values_of_the_log_are_of_their_columns_types(tmp_path):
    root = tmp_path / "t"
    every_table.delta_deleted(root)
    log = root / "_delta_log" / f"{0:020}.json"
    log.write_text(
        log.read_text().replace(
            '\\"name\\":\\"day\\",\\"type\\":\\"string\\"', '\\"name\\":\\"day\\",\\"type\\":\\"date\\"'
        )
    )
    with pytest.raises(CorruptFileError, match=r"the value of column 'day' of a partition is 'a', which is no date32"):
        open_table(root).read()


@pytest.mark.parametrize("verb", ["lake", "doctor"])
def test_a_stale_log_ends_with_status_1(tmp_path, capsys, verb):
    """The log counts other rows than the file has: a wrong answer is possible."""
    root = tmp_path / "t"
    every_table.delta_plain(root)
    [first, *_] = sorted(root.glob("*.parquet"))
    pq.write_table(every_table.ROWS.slice(0, 7), first)
    assert run(capsys, verb, root)[0] == FOUND
    assert run(capsys, verb, root, "--fail-on", "damage")[0] == DONE


@pytest.mark.parametrize("words", [
    ["lake", "--json"],
    ["cat"],
    pytest.param(["lake", "--sql", "SELECT * FROM files"], marks=pytest.mark.full),
    pytest.param(["lake"], marks=pytest.mark.full),
])  # fmt: skip
def test_a_reader_that_has_gone_is_no_error(tmp_path, words):
    """As `pqexplore lake DIR | head -1`: the pipe is closed when the first bytes have come."""
    for number in range(300):
        pq.write_table(pa.table({"x" * 100: [number]}), tmp_path / f"{'name' * 20}-{number}.parquet")
    command = [sys.executable, "-m", "pqexplore", *words, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(1)
        process.stdout.close()
        assert process.stderr.read().decode() == ""
        assert process.wait() in (DONE, FOUND)


@pytest.mark.parametrize("how", ["an absolute path", "a URL", "a link"])
def test_a_deletion_vector_outside_of_the_table_is_read_only_if_allowed(tmp_path, capsys, how):
    root = tmp_path / "t"
    every_table.delta_filed_vector(root)
    [file] = root.rglob("deletion_vector_*.bin")
    outside = tmp_path / "vector.bin"
    file.rename(outside)
    if how == "a link":
        file.symlink_to(outside)
    else:
        path = str(outside) if how == "an absolute path" else f"file://{outside}"
        log = root / "_delta_log" / f"{1:020}.json"
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        for line in lines:
            if "add" in line:
                line["add"]["deletionVector"].update(storageType="p", pathOrInlineDv=path)
        log.write_text("\n".join(map(json.dumps, lines)))
    status, out, err = run(capsys, "cat", root)
    assert status == UNREADABLE and "--follow-outside" in err
    assert len(out.splitlines()) <= 10  # not one row of the file whose deletes are not known
    status, out, _ = run(capsys, "cat", root, "--follow-outside")
    assert (status, len(out.splitlines())) == (DONE, 17)


def test_a_delete_file_of_iceberg_behind_a_link_is_read_only_if_allowed(tmp_path, capsys):
    root = tmp_path / "t"
    truth = every_table.iceberg_equality_deletes(root)
    [file] = root.rglob("deletes-*.parquet")
    outside = tmp_path / "deletes.parquet"
    file.rename(outside)
    file.symlink_to(outside)
    status, out, err = run(capsys, "cat", root)
    assert status == UNREADABLE and "--follow-outside" in err
    status, out, _ = run(capsys, "cat", root, "--follow-outside")
    assert (status, len(out.splitlines())) == (DONE, len(truth.rows))


def test_a_column_that_a_file_lacks_has_its_default_or_the_value_of_its_partition(tmp_path):
    """Defaults of Iceberg's format version 3, and files of Hive, which have no columns of partitions."""
    from pyiceberg.table import StaticTable
    from pyiceberg.types import LongType

    root = tmp_path / "t"
    table = every_table.table_at(root)
    with table.update_spec() as update:
        update.add_identity("day")
    table.append(every_table.ROWS.slice(0, 4))
    for file in root.glob("data/**/*.parquet"):
        pq.write_table(pq.read_table(file, partitioning=None).drop_columns("day"), file)
    with table.update_schema() as update:
        update.add_column("new", LongType())
    last = sorted((root / "metadata").glob("*.metadata.json"))[-1]
    metadata = json.loads(last.read_text())
    for field in metadata["schemas"][-1]["fields"]:
        if field["name"] == "new":
            field |= {"initial-default": 5, "write-default": 5}
    last.write_text(json.dumps(metadata | {"format-version": 3, "next-row-id": 0}))
    truth = every_table.plainly(StaticTable.from_metadata(str(last)).scan().to_arrow())
    assert every_table.plainly(open_table(root).read()) == truth
    assert {(row["day"], row["new"]) for row in truth} == {("a", 5), ("b", 5)}
