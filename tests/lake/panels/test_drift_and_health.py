"""What differs between schemas, and what is wrong in files."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pqexplore
from pqexplore.lake import scan
from pqexplore.lake.panels import answer_of, drift, health
from pqexplore.lake.panels.filters import Filters

ALL = Filters()


@pytest.mark.parametrize("places, said", [
    ([], ""),
    ([2], "; the rule is r0"),
    ([3, 1], "; the most frequent rule is r0"),
    ([2, 2, 1], ""),  # neither is the most frequent
])  # fmt: skip
def test_the_most_frequent_rule(places, said):
    assert health.most([{"rule": f"r{i}", "places": n} for i, n in enumerate(places)]) == said


def test_schemas_with_the_same_columns_are_one(tmp_path):
    """Another name of the root makes another schema, which no column differs in."""
    table = pa.table({"n": range(20), "word": ["a"] * 20})
    pq.write_table(table, tmp_path / "a.parquet")
    pqexplore.write(table, tmp_path / "b.parquet", pqexplore.WriteOptions(codec="zstd"))
    pq.write_table(table.set_column(0, "n", table["n"].cast("int32")), tmp_path / "c.parquet")
    lake = scan(None, str(tmp_path), out=tmp_path / "t", processes=0)
    answer = drift.answer(lake, ALL)
    assert answer.sentence == "n has several definitions: 2 sets of columns in 3 schemas."
    assert sorted(schema.files for schema in answer.picture.schemas) == [1, 2]
    [both] = [schema for schema in answer.picture.schemas if schema.files == 2]
    chosen = Filters.parse(json.dumps({"schema": both.ids}))
    assert drift.answer(lake, chosen).sentence == "All 2 files have the same columns."


def lake_of(root, files):
    for path, columns in files.items():
        (root / "lake" / path).parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table(columns), root / "lake" / path)
    return scan(None, str(root / "lake"), out=root / "t", processes=0)


def shown(lake, filters=ALL):
    """Of each schema, its files, when they are from, and what differs."""
    schemas = drift.answer(lake, filters).picture.schemas
    return [(one.files, one.dates, drift.words(one)) for one in schemas]


class TestSchemas:
    def test_each_is_compared_with_the_most_common_which_need_not_be_the_first(self, tmp_path):
        usual = {"id": [1], "amount": [1.5], "city": ["Oslo"]}
        files = {f"day=2026-11-0{n}/a.parquet": usual for n in range(2, 6)}
        files["day=2026-11-01/a.parquet"] = {"id": [1], "amount": ["much"], "more": [1], "yet": [2]}
        files["day=2026-11-06/a.parquet"] = files["day=2026-11-07/a.parquet"] = {"amount": [1.5], "id": [1]}
        assert shown(lake_of(tmp_path, files)) == [
            (4, "in the folders of 2 to 5 November 2026", "the most common schema"),
            (2, "in the folders of 6 to 7 November 2026", "lacks `city`"),
            (
                1,
                "in the folders of 1 November 2026",
                "lacks `city`; also has `more` and `yet`; `amount` is STRING, not DOUBLE",
            ),
        ]

    def test_columns_that_differ_alike_are_one_difference(self, tmp_path):
        names = [f"c{n:03}" for n in range(156)]
        wide = [pa.table({name: pa.array([1], kind) for name in names}) for kind in (pa.int64(), pa.int32())]
        made = lake_of(tmp_path, {"a.parquet": wide[0], "b.parquet": wide[0], "c.parquet": wide[1]})
        [usual, other] = drift.answer(made, ALL).picture.schemas
        assert usual.changes == [] and usual.columns == 156
        [change] = other.changes
        assert (change.kind, change.mine, change.usual) == ("differs", "INT32", "INT64")
        assert change.columns == names[: drift.NAMES] and change.more == 156 - drift.NAMES
        assert drift.words(other) == "`c000`, `c001`, `c002`, `c003` and 152 more columns are INT32, not INT64"

    def test_another_repetition_and_another_shape_are_said(self, tmp_path):
        n = pa.field("n", pa.int64())
        tables = [pa.table({"n": [1]}, pa.schema([one])) for one in (n, n, n.with_nullable(False))]
        made = lake_of(tmp_path, {f"{i}.parquet": one for i, one in enumerate(tables)})
        assert shown(made)[1][2] == "`n` is required INT64, not optional INT64"
        made = lake_of(
            tmp_path / "shape", {"0.parquet": {"n": [1]}, "1.parquet": {"n": [1]}, "2.parquet": {"n": [[1]]}}
        )
        assert shown(made)[1][2] == "lacks `n`; also has `n.list.element`"

    def test_a_type_within_a_list_is_said_by_its_type(self, tmp_path):
        made = lake_of(tmp_path, {"0.parquet": {"n": [[1]]}, "1.parquet": {"n": [[1]]}, "2.parquet": {"n": [[1.5]]}})
        assert shown(made)[1][2] == "`n.list.element` is DOUBLE, not INT64"

    def test_the_days_on_which_files_were_changed_where_their_folders_have_none(self, tmp_path):
        made = lake_of(tmp_path, {"a.parquet": {"n": [1]}, "b.parquet": {"n": ["x"]}, "c.parquet": {"n": [1]}})
        [usual, other] = shown(made)
        assert usual[1].startswith("last changed on ") and other[2] == "`n` is STRING, not INT64"

    def test_a_folder_without_a_date_has_the_days_on_which_its_files_were_changed(self, tmp_path):
        made = lake_of(
            tmp_path,
            {"day=2026-11-01/a.parquet": {"n": [1]}, "day=late/a.parquet": {"n": [1]}, "b.parquet": {"m": [1]}},
        )
        assert shown(made)[0][1].startswith("last changed on ")

    def test_columns_without_values_in_all_files_and_their_order_are_no_difference(self, tmp_path):
        nothing = pa.array([None], pa.null())
        made = lake_of(tmp_path, {"a.parquet": {"n": [1], "no": nothing}, "b.parquet": {"no": nothing, "n": [1]}})
        assert [words for *_, words in shown(made)] == ["the same columns in all"]
        assert drift.answer(made, ALL).sentence == "All 2 files have the same columns."

    def test_of_several_tables_those_with_one_schema_are_counted(self, tmp_path):
        made = lake_of(
            tmp_path,
            {
                "a/0.parquet": {"n": [1]},
                "a/1.parquet": {"n": [1]},
                "a/2.parquet": {"m": [1]},
                "b/0.parquet": {"k": [1]},
            },
        )
        picture = drift.answer(made, ALL).picture
        assert [(one.table, one.files, one.of) for one in picture.schemas] == [
            (str(tmp_path / "lake" / "a"), 2, 3),
            (str(tmp_path / "lake" / "a"), 1, 3),
        ]
        assert picture.alike == 1

    def test_the_filter_of_a_row_leads_to_its_files(self, tmp_path):
        made = lake_of(tmp_path, {"a.parquet": {"n": [1]}, "b.parquet": {"n": [1]}, "c.parquet": {"m": [1]}})
        for one in drift.answer(made, ALL).picture.schemas:
            assert [row[0] for row in shown(made, Filters.parse(json.dumps({"schema": one.ids})))] == [one.files]


def test_files_of_two_tables_do_not_differ(tmp_path):
    for place, columns in (("a", {"n": [1]}), ("b", {"m": [1]})):
        (tmp_path / "files" / place).mkdir(parents=True)
        pq.write_table(pa.table(columns), tmp_path / "files" / place / "x.parquet")
    lake = scan(None, str(tmp_path / "files"), out=tmp_path / "t", processes=0)
    assert drift.answer(lake, ALL).sentence == "All 2 files have the same columns in each of 2 tables."


def test_long_names_are_cut_in_the_middle_in_a_sentence(tmp_path):
    names = [f"payload.{'of_the_sensor_' * 6}number_{n}" for n in range(2)]
    pq.write_table(pa.table(dict.fromkeys(names, [1])), tmp_path / "a.parquet")
    pq.write_table(pa.table({names[0]: [1]}), tmp_path / "b.parquet")
    lake = scan(None, str(tmp_path), out=tmp_path / "t", processes=0)
    for panel in ("drift", "columns", "overlap"):
        said = answer_of(lake, panel).sentence
        assert "…" in said and "number_" in said and len(said) < 180, panel
