"""The picture that a saved notebook keeps of a file: what it shows, what it never holds, and how long it may be."""

import base64
import io
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pyarrow as pa
import pytest
from browser.lens_places import LENS_PLACES, write_second
from made import parquet
from widget.samples import HOSTILE

import pqexplore
from pqexplore.engine.text import clip, markup
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.account import KINDS
from pqexplore.insight.ask.question import Question
from pqexplore.insight.diff.second_file import compared_with
from pqexplore.insight.lenses import LENSES, answer_of, applying, finish
from pqexplore.widget import export
from pqexplore.widget import picture as module
from pqexplore.widget.drawing import RANGES
from pqexplore.widget.picture import KEEPS_NOTHING, LOOKS, NAMES, RECTANGLES, picture

SECRET, KEY = "only-in-the-values", "key-of-a-pair"
KINDS_TS = Path(__file__).parents[2] / "js/src/kinds.ts"


def drawn(html):
    """The SVGs in the picture: the byte map, and the lens if it is drawn."""
    return [base64.b64decode(one).decode() for one in re.findall('svg[+]xml;base64,([^"]*)"', html)]


def opened(table, **options):
    return pqexplore.open(parquet(table, **options))


def test_it_shows_the_counts_the_sentence_the_bytes_and_the_columns(file):
    html = picture(file)
    for text in ("1,000 rows", "64 % of 8.62 kB is column", "data pages 1,455&nbsp;bytes", "<td>city"):
        assert text in html
    assert "finding" not in html  # a healthy file
    sizes = re.findall(r"([\d,]+)&nbsp;bytes", html)
    assert sum(int(one.replace(",", "")) for one in sizes) == file.size


def test_it_names_the_rule_and_the_place_of_the_worst_finding(broken_file):
    list(broken_file.check())
    html = picture(broken_file)
    assert re.search("The worst, damage: <b>[a-z.-]+</b> at row_groups/0/columns/0", html)


ENCODINGS = ["", "PLAIN", "RLE_DICTIONARY", "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_it_has_no_value_of_the_file_whatever_was_on_the_screen(encoding):
    """Each node through each lens. The layout of a column index once had its minimum and maximum."""
    table = pa.table({"name": [SECRET, SECRET + "-2"], "n": [7_654_321, 9_876_543]})
    table = table.replace_schema_metadata({KEY: SECRET})
    data = parquet(table, write_page_index=True)
    if encoding:
        options = pqexplore.WriteOptions(columns={"n": {"encoding": encoding}})
        sink = io.BytesIO()
        pqexplore.write(table, sink, options)
        data = sink.getvalue()
    with pqexplore.open(data) as file:
        shown = [picture(file)]
        for node in [file.root, *export.listed(file)]:
            for lens in applying(node):
                shown.append(module._shown(file, node.address, lens.name, None, 20_000))
        shown.append(picture(file, "", "query", Question("n > 5")))
    assert len(shown) > 300
    text = "".join(html + str(drawn(html)) for html in shown)
    assert "value" in text
    for value in (SECRET, KEY, "7654321", "7,654,321", "9876543", "9,876,543"):
        assert value not in text, [html for html in shown if value in html + str(drawn(html))][0]


HAS = {
    # lens: whether the picture has its sentence, its table and a drawing
    "overview": "drawing",
    "column": "table, drawing",
    "row_group": "sentence, table, drawing",
    "contents": "table, drawing",
    "rows": "",
    "query": "table, drawing",
    "what_if": "sentence, table, drawing",
    "layout": "sentence, table, drawing",
    "schema": "sentence, table",
    "thrift": "table, drawing",
    "statistics": "table, drawing",
    "page_index": "table, drawing",
    "page": "sentence",
    "value": "",
    "encoding": "sentence, table, drawing",
    "dictionary": "table, drawing",
    "nesting": "sentence, table, drawing",
    "bloom": "sentence, table, drawing",
    "variant": "table, drawing",
    "geospatial": "",
    "encryption": "table, drawing",
    "compare": "table, drawing",
    "diff": "table, drawing",
    "facts": "",
}


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """Sample files by name."""
    folder = tmp_path_factory.mktemp("samples")
    paths = {name: folder / f"{name}.parquet" for name in {one for one, _ in LENS_PLACES.values()}}
    for name, path in paths.items():
        write_sample(name, path)
    paths["later"] = write_second(paths["events"], folder / "later.parquet")
    return paths


@pytest.mark.parametrize("lens", HAS)
def test_what_the_picture_of_each_lens_has(samples, lens, monkeypatch):
    sample, address = LENS_PLACES[lens]
    where = Question("id < 1005000") if lens == "query" else None
    with (
        pqexplore.open(samples[sample]) as file,
        pqexplore.open(samples["later"]) as later,
        compared_with(later if lens == "diff" else None),
    ):
        node = file.node(address)
        if lens == "what_if":  # which is only shown where somebody has waited for it
            finish(answer_of(file, node, LENSES[lens]))
        monkeypatch.setattr(module, "SECONDS", 60)
        html = module._shown(file, address, lens, where, 20_000)
        sentence = finish(answer_of(file, node, LENSES[lens], where)).sentence
    said = html.partition("</p>")[0]
    titles = re.findall("<th>(.*?)</th>", html)
    has = {
        "sentence": markup(clip(sentence, 600))[:60] in said and bool(sentence),
        "table": titles != ["column", "type", "codec", "bytes", "ratio"],
        "drawing": bool(drawn(html)),
    }
    assert ", ".join(name for name, there in has.items() if there) == HAS[lens]
    assert (KEEPS_NOTHING in said) == (not HAS[lens])


def test_every_lens_has_a_line():
    assert set(HAS) == set(LENSES)


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
def test_a_lens_without_numbers_is_not_drawn(file, view):
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
    assert "opacity" not in svg  # a page in the dark would shine through
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
    names = KINDS_TS.with_name("accents.ts").read_text("utf-8")
    colours = dict(re.findall(r'(\w+): "(#\w+)"', names))
    classes = re.findall(r'"(#\w+)"', names.split("CLASSES")[1].split("]")[0])
    families = [
        (letter, colours[name] if name else classes[int(at)])
        for letter, name, at in re.findall(r'letter: "(.)", colour: (?:ACCENTS\.(\w+)|CLASSES\[(\d)\])', script)
    ]
    constants = re.findall(r"export const (\w+) = (\d+);", script)
    listed = re.search(r"const FAMILY_OF[^{]*{(.*?)}", script, re.DOTALL)[1]
    places = dict(re.findall(r"(\w+): (\w+),", listed))
    for kind in KINDS:
        place = places.get(kind, "0")  # a kind of page that it does not know looks like data
        number = int(dict(constants).get(place, place))
        assert LOOKS[NAMES[module._look(kind)]][:2] == families[number], kind
