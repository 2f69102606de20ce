"""The state of each file in a Delta log, and logs that cannot be read."""

import os
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import every_table, made_tables
from lake.logs.made_logs import METADATA, PROTOCOL, add, commit, data, remove

from pqexplore.engine.errors import LimitExceededError
from pqexplore.lake import scan
from pqexplore.lake.listing import listing
from pqexplore.lake.logs import delta
from pqexplore.lake.places.choice import place_of


def states(source, **more) -> dict[str, str]:
    """State of each file by its name."""
    found = listing(str(source), **more)
    return {one.path.rpartition("/")[2]: one.state for one in (*found.entries, *found.others)}


def problem(source) -> tuple[str, str]:
    """Error code and message of the only table, whose log cannot be read."""
    [table] = listing(str(source)).tables
    return table.log.code, table.log.message


def test_a_file_that_a_version_removed_is_no_orphan(tmp_path):
    data(tmp_path, "live.parquet", "removed.parquet", "stray.parquet", "_change_data/c.parquet")
    commit(tmp_path, 0, PROTOCOL, METADATA, add("removed.parquet", 10))
    commit(tmp_path, 1, remove("removed.parquet"), add("live.parquet", 10), {"cdc": {"path": "_change_data/c.parquet"}})
    found = {one.path.rpartition("/")[2]: one for one in listing(tmp_path).others}
    assert states(tmp_path) == {
        "live.parquet": "live",
        "removed.parquet": "removed",
        "stray.parquet": "orphan",
        "c.parquet": "changes",
    }
    assert "removed by version 1" in found["removed.parquet"].state_reason
    assert "no version from 0 to 1 names it" in found["stray.parquet"].state_reason


def test_without_its_first_versions_a_log_proves_no_orphan(tmp_path):
    from deltalake import DeltaTable, write_deltalake

    table = tmp_path / "t"
    write_deltalake(table, made_tables.ROWS)
    DeltaTable(table).delete("id < 50")
    write_deltalake(table, made_tables.ROWS, mode="append")
    DeltaTable(table).create_checkpoint()
    data(table, "stray.parquet")
    before = states(table)
    assert sorted(before.values()) == ["live", "live", "orphan", "removed"]
    for version in range(3):
        os.remove(table / "_delta_log" / f"{version:020}.json")
    after = states(table)
    assert after == before | {"stray.parquet": "unreferenced"}
    [gone] = [one for one in listing(table).others if one.state == "removed"]
    assert gone.state_reason.startswith("removed at 20")  # the checkpoint knows when, not by what


def test_rows_of_deletion_vectors_are_not_counted_as_live(tmp_path):
    truth = every_table.delta_inline_vector(tmp_path / "t")
    lake = scan(None, tmp_path / "t", processes=0)
    rows = [row for row in lake.tables["files"].to_pylist() if row["deleted_rows"]]
    assert [(row["state"], row["num_rows"], row["listed_rows"], row["deleted_rows"]) for row in rows] == [
        ("live", 10, 10, 3)
    ]
    [whole] = lake.tables["tables"].to_pylist()
    assert (whole["stored_rows"], whole["deleted_rows"], whole["live_rows"]) == (20, 3, len(truth.rows))
    assert lake.views["log_disagreements"].num_rows == 0

    from pqexplore.lake.panels import fleet
    from pqexplore.lake.panels.filters import Filters

    assert "3 rows of them are deleted by deletion vectors" in fleet.answer(lake, Filters()).sentence
    assert "leaves 17 live" in fleet.answer(lake, Filters()).sentence


CHECKPOINTS = {
    # names of the checkpoint's files, given two halves of the actions
    "parts": lambda log, one, two: (pq.write_table(one, log / f"{1:020}.checkpoint.{1:010}.{2:010}.parquet"),
        pq.write_table(two, log / f"{1:020}.checkpoint.{2:010}.{2:010}.parquet")),
    "V2 with a sidecar": lambda log, one, two: (
        (log / "_sidecars").mkdir(),
        pq.write_table(two, log / "_sidecars" / "s.parquet"),
        pq.write_table(
            one.append_column(
                "sidecar",
                pa.array([*[None] * (len(one) - 1), {"path": "s.parquet"}], pa.struct([("path", pa.string())])),
            ),
            log / f"{1:020}.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.parquet",
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHECKPOINTS)
def test_checkpoints_of_several_files(tmp_path, kind):
    data(tmp_path, "a.parquet", "b.parquet", "gone.parquet")
    added = pa.struct([("path", pa.string()), ("stats_parsed", pa.struct([("numRecords", pa.int64())]))])
    schema = pa.schema(
        [
            ("protocol", pa.struct([("minReaderVersion", pa.int32())])),
            ("metaData", pa.struct([("id", pa.string())])),
            ("add", added),
            ("remove", pa.struct([("path", pa.string()), ("deletionTimestamp", pa.int64())])),
        ]
    )

    def rows(*actions):
        return pa.Table.from_pylist([dict(action) for action in actions], schema=schema)

    log = tmp_path / "_delta_log"
    log.mkdir()
    one = rows({"protocol": {"minReaderVersion": 1}}, {"metaData": {"id": "x"}}, {})
    two = rows(
        {"add": {"path": "a.parquet", "stats_parsed": {"numRecords": 10}}},
        {"remove": {"path": "gone.parquet", "deletionTimestamp": 1_700_000_000_000}},
    )
    CHECKPOINTS[kind](log, one, two)
    commit(tmp_path, 2, add("b.parquet"))
    found = listing(tmp_path)
    assert [(one.state, one.listed_rows) for one in found.entries] == [("live", 10), ("live", None)]
    assert [one.state_reason[:40] for one in found.others] == ["removed at 2023-11-14 22:13:20 UTC; read"]


BROKEN = {
    # what is wrong: commits by version, and what is said of it
    "not JSON": ({0: ["{"]}, "corrupt", "line 1 of version 0 is not JSON"),
    "long line": ({0: [" " * (33 << 20) + "{}"]}, "limit", "has more than"),
    "no action": ({0: [PROTOCOL, "3"]}, "corrupt", "line 2 of version 0 is not a JSON object"),
    "deep": ({0: ["[" * 100_000]}, "corrupt", "not JSON"),
    "long number": ({0: ['{"add": ' + "9" * 10_000 + "}"]}, "corrupt", "not JSON"),
    "no protocol": ({0: [METADATA]}, "corrupt", "no action protocol"),
    "no metadata": ({0: [PROTOCOL]}, "corrupt", "no action metaData"),
    "no path": ({0: [PROTOCOL, METADATA, {"add": {"path": 3}}]}, "corrupt", "has no path"),
    "gap": ({0: [PROTOCOL, METADATA], 2: [add("a.parquet")]}, "corrupt", "version 1 is not"),
    "no beginning": ({7: [PROTOCOL, METADATA]}, "corrupt", "version 0 is not"),
    "future reader": ({0: [{"protocol": {"minReaderVersion": 9}}, METADATA]}, "unsupported", "version 9"),
    "unknown feature": ({0: [{"protocol": {"minReaderVersion": 3, "readerFeatures": ["timeTravelTax"]}}, METADATA]},
        "unsupported", "timeTravelTax"),
    "vector without a count": ({0: [PROTOCOL, METADATA, add("a.parquet", deletionVector={"storageType": "u"})]},
        "corrupt", "does not say how many rows"),
    "two vectors": (
        {0: [PROTOCOL, METADATA, *(add("a.parquet", deletionVector={"offset": n, "cardinality": 1}) for n in (1, 2))]},
        "corrupt",
        "adds 'a.parquet' twice",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_log_says_why_and_its_files_are_read(tmp_path, what):
    commits, code, words = BROKEN[what]
    data(tmp_path / "broken", "a.parquet")
    for version, actions in commits.items():
        commit(tmp_path / "broken", version, *actions)
    found = listing(tmp_path)
    assert [one.state for one in found.entries] == ["not-known"]
    assert found.entries[0].state_reason.startswith("the table's live files are unknown: ")
    assert problem(tmp_path)[0] == code and words in problem(tmp_path)[1]


def test_answers_say_that_a_table_is_broken(tmp_path):
    from pqexplore.lake.panels import fleet, health
    from pqexplore.lake.panels.filters import Filters

    data(tmp_path, "a.parquet")
    commit(tmp_path, 0, "{")
    lake = scan(None, tmp_path, processes=0)
    assert "whether 1 file is live is unknown" in fleet.answer(lake, Filters()).sentence
    answer = health.answer(lake, Filters())
    assert answer.sentence.startswith("the log of 1 table cannot be read")
    assert answer.table.rows[0][:3] == (
        "broken table",
        "line 1 of version 0 is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        str(tmp_path),
    )


def test_answers_name_what_is_not_live(tmp_path):
    from pqexplore.lake.panels import fleet
    from pqexplore.lake.panels.filters import Filters

    data(tmp_path, "live.parquet", "removed.parquet", "stray.parquet")
    commit(tmp_path, 0, PROTOCOL, METADATA, add("removed.parquet", 10))
    commit(tmp_path, 1, remove("removed.parquet"), add("live.parquet", 10))
    lake = scan(None, tmp_path, processes=0)
    sentence = fleet.answer(lake, Filters()).sentence
    assert sentence.startswith("1 file has 10 rows")
    assert "1 more file in the folder that only earlier versions of the table need" in sentence
    assert "1 more file in the folder that the table's log does not name" in sentence
    kinds = lake.views["wasted_bytes"].to_pylist()
    assert {"files that earlier versions of the table need", "files that the log of the table does not name"} <= {
        row["kind"] for row in kinds
    }
    assert lake.views["orphans"]["path"].to_pylist() == [str(tmp_path / "stray.parquet")]
    assert lake.views["not_live"]["state"].to_pylist() == ["orphan", "removed"]


def test_a_log_of_no_commits_a_pipe_and_a_checkpoint_of_garbage(tmp_path):
    for name in ("empty", "pipe", "garbage"):
        (tmp_path / name / "_delta_log").mkdir(parents=True)
        data(tmp_path / name, "a.parquet")
    os.mkfifo(tmp_path / "pipe" / "_delta_log" / f"{0:020}.json")
    (tmp_path / "garbage" / "_delta_log" / f"{3:020}.checkpoint.parquet").write_bytes(b"PAR1" * 9)
    found = listing(tmp_path)
    assert [one.state for one in found.entries] == ["not-known"] * 3
    codes = {os.path.basename(one.path): (one.log.code, one.log.message) for one in found.tables}
    assert codes["empty"] == ("corrupt", "the log has no commit and no checkpoint")
    assert codes["pipe"][0] == "unreadable" and "a named pipe, not a file" in codes["pipe"][1]
    assert codes["garbage"][0] == "corrupt"


def test_a_commit_beyond_the_limit_is_not_read(tmp_path, monkeypatch):
    data(tmp_path, "a.parquet")
    commit(tmp_path, 0, PROTOCOL, METADATA, add("a.parquet"))
    monkeypatch.setattr(delta, "LOG_BYTES", 10)
    assert problem(tmp_path)[0] == "limit"
    place, path = place_of(str(tmp_path / "a.parquet"), {})
    with pytest.raises(LimitExceededError):
        place.read(path, 10)


OUTSIDE = [
    "../secret.parquet", "day=1/../../secret.parquet", "%2e%2e/secret.parquet", "%2E%2E%2Fsecret.parquet",
    "a/%2e%2e/%2e%2e/secret.parquet", "/etc/passwd", "file:///etc/passwd", "file:/etc/passwd",
    "s3://other-bucket/secret.parquet", "http://169.254.169.254/latest/secret.parquet",
]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_a_log_may_not_name_files_outside_of_its_table(tmp_path, name):
    data(tmp_path, "secret.parquet", "table/a.parquet")
    commit(tmp_path / "table", 0, PROTOCOL, METADATA, add("a.parquet", 10), add(name, 5))
    lake = scan(None, tmp_path / "table", processes=0)
    rows = {row["status"]: row for row in lake.tables["files"].to_pylist()}
    assert (rows["error"]["error_code"], rows["error"]["bytes_read"]) == ("outside", None)
    assert "follow_outside=True" in rows["error"]["error"]
    assert (rows["ok"]["path"], rows["ok"]["state"]) == (str(tmp_path / "table/a.parquet"), "live")
    assert lake.manifest.run["errors"] == 1
    [table] = lake.tables["tables"].to_pylist()
    assert (table["outside_files"], table["live_files"], table["live_rows"]) == (1, 2, 15)


def test_a_table_in_a_store_without_a_library_of_its_own(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    data(tmp_path, "day=1/a.parquet", "day=2/b.parquet", "day=1/stray.parquet")
    commit(tmp_path, 0, PROTOCOL, METADATA, add("day=1/a.parquet", 10), add("day=2/b.parquet", 10))
    memory.put(str(tmp_path), "/tables/t", recursive=True)
    try:
        assert states("memory://tables") == {"a.parquet": "live", "b.parquet": "live", "stray.parquet": "orphan"}
        assert states("memory://tables/t/day=1") == {"a.parquet": "live", "stray.parquet": "orphan"}
    finally:
        memory.rm("/tables", recursive=True)


@pytest.mark.parametrize("store", ["local", pytest.param("s3", marks=pytest.mark.full)], indirect=True)
def test_a_refresh_sees_what_the_log_says_now(store):
    from deltalake import DeltaTable

    url = made_tables.delta(store)
    options = store.deltalake or None
    lake = scan(None, url, storage_options=store.options, processes=0)
    DeltaTable(url, storage_options=options).delete("id >= 50 AND day = 'a'")
    lake.refresh()
    rows = lake.tables["files"].to_pylist()
    assert sorted((row["status"], row["state"]) for row in rows) == [
        ("not-read", "removed"),
        ("not-read", "removed"),
        ("not-read", "removed"),
        ("ok", "live"),
    ]
    expected = made_tables.delta_reads(store, url, None)
    live = [row for row in rows if row["state"] == "live"]
    assert ([row["path"] for row in live], sum(row["num_rows"] for row in live)) == expected
    chunks = set(lake.tables["column_chunks"]["path"].to_pylist())
    assert chunks == set(expected[0])  # rows of what is live no more are gone as well
    assert lake.manifest.run["files_read"] == 0
    lake.refresh()
    assert lake.tables["files"].num_rows == 4


def test_a_table_whose_folder_is_a_link(tmp_path):
    data(tmp_path / "real", "a.parquet", "stray.parquet")
    commit(tmp_path / "real", 0, PROTOCOL, METADATA, add("a.parquet", 10))
    os.symlink(tmp_path / "real", tmp_path / "link")
    expected = {"a.parquet": "live", "stray.parquet": "orphan"}
    assert states(tmp_path / "link") == states(tmp_path / "lin*") == expected


def test_one_file_of_a_table_and_a_list_of_files(tmp_path):
    data(tmp_path, "live.parquet", "gone.parquet", "stray.parquet")
    commit(tmp_path, 0, PROTOCOL, METADATA, add("gone.parquet", 10))
    commit(tmp_path, 1, remove("gone.parquet"), add("live.parquet", 10))
    assert states(tmp_path / "live.parquet") == {"live.parquet": "live"}
    assert states(tmp_path / "gone.parquet") == {"gone.parquet": "removed"}
    found = listing([tmp_path / "live.parquet", tmp_path / "stray.parquet"])
    assert [one.state for one in (*found.entries, *found.others)] == ["live", "orphan"]


def test_a_live_file_that_is_not_there_is_an_error(tmp_path):
    data(tmp_path, "a.parquet")
    commit(tmp_path, 0, PROTOCOL, METADATA, add("a.parquet", 10), add("lost.parquet", 5))
    lake = scan(None, tmp_path, processes=0)
    rows = {os.path.basename(row["path"]): row for row in lake.tables["files"].to_pylist()}
    assert (rows["lost.parquet"]["error_code"], rows["lost.parquet"]["state"]) == ("missing", "live")
    shutil.rmtree(tmp_path / "_delta_log")
    assert lake.refresh().tables["files"].to_pylist()[0]["state"] is None  # no table any more
