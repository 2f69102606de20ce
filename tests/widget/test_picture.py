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
from pqexplore.insight.lenses.overview_bytes import KINDS
from pqexplore.widget import picture as module
from pqexplore.widget.drawing import RANGES
from pqexplore.widget.picture import LOOKS, NAMES, RECTANGLES, STRUCTURE, picture

SECRET = "only-in-the-values"
KINDS_TS = Path(__file__).parents[2] / "js/src/kinds.ts"


def drawn(html):
    """The SVGs in the picture: the byte map, and the lens if it is drawn."""
    return [base64.b64decode(one).decode() for one in re.findall('svg[+]xml;base64,([^"]*)"', html)]


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
            "row_groups/0/columns/1/column_index",
            "row_groups",
            "schema/1",
            "footer",
            "key_value_metadata",
        ):
            html = picture(file, address, view)
            for value in (SECRET, "7654321", "7,654,321", "9876543", "9,876,543"):
                assert value not in html + str(drawn(html)), (address, value)


@pytest.mark.parametrize(
    "view, address", [("layout", ""), ("layout", "row_groups/1"), ("schema", "schema")]
)
def test_a_lens_of_names_and_sizes_is_shown_with_its_table(file, view, address):
    assert view in STRUCTURE
    shown = picture(file, address, view)
    place = f" at {address}" if address else ""
    assert f"<b>{LENSES[view].title}</b>{place}: " in shown
    assert shown.count("<tr>") > 5 and shown.count("<tr>") <= 13
    assert f"<b>{LENSES['rows'].title}</b>" not in picture(file, "", "rows")


CHUNK = "row_groups/0/columns/1"
DRAWN = [
    # where, the lens, what is drawn, the first label, its number
    ("", "", "bytes of each column", "id", "kB"),
    ("", "layout", "", "magic", "4 B"),
    ("row_groups", "", "bytes of each part", "row group 0", "kB"),
    ("row_groups/1", "", "bytes of each column chunk", "id", "B"),
    (CHUNK, "", "bytes in each row group", "row group 0", "B"),
    (CHUNK, "compare", "bytes in each row group", "row group 0", "B"),
    (CHUNK, "page_index", "bytes of each page", "page 0", "B"),
    (CHUNK, "dictionary", "values that each entry of the dictionary stands for", "entry 0", ""),
    (CHUNK, "statistics", RANGES, "row group 0", ""),
]


@pytest.mark.parametrize("address, view, title, label, text", DRAWN)
def test_a_lens_is_drawn_with_the_numbers_of_its_table(file, address, view, title, label, text):
    html = picture(file, address, view)
    _, svg = drawn(html)
    assert title in html
    found = ["".join(one.itertext()) for one in ElementTree.fromstring(svg).iterfind("{*}text")]
    assert found[0] == label and found[1].endswith(text)


@pytest.mark.parametrize("view", ["rows", "query", "facts"])
def test_a_lens_of_values_is_not_drawn(file, view):
    assert len(drawn(picture(file, "", view))) == 1


def ranges_of(*groups):
    """The drawing of the ranges of a column with these row groups."""
    table = pa.table({"n": [value for group in groups for value in group]})
    with opened(table, row_group_size=len(groups[0])) as file:
        return drawn(picture(file, "schema/1", "statistics"))[1]


def test_ranges_show_what_overlaps_and_not_the_values():
    apart = ranges_of([1, 2], [3, 4])
    assert ranges_of([-5, 200], [3_000, 123_456]) == apart
    assert ranges_of([1, 3], [2, 4]) != apart


def test_a_picture_that_would_be_too_long_has_no_drawing(file, monkeypatch):
    whole = picture(file)
    monkeypatch.setattr(module, "LONGEST", len(whole) - 1)
    assert len(drawn(picture(file))) == 1 and len(drawn(whole)) == 2


@pytest.mark.parametrize("columns, groups", [(1, 1), (1_500, 1), (20, 100)])
def test_it_has_at_most_20_kb_and_400_rectangles(columns, groups):
    name = "an <b>unreasonably</b> & long name " * 20
    table = pa.table({f"{name}{i}": range(groups) for i in range(columns)})
    with opened(table, row_group_size=1) as file:
        html = max((picture(file, "schema", "schema"), picture(file, "", "")), key=len)
    assert len(html) <= 20_000
    svg, *_ = drawn(html)
    ElementTree.fromstring(svg)
    assert 1 <= len(re.findall("M[0-9]", svg)) <= RECTANGLES


def test_it_runs_nothing_and_text_of_the_file_stays_text(hostile_file):
    html = picture(hostile_file, "schema", "schema") + picture(hostile_file, "", "")
    assert "<script" not in html and "<style" not in html and HOSTILE not in html
    assert html.count("<img") == 3  # the schema has no drawing
    for svg in drawn(html):
        ElementTree.fromstring(svg)
    assert not re.search(r"\son\w+=", re.sub("&lt;.*?&gt;", "", html))


def test_each_kind_has_the_letter_and_the_colour_of_the_byte_map():
    script = KINDS_TS.read_text("utf-8")
    families = re.findall(r'letter: "(.)", colour: "(#\w+)"', script)
    constants = re.findall(r"export const (\w+) = (\d+);", script)
    listed = re.search(r"const FAMILY_OF[^{]*{(.*?)}", script, re.DOTALL)[1]
    places = dict(re.findall(r"(\w+): (\w+),", listed))
    for kind in KINDS:
        place = places.get(kind, "0")  # a kind of page that it does not know looks like data
        number = int(dict(constants).get(place, place))
        assert LOOKS[NAMES[module._look(kind)]][:2] == families[number], kind
