"""The five questions of a nightly job: the answers, and what sorting is predicted to save held against a table that is sorted."""

import datetime
import os
import random
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lake import planted

from pqexplore.lake import scan
from pqexplore.lake.report.answers import answers_of
from pqexplore.lake.what_if import sort_trial

FILES, ROWS = 12, 100
_random = random.Random(7)
TABLE = pa.table(
    {
        "id": range(FILES * ROWS),
        "user": [_random.randrange(400) for _ in range(FILES * ROWS)],
        "kind": [f"k{n % 3}" for n in range(FILES * ROWS)],
        "late": [None if n % 5 else n + _random.randrange(150) for n in range(FILES * ROWS)],
        "tags": [["x"]] * FILES * ROWS,
    }
)


def written(folder, table):
    folder.mkdir()
    for n in range(FILES):
        day = datetime.datetime(2026, 11, 1 + n // 3, tzinfo=datetime.UTC).timestamp()
        pq.write_table(table.slice(n * ROWS, ROWS), folder / f"{n:02}.parquet")
        os.utime(folder / f"{n:02}.parquet", (day, day))
    return folder


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = written(tmp_path_factory.mktemp("answers") / "lake", TABLE)
    return scan(None, folder, out=tmp_path_factory.mktemp("store"), processes=0), folder


def reads(folder):
    """How many files a query for a value of a row reads by the bounds of the files, on average over all rows."""
    ranges = {name: [] for name in ("id", "user", "kind", "late")}
    for path in sorted(folder.iterdir()):
        group = pq.read_metadata(path).row_group(0)
        for name, place in zip(ranges, range(4), strict=True):
            found = group.column(place).statistics
            ranges[name] += [(found.min, found.max)] if found.has_min_max else []
    values = {name: TABLE[name].drop_null().to_pylist() for name in ranges}
    return {
        name: sum(low <= value <= high for value in values[name] for low, high in some) / len(values[name])
        for name, some in ranges.items()
    }


def test_today_is_what_the_bounds_say_and_lists_are_not_tried(made):
    assert {one.name: one.now for one in made[0].sort_by().columns} == pytest.approx(reads(made[1]))


@pytest.mark.parametrize("column", ["id", "user", "kind", "late"])
def test_what_is_predicted_is_what_a_table_that_is_sorted_so_reads(made, column, tmp_path):
    [one] = [one for one in made[0].sort_by().columns if one.name == column]
    really = reads(written(tmp_path / "sorted", TABLE.sort_by(column)))
    assert one.then == pytest.approx(really[column], rel=0.05)
    for name, now, then in one.loses:
        assert really[name] > 2 * now and then == pytest.approx(really[name], rel=0.15)


def test_the_sentence_names_the_order_and_what_another_would_cost(made):
    said = made[0].sort_by().sentence
    assert said.startswith(
        "Sorted by `id` today: a query for one value reads 1 of 12 files. Sorting by another column would help"
    )
    assert re.search(r"`user` 11\.\d → 1\.\d+", said) and "by a trial on 1,200 rows" in said
    assert re.search(r"Queries for other columns would read more: `id` 1 → 1[12]", said)
    assert said.endswith("Partition by nothing more: no column has values with 128 MiB each in "
                         f"{said.rpartition(' in ')[2]}")  # fmt: skip


ASKED = [
    # queries, the column to sort by; "" if the order is best
    (["user = 7", "user BETWEEN 100 AND 110"], "user"),
    (["id < 150"], ""),
    (["kind = 'k1'"], "kind"),
]


@pytest.mark.parametrize("queries, column", ASKED)
def test_given_queries_decide(made, queries, column):
    found = made[0].sort_by(queries)
    today = found.asked
    assert today == sum(len(made[0].ask(one).kept) for one in queries)
    best = found.columns[0]
    if column:
        assert (best.name, best.asked < today) == (column, True)
        assert found.sentence.startswith(f"Sort by `{column}`: the ")
    else:
        assert best.asked >= today and found.sentence.startswith("Leave the order: ")


def test_columns_of_few_large_values_are_fit_to_partition_by(made, monkeypatch):
    monkeypatch.setattr(sort_trial, "TARGET", 1 << 10)
    assert made[0].sort_by().partition == (("kind", 3),)


def test_halves_have_an_order_though_arrow_has_none_for_them(tmp_path):
    halves = pa.table({"half": pa.array([None, 2, 1] * 400, pa.float32()).cast(pa.float16()), "n": range(1200)})
    with scan(None, written(tmp_path / "lake", halves), processes=0) as lake:
        assert {one.name: one.distinct for one in lake.sort_by().columns} == {"half": 2, "n": 1200}


def test_one_file_and_none(tmp_path):
    pq.write_table(TABLE, tmp_path / "a.parquet")
    with scan(None, tmp_path, processes=0) as lake:
        assert lake.sort_by().sentence.startswith("Nothing to sort among files: there is one.")
    (tmp_path / "a.parquet").write_bytes(b"")
    with scan(None, tmp_path, processes=0) as lake:
        assert lake.sort_by().sentence.startswith("There are no files.")


def test_five_answers(made):
    lake, folder = made
    one = answers_of(lake, lake.diagnose(processes=0))
    assert one.sound.startswith("Yes: No problems found (footers of 12 files)")
    assert re.match(r"2026-11-04 has 3 files with 300 rows in [\d.]+ kB; the 3 days before, 3 files and ", one.grew)
    assert one.compact.startswith("12 of 12 files, of ") and "would fit into 1 file of at most 128 MiB" in one.compact
    assert one.sort == lake.sort_by().sentence
    assert one.writers == f"parquet-cpp-arrow {pa.__version__} (12 files, last on 2026-11-04)."
    pq.write_table(TABLE.slice(0, 50), folder / "new.parquet")
    (folder / "00.parquet").unlink()
    lake.refresh()
    again = answers_of(lake, lake.diagnose(processes=0))
    assert re.match(
        r"Since the run of .*: 1 new file, 0 changed, 1 gone; -50 rows, -?[\d.,]+ k?B more than ", again.grew
    )


def test_of_many_files_some_of_each_kind_are_looked_at(tmp_path, monkeypatch):
    from pqexplore.lake.doctor import diagnose

    monkeypatch.setattr(diagnose, "AT_ONCE", 10)
    monkeypatch.setattr(diagnose, "SAMPLE", 5)
    folder = written(tmp_path / "lake", TABLE)
    with scan(None, folder, processes=0) as lake:
        report = lake.diagnose(processes=0)
        assert report.looked == 5 and report.findings == ()
        assert report.sentence.startswith(
            "No problems found (tables of the scan of 12 files, footers of 5): 12 files with 1,200"
        )
        assert lake.diagnose("footer", processes=0).sound == "No problems found (footers of 12 files)"
    (folder / "odd.parquet").write_bytes(planted.OF_ONE_FILE["small-row-groups"].make())
    (folder / "broken.parquet").write_bytes(b"PAR1")
    with scan(None, folder, processes=0) as lake:
        found = {one.rule: one for one in lake.report(processes=0).diagnosis.findings}
    assert "odd.parquet" in found["small-row-groups"].sentence and found["small-row-groups"].of < 14
    assert "broken.parquet" in found["file-unreadable"].sentence
