"""What differs between schemas, and what is wrong in files."""

from pqexplore.lake.panels import drift, health
from pqexplore.lake.panels.filters import Filters

ALL = Filters()


def test_drift_names_what_is_not_everywhere(lake):
    answer = drift.answer(lake, ALL)
    assert answer.sentence == "extra is not in all files: 2 schemas in all."
    assert answer.picture.columns[0] == "extra"
    [row] = [row for row in answer.table.to_arrow().to_pylist() if row["column_name"] == "extra"]
    assert row["engines"] == "DuckDB, pyarrow and Spark lose values, polars fails."
    assert sorted(map(str, answer.picture.cells[0])) == ["0", "None"]
    same = drift.answer(lake, Filters.parse('{"rows": [null, 300]}'))
    assert same.sentence == "All 3 files have the same columns."


def test_health(lake, folder):
    answer = health.answer(lake, ALL)
    assert answer.sentence.startswith("1 file could not be read")
    assert answer.table.column("severity") == ["unreadable"]
    assert answer.table.addresses[0].startswith(str(folder / "broken.parquet"))
    sound = health.answer(lake, Filters.parse('{"status": "ok"}'))
    assert sound.sentence.startswith("This scan found no problems")
