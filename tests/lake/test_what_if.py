"""What other choices would make of a lake: totals of the files' trials, samples, damaged files, compaction."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import made_tables

import pqexplore
from pqexplore.cli import main
from pqexplore.engine.errors import UsageError
from pqexplore.lake import scan
from pqexplore.lake.what_if.compaction import TARGETS, compaction
from pqexplore.lake.what_if.trial import count, evenly

SECONDS = 60.0  # more than a file takes, so that all is measured


def write(folder, files=6, damaged=True):
    """Files of two days with more rows from one to the next; one with a broken page, one that is no Parquet file."""
    random = np.random.default_rng(1)
    for number in range(files):
        rows = 200 * (number + 1)
        place = folder / f"day={number % 2}" / f"part-{number}.parquet"
        place.parent.mkdir(parents=True, exist_ok=True)
        table = pa.table({"id": range(rows), "city": random.choice(["Oslo", "Rome", "Bergen"], rows)})
        pq.write_table(table, place)
    if damaged:
        good = bytearray(place.read_bytes())
        good[10:40] = bytes(30)  # the header of the first page of `id`
        (folder / "day=0" / "broken.parquet").write_bytes(good)
        (folder / "day=0" / "text.parquet").write_bytes(b"no Parquet file at all")
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write(tmp_path_factory.mktemp("lake") / "events")


@pytest.fixture(scope="module")
def lake(folder):
    with scan(None, folder, processes=0) as found:
        yield found


@pytest.fixture(scope="module")
def whole(lake):
    return lake.what_if(1.0, seconds=SECONDS, processes=0)


def row(trial, column):
    [one] = [one for one in trial.table.to_pylist() if one["column"] == column]
    return one


def test_all_files_add_up_to_their_trials(folder, whole):
    alone = [pqexplore.what_if(path) for path in folder.glob("day=*/part-*.parquet")]
    one = row(whole, "city")
    # Of the broken file, `city` is whole.
    alone.append(pqexplore.what_if(folder / "day=0" / "broken.parquet"))
    sizes = [line for trial in alone for line in trial.table.to_pylist() if line["column"] == "city"]
    best = [
        line
        for line in sizes
        if (line["encoding"], line["codec"], line["level"]) == (one["encoding"], one["codec"], one["level"])
        and line["dictionary_bytes"] in (None, 1 << 20)
    ]
    assert (one["files"], one["of"], one["sampled"], one["error"]) == (7, 7, False, 0)
    assert one["bytes"] == sum(line["bytes"] for line in best)
    assert one["today"] == sum({id(trial): trial.columns[1].today for trial in alone}.values())


def test_a_sample_says_what_it_stands_for(lake, whole):
    trial = lake.what_if(5, seconds=SECONDS, processes=0)
    one, exact = row(trial, "city"), row(whole, "city")
    assert (trial.sampled, one["files"], one["of"], one["sampled"]) == (5, 5, 7, True)
    assert one["today"] == exact["today"] and one["error"] > 0
    assert abs(one["bytes"] - exact["bytes"]) < 0.1 * exact["bytes"]
    assert "That is an estimate, ± " in trial.sentence and "5 of 7 files were tried." in trial.sentence


def test_damaged_files_are_counted_and_named(folder, whole):
    broken = str(folder / "day=0" / "broken.parquet")
    assert list(whole.unread) == [broken] and "column `id`" in whole.unread[broken]
    assert f"1 file could not be tried, or not whole: {broken} (column `id`: " in whole.sentence
    assert whole.errors == 1 and "The scan could not read 1 other file." in whole.sentence
    assert (row(whole, "id")["files"], row(whole, "id")["of"]) == (6, 7)
    assert row(whole, "id")["sampled"] and whole.untried == {}


def test_a_whole_lake_names_no_file(tmp_path):
    with scan(None, write(tmp_path, 2, damaged=False), processes=0) as lake:
        trial = lake.what_if(1.0, seconds=SECONDS, processes=0)
    assert trial.sentence.endswith("% of it. 2 of 2 files were tried.")
    assert trial.unread == {} and trial.errors == 0


def test_the_best_options_write_the_bytes_that_were_counted(folder, whole, tmp_path):
    [best] = whole.best.values()
    written = 0
    for number, path in enumerate(sorted(folder.glob("day=*/part-*.parquet"))):
        pqexplore.rewrite(path, tmp_path / f"{number}.parquet", best)
        metadata = pq.read_metadata(tmp_path / f"{number}.parquet")
        written += metadata.row_group(0).column(0).total_compressed_size
    trial = pqexplore.what_if(folder / "day=0" / "part-0.parquet")
    assert trial.columns[0].best is not None
    assert best.columns["id"]["encoding"] == row(whole, "id")["encoding"]
    assert written < 0.1 * row(whole, "id")["today"]


def test_the_code_is_of_the_table_and_of_a_file(folder, whole):
    [code] = whole.code.values()
    assert ".partitionBy('day')" in code["Spark"].code and "parquet('events')" in code["Spark"].code
    assert "pq.read_table('part-5.parquet')" in code["pyarrow"].code


def test_the_run_leaves_nothing(lake):
    before = lake._store._folders()
    lake.what_if(1, seconds=SECONDS, processes=0)
    assert lake._store._folders() == before


class TestSample:
    @pytest.mark.parametrize(
        ("sample", "files", "expected"),
        [(1, 7, 1), (9, 7, 7), (0.5, 7, 4), (0.01, 7, 1), (1.0, 7, 7), (3, 0, 0), (0.5, 0, 0)],
    )
    def test_how_many(self, sample, files, expected):
        assert count(sample, files) == expected

    @pytest.mark.parametrize("sample", [0, -1, 0.0, 1.5, True, float("nan")])
    def test_wrong(self, lake, sample):
        with pytest.raises(UsageError, match="sample is a number of files"):
            lake.what_if(sample, processes=0)

    def test_evenly(self):
        files = [("t", size, "") for size in (5, 1, 9, 3, 7, 2, 8, 4, 6)]
        assert [one[1] for one in evenly(files, 3, lambda one: one, None)] == [2, 5, 8]
        assert [one[1] for one in evenly(files, 9, lambda one: one, 4)] == list(range(1, 10))
        seeded = [tuple(evenly(files, 3, lambda one: one, seed)) for seed in range(9)]
        assert seeded == [tuple(evenly(files, 3, lambda one: one, seed)) for seed in range(9)]
        assert len(set(seeded)) > 1

    def test_seconds(self, lake):
        with pytest.raises(UsageError, match="seconds is a number above 0"):
            lake.what_if(1, seconds=0)


def file(size, folder="t/day=1", schema="a", groups=1, footer=1_000):
    """A row of `files`."""
    return {
        "path": f"{folder}/{size}.parquet",
        "size": size,
        "table_path": "t",
        "partition_values": folder.partition("/")[2],
        "schema_id": schema,
        "writer": "",
        "num_row_groups": groups,
        "footer_bytes": footer,
    }


MIB = 1 << 20


class TestCompaction:
    @pytest.mark.parametrize("format, files, joined, into", [
        ("", [file(MIB * n) for n in (10, 20, 30)], 3, 1),
        ("", [file(MIB * n) for n in (60, 61, 62, 63)], 4, 2),
        ("", [file(MIB * 10), file(MIB * 120)], 0, 0),  # together above the target
        ("", [file(MIB * 10), file(MIB * 20, schema="b")], 0, 0),
        ("", [file(MIB * 10), file(MIB * 20, "t/day=2")], 0, 0),
        ("", [file(MIB * 10), file(MIB * 128)], 0, 0),
        ("", [file(MIB * 10)], 0, 0),
        ("delta", [file(MIB * 10), file(MIB * 500)], 2, 1),
        ("delta", [file(MIB * 10), file(MIB * 1024)], 0, 0),
        ("iceberg", [file(MIB * 10), file(MIB * 383)], 2, 1),
        ("iceberg", [file(MIB * 10), file(MIB * 384)], 0, 0),
    ])  # fmt: skip
    def test_what_is_joined(self, format, files, joined, into):
        asked = []
        found = compaction(files, {"t": format}, lambda: asked.append(1) or {"Spark job": "…"})
        assert sum(one.joined for one in found.folders) == joined
        assert sum(one.into for one in found.folders) == into
        assert (found.files, found.after) == (len(files), len(files) - joined + into)
        assert bool(asked) == bool(found.code) == bool(found.sources) == bool(joined)
        if joined:
            assert found.sources == (TARGETS[format].source,)
            assert f"{joined} of {len(files)} files" in found.sentence
            assert f"{TARGETS[format].bytes >> 20:,} MiB" in found.sentence
        else:
            assert found.sentence == (
                "Compaction: no two files of one partition and schema are small enough to be joined."
            )

    def test_several_schemas_are_said(self):
        files = [file(MIB * n) for n in (1, 2)]
        same = compaction(files, {}, dict).sentence
        other = compaction([*files, file(MIB * 3, schema="b")], {}, dict).sentence
        assert "several schemas" not in same
        assert other.endswith("1 partition has files of several schemas; only files of the same schema are joined.")

    def test_footers_and_requests(self):
        found = compaction([file(MIB * n, footer=n) for n in (10, 20, 30)], {}, dict)
        [one] = found.folders
        assert (one.footers, one.footers_after) == (60, 30)
        assert (one.smallest, one.median, one.largest) == (10 * MIB, 20 * MIB, 30 * MIB)
        assert found.requests["spark"] == (6, 2)  # length, then footer
        assert found.requests["duckdb"] == (3, 1)  # a guess that is long enough

    def test_more_row_groups_than_before_need_a_larger_footer(self):
        files = [file(MIB * 300, footer=100, groups=2), file(MIB * 301, footer=90)]
        [one] = compaction(files, {"t": "delta"}, dict).folders
        assert one.footers_after == 5 * 90  # 601 MiB are five row groups

    def test_footers_of_files_that_are_joined(self, folder, whole, tmp_path):
        paths = sorted(folder.glob("day=1/*.parquet"))
        [one] = [each for each in whole.compaction.folders if each.folder == str(folder / "day=1")]
        assert one.footers == sum(pq.read_metadata(path).serialized_size for path in paths)
        pq.write_table(pa.concat_tables(map(pq.read_table, paths)), tmp_path / "joined.parquet")
        after = pq.read_metadata(tmp_path / "joined.parquet").serialized_size
        assert after <= 1.1 * one.footers_after < one.footers

    def test_only_live_files_count(self, tmp_path):
        pytest.importorskip("deltalake")

        class Store:
            url, deltalake = str(tmp_path), None

        url = made_tables.delta(Store())
        live, _ = made_tables.delta_reads(Store(), url, None)
        stored = list(tmp_path.rglob("*.parquet"))
        with scan(None, url, processes=0) as lake:
            trial = lake.what_if(1.0, seconds=SECONDS, processes=0)
        assert trial.compaction.files == trial.files == len(live) < len(stored)


class TestCommand:
    def test_a_folder(self, folder, capsys):
        assert main(["what-if", str(folder), "--sample", "2", "--seconds", "9", "--code"]) == 0
        out = " ".join(capsys.readouterr().out.split())
        assert "2 columns take " in out and "2 of 7" in out and "2 of 7 files were tried." in out
        assert "Compaction: 7 of 7 files" in out and "Spark job:" in out and "pyarrow:" in out

    def test_json(self, folder, capsys):
        assert main(["what-if", str(folder), "--sample", "0.5", "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert [one["column"] for one in found["table"]] == ["id", "city"]
        assert (found["compaction"]["files"], found["compaction"]["after"]) == (7, 2)

    @pytest.mark.parametrize("words", [["--columns", "id"], ["--sample", "x"]])
    def test_usage(self, folder, words):
        with pytest.raises(SystemExit) as stop:
            main(["what-if", str(folder), *words])
        assert stop.value.code == 2

    def test_a_sample_of_one_file_is_refused(self, folder):
        path = str(folder / "day=0" / "part-0.parquet")
        with pytest.raises(SystemExit) as stop:
            main(["what-if", path, "--sample", "2"])
        assert stop.value.code == 2

    def test_an_empty_folder(self, tmp_path, capsys):
        assert main(["what-if", str(tmp_path)]) == 2
        assert "pqexplore: " in capsys.readouterr().err
