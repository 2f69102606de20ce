"""The diagnosis of a lake: the rules of each file added up, what only the files together show, and what it says."""

import collections
import json
import os
import pathlib
import re

import golden
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from lake import doctored_lake, made_lake

import pqexplore
from pqexplore.cli import UNREADABLE, main
from pqexplore.engine.errors import UsageError
from pqexplore.lake import open as open_lake
from pqexplore.lake import scan
from pqexplore.lake.doctor import diagnose, together
from pqexplore.lake.doctor.counting import by_arrow
from pqexplore.lake.doctor.dates import between, dated
from pqexplore.lake.doctor.diagnosing import by_rule, unreadable
from pqexplore.lake.doctor.jobs import jobs
from pqexplore.lake.doctor.lake_report import findings
from pqexplore.lake.doctor.together import FileFacts, table_of
from pqexplore.lake.listed_files import Entry
from pqexplore.lake.scanning import processes, subprocess_isolation
from pqexplore.lake.store import part_files
from pqexplore.lake.store.temporary_tables import DIAGNOSES

PROCESSES = True
GOLDEN = pathlib.Path(__file__).parent / "golden"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """(lake, its folder, path → kind of damage)"""
    folder = tmp_path_factory.mktemp("lake") / "events"
    bad = doctored_lake.make(folder)
    return scan(None, folder, out=tmp_path_factory.mktemp("store"), processes=0), folder, bad


@pytest.fixture(scope="module")
def report(made):
    return made[0].diagnose(processes=0)


def finding(report, rule):
    (one,) = [one for one in report.findings if one.rule == rule]
    return one


def test_the_files_have_the_findings_of_each_file_alone(made, report):
    _, folder, bad = made
    expected = set()
    for path in folder.rglob("*.parquet"):
        if str(path) not in bad:
            for one in pqexplore.diagnose(path).findings:
                expected.add((str(path), one.rule, one.severity.value))
    unread = {"file-unreadable", "file-empty", "file-not-read", "file-needs-key"}
    rows = [row for row in report.files.to_pylist() if row["rule"] not in unread]
    assert {(row["path"], row["rule"], row["severity"]) for row in rows} == expected
    assert len(rows) == len(expected) > 50
    counts = collections.Counter((rule, severity) for _, rule, severity in expected)
    together_only = {
        "small-files", "types-differ", "columns-differ", "codecs-differ", "writers-differ", "files-without-page-index",
        "duplicate-files",
    }  # fmt: skip
    said = {
        (one.rule, one.severity.value): one.files for one in report.findings if one.rule not in unread | together_only
    }
    assert said == counts


def test_files_are_read_again_as_the_scan_read_them(tmp_path, monkeypatch):
    """After a scan in this process, a diagnosis started others, which took ten times as long as the reading."""
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "a.parquet")

    def refuse(*_):
        raise AssertionError("a process is started")

    monkeypatch.setattr(processes, "_Reader", refuse)
    lake = scan(None, tmp_path, processes=0)
    assert lake.diagnose().sentence.startswith("No problems found")
    lake.refresh()
    with pytest.raises(AssertionError, match="a process is started"):
        lake.diagnose(processes=1)


def test_files_that_cannot_be_read_are_damage_unless_they_only_need_a_key(report, made):
    codes = {kind: code for kind, (code, _) in made_lake.FAULTS.items()}
    rules = {row["path"]: (row["rule"], row["severity"]) for row in report.files.to_pylist()}
    expected = {"encrypted": ("file-needs-key", "note"), "missing": ("file-not-read", "portability")}
    for path, kind in made[2].items():
        if kind == "empty":
            assert rules[path] == ("file-empty", "damage")
            continue
        assert rules[path] == expected.get(codes[kind], ("file-unreadable", "damage")), kind


def test_what_is_said_of_a_lake_is_its_golden_text(made, report, capsys, monkeypatch):
    """Findings, worst first, with files, writers and days, what they cost, what engines do, and the jobs that fix them."""
    monkeypatch.setenv("COLUMNS", "9999")  # lines are not broken, whatever the names of folders
    assert main(["doctor", str(made[1])]) == UNREADABLE
    said = [report.headline, "", capsys.readouterr().out]
    for one in report.findings:
        said.append(f"== {one.severity.value}: {one.rule}, {one.files} of {one.of}")
        said += [*map(str, one.causes), *map(str, one.engines.items()), f"{one.address}, {one.cost}", one.example]
    golden.same(GOLDEN / "doctored.txt", plain("\n".join(said) + "\n", made[1]))


def plain(text, folder):
    """A text without what differs between two runs or two versions of pyarrow."""
    text = re.sub(
        r"(in )[\d.,]+ [kM]?B\b", r"\1N kB", text.replace(str(folder), "FOLDER").replace(pa.__version__, "VERSION")
    )
    return re.sub(r"[\d.,]+ (requests|kB|MB|B|s) ", r"N \1 ", text)


def test_processes_find_the_same(made, report):
    again = made[0].diagnose(processes=2)
    assert again == report
    assert again.files.drop_columns("run_id").equals(report.files.drop_columns("run_id"))
    assert made[0]._store._folders() == [made[0].manifest.run_id]


def test_a_level_that_is_none(made):
    with pytest.raises(UsageError, match="level is footer, pages, sample or data"):
        made[0].diagnose("every")


def test_a_store_of_another_person_names_no_file_outside(made, tmp_path):
    (tmp_path / "store").mkdir()
    other = tmp_path / "other"
    other.mkdir()
    pq.write_table(pa.table({"n": [1]}), other / "a.parquet")
    store = tmp_path / "deep" / "er" / "store"
    scan(None, other, out=store, processes=0)
    from pqexplore.lake.scanning import scan as scanning

    scanning.made_here.clear()
    with pytest.raises(UsageError, match="outside of"):
        open_lake(store).diagnose(processes=0)


ENDS = """import os, sys
from pqexplore.engine.file import file
class Ends(file.ParquetFile):
    def __init__(self, source, **more):
        if "part-0003" in source.name:
            os.abort()
        super().__init__(source, **more)
from pqexplore.lake.scanning import per_file
per_file.ParquetFile = Ends
from pqexplore.lake.scanning.worker import main
main()
"""


def test_a_file_that_takes_too_long_is_not_called_damaged(made, monkeypatch):
    run = processes.run

    def slow(entries, options, root, watch, processes):
        (late,) = [entry for entry in entries if "part-0003" in entry.path]
        others = [entry for entry in entries if entry is not late]
        reason = subprocess_isolation.too_long(options.seconds_per_file)
        died = part_files.failed(late, options, root, "timeout", reason, "chunks")
        return [died, *run(others, options, root, watch, 0)]

    monkeypatch.setattr(processes, "run", slow)
    found = made[0].diagnose()
    (row,) = [row for row in found.files.to_pylist() if "part-0003" in row["path"]]
    assert (row["rule"], row["severity"]) == ("file-not-read", "portability")
    assert "longer than 60 s" in row["sentence"] and row["date"] == "2026-11-06"
    assert finding(found, "small-row-groups").files == 35


@pytest.mark.full
def test_a_file_that_ends_the_process_is_damage_and_the_others_are_read(made, report, monkeypatch):
    monkeypatch.setattr(processes, "COMMAND", ("-c", ENDS))
    found = made[0].diagnose(processes=1)
    (row,) = [row for row in found.files.to_pylist() if row["rule"] == "file-unreadable" and "part-0003" in row["path"]]
    assert "ended with -6" in row["sentence"] and row["date"] == "2026-11-06"
    assert finding(found, "file-unreadable").files == 6
    assert finding(found, "small-row-groups").files == 35


FACTS = FileFacts("t/day=1/a.parquet", 1000, "t", "s", "w", "SNAPPY")


def facts(count, **changed):
    return [
        together.dataclasses.replace(FACTS, path=f"t/day=1/{changed}-{at}.parquet", **changed) for at in range(count)
    ]


TOGETHER = [
    # files, rules that fire
    (facts(50), ["small-files"]),
    (facts(49), []),  # one fewer than Delta compacts
    (facts(50, size=64 << 20), []),  # none is small
    (facts(49) + facts(9, size=64 << 20), []),
    (facts(3) + facts(2, codecs="ZSTD"), ["codecs-differ"]),
    (facts(3) + facts(2, codecs="ZSTD", table="u"), []),  # another table
    (facts(3) + facts(2, codecs=""), []),  # no row group, so no codec
    (facts(3) + facts(2, writer="x"), ["writers-differ"]),
    (facts(3) + facts(2, writer="x", table="u"), []),
]


@pytest.mark.parametrize(("files", "rules"), TOGETHER)
def test_a_rule_of_many_files_and_its_near_miss(files, rules):
    found = [*together.small_files(files), *together.mixtures(files)]
    assert [one.rule for one in found] == rules


def log(kind, **changed):
    row = {"format": kind, "status": "ok", "whole": True, "version": None, "snapshot_id": None}
    return row | {"removed_files": 0} | changed


LOGS = [
    ([], []),
    ([log("delta", version=0)], ["a Delta table at version 0"]),
    ([log("delta", version=7, removed_files=1)], ["a Delta table at version 7, without 1 older file"]),
    ([log("delta", version=7, whole=False)], ["a part of a Delta table at version 7"]),
    ([log("iceberg", snapshot_id=12)], ["an Iceberg table at snapshot 12"]),
    ([log("iceberg")], ["an Iceberg table without a snapshot"]),
    ([log("delta", status="error")], ["a Delta table whose log cannot be read"]),
    ([log("delta", version=1)] * 2, ["2 Delta tables"]),
]


@pytest.mark.parametrize(("rows", "said"), LOGS)
def test_what_the_logs_say(rows, said):
    assert list(diagnose.logs(rows)) == said


DATES = [
    ("t/date=2026-11-03/a", None, ("2026-11-03", "partition folder")),
    ("t/dt=20261103/hour=4/a", None, ("2026-11-03", "partition folder")),
    ("t/year=2026/month=1/day=2/a", None, ("2026-01-02", "partition folder")),
    ("t/id=20269999/a", 86_400_000_000, ("1970-01-02", "modification time")),  # no date
    ("t/id=202611035/a", None, ("", "")),  # nine digits
    ("t/2026-11-03/a", None, ("", "")),  # no key
    ("t/a", 1 << 62, ("", "")),  # no time
]


@pytest.mark.parametrize(("path", "modified", "expected"), DATES)
def test_the_date_of_a_file(path, modified, expected):
    assert dated(Entry(path, modified=modified)) == expected


BETWEEN = [
    ("2026-11-03", "2026-11-09", "last changed between 3 and 9 November 2026"),
    ("2026-11-03", "2026-11-03", "last changed on 3 November 2026"),
    ("2026-10-03", "2026-11-09", "last changed between 3 October and 9 November 2026"),
    ("2025-11-03", "2026-11-09", "last changed between 3 November 2025 and 9 November 2026"),
    ("", "", ""),
]


@pytest.mark.parametrize(("first", "last", "words"), BETWEEN)
def test_days_in_words(first, last, words):
    assert between(first, last, "modification time") == words


@pytest.mark.parametrize(
    ("path", "log", "table"),
    [("w/t/day=1/hour=2/a", None, "w/t"), ("w/t/a", None, "w/t"), ("day=1/a", None, ""), ("w/t/day=1/a", "w", "w")],
)
def test_the_table_of_a_file(path, log, table):
    assert table_of(path, log) == table


def test_the_job_fixes_what_it_is_for(made, report, tmp_path):
    _, folder, bad = made
    code = finding(report, "small-row-groups").code["pyarrow job"]
    healthy = tmp_path / "events"
    for path in folder.rglob("*.parquet"):
        if str(path) not in bad and not str(path).endswith("9.parquet"):  # int32
            place = healthy / path.relative_to(folder)
            place.parent.mkdir(parents=True, exist_ok=True)
            os.link(path, place)
    exec(code.replace(str(folder), str(healthy)))
    after = str(healthy) + ".rewritten"
    read = [ds.dataset(one, partitioning="hive").to_table() for one in (str(healthy), after)]
    assert read[0].num_rows == read[1].num_rows == 54 * 5_000
    order = [("n", "ascending"), ("word", "ascending"), ("date", "ascending")]
    assert read[0].sort_by(order).equals(read[1].select(read[0].column_names).sort_by(order))
    again = scan(None, after, out=tmp_path / "store", processes=0).diagnose(processes=0)
    assert {one.rule for one in again.findings} & {"small-row-groups", "codecs-differ"} == set()


def test_a_table_is_fixed_by_its_own_job():
    assert jobs("/t", "delta", 1, ())["Delta job"].startswith("spark.sql('OPTIMIZE delta.`/t`')\n")
    assert list(jobs("/t", "iceberg", 1, ())) == ["Iceberg job"]
    assert list(jobs("/t", "", 1, ())) == ["Spark job", "pyarrow job"]
    assert jobs("/t" * 500, "", 1, ()) == {} == jobs("", "", 1, ())
    assert ".repartition(3, 'date').write.partitionBy('date')" in jobs("/t", "", 300 << 20, ("date",))["Spark job"]
    for format in ("", "delta"):
        for code in jobs("/it's \"t`", format, 1, ("k'",)).values():
            compile(code, "job", "exec")
    for code in jobs("/t", "", 1, (), ["types-differ", "no-rows"]).values():
        assert code.startswith("# fix first what stops it: columns of several types\n")


def day(day):
    return f"2026-11-{day:02d}", "modification time"


CAUSES = [
    # (writer, (date, dated by)) of the files with the finding, what the sentence says
    ([("a 1", day(3)), ("a 1", day(4))], ", written by a 1, last changed between 3 and 4 November 2026."),
    ([("", day(3))], ", last changed on 3 November 2026."),
    ([("a 1", ("", ""))], ", written by a 1."),
    ([("a 1", day(3)), ("a 1", ("", ""))], ", written by a 1."),  # not all have a date
    ([("a 1", day(3)), ("b 2", day(4)), ("b 2", day(5)), ("", day(4))],
        ", written by b 2 (2), unknown (1) and a 1 (1), last changed between 3 and 5 November 2026."),
    ([("a 1", day(3)), ("a 1", ("2026-11-03", "partition folder"))], ", written by a 1."),
]  # fmt: skip


@pytest.mark.parametrize(("files", "words"), CAUSES)
def test_the_writers_and_days_of_a_sentence(files, words):
    (row,) = by_rule([unreadable("corrupt", "x")])
    columns = {name: [] for name in DIAGNOSES.schema.names}
    for number, (writer, (date, dated_by)) in enumerate(files):
        whole = row | {"path": f"{number}", "writer": writer, "date": date, "dated_by": dated_by}
        for name, values in columns.items():
            values.append(whole.get(name))
    (one,) = findings(by_arrow(pa.Table.from_batches([DIAGNOSES.batch(columns)])))
    count = {1: "the only file", 2: "both files", 4: "all 4 files"}[len(files)]
    assert one.message == f"Files that cannot be read: {count}{words}"


def test_a_delta_table_is_diagnosed_by_its_live_files(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    options = deltalake.WriterProperties(max_row_group_size=1_000)
    for part in range(3):
        rows = pa.table({"n": range(part * 10_000, part * 10_000 + 10_000)})
        deltalake.write_deltalake(tmp_path / "t", rows, mode="append", writer_properties=options)
    deltalake.DeltaTable(tmp_path / "t").delete("n < 10000")
    lake = scan(None, tmp_path / "t", out=tmp_path / "store", processes=0)
    report = lake.diagnose(processes=0)
    assert finding(report, "small-row-groups").files == 2 == report.num_files
    assert list(report.fix) == ["Delta job"]


def test_what_a_hostile_file_says_is_printable_and_short():
    long = unreadable("corrupt", "\x1b[31m" + "x" * 100_000)
    (row,) = by_rule([long])
    base = {"path": "p", "writer": "", "date": "", "dated_by": ""}
    rows = pa.Table.from_batches([DIAGNOSES.batch({name: [(base | row).get(name)] for name in DIAGNOSES.schema.names})])
    (one,) = findings(by_arrow(rows))
    assert len(one.example) <= 4_000 and "\x1b" not in one.example
    assert json.loads(row["details"])["code"] == {}
