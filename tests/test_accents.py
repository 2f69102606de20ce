"""One colour, one meaning: base.css names the colours, and canvases, plotly's figures and the static picture have the same."""

import pathlib
import re

import pytest

from pqexplore.insight.figures import lens_charts, style

SOURCE = pathlib.Path(__file__).parents[1] / "js" / "src"
BASE = (SOURCE / "base.css").read_text("utf-8")
CSS = {name: colour.lower() for name, colour in re.findall(r"--pqx-([\w-]+): (#[0-9a-f]{6});", BASE)}
"""The colours of base.css by name."""

SCRIPT = (SOURCE / "accents.ts").read_text("utf-8")
CLASSES = [colour.lower() for colour in re.findall(r'"(#\w{6})"', SCRIPT.split("CLASSES")[1].split("]")[0])]
ACCENTS = {name: colour.lower() for name, colour in re.findall(r'^  (\w+): "(#\w{6})",$', SCRIPT, re.M)}

COLOUR = re.compile(r"(?<![\w.])#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![\w(])|(?:rgb|hsl)a?\(\s*\d[^)]*\)", re.I)
NAMING = {"base.css", "accents.ts"}
SCALES = {"paint.ts": "viridis, eight steps from dark to light"}
"""Files with a scale of their own, whose steps are no accents."""


def is_grey(colour):
    """Whether a raw colour is black, white or a grey, with or without transparency: shadows, patterns, text on a fill."""
    if colour.startswith("#"):
        digits = colour[1:]
        one = digits[:3] if len(digits) < 5 else [digits[:2], digits[2:4], digits[4:6]]
    else:
        one = re.findall(r"\d+", colour)[:3]
    return len(set(one)) == 1


def raw_colours(text):
    code = re.sub(r"/\*.*?\*/|(?<!:)//[^\n]*", "", text, flags=re.S)
    return [one for one in COLOUR.findall(code) if not is_grey(one)]


def test_no_file_but_those_that_name_them_has_colours():
    files = [
        path
        for path in sorted(SOURCE.rglob("*"))
        if path.suffix in (".css", ".ts") and ".test." not in path.name and path.name not in NAMING | set(SCALES)
    ]
    assert len(files) > 150
    found = {str(path.relative_to(SOURCE)): raw_colours(path.read_text("utf-8")) for path in files}
    assert {name: raw for name, raw in found.items() if raw} == {}


@pytest.mark.parametrize("text, raw", [
    ("color: #0072b2", ["#0072b2"]),
    ("color: #0005; background: rgb(0 0 0 / 22%)", []),
    ("pen.fillStyle = `rgba(${r}, ${g}, ${b}, 1)`", []),
    ("fill: rgba(0, 114, 178, .5)", ["rgba(0, 114, 178, .5)"]),
    ("#fff #777 #f00", ["#f00"]),
    ("#add(found: Found) { this.#add() }", []),
])  # fmt: skip
def test_a_raw_colour_is_found_and_a_grey_is_none(text, raw):
    assert raw_colours(text) == raw


def test_each_name_has_a_meaning_and_each_colour_of_a_meaning_one_name():
    said = BASE.split("*/")[0]
    meanings = {name: colour for name, colour in CSS.items() if not name.startswith("class-")}
    assert len(meanings) == len(set(meanings.values())) == len(ACCENTS)
    assert [name for name in meanings if not re.search(rf"\b{name}\b", said)] == []


def test_canvases_have_the_colours_of_the_style_sheet():
    assert {name: CSS[name] for name in ACCENTS} == ACCENTS
    assert [CSS[f"class-{i}"] for i in range(1, 8)] == CLASSES


def test_figures_have_the_colours_of_the_explorer():
    okabe_ito = (style.BLUE, style.ORANGE, style.GREEN, style.PINK, style.SKY, style.YELLOW, style.RED)
    assert [one.lower() for one in okabe_ito] == CLASSES
    for look in style.STYLES.values():
        assert (look.accent.lower(), look.odd.lower()) == (CSS["amount"], CSS["wrong"])
    shares = {
        name: int(share) / 100
        for name, share in re.findall(
            r"--pqx-(muted|line): color-mix\(in srgb, var\(--pqx-ink\) (\d+)%, var\(--pqx-background\)\)", BASE
        )
    }
    assert shares == {"muted": style.MUTED, "line": style.THIN}
    icicle = (SOURCE / "lenses" / "icicle.ts").read_text("utf-8")
    assert f"mix(theme.background, theme.ink, {style.GROUP})" in icicle


def contrast(one, other):
    def luminance(colour):
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    a, b = sorted((luminance(one), luminance(other)))
    return (b + 0.05) / (a + 0.05)


@pytest.mark.parametrize("theme", style.STYLES)
def test_the_texts_and_marks_of_figures_are_seen(theme):
    look = style.STYLES[theme]
    assert contrast(look.ink, look.paper) > 12
    assert contrast(look.muted, look.paper) > 4.5
    assert contrast(look.accent, look.paper) > 3


def test_kinds_of_bytes_have_one_colour_everywhere():
    """On the map and in plotly's overview; tests/widget/test_picture.py compares the picture of a page without a kernel."""
    kinds = (SOURCE / "kinds.ts").read_text("utf-8")
    named = re.findall(r'\{ name: "([^"]+)", letter: "(.)", colour: (\w+)(?:\.(\w+)|\[(\d)\])', kinds)
    colours = {letter: ACCENTS[name] if name else CLASSES[int(at)] for _, letter, _, name, at in named}
    assert len(colours) == 12
    letters = {
        "data_page": "P", "column_chunk": "P", "dictionary_page": "D", "page_header": "H", "column_index": "C",
        "offset_index": "O", "bloom_filter": "B", "footer": "F", "magic": "M", "gap": "G", "unreadable": "X",
        "unknown_parts": "?",
    }  # fmt: skip
    assert {kind: lens_charts.COLOURS[kind].lower() for kind in letters} == {
        kind: colours[letter] for kind, letter in letters.items()
    }
