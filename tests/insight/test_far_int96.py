"""INT96 of a day that no timestamp reaches, in what compares, filters and prints values."""

import json

import pytest
from engine.far_int96 import FAR, GOOD, file_of

import pqexplore
from pqexplore.cli import main
from pqexplore.insight.some_rows import batches

TEXTS = ["1970-01-01 00:00:00.000000005", "+4375939-02-10 00:00:00.000000000", "1970-01-03 00:00:00.000000001"]


@pytest.mark.parametrize(("condition", "rows"), [
    ("t > TIMESTAMP '1970-01-02 12:00:00'", [1, 2]),
    ("t < TIMESTAMP '1970-01-02 12:00:00'", [0]),
    ("t IS NULL", []),
    ("t IS NOT NULL", [0, 1, 2]),
])  # fmt: skip
def test_conditions_know_that_it_is_later_than_all_that_can_be_written(condition, rows):
    file = pqexplore.open(file_of(FAR))
    found = [row for part in batches(file, 0, 3, where=condition) for row in part["t"].to_pylist()]
    assert found == [TEXTS[row] for row in rows]
    checked = pqexplore.ask(file, condition).verify()
    assert (checked.matching, checked.lost) == (len(rows), ())


def test_diff_compares_it_with_timestamps_and_with_itself():
    far, good = file_of(GOOD, FAR), file_of(GOOD, GOOD)
    assert "INT96 000000000000000000105e5f" in str(pqexplore.diff(good, far, level="data"))
    for one, two, rows in ((far, good, 1), (good, far, 1), (far, file_of(FAR, GOOD), 2)):
        [column] = [column for column in pqexplore.diff(one, two, level="data").values.columns if column.name == "t"]
        assert (column.why, column.rows) == ("", rows)


def test_row_groups_in_other_units_are_compared_in_one():
    """A row group with the year 29,510 is read in microseconds, others in nanoseconds: the same moments are equal."""
    late = [(12_500_000, 1000), (2_440_589, 7000), (2_440_590, 1000)]
    early = [(2_440_588, 5000), (2_440_589, 7000), (2_440_590, 1000)]
    found = pqexplore.diff(file_of(late, early), file_of(early, late), level="data").values
    [column] = [one for one in found.columns if one.name == "t"]
    assert column.rows == 2
    assert found.permuted


def test_cat_prints_one_form_of_text(tmp_path, capsys):
    (tmp_path / "f.parquet").write_bytes(file_of(GOOD, FAR))
    assert main(["cat", str(tmp_path / "f.parquet")]) == 0
    found = [json.loads(line)["t"] for line in capsys.readouterr().out.splitlines()]
    assert found[3:] == TEXTS
    assert found[0] == TEXTS[0]
