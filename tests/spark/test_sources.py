"""Tables, views and DataFrames of a session as sources: the files are those that Spark itself reads."""

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore.lake
from pqexplore.engine.errors import UsageError
from pqexplore.engine.file.source import local_path
from pqexplore.lake.listing import listing
from pqexplore.lake.spark import data_frames
from pqexplore.lake.spark.session_options import options_of

from .conftest import answers

pytestmark = pytest.mark.usefixtures("as_shipped")


@pytest.fixture(scope="module")
def folder(session, tmp_path_factory):
    """Twelve days, as numbers, each with three words; and no day. A table, a view and a CSV file beside them."""
    top = tmp_path_factory.mktemp("spark sources")
    folder = top / "events"
    for day in [*range(1, 13), "__HIVE_DEFAULT_PARTITION__"]:
        for word in ("a", "b", "c d"):
            place = folder / f"day={day}" / f"word={word.replace(' ', '%20')}"
            place.mkdir(parents=True)
            pq.write_table(pa.table({"id": [1, 2]}), place / f"day{day}-{word[0]}.parquet")
    (top / "days.csv").write_text("day\n3\n4\n")
    session.sql(
        f"CREATE TABLE lake_events (id BIGINT, day INT, word STRING) USING parquet "
        f"PARTITIONED BY (day, word) LOCATION '{folder}'"
    )
    session.sql("ALTER TABLE lake_events RECOVER PARTITIONS")
    session.read.parquet(str(folder)).createOrReplaceTempView("lake_view")
    session.read.option("header", True).csv(str(top / "days.csv")).createOrReplaceTempView("days")
    yield folder
    session.sql("DROP TABLE lake_events")
    for name in ("lake_view", "days"):
        session.catalog.dropTempView(name)


def found(source, session) -> set[str]:
    return {entry.path for entry in listing(source, spark=session).entries}


ON_FOLDERS = [
    # condition on folders, whether it is certain by its text alone
    ("TRUE", True),
    ("day = 3", True),
    ("day IN (3, 12)", True),
    ("day > 9", False),
    ("day > 0 AND word = 'a'", True),
    ("day IS NULL", True),
    ("day IS NOT NULL AND NOT day = 3", True),
    ("word = 'c d'", True),
    ("word LIKE 'c%'", True),
    ("word > 'a'", True),
    ("day = 3 OR word = 'b'", False),  # NULL OR …, of a file without a day
    ("day % 2 = 0", False),
    ("upper(word) = 'B'", False),
    ("concat(word, '(x)') = 'a(x)'", False),
    ("day = 99", True),
]


@pytest.mark.parametrize("source", ["lake_view", "lake_events"])
def test_partition_filters_are_those_of_spark(session, folder, source):
    classic = hasattr(session.table(source), "_jdf")
    cases = dict(ON_FOLDERS[:: 1 if source == "lake_view" else 4])
    right = answers(session, folder, list(cases))  # the conditions are on folders only, and every file has rows
    assert right.keys() == cases.keys()
    for condition, certain in cases.items():
        frame = session.table(source).where(condition)
        if not frame.inputFiles():
            assert not right[condition]  # a table of the catalog names no files then
            continue
        try:
            files = found(frame, session)
        except UsageError as error:
            assert not classic and not certain and "partition filters" in str(error), condition
            continue
        assert {os.path.basename(one) for one in files} == right[condition], condition


def test_conditions_on_rows_leave_out_no_file(session, folder):
    frame = session.table("lake_view").where("id > 1000 AND day = 3")
    assert len(found(frame, session)) == 3 and frame.count() == 0
    assert len(found(session.table("lake_view").where("day = 3").limit(1), session)) == 3


PLANS = {
    "two conditions": ("SELECT * FROM lake_view WHERE day = 1 UNION ALL SELECT * FROM lake_view WHERE day = 2", 6),
    "a join": ("SELECT a.id FROM lake_view a JOIN lake_view b ON a.id = b.id WHERE a.day = 1 AND b.day = 2", 6),
    "columns that go": ("SELECT count(id) FROM lake_view WHERE day = 4", 3),
    "another format": ("SELECT id FROM lake_view JOIN days ON lake_view.id = days.day WHERE lake_view.day = 5", 3),
    "numbers": ("SELECT v.id FROM lake_view v JOIN range(5) r ON v.id = r.id WHERE day = 6", 3),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANS)
def test_the_scans_of_a_plan(session, folder, name):
    query, count = PLANS[name]
    files = found(session.sql(query), session)
    assert len(files) == count and all(path.endswith(".parquet") for path in files)


def test_filters_that_spark_finds_while_it_runs_leave_out_no_file(session, folder):
    query = "SELECT v.id FROM lake_view v JOIN lake_view w ON v.day = w.day WHERE w.word = 'a' AND w.day = 3"
    assert len(found(session.sql(query), session)) >= 3
    query = "SELECT id FROM lake_view WHERE day = (SELECT max(day) FROM lake_view)"
    with pytest.raises(UsageError, match="not certain which files"):
        found(session.sql(query), session)


@pytest.mark.parametrize(
    "name",
    ["lake_events", "default.lake_events", "spark_catalog.default.lake_events", "`lake_events`", "lake_view"],
)  # fmt: skip
def test_names(session, folder, name):
    assert found(name, session) == found(str(folder), session)
    assert len(found(name, session)) == 39


def test_a_path_is_relative_to_this_process(session, folder, tmp_path, monkeypatch):
    monkeypatch.chdir(folder)  # the workers began elsewhere
    lake = pqexplore.lake.scan(session, "day=3", out=tmp_path)
    found = lake.dataset("files").to_table(columns=["path", "status"]).to_pylist()
    assert len(found) == 3 and {row["status"] for row in found} == {"ok"}
    assert all(row["path"].startswith("day=3/") for row in found)


def test_patterns_and_lists(session, folder):
    one = found(f"{folder}/day=1?/word=a", session)
    assert len(one) == 3
    assert found([f"{folder}/day=10", "lake_view"], session) == found(str(folder), session)


def test_where_the_files_of_a_name_or_a_frame_are(session, folder):
    for source in ("lake_events", "lake_view", session.table("lake_view").where("day = 3")):
        assert [local_path(one) for one in data_frames.roots(session, source)] == [str(folder)]
    for source in ("no_such_table", "not a name", "days", session.range(3)):
        assert data_frames.roots(session, source) == []


@pytest.mark.parametrize("name", ["no_such_table", "default.no_such", "not a name", "no/such/folder"])  # fmt: skip
def test_names_that_spark_does_not_know(session, folder, name):
    with pytest.raises(UsageError, match="not a file, folder, pattern or known table"):
        found(name, session)


def test_a_frame_without_files(session, folder):
    with pytest.raises(UsageError, match="reads no files"):
        found(session.range(3), session)


def test_a_scan_of_a_frame(session, folder, tmp_path):
    frame = session.table("lake_view").where("day = 3")
    lake = pqexplore.lake.scan(session, frame, out=tmp_path)
    assert lake.dataset("files").to_table(columns=["num_rows"]).to_pylist() == [{"num_rows": 2}] * 3


def test_settings_of_a_session_become_storage_options(session):
    """Hadoop's configuration, the session's, and both together; Hadoop's own defaults are no options."""
    assert options_of(session, ["s3a://b/x"]) == {}
    hadoop = getattr(session, "_jsc", None) and session._jsc.hadoopConfiguration()
    try:
        if hadoop:
            session.conf.set("fs.s3a.access.key", "AKIA1")
            hadoop.set("fs.s3a.secret.key", "hush")
            assert options_of(session, ["s3a://b/x"]) == {"key": "AKIA1", "secret": "hush"}
        else:  # a server of Spark Connect shows no keys
            session.conf.set("fs.s3a.endpoint.region", "eu-west-1")
            assert options_of(session, ["s3a://b/x"]) == {"client_kwargs": {"region_name": "eu-west-1"}}
    finally:
        for name in ("access.key", "endpoint.region"):
            session.conf.unset(f"fs.s3a.{name}")
        if hadoop:
            hadoop.unset("fs.s3a.secret.key")
    assert options_of(session, ["s3a://b/x"]) == {}
