"""What can follow in a condition: columns by part of their names, and the values that are known."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.insight.ask.completion import completed


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    table = pa.table(
        {
            "city": ["Bergen", "Lima", "Oslo", "Rome"] * 2,
            "n": [1, 2, 3, 4, 5, 6, 7, 8],
            "at": pa.array([0, 1, 2, 3, 4, 5, 6, 7], pa.timestamp("us", "UTC")),
            "odd name": [True] * 8,
            "no`tick": [1] * 8,
            "place": [{"city_code": i} for i in range(8)],
            "tags": [["a"]] * 8,
        }
    )
    path = tmp_path_factory.mktemp("completion") / "t.parquet"
    pq.write_table(table, path, row_group_size=4)
    with pqexplore.open(path) as file:
        yield file


def texts(file, before):
    found = completed(file, before)
    return before[found.start :], [one.text for one in found.offers]


@pytest.mark.parametrize(
    ("before", "typed", "offered"),
    [
        ("", "", ["city", "n", "at", "`odd name`", "place.city_code"]),
        ("CIT", "CIT", ["city", "place.city_code"]),
        ("n = 3 AND cod", "cod", ["place.city_code"]),
        ("odd", "odd", ["`odd name`"]),
        ("`odd n", "`odd n", ["`odd name`"]),
        ("city", "city", ["place.city_code"]),
        ("n >= ", "", ["1", "8", "4", "5"]),
        ("n IN (1, 8", "8", []),
        ("n BETWEEN 1 AND ", "", ["1", "8", "4", "5"]),
        ("city = ", "", ["'Bergen'", "'Rome'"]),
        ("city = 'R", "'R", ["'Rome'"]),
        ("city = ro", "ro", ["'Rome'"]),
        ("`odd name` = ", "", ["TRUE", "FALSE"]),
        ("at < TIMESTAMP '1970-01-01 00:00:00.000007", "TIMESTAMP '1970-01-01 00:00:00.000007", ["TIMESTAMP '1970-01-01 00:00:00.000007Z'"]),
        ("city = 'a' AND city LIKE 'x", "'x", []),
        ("lower(city) <> 'n", "n", []),
    ],
)  # fmt: skip
def test_what_can_follow(file, before, typed, offered):
    assert texts(file, before) == (typed, offered)


def test_entries_of_a_dictionary_are_offered_once_they_were_read_and_nothing_is_read_for_it(file):
    before = file.bytes_read
    assert texts(file, "city = 'L")[1] == []
    assert file.bytes_read == before
    assert file.row_groups[0].columns["city"].dictionary is not None
    before = file.bytes_read
    assert texts(file, "city = 'L")[1] == ["'Lima'"]
    assert file.bytes_read == before
