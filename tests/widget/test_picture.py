"""The picture that a saved notebook keeps of a file: what it shows, what it never holds, and how long it may be."""

import base64
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pyarrow as pa
import pytest
from widget.samples import HOSTILE, parquet

import pqexplore
from pqexplore.insight.lenses import LENSES
from pqexplore.widget.picture import LOOKS, RECTANGLES, STRUCTURE, picture

SECRET = "only-in-the-values"
KINDS = Path(__file__).parents[2] / "js/src/kinds.ts"


def drawn(html):
    """The SVG in the picture."""
    return base64.b64decode(re.search('svg[+]xml;base64,([^"]*)"', html)[1]).decode()


def opened(table, **options):
    return pqexplore.open(parquet(table, **options))


def test_it_shows_the_counts_the_sentence_the_bytes_and_the_columns(file):
    html = picture(file)
    for text in (
        "1,000 rows",
        "64 % of 8.62 kB is column",
        "data pages 1,455&nbsp;bytes",
        "<td>city",
    ):
        assert text in html
    assert "finding" not in html  # a healthy file
    sizes = re.findall(r"([\d,]+)&nbsp;bytes", html)
    assert sum(int(one.replace(",", "")) for one in sizes) == file.size


def test_it_names_the_rule_and_the_place_of_the_worst_finding(broken_file):
    list(broken_file.check())
    html = picture(broken_file)
    assert re.search("The worst, damage: <b>[a-z.-]+</b> at row_groups/0/columns/0", html)


@pytest.mark.parametrize("view", ["", *LENSES])
def test_it_has_no_value_of_the_file_whatever_was_on_the_screen(view):
    table = pa.table({"name": [SECRET, SECRET + "-2"], "n": [7_654_321, 9_876_543]})
    table = table.replace_schema_metadata({"note": SECRET})
    with opened(table, write_page_index=True) as file:
        for address in (
            "",
            "row_groups/0",
            "row_groups/0/columns/0",
            "row_groups/0/columns/1/pages/1",
        ):
            html = picture(file, address, view)
            for value in (SECRET, "7654321", "7,654,321", "9876543", "9,876,543"):
                assert value not in html + drawn(html), (address, value)


@pytest.mark.parametrize(
    "view, address", [("layout", ""), ("layout", "row_groups/1"), ("schema", "schema")]
)
def test_a_lens_of_names_and_sizes_is_shown_with_its_table(file, view, address):
    assert view in STRUCTURE
    shown = picture(file, address, view)
    assert f"<b>{LENSES[view].title}</b>: " in shown
    assert shown.count("<tr>") > 5 and shown.count("<tr>") <= 13
    assert f"<b>{LENSES['rows'].title}</b>" not in picture(file, "", "rows")


@pytest.mark.parametrize("columns, groups", [(1, 1), (1_500, 1), (20, 100)])
def test_it_has_at_most_20_kb_and_400_rectangles(columns, groups):
    name = "an <b>unreasonably</b> & long name " * 20
    table = pa.table({f"{name}{i}": range(groups) for i in range(columns)})
    with opened(table, row_group_size=1) as file:
        html = picture(file, "schema", "schema")
    assert len(html) <= 20_000
    svg = drawn(html)
    ElementTree.fromstring(svg)
    assert 1 <= len(re.findall("M[0-9]", svg)) <= RECTANGLES


def test_it_runs_nothing_and_text_of_the_file_stays_text(hostile_file):
    html = picture(hostile_file, "", "schema")
    assert "<script" not in html and "<style" not in html and HOSTILE not in html
    assert html.count("<img") == 1
    assert not re.search(r"\son\w+=", re.sub("&lt;.*?&gt;", "", html))


def test_letters_and_colours_are_those_of_the_byte_map():
    families = re.findall(r'letter: "(.)", colour: "(#\w+)"', KINDS.read_text("utf-8"))
    assert {(letter, colour) for letter, colour, _ in LOOKS.values()} <= set(families)
