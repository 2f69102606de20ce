"""The columns that a value can be in."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import parquet

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight.lenses import finish
from pqexplore.widget import operations as module
from pqexplore.widget.operations import values


@pytest.fixture(autouse=True)
def patience(monkeypatch):
    """A busy machine changes no answer."""
    monkeypatch.setattr(module, "SECONDS", 60)


@pytest.fixture
def countries(tmp_path):
    """Two row groups; FR is in `to` of both, in `from` of the second."""
    path = tmp_path / "countries.parquet"
    table = pa.table(
        {
            "from": ["AT", "US"] * 4 + ["FR", "US"] * 4,
            "to": ["FR", "IT"] * 8,
            "n": list(range(16)),
            "o'clock": ["5", "6"] * 8,
        }
    )
    pq.write_table(table, path, row_group_size=8)
    with pqexplore.open(path) as file:
        yield file


@pytest.mark.parametrize("value, possible", [
    ("FR", [("from", 1), ("to", 2)]),
    ("'FR'", [("from", 1), ("to", 2)]),
    ("XX", []),
    ("5", [("n", 1), ("o'clock", 2)]),
    ("'5'", [("n", 1), ("o'clock", 2)]),
    ("99", []),
    ("'", []),
    ("FR' OR n > 0 --", []),
    ("5 OR n > 0", []),
])  # fmt: skip
def test_the_columns_that_can_have_a_value(countries, value, possible):
    found = finish(values(countries, value))
    assert [(one.column, one.row_groups) for one in found.possible] == possible
    assert (found.asked, found.columns, found.row_groups) == (4, 4, 2)


def test_the_condition_can_be_asked(countries):
    for one in finish(values(countries, "5")).possible:
        assert len(pqexplore.ask(countries, one.where).kept) == one.row_groups


def test_it_ends_in_time_and_says_how_far_it_came(countries, monkeypatch):
    monkeypatch.setattr(module, "SECONDS", -1)
    assert finish(values(countries, "FR")).asked == 1
    monkeypatch.setattr(module, "SECONDS", 60)
    monkeypatch.setattr(module, "COLUMNS", 2)
    assert finish(values(countries, "FR")).asked == 2


def test_a_remote_file_is_not_asked(monkeypatch):
    with pqexplore.open(parquet(pa.table({"n": [1]}))) as file:
        monkeypatch.setattr(file.source, "local", False)
        with pytest.raises(UsageError, match="local"):
            finish(values(file, "1"))
