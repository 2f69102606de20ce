"""What a query reads of a file and of many files, as the tables of a lake say it."""

import io
import json
import os
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_lake

import pqexplore
from pqexplore import lake as lakes
from pqexplore.engine.errors import UsageError
from pqexplore.insight.ask.engines import ENGINES
from pqexplore.lake import metadatastore


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    """A file of three row groups: x is 0 to 9, 10 to 19, 20 to 29."""
    path = tmp_path_factory.mktemp("one") / "one.parquet"
    pq.write_table(pa.table({"x": range(30), "y": range(30)}), path, row_group_size=10)
    return path


SOURCES = {
    "path": lambda path: path,
    "text": str,
    "bytes": lambda path: path.read_bytes(),
    "file object": lambda path: io.BytesIO(path.read_bytes()),
    "open file": pqexplore.open,
}


@pytest.mark.parametrize("source", SOURCES)
def test_one_file_is_asked(one, source):
    with pqexplore.ask(SOURCES[source](one), "x >= 20", ["x"]) as plan:
        assert [group.index for group in plan.kept] == [2]
        assert plan.row_groups["reason"][0].as_py() == "x >= 20: the max 9 is too small"


def test_a_plan_closes_only_the_file_that_it_opened(one):
    opened = pqexplore.ask(one, "x >= 20")
    opened.close()
    with pytest.raises(ValueError, match="closed"):
        opened.file.read()
    with pqexplore.open(one) as file:
        pqexplore.ask(file, "x >= 20").close()
        assert file.read().num_rows == 30


def test_a_condition_that_cannot_be_asked_is_an_error(one):
    with pytest.raises(UsageError, match="no column 'z'"):
        pqexplore.ask(one, "z = 1")


# Many files.


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Files a to e, in folders of two keys.

    a and b: x is 0 to 9 and 10 to 19. c has no y. In d, x is text. e has no rows. f is damaged.
    """
    root = tmp_path_factory.mktemp("small")
    tables = {
        "year=2024/city=Oslo/a": pa.table({"x": range(10), "y": [None, *range(9)]}),
        "year=2024/city=New%20York/b": pa.table({"x": range(10, 20), "y": [1] * 10}),
        "year=2025/city=Oslo/c": pa.table({"x": range(20, 30)}),
        "year=2025/city=__HIVE_DEFAULT_PARTITION__/d": pa.table({"x": ["0", "5"], "y": [2, 3]}),
        "year=2026/city=Oslo/e": pa.table({"x": pa.array([], pa.int64())}),
    }
    for name, table in tables.items():
        path = root / f"{name}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, path)
    broken = root / "year=2026" / "city=Oslo" / "f.parquet"
    broken.write_bytes(b"PAR1 no footer PAR1")
    return lakes.scan(None, root, out=tmp_path_factory.mktemp("tables"), processes=0)


def kept(plan) -> str:
    """The names of the files that are read, without folders and ending."""
    return "".join(sorted(Path(path).stem for path in plan.kept))


@pytest.mark.parametrize("where, expected", [
    # folders
    ("year = 2024", "ab"),
    ("year > 2024 AND year < 2026", "cd"),
    ("year = '2025'", "cd"),
    ("city = 'Oslo'", "acf"),
    ("city = 'New York'", "b"),
    ("city IN ('New York', 'Lima')", "b"),
    ("city NOT IN ('Oslo')", "b"),
    ("city IS NULL", "d"),
    ("city IS NOT NULL AND year = 2025", "c"),
    ("city LIKE 'New%'", "b"),
    ("city <=> 'Oslo' AND year = 2024", "a"),
    # bounds and null counts
    ("x < 5", "adf"),
    ("x BETWEEN 15 AND 25", "bcdf"),
    ("y IS NULL", "acf"),
    ("y = 1", "abf"),
    ("y IS NOT NULL", "abdf"),
    # a column that c does not have, with every comparison
    ("y <=> 100", "f"),
    ("NOT (y <=> 100)", "abcdf"),
    ("y <> 1", "adf"),
    # both
    ("year = 2024 AND x < 5", "a"),
    ("year = 2025 OR x < 5", "acdf"),
    ("(year = 2024 AND x >= 10) OR city = 'Lima'", "b"),
    ("year = 2030", ""),
    # what no index decides keeps all files with rows
    ("x + 1 = 2", "abcdf"),
    ("year + 1 = 2", "abcdf"),
    ("TRUE", "abcdf"),
    ("FALSE", ""),
])  # fmt: skip
def test_files_are_kept_only_if_they_may_match(small, where, expected):
    assert kept(small.ask(where)) == expected


def reasons(plan) -> dict[str, tuple[bool, str, str]]:
    return {Path(row["file"]).stem: (row["kept"], row["by"], row["reason"]) for row in plan.files.to_pylist()}


def test_each_file_has_its_own_reason(small):
    plan = small.ask("year < 2026 AND x >= 15 AND y > 0")
    found = reasons(plan)
    assert found["a"] == (False, "bounds", "x >= 15: the max 9 is too small")
    assert found["b"][:2] == (True, "partition values")
    assert "x >= 15: the range 10 … 19 overlaps what it asks for" in found["b"][2]
    assert found["c"] == (False, "constant", "y > 0: the file does not have the column y, so it is NULL")
    assert found["d"][0] and "x >= 15: the column has text" in found["d"][2]
    assert found["e"][:2] == (False, "partition values")
    assert found["f"] == (False, "partition values", "year < 2026: its partition rules it out: year=2026")


def test_a_damaged_file_is_kept_and_named(small):
    plan = small.ask("x < 5")
    assert reasons(plan)["f"][0] and "cannot be read" in reasons(plan)["f"][2]
    assert "1 file that cannot be read is counted as read." in plan.sentence
    assert any("f.parquet cannot be read" in remark for remark in plan.remarks)
    assert "cannot be read" not in small.ask("year = 2024").sentence


def test_the_sentence_and_the_stages_count_the_same(small):
    plan = small.ask("year = 2024 AND x >= 15")
    sizes = small.tables["files"]["size"].to_pylist()
    assert "reads 1 of 6 files, 1 of 5 row groups" in plan.sentence
    assert "4 files are skipped by partition values, 1 by bounds or null counts." in plan.sentence
    first, last = plan.stages
    assert (first.files_in, first.files_out, last.files_out) == (6, 2, 1)
    assert (first.groups_in, first.groups_out, last.groups_out) == (5, 2, 1)
    assert plan.total_bytes == sum(sizes)


def test_row_groups_have_evidence(small):
    rows = {(Path(row["file"]).stem, row["row_group"]): row for row in small.ask("x > 12").row_groups.to_pylist()}
    assert rows["a", 0]["evidence"] == "0 … 9" and not rows["a", 0]["kept"]
    assert rows["b", 0]["evidence"] == "10 … 19" and rows["b", 0]["kept"]
    assert rows["a", 0]["reason"] == "x > 12: the max 9 is too small"


def test_only_bytes_of_the_chosen_columns_are_read(small):
    whole, one_column = small.ask("x < 5"), small.ask("x < 5", columns=["x"])
    assert one_column.bytes < whole.bytes
    assert small.ask("x < 5", columns=["y"]).bytes == whole.bytes
    with pytest.raises(UsageError, match="no column 'z'"):
        small.ask("x < 5", columns=["z"])


@pytest.mark.parametrize("where", ["z = 1", "year = 2024 AND z IS NULL"])
def test_a_column_that_no_file_has_is_an_error(small, where):
    with pytest.raises(UsageError, match="no column 'z' in the files"):
        small.ask(where)


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_is_accepted(small, engine):
    plan = small.ask("year = 2024 AND x = 15", engine=engine)
    assert kept(plan) in ("b", "ab")
    assert plan.sentence.startswith(plan.engine.title[:1].upper())


def test_one_file_of_a_lake_is_opened_with_its_folders_and_columns(small):
    plan = small.ask("year = 2025 AND y IS NULL AND x >= 25", columns=["x", "y"])
    (path,) = [path for path in plan.kept if path.endswith("c.parquet")]
    with plan.open(path) as opened:
        assert [group.kept for group in opened.groups] == [True]
        assert [leaf.name for leaf in opened.leaves] == ["x"]
    skipped = next(p for p in small.tables["files"]["path"].to_pylist() if p.endswith("a.parquet"))
    with plan.open(skipped) as opened:
        assert not opened.kept
    with pytest.raises(UsageError, match="no file 'elsewhere'"):
        plan.open("elsewhere")


def test_the_files_that_are_read_are_compared_with_their_values(small):
    plan = small.ask("y BETWEEN 1 AND 5 AND y <> 4 AND year = 2024 AND x <> 12")
    found = plan.verify()
    rows = {Path(r["file"]).stem: r["matching"] for r in found.matches.to_pylist()}
    assert rows == {"a": 4, "b": 9}
    assert found.sentence == "2 of 2 files that were opened have rows that match."
    vain = small.ask("y = 4 AND x < 20 AND x > 8 AND year = 2024").verify()
    assert [Path(path).stem for path in vain.false_positives] == ["a"]
    some = small.ask("x >= 0").verify(most=2)
    assert "3 more files that the plan reads are not opened." in some.sentence
    assert "2 files could not be checked." in small.ask("x < 5").verify().sentence
    assert not found.lost


def test_tables_that_do_not_store_the_schema_ask_a_file(small):
    from pqexplore.lake.asking import stored_tables

    path = next(p for p in small.ask("TRUE").kept if p.endswith("a.parquet"))
    stored = small.tables["schemas"]["footer"].to_pylist()
    assert stored_tables.stored_footer(small, path) in [one for one in stored if one is not None]


# Sources.


def test_a_folder_a_pattern_a_list_and_a_stored_lake_are_asked(small, tmp_path):
    root = Path(small.tables["files"]["path"][0].as_py()).parents[2]
    files = [str(path) for path in root.rglob("[abc].parquet")]
    for source, expected in (
        (root, "adf"),
        (f"{root}/year=2024/**/*.parquet", "a"),
        (files, "a"),
        (small.path, "adf"),
        (small, "adf"),
    ):
        with pqexplore.ask(source, "x < 5") as plan:
            assert kept(plan) == expected, source


def test_the_temporary_tables_of_a_folder_go_with_the_plan(small):
    root = Path(small.tables["files"]["path"][0].as_py()).parents[2]
    plan = pqexplore.ask(root, "x < 5")
    folder = Path(plan.lake.path)
    assert folder.exists()
    plan.close()
    assert not folder.exists()
    pqexplore.ask(small, "x < 5").close()
    assert Path(small.path).exists()


# A Metadatastore.


@pytest.fixture(scope="module")
def indexed(tmp_path_factory):
    """Four files, x is 100 k to 100 k + 9 and `city` one of two names; their lake, and their Metadatastore."""
    root = tmp_path_factory.mktemp("indexed")
    for k in range(4):
        table = pa.table({"x": np.arange(100 * k, 100 * k + 10), "city": [f"city {k % 2}"] * 10})
        pq.write_table(table, root / f"{k}.parquet", write_statistics=["x"])
    wanted = [metadatastore.MinMax("x"), metadatastore.ValueList("city")]
    store = metadatastore.build(None, str(root), indexes=wanted, out=str(tmp_path_factory.mktemp("store")))
    lake = lakes.scan(None, root, out=tmp_path_factory.mktemp("tables"), processes=0)
    return root, lake, store


def test_a_metadatastore_is_asked_by_itself(indexed):
    _, _, store = indexed
    plan = pqexplore.ask(store, "city = 'city 1'")
    assert kept(plan) == "13"
    assert plan.sentence == (
        "Reads 2 of 4 objects of the Metadatastore: skipped are 2 by indexes. "
        "The store is up to date: it has 4 files of the dataset, and there are no others."
    )
    assert {row["by"] for row in plan.files.to_pylist() if not row["kept"]} == {"indexes"}
    assert [stage.files_out for stage in plan.stages] == [4, 2]
    assert kept(pqexplore.ask(store.path, "city = 'city 1'")) == "13"


def test_a_metadatastore_stands_beside_the_footers(indexed):
    _, lake, store = indexed
    plan = lake.ask("x >= 200 AND city = 'city 1'", store=store)
    rows = {Path(row["file"]).stem: row["skipped_by"] for row in plan.files.to_pylist()}
    assert rows == {"0": "both", "1": "both", "2": "Metadatastore", "3": ""}
    assert "The Metadatastore skips 3 files; the footers alone leave 1 of them to be read." in plan.sentence
    assert not any("one of the two is wrong" in remark for remark in plan.remarks)
    assert "skipped_by" not in lake.ask("x >= 200").files.column_names


def test_a_metadatastore_of_an_older_version_of_a_file_skips_nothing_of_it(indexed):
    root, _, store = indexed
    path = root / "0.parquet"
    before, times = path.read_bytes(), path.stat()
    try:
        pq.write_table(pa.table({"x": [900], "city": ["city 9"]}), path)
        now = lakes.scan(None, root, processes=0)
        rows = now.ask("x = 900", store=store).files.to_pylist()
        first = next(row for row in rows if row["file"].endswith("0.parquet"))
        assert first["skipped_by"] == ""
        assert first["index_reason"] == "it has another version of the file"
    finally:
        path.write_bytes(before)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


# Soundness.


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The tests' lake: 40 files of two schemas in seven folders, and eight damaged ones."""
    root = tmp_path_factory.mktemp("made")
    bad = made_lake.make(root / "events", 40)
    lake = lakes.scan(None, root / "events", level="pages", out=tmp_path_factory.mktemp("tables"), processes=0)
    return lake, sorted(str(path) for path in (root / "events").rglob("part-*.parquet")), bad


CLAUSES = (
    *(f"id {sign} {number}" for sign in ("<", ">=", "=", "<>") for number in (0, 137, 800, 5000)),
    *(f"small {sign} {number}" for sign in ("<=", ">") for number in (-495, 0, 480)),
    *(f"score {sign} {number}" for sign in ("<", ">", "=", "<>") for number in (0, 7.5, 13.6)),
    *(f"price {sign} {number}" for sign in ("<", ">=") for number in (0.05, 5, 9.98)),
    *(f"name {sign} '{text}'" for sign in ("<", ">", "=") for text in ("name 1", "name 5", "z")),
    "name LIKE 'name 1%'",
    "name IN ('name 0', 'x')",
    "id IN (1, 700, 1599, 1600)",
    "maybe IS NULL",
    "maybe IS NOT NULL",
    "extra IS NULL",
    "extra",
    "NOT extra",
    "small IS NULL",
    "day = 3",
    "day >= 5",
    "day IN (1, 2)",
    "`at` < TIMESTAMP '2024-01-01 05:00:00Z'",
    "`at` >= TIMESTAMP '2024-01-02 00:00:00Z'",
)


def conditions(count: int) -> list[str]:
    """Random conditions of one to four clauses, joined by AND, OR and NOT."""
    random = np.random.default_rng(1)
    made = []
    for _ in range(count):
        parts = list(random.choice(CLAUSES, random.integers(1, 5), replace=False))
        while len(parts) > 1:
            sign = random.choice(["AND", "OR"])
            joined = f"({parts.pop()} {sign} {parts.pop()})"
            parts.append(f"NOT {joined}" if random.random() < 0.2 else joined)
        made.append(parts[0])
    return made


@pytest.mark.parametrize("number", [10, pytest.param(60, marks=pytest.mark.full)])
def test_no_file_with_a_matching_row_is_skipped(made, number):
    """DuckDB says which files have rows that match random conditions."""
    lake, files, _ = made
    connection = duckdb.connect()
    listed = ", ".join(f"'{path}'" for path in files)
    connection.execute(
        "SET TimeZone = 'UTC'; CREATE TABLE t AS SELECT * FROM read_parquet("
        f"[{listed}], hive_partitioning = true, union_by_name = true, filename = true, file_row_number = true)"
    )
    skipped = 0
    for where in conditions(number):
        plan = lake.ask(where)
        groups = {(row["file"], row["row_group"]): row for row in plan.row_groups.to_pylist()}
        matching = connection.sql(
            f"SELECT DISTINCT filename, file_row_number // 25 FROM t WHERE {where.replace('`', chr(34))}"
        ).fetchall()
        for path, group in matching:
            assert groups[path, group]["kept"], (where, groups[path, group])
        assert {path for path, _ in matching} <= set(plan.kept), where
        skipped += len(lake.tables["files"]) - len(plan.kept)
    assert skipped > 5 * number


def test_a_date_in_a_folder_is_compared_as_a_date(tmp_path):
    for day in range(1, 4):
        folder = tmp_path / "lake" / f"day=2024-01-0{day}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"x": [day]}), folder / f"{day}.parquet")
    lake = lakes.scan(None, tmp_path / "lake", out=tmp_path / "tables", processes=0)
    assert kept(lake.ask("day >= DATE '2024-01-02'")) == "23"
    assert kept(lake.ask("day = '2024-01-02'")) == "2"
    assert kept(lake.ask("day < DATE '2024-01-01'")) == ""


def test_folders_of_a_table_with_a_log_are_said_to_be_believed_in_old_stores(tmp_path):
    from deltalake import write_deltalake

    rows = pa.table({"id": list(range(10)), "day": ["ab"[n % 2] for n in range(10)]})
    write_deltalake(str(tmp_path / "delta"), rows, partition_by=["day"])
    pq.write_to_dataset(rows, tmp_path / "hive", partition_cols=["day"])
    believed = "the partition values of the Delta or Iceberg log"
    for folder, where, said in (("delta", "day = 'a'", True), ("delta", "id = 3", False), ("hive", "day = 'a'", False)):
        out = tmp_path / f"out-{where}-{folder}"
        lakes.scan(None, tmp_path / folder, out=out, processes=0)
        [manifest] = out.glob("runs/*/manifest.json")
        old = json.dumps(json.loads(manifest.read_text()) | {"schema_version": 2})
        for text in (manifest.read_text(), old):  # then with partition values by the names of folders
            manifest.write_text(text)
            plan = lakes.open(out).ask(where)
            told = any(believed in remark for remark in plan.remarks)
            assert told is (said and text == old)
            assert "reads 1 of 2 files" in plan.sentence or where == "id = 3"


@pytest.mark.parametrize("where, said", [("day = 'a'", True), ("night = 'a'", False)])
def test_a_file_whose_folder_names_the_column_says_so(tmp_path, where, said):
    folder = tmp_path / "day=a"
    folder.mkdir()
    pq.write_table(pa.table({"id": [1]}), folder / "x.parquet")
    with pytest.raises(UsageError, match="there is no column") as caught:
        pqexplore.ask(str(folder / "x.parquet"), where)
    assert ("its path has the folder day=a" in str(caught.value)) is said
    with pqexplore.ask(str(tmp_path), "day = 'a'") as plan:
        assert plan.kept
