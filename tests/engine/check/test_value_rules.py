"""Checks of values: the rows they name, what they cost, and files whose values are right."""

import json

import pyarrow as pa
from engine.check.violations import values as planted
from engine.check.violations.values import BYTES, JSON, STRING, integer, optional, plain
from made import ours

import pqexplore
from pqexplore.engine.check import geospatial, values


def found(data, rule, **options):
    with pqexplore.open(data, **options) as file:
        return [one for one in file.check() if one.rule == rule]


def test_the_row_of_a_value_after_nulls_and_pages():
    numbers = [None, 1, None, 2, 3, None, 300, 301, None]
    (first,) = found(optional(integer(8, True), numbers), "value-out-of-range")
    assert first.evidence == {"values": 2, "value": 300, "row": 6}
    assert first.message == (
        "300 in row 6 of the row group does not fit INT(8, signed), whose values go from -128 to 127; the page has 2 such "
        "values"
    )
    table = pa.table({"a": pa.array([["{}"], [], None, ["{}", "{"], ["}"]])})
    options = pqexplore.WriteOptions(page_rows=2, columns={"a.list.element": {"logical_type": "JSON"}})
    assert [one.evidence["row"] for one in found(ours(table, options), "json-invalid")] == [3, 4]


def test_long_texts_are_clipped():
    (one,) = found(plain(JSON, [b"{" * 100_000], BYTES), "json-invalid")
    assert len(one.message) < 130 and len(one.evidence["value"]) == values.value_findings.MAX_BYTES


def test_json_is_parsed_once_a_distinct_value(monkeypatch):
    parsed = []
    monkeypatch.setattr(values, "is_json", lambda value: parsed.append(value) or True)
    found(plain(JSON, [b"{}", b"[]"] * 500, BYTES), "json-invalid")
    assert len(parsed) == 2


def test_a_check_that_is_stopped_among_the_texts_says_so(monkeypatch):
    data = plain(JSON, [json.dumps(n).encode() for n in range(5_000)], BYTES)
    with pqexplore.open(data) as file:
        monkeypatch.setattr(values, "is_json", lambda _: file.budget.cancel() or True)
        (one,) = file.check()
    assert (one.rule, one.severity.level) == ("not-everything-checked", "note")
    assert one.address == planted.PAGE


def test_texts_that_are_right_are_not_looked_at_one_by_one(monkeypatch):
    monkeypatch.delattr(values, "is_utf8")
    assert found(plain(STRING, [b"a", "é".encode()], BYTES), "not-utf8") == []


def test_geometries_that_are_not_checked_are_counted(monkeypatch):
    (row,) = [row for row in planted.VIOLATIONS if row.rule == "geometry-damaged"]
    assert found(row.near(), "geometries-not-checked") == []
    monkeypatch.setattr(geospatial, "MAX_GEOMETRIES", 0)
    (one,) = found(row.near(), "geometries-not-checked")
    assert one.evidence == {"checked": 0, "not_checked": 1}
