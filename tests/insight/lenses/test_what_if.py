"""The lens `what_if`: the same figures as a trial, what it asks before, predictions, and the new file."""

import gc
import weakref
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import grouped, parquet

import pqexplore
from pqexplore.engine.errors import ParquetError, UsageError
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight import lenses
from pqexplore.insight.lenses.what_if import picture, trials
from pqexplore.insight.what_if.saving import Kind, Saving

LENS = lenses.LENSES["what_if"]
TABLE = pa.table(
    {"id": pa.array(range(4_000), pa.int64()), "city": [("Oslo", "Rome", "Lima")[i % 3] for i in range(4_000)]}
)


def answer(file, address=""):
    return lenses.finish(lenses.answer_of(file, file.node(address), LENS))


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(TABLE, "cities.parquet", row_group_size=2_000)
    return "cities.parquet"


@pytest.fixture
def file(path):
    with pqexplore.open(path) as opened:
        yield opened


def test_a_column_has_each_choice_of_the_trial_and_the_best_is_marked(file):
    made = answer(file, "schema/2")
    [tried] = pqexplore.what_if(file, ["city"]).columns
    drawn = made.picture.matrix
    assert made.sentence == pqexplore.what_if(file, ["city"]).sentence
    assert len(made.table.rows) == len(tried.sizes) == sum(one is not None for one in drawn.cells)
    assert drawn.today == tried.today
    cell = drawn.cells[drawn.best]
    assert cell.bytes == round(tried.sizes[tried.best].bytes.total)
    assert drawn.encodings[drawn.best % len(drawn.encodings)] == tried.best.encoding_name
    assert made.table.column("best").count(True) == 1
    brotli = drawn.cells[drawn.codecs.index("BROTLI 8") * len(drawn.encodings)]
    assert brotli.unread_by == ["Spark"]


def test_the_file_has_a_row_for_each_column_and_the_largest_saving_is_first(file):
    made = answer(file)
    whole = made.picture.whole
    saved = [one.today - one.bytes for one in whole.rows]
    assert made.sentence == pqexplore.what_if(file).sentence
    assert {one.column for one in whole.rows} == {"id", "city"}
    assert saved == sorted(saved, reverse=True)
    assert sum(map(sum, whole.today.groups)) + whole.today.rest == file.size
    assert len(whole.today.groups) == whole.today.row_groups == 2


def test_what_is_predicted_is_what_is_written(file):
    answer(file)
    new = lenses.finish(trials.ask_what_if(file, 500, 1_000))
    written = lenses.finish(trials.write_what_if(file, "new.parquet", 500, 1_000))
    assert new.layout.size == written.size
    assert new.sentence.endswith("in 4 row groups. That is exact.")
    assert pq.read_table("new.parquet").equals(pq.read_table("cities.parquet"))
    with pqexplore.open("new.parquet") as read:
        assert [group.num_rows for group in read.row_groups] == [1_000] * 4
        assert len(read.row_groups[0].columns["id"].pages) >= 2


def test_the_code_for_our_writer_runs_and_writes_the_same(file):
    answer(file)
    new = lenses.finish(trials.ask_what_if(file, 500, 1_000))
    own = new.code[0]
    exec(own.code, {})
    with pqexplore.open("cities-smaller.parquet") as read:
        assert read.size == new.layout.size
    assert [one.writer for one in new.code] == ["pqexplore", "pyarrow", "DuckDB", "polars", "Spark"]
    assert all("Pages of 500 rows." in one.left_out for one in new.code[1:])
    plain = lenses.finish(trials.ask_what_if(file, 20_000, 1_000))
    assert not any("Pages of" in text for one in plain.code for text in one.left_out)


@pytest.mark.parametrize(("target", "words"), [
    ("cities.parquet", "is read, and is not replaced"),
    ("../new.parquet", "without folders"),
    ("a\\b.parquet", "without folders"),
    (".hidden.parquet", "without folders"),
    ("new.py", "ends in .parquet"),
    ("\u202enew.parquet", "without folders"),
    (7, "without folders"),
])  # fmt: skip
def test_a_name_that_may_not_be_written_is_refused(file, target, words):
    answer(file)
    before = Path("cities.parquet").read_bytes()
    with pytest.raises(UsageError, match=words):
        lenses.finish(trials.write_what_if(file, target, 500, 1_000))
    assert Path("cities.parquet").read_bytes() == before


def test_a_stopped_or_failed_write_leaves_nothing(file, tmp_path, monkeypatch):
    answer(file)
    steps = trials.write_what_if(file, "new.parquet", 500, 1_000)
    next(steps)
    steps.close()
    assert [one.name for one in tmp_path.iterdir()] == ["cities.parquet"]

    def fails(*given, **more):
        raise ParquetError("broken on the way", offset=4)

    monkeypatch.setattr(trials, "rewrite", fails)
    with pytest.raises(ParquetError, match="broken on the way"):
        lenses.finish(trials.write_what_if(file, "new.parquet", 500, 1_000))
    assert [one.name for one in tmp_path.iterdir()] == ["cities.parquet"]


@pytest.mark.parametrize("given", [(0, 10, ()), ("5", 10, ()), (5, 10, ("city",)), (5, 10, "city")])
def test_choices_that_do_not_exist_are_refused(file, given):
    answer(file)
    with pytest.raises(UsageError):
        lenses.finish(trials.ask_what_if(file, *given))


def test_nothing_is_predicted_before_the_file_was_tried(file):
    with pytest.raises(UsageError, match="not tried yet"):
        lenses.finish(trials.ask_what_if(file, 500, 1_000))


def test_a_view_asks_before_it_tries_a_file_and_not_again(file):
    assert LENS.seconds(file, file.root) == 20
    assert LENS.seconds(file, file.node("schema/2")) == 0
    answer(file)
    assert LENS.seconds(file, file.root) == 0


def test_a_column_that_takes_long_is_asked_about(tmp_path):
    noise = pa.table({"x": np.random.default_rng(1).normal(size=200_001)})
    with pqexplore.open(parquet(noise)) as file:
        assert LENS.seconds(file, file.node("schema/1")) == 10
    with pqexplore.open(parquet(noise.slice(0, 100_000))) as file:
        assert LENS.seconds(file, file.node("schema/1")) == 0


def test_only_a_local_file_in_the_clear_is_written_anew(file, tmp_path):
    assert trials.why_not(file) == ""
    with pqexplore.open(Path("cities.parquet").read_bytes()) as held:
        assert "Only a local file" in trials.why_not(held)
    write_sample("encrypted-columns", "secret.parquet")
    keys = pqexplore.Decryption(**SAMPLES["encrypted-columns"].keys)
    with pqexplore.open("secret.parquet", decryption=keys) as secret:
        assert "encrypted" in trials.why_not(secret)
        answer(secret)
        with pytest.raises(UsageError, match="encrypted"):
            lenses.finish(trials.write_what_if(secret, "clear.parquet", 500, 1_000))
    assert not (tmp_path / "clear.parquet").exists()


def test_without_keys_the_encrypted_columns_have_no_sizes(tmp_path):
    path = tmp_path / "secret.parquet"
    write_sample("plaintext-footer-bloom", path)
    keys = pqexplore.Decryption(**SAMPLES["plaintext-footer-bloom"].keys)
    with pqexplore.open(path, decryption=keys) as secret:
        opened = answer(secret).picture.whole
        closed = answer(secret.without_keys()).picture.whole
    assert all(one.bytes >= 0 for one in opened.rows)
    assert any(one.bytes < 0 for one in closed.rows)
    assert closed.predicted.layout is None
    assert closed.predicted.trouble


def test_a_file_without_row_groups_says_why_nothing_is_tried():
    with pqexplore.open(grouped(TABLE.schema)) as file:
        assert answer(file).empty == "Nothing was tried: the file has no row groups."
        assert answer(file, "schema/1").empty == "It was not tried: the file has no row groups."


def test_a_trial_that_is_kept_does_not_keep_its_file(path):
    file = pqexplore.open(path)
    answer(file)
    held = weakref.ref(file)
    file.close()
    del file
    gc.collect()
    assert held() is None


def test_savings_are_listed_and_their_orders_can_be_chosen(file, monkeypatch):
    found = Saving(
        Kind.ORDER, None, "sorted by city", 90_000, 700, None, False, "Sorted, it is smaller.",
        sort=("city",),
    )  # fmt: skip

    def looking(file, columns, clock):
        yield 0.5
        return [found]

    monkeypatch.setattr("pqexplore.insight.what_if.savings.FINDERS", (looking,))
    made = answer(file)
    assert made.picture.whole.orders == [["city"]]
    assert made.picture.whole.changes[0].sentence == "Sorted, it is smaller."
    assert made.table.rows[-1][1:5] == ("sort order", "sorted by city", 90_000, 700)


def test_savings_that_cannot_be_looked_for_leave_the_rest(file, monkeypatch):
    def broken(file, columns, budget):
        yield 0.5
        raise ParquetError("torn", offset=4)

    monkeypatch.setattr("pqexplore.insight.what_if.savings.steps", broken)
    whole = answer(file).picture.whole
    assert "torn" in whole.no_changes
    assert whole.predicted.layout is not None


@pytest.mark.parametrize(("groups", "drawn", "rest"), [
    ([[3, 4], [5, 6]], [[3, 4], [5, 6]], 82),
    ([[1, 2]] * 1_001, [[1_001, 2_002]], 0),
    ([[1] * 2_001], [[1] * 1_999 + [2]], 0),
])  # fmt: skip
def test_a_strip_has_at_most_so_many_tiles(groups, drawn, rest):
    made = picture.tiled(100, groups)
    assert (made.groups, made.rest, made.row_groups) == (drawn, rest, len(groups))


def test_a_predicted_layout_divides_columns_by_rows():
    made = picture.bytes_predicted(130, [100, 20], 25, 10)
    assert made.groups == [[40, 8], [40, 8], [20, 4]]
    assert (made.rest, made.row_groups) == (10, 3)
