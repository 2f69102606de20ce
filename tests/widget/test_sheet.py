"""The table under a picture, as the view gets it."""

import datetime
import json

import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.engine.span import Span
from pqexplore.insight import wire
from pqexplore.insight.answer import Column, Table
from pqexplore.widget import sheet


@pytest.mark.parametrize(("kind", "value", "shown"), [
    ("text", "x", "x"),
    ("text", None, None),
    ("number", 1234567, "1,234,567"),
    ("number", 0.12345, "0.123"),
    ("bytes", 1000, "1,000"),
    ("share", 0.5, 0.5),
    ("flag", True, "yes"),
    ("flag", False, "no"),
    ("code", b"\x01\x02", "01 02"),
    ("text", float("nan"), "NaN"),
])  # fmt: skip
def test_a_cell(kind, value, shown):
    assert sheet.cell(Column("c", "c", kind), value) == shown


def test_rows_come_by_the_window_with_where_they_lead():
    table = Table([Column("n", "n", "number", "how many")], caption="numbers", total=1_000)
    for i in range(250):
        table.add(i, address=f"schema/{i}", span=Span(i, i + 1))
    first = sheet.first(table)
    json.dumps(wire.encode(first), allow_nan=False)
    assert (first["listed"], first["total"], first["caption"]) == (250, 1_000, "numbers")
    assert first["columns"] == [{"name": "n", "title": "n", "kind": "number", "meaning": "how many"}]
    assert len(first["rows"]) == sheet.ROWS
    last = sheet.part(table, 200)
    assert last["rows"][0] == ["200"]
    assert (last["addresses"][49], last["spans"][49]) == ("schema/249", Span(249, 250))


@pytest.mark.parametrize("start", [-100, 50, 300])
def test_a_window_begins_where_one_begins(start):
    table = Table([Column("n", "n")])
    for i in range(250):
        table.add(str(i))
    with pytest.raises(UsageError):
        sheet.part(table, start)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.01234, "0.0123"), (8.571, "8.57"), (999.6, "1,000"), (2142.5, "2,142"), (1e9, "1,000,000,000")],
)
def test_a_number_is_written_out(value, shown):
    assert sheet.cell(Column("n", "n", "number"), value) == shown


def test_a_time_has_seconds_and_its_zone():
    at = datetime.datetime(2026, 11, 23, 13, 36, 7, 594571, datetime.UTC)
    assert sheet.cell(Column("at", "at"), at) == "2026-11-23 13:36:07 UTC"
    assert sheet.cell(Column("at", "at"), at.replace(tzinfo=None)) == "2026-11-23 13:36:07"
