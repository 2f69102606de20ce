"""The query lens: what it says and draws, on files whose row groups and pages are known."""

import datetime

import numpy as np
import pyarrow as pa
import pytest
from made import ours

import pqexplore
from pqexplore.insight.ask import engines, slider_literals
from pqexplore.insight.ask.engines import Engine
from pqexplore.insight.ask.pruning_result import BOUNDS, Ruling
from pqexplore.insight.ask.question import Question
from pqexplore.insight.lenses import LENSES, answer_of, finish, query
from pqexplore.insight.lenses.query import plan_picture
from pqexplore.widget import rpc
from pqexplore.widget.operations import OPERATIONS


def opened(table, **options):
    return pqexplore.open(ours(table, **options))


@pytest.fixture(scope="module")
def file():
    """Four row groups of ten rows in pages of five: n is 0 to 39, city one for each row group, gap null in the first."""
    table = pa.table(
        {
            "n": pa.array(range(40), pa.int64()),
            "city": np.repeat(["Bergen", "Lima", "Oslo", "Rome"], 10),
            "gap": [None] * 10 + list(range(30)),
        }
    )
    with opened(table, row_group_rows=10, page_rows=5) as made:
        yield made


def asked(file, where, address="", engine="format"):
    question = Question.of(where, engine)
    return finish(answer_of(file, file.node(address), LENSES["query"], question))


@pytest.mark.parametrize(("where", "by", "read"), [
    ("n < 10", ["", "bounds", "bounds", "bounds"], [10, 0, 0, 0]),
    ("n = 17", ["bounds", "", "bounds", "bounds"], [0, 5, 0, 0]),
    ("n >= 0", ["", "", "", ""], [10, 10, 10, 10]),
    ("n > 99", ["bounds"] * 4, [0, 0, 0, 0]),
    ("gap IS NOT NULL", ["null counts", "", "", ""], [0, 10, 10, 10]),
    ("city = 'Lima' AND n < 10", ["bounds"] * 4, [0, 0, 0, 0]),
    ("city IN ('Lima', 'Rome')", ["bounds", "", "bounds", ""], [0, 10, 0, 10]),
])  # fmt: skip
def test_each_row_group_is_read_or_has_what_skips_it(file, where, by, read):
    groups = asked(file, where).picture.asked.groups
    assert ["" if i < 0 else groups.names[i] for i in groups.by] == by
    assert groups.read == read
    assert groups.rows == [10] * 4
    assert groups.total == 4


def test_the_stages_add_up(file):
    stages = asked(file, "n = 17").picture.asked.stages
    assert [one.name for one in stages] == ["bounds", "Bloom filter", "dictionary", "page index"]
    assert (stages[0].groups_in, stages[0].groups_out) == (4, 1)
    assert (stages[-1].rows_in, stages[-1].rows_out) == (10, 5)
    for before, after in zip(stages, stages[1:], strict=False):
        assert (before.groups_out, before.rows_out) == (after.groups_in, after.rows_in)


def test_why_a_stage_did_no_more_says_where_that_holds():
    table = pa.table({"a": range(40), "b": range(40)})
    columns = {"a": {"bloom_filter": True, "encoding": "PLAIN"}, "b": {"encoding": "PLAIN"}}
    with opened(table, row_group_rows=10, columns=columns) as made:

        def why(where):
            return {one.name: one.why for one in asked(made, where).picture.asked.stages}

        assert why("b = 3")["Bloom filter"] == "there is no Bloom filter"
        assert why("a = 3 AND b = 3")["Bloom filter"] == "in places, there is no Bloom filter"
        assert why("a = 3")["Bloom filter"] == ""


def test_an_engine_that_does_not_exist_is_said(file):
    assert "there is no engine 'nonsense'" in asked(file, "n > 3", engine="nonsense").picture.error


def test_without_a_condition_it_offers_some_that_skip(file):
    answer = finish(answer_of(file, file.root, LENSES["query"]))
    wheres = [one.where for one in answer.picture.examples]
    assert wheres == ["n BETWEEN 18 AND 21", "city = 'Oslo'", "gap BETWEEN 13 AND 16"]
    for where in wheres:
        by = asked(file, where).picture.asked.groups.by
        assert plan_picture.READ in by and set(by) != {plan_picture.READ}, where


@pytest.mark.parametrize(("values", "example"), [
    (pa.array([1.5, 2.5, 99.5]), "x BETWEEN 45.6 AND 55.4"),
    (
        pa.array([datetime.date(2026, 1, 1), datetime.date(2026, 12, 31)] * 2),
        "x BETWEEN DATE '2026-06-14' AND DATE '2026-07-20'",
    ),
    (pa.array([1, 100], pa.uint8()), "x BETWEEN 46 AND 55"),
    (pa.array(["it's", "a \\ b"]), None),
    (pa.array([float("nan")] * 3), None),
    (pa.array([[1], [2]]), None),
], ids=["float", "date", "unsigned", "text in need of escapes", "NaN", "list"])  # fmt: skip
def test_examples_have_literals_of_the_column_s_type(values, example):
    with opened(pa.table({"x": values})) as made:
        found = [one.where for one in slider_literals.examples(made)]
    if example is None:
        assert not any("BETWEEN" in where or "=" in where for where in found)
    else:
        assert found[0] == example


@pytest.mark.parametrize(("where", "columns"), [
    ("n > 5", ["n"]),
    ("n > -5 AND n < 20", ["n", "n"]),
    ("n BETWEEN 3 AND 7", ["n", "n"]),
    ("5 < n AND city = 'Lima'", ["n", "city"]),
    ("city IN ('Lima', 'Oslo')", ["city", "city"]),
    ("n + 1 > 5", []),
    ("gap IS NULL", []),
    ("n > 5L OR NOT (n <= 3)", ["n", "n"]),
])  # fmt: skip
def test_a_slider_for_each_literal_that_is_compared_with_a_column(file, where, columns):
    picture = asked(file, where).picture
    assert [one.column for one in picture.sliders] == columns
    text = "".join(one.before + one.stops[one.at] for one in picture.sliders) + picture.after
    assert text == where


def test_every_stop_of_a_slider_can_be_asked(file):
    for where in ("n > 5 AND city <> 'Lima'", "n > 5L", "gap <= -1"):
        picture = asked(file, where).picture
        for slider in picture.sliders:
            at = where.index(slider.stops[slider.at], where.index(slider.column))
            for stop in slider.stops:
                moved = where[:at] + stop + where[at + len(slider.stops[slider.at]) :]
                assert asked(file, moved).picture.error == "", moved


def test_stops_are_in_order_and_have_the_ends_of_the_column(file):
    [slider] = asked(file, "n > 17").picture.sliders
    numbers = [int(stop) for stop in slider.stops]
    assert numbers == list(range(40))
    assert slider.stops[slider.at] == "17"
    [outside] = asked(file, "n > 1000").picture.sliders
    assert outside.stops[outside.at] == outside.stops[-1] == "1000"
    [text] = asked(file, "city = 'Lima'").picture.sliders
    assert text.stops == ["'Bergen'", "'Lima'", "'Oslo'", "'Rome'"]


def test_a_literal_is_asked_again_without_table_and_advice(file):
    live = finish(query.ask_literal(file, "", "n > 33"))
    assert live.asked.groups.read == [0, 0, 0, 10]
    assert "reads 1 of 4 row groups" in live.sentence
    assert "there is no column" in finish(query.ask_literal(file, "", "m > 33")).error


def test_the_plan_is_kept_for_what_is_asked_later(file):
    question = Question("n > 5")
    assert finish(query.planned(file, question)) is finish(query.planned(file, question))
    assert finish(query.planned(file, Question("n > 6"))) is not finish(query.planned(file, question))


def test_the_bytes_that_are_read_are_those_of_the_plan(file):
    skips = finish(query.ask_skips(file, "n = 17"))
    starts, ends = (skips.columns.by_name[name].tolist() for name in ("start", "end"))
    assert all(end < start for end, start in zip(ends, starts[1:], strict=False))
    plan = finish(query.planned(file, Question("n = 17")))
    covered = set()
    for start, end in zip(starts, ends, strict=True):
        covered |= set(range(int(start), int(end)))
    wanted = set()
    for piece in plan.reading.pieces:
        wanted |= set(range(piece.span.start, piece.span.end))
    assert covered == wanted
    assert [skips.names[i] if i >= 0 else "" for i in skips.by] == ["bounds", "", "bounds", "bounds"]
    first = file.row_groups[0].columns[0].span
    assert not covered & set(range(first.start, first.end))


def test_rows_that_an_engine_may_lose_come_first(file, monkeypatch):
    class Careless(Engine):
        name, title = "careless", "a careless engine"

        def by_bounds(self, test, claims):
            return Ruling(False, BOUNDS, "it skips everything")

    monkeypatch.setattr(engines, "engine", lambda name: Careless())
    answer = asked(file, "n < 15", engine="careless")
    danger = answer.picture.asked.danger
    assert sorted(group for one in danger for group in one.row_groups) == [0, 1]
    assert (danger[0].rows, danger[0].why) == (10, "n < 15: it skips everything")
    assert answer.sentence.startswith("a careless engine may lose rows: it skips 10 rows")


def test_a_careful_reader_loses_nothing(file):
    assert asked(file, "n < 15").picture.asked.danger == []


def test_of_very_many_columns_only_those_of_the_condition_are_read(monkeypatch):
    with opened(pa.table({name: range(9) for name in "abc"})) as made:
        assert "columns of the condition only" not in asked(made, "a > 3").sentence
    monkeypatch.setattr(query, "MANY", 2)
    with opened(pa.table({name: range(9) for name in "abc"})) as made:
        answer = asked(made, "a > 3")
        assert answer.sentence.endswith("It reads the columns of the condition only, because the file has so many.")
        assert answer.code == "pqexplore.ask(f, 'a > 3', columns=[])"
        skips = finish(query.ask_skips(made, "a > 3"))
        other = made.row_groups[0].columns[1].span
        assert not (skips.columns.by_name["start"] == other.start).any()


def test_a_wrong_condition_skips_nothing_on_the_map(file):
    skips = finish(query.ask_skips(file, "m > 1"))
    assert "there is no column" in skips.error
    assert skips.by == []


def test_reasons_of_many_row_groups_are_requested(monkeypatch, file):
    monkeypatch.setattr(plan_picture, "INLINE", 3)
    live = finish(query.ask_literal(file, "", "n < 11"))
    assert live.asked.groups.reasons is None
    reasons = finish(query.ask_reasons(file, "n < 11", 0)).reasons
    assert reasons[1].startswith("5 of 10 rows read: ")
    assert reasons[3] == "skipped by bounds: n < 11: the min 30 is too large"
    with pytest.raises(ValueError, match="is not where"):
        finish(query.ask_reasons(file, "n < 11", 7))


def test_the_answer_travels_for_a_file_of_many_row_groups():
    with opened(pa.table({"n": range(1_500)}), row_group_rows=1) as made:
        args = {"address": "", "view": "query", "where": "n > 700", "engine": "format"}
        result, _ = rpc.call(OPERATIONS, made, "node", args)
        groups = result["payload"]["picture"]["asked"]["groups"]
        assert len(groups["by"]) == groups["total"] == 1_500
        assert result["payload"]["table"]["total"] == 1_500
        more, _ = rpc.call(OPERATIONS, made, "table", {"address": "", "lens": "query", "start": 700, **_only(args)})
        assert [row[1] for row in more["rows"][:3]] == ["no", "yes", "yes"]


def _only(args):
    return {name: args[name] for name in ("where", "engine")}


def test_text_of_the_file_is_printable():
    table = pa.table({"s": ["a\u202eb\x1b[2J", "z\u202e"] * 2})
    with opened(table) as made:
        answer = asked(made, "s > 'q'")
        assert "\x1b" not in answer.sentence and "\u202e" not in answer.sentence
        groups = answer.picture.asked.groups
        assert "\u202e" not in "".join(groups.reasons)


def test_to_frame_is_the_table_of_the_condition_that_is_set(file):
    explorer = pqexplore.explore(file, where="n < 10")
    frame = explorer.to_frame()
    assert frame["kept"].to_list() == [True, False, False, False]
    assert frame["by"].to_list()[1:] == ["bounds"] * 3
