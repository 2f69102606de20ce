"""The picture of a file that a saved notebook keeps: HTML that needs no kernel, no script and no style sheet.

It shows what the file is, where its bytes are, what is wrong with it, and the lens on the screen as a drawing: names,
types, sizes and rules. It has no values of the file, so no statistics but the order of ranges, no rows, and no sentence
that quotes a value. Nothing in it took a key to read.

JupyterLab, when it does not trust a notebook, and forges take `<style>`, `<svg>` and most attributes out of HTML. What
they leave: tables, `<font color>`, and `<img>` with its data in `src`. So the byte map is an image; text has the
page's colour, and the image has none that depends on the page.
"""

from __future__ import annotations

import base64
import contextlib
import itertools
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow.compute as pc

from pqexplore.engine.arrays import numpy_numbers
from pqexplore.engine.errors import ParquetError
from pqexplore.engine.file.file import ParquetFile
from pqexplore.engine.file.footer import ENCRYPTED_MAGIC
from pqexplore.engine.text import clip, markup, plural
from pqexplore.engine.tree.node import Node
from pqexplore.insight import account
from pqexplore.insight.account import KINDS
from pqexplore.insight.answer import Answer, Table
from pqexplore.insight.ask.question import Question
from pqexplore.insight.cells import cells
from pqexplore.insight.file_html import columns_html, heading
from pqexplore.insight.findings_at import flagged
from pqexplore.insight.html_table import html_table
from pqexplore.insight.lenses import LENSES, Lens, applying
from pqexplore.insight.lenses.overview import structure
from pqexplore.widget.drawing import drawing
from pqexplore.widget.lens import ASKS_BEYOND

FIELDS = frozenset({"field", "struct", "list"})
"""Kinds of parts whose label is `name = value`."""

NAMELESS = frozenset({"key value", "value", "level", "run"})
"""Kinds of parts whose label is a value or a key."""


def sentence_of(made: Answer, lens: str) -> str:
    """The sentence of the answer; "" if it may have values."""
    return made.sentence if LENSES[lens].value_free_sentence else ""


def table_of(made: Answer, lens: str) -> Table | None:
    """The table of the answer without its values; None if nothing is left."""
    if made.table is None or not LENSES[lens].value_free:
        return None
    names = [column.name for column in made.table.columns]
    places = [names.index(name) for name in LENSES[lens].value_free if name in names]
    columns = [made.table.columns[at] for at in places]
    table = Table(columns, made.table.caption, made.table.total)
    parts = {"part", "kind"} <= {column.name for column in columns}
    for row in made.table.rows:
        kept = [row[at] for at in places]
        if parts:
            kept[0] = _label(str(kept[0]), str(kept[1]))
        table.add(*kept)
    return table if columns else None


def _label(label: str, kind: str) -> str:
    if kind in FIELDS:
        return label.partition(" = ")[0] if " = " in label else kind
    return kind if kind in NAMELESS else label


SECONDS = 0.5
"""Time for the overview of the file; without it, only what the footer says is shown."""

ROWS = 12
"""Max rows of the table."""

CELL = 60
"""Max characters of a cell."""

SENTENCE = 600
"""Max characters of a sentence."""

LONGEST = 20_000
"""Max characters of the picture; the lens is not drawn if it would be longer."""

CLOSING = "<p>Run the cell to explore the file.</p>"

KEEPS_NOTHING = "This lens shows values of the file, and a saved notebook keeps none."

WIDTH, LINE, LINES = 960, 26, 4
"""The byte map: width and height of a line in pixels, and how many lines."""

RECTANGLES = 400
"""Max rectangles of the byte map; it is drawn coarser to stay below."""

WHITE, BLACK = "#fff", "#000"

LOOKS = {
    "data pages": ("P", "#0072B2", WHITE),
    "pages": ("P", "#0072B2", WHITE),
    "pages of unknown kinds": ("P", "#0072B2", WHITE),
    "dictionary": ("D", "#E69F00", BLACK),
    "page headers": ("H", "#56B4E9", BLACK),
    "column index": ("C", "#009E73", BLACK),
    "offset index": ("O", "#009E73", BLACK),
    "index pages": ("O", "#009E73", BLACK),
    "Bloom filter": ("B", "#CC79A7", BLACK),
    "footer": ("F", "#F0E442", BLACK),
    "magics and footer length": ("M", "#6E6E6E", WHITE),
    "bytes that nobody owns": ("G", "#A9A9A9", BLACK),
    "pages and indexes, not known without a key": ("?", "#8FA3B8", BLACK),
    "unreadable": ("X", "#D55E00", BLACK),
}
"""Letter, colour and ink of each kind of bytes, as in the byte map (js/src/kinds.ts). Other kinds look like a gap."""

NAMES = list(LOOKS)
OTHER = NAMES.index("bytes that nobody owns")


def picture(file: ParquetFile, address: str = "", view: str = "", question: Question | None = None) -> str:
    """HTML of at most 20 kB about a file, and about what the lens `view` at `address` shows beside values."""
    file = file.without_keys()
    if file.footer.magic == ENCRYPTED_MAGIC:
        about = f"<p><b>{markup(file.name)}</b>: {file.size:,} bytes, encrypted footer</p>"
        return f"{about}{_map(file, 'chunks')}{CLOSING}"
    parts = []
    with contextlib.suppress(ParquetError, LookupError):
        parts.append(heading(file))
        walked = _looked_at(file)
        if walked is not None:
            said = structure(file) if flagged(file, file.root) else walked.sentence
            parts.append(f"<p>{markup(clip(said, SENTENCE))}</p>")
        parts.append(_wrong(file))
        parts.append(_map(file, "chunks" if walked is None else account.level(file)))
        room = LONGEST - sum(map(len, (*parts, CLOSING)))
        parts.append(_shown(file, address, view, question, room, slow=walked is None))
    return "".join(parts) + CLOSING


def _looked_at(file: ParquetFile) -> Answer | None:
    """The overview, which the explorer asks for next; None if it takes too long."""
    with contextlib.suppress(ParquetError):
        return _quick(file, file.root, LENSES["overview"], None)
    return None


def _wrong(file: ParquetFile) -> str:
    """How many findings there are, and the rule and the place of the worst. Its sentence may quote values."""
    found = flagged(file, file.root)
    if not found:
        return ""
    worst = found[0]
    where = f" at {worst.address}" if worst.address else ""
    return (
        f"<p>{plural(len(found), 'finding')}. The worst, {worst.severity.value}: "
        f"<b>{markup(worst.rule)}</b>{markup(where)}.</p>"
    )


def _shown(
    file: ParquetFile, address: str, view: str, question: Question | None, room: int, *, slow: bool = False
) -> str:
    """The lens on the screen without the values that it shows, in at most `room` characters: its sentence, its drawing
    and its first rows. A lens that has only values says so, and the columns of the file follow. `slow`: the overview
    takes too long, and is not begun again.
    """
    columns = columns_html(file, ROWS)
    try:
        node = file.node(address)
        lenses = applying(node)
        lens = next((one for one in lenses if one.name == view), lenses[0])
        made = None if slow and lens.name == "overview" else _quick(file, node, lens, question)
    except (ParquetError, LookupError):
        return columns
    if made is None:
        return columns
    made.table = made.table if lens.name == "overview" else table_of(made, lens.name)
    drawn = drawing(made, lens.name)
    said = clip(sentence_of(made, lens.name), SENTENCE)
    if not said and drawn is not None:
        said = drawn.title
    elif not (said or made.table):
        said = KEEPS_NOTHING
    place = f" at {markup(clip(address, CELL))}" if address else ""
    title = f"<p><b>{markup(lens.title)}</b>{place}: {markup(said)}</p>"
    listed = made.table is not None and lens.name != "overview" and len(made.table.rows)
    below = html_table(*cells(made.table, ROWS), CELL) if listed and made.table else columns
    image = "" if drawn is None else _image(drawn.svg, drawn.title)
    for fits in (title + image + below, title + below, title + columns):
        if len(fits) <= room:
            return fits
    return title


def _quick(file: ParquetFile, node: Node, lens: Lens, question: Question | None) -> Answer | None:
    """The answer of a lens, which the explorer asks for next; None if it takes too long.

    It has no findings in its sentence, because they quote values.
    """
    if lens.cost is not None and lens.cost(file, node) > ASKS_BEYOND:
        return None
    if lens.seconds is not None and lens.seconds(file, node):
        return None
    end = time.monotonic() + SECONDS
    if lens.asked is not None and question is not None:
        steps = lens.asked(file, node, question)
    else:
        steps = lens.answer(file, node)
    if isinstance(steps, Answer):
        return steps
    while time.monotonic() < end:
        try:
            next(steps)
        except StopIteration as stop:
            made: Answer = stop.value
            return made
    return None


def _image(svg: str, alt: str) -> str:
    """A drawing as an image that needs nothing but its `src`."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<p><img src="data:image/svg+xml;base64,{data}" width="{WIDTH}" alt="{markup(alt)}"></p>'


def _map(file: ParquetFile, level: str) -> str:
    """The byte map as an image, and the bytes of each kind as its legend."""
    table = file.layout(level)
    kinds = table["kind"].combine_chunks().dictionary_encode()
    of_kind = [_look(kind) for kind in kinds.dictionary.to_pylist()]
    kind = np.array(of_kind, np.int64)[numpy_numbers(kinds.indices)]
    starts, ends = (numpy_numbers(table[name].combine_chunks()) for name in ("start", "end"))
    if not len(starts):
        return ""
    sizes = np.bincount(kind, ends - starts, len(NAMES)).astype(np.int64)
    columns = pc.starts_with(table["address"].combine_chunks(), "row_groups/")
    owned = numpy_numbers(columns)
    svg = _svg(kind, np.append(starts, file.size), owned)
    alt = f"The bytes of the file by kind, from the first to the last, in {LINES} lines"
    legend = " &nbsp; ".join(
        f'<font color="{LOOKS[NAMES[at]][1]}">■</font> {LOOKS[NAMES[at]][0]}&nbsp;{NAMES[at]} '
        f"{sizes[at]:,}&nbsp;bytes, {sizes[at] / file.size:.1%}"
        for at in np.argsort(-sizes, kind="stable").tolist()
        if sizes[at]
    )
    return f"{_image(svg, alt)}<p>{legend}</p>"


def _look(kind: str) -> int:
    """The position in `NAMES` of a kind of tile."""
    name = KINDS.get(kind, "pages")
    return NAMES.index(name) if name in LOOKS else OTHER


Numbers = np.ndarray[Any, Any]


def _svg(kind: Numbers, edges: Numbers, owned: Numbers) -> str:
    """Tiles as an SVG of `LINES` lines; tile i is of `kind[i]` and goes from `edges[i]` to `edges[i + 1]`."""
    cells = WIDTH * LINES
    runs = _runs(kind, edges, owned, cells)
    while len(runs) > RECTANGLES - LINES:
        cells //= 2
        runs = _runs(kind, edges, owned, cells)
    paths: dict[tuple[int, int], list[str]] = {}
    letters: list[str] = []
    wide = WIDTH * LINES // cells
    for family, shade, first, last in runs:
        for x, y, width in _pieces(first * wide, last * wide):
            paths.setdefault((family, shade), []).append(f"M{x} {y}h{width}v{LINE - 2}h-{width}z")
            if width >= 14 and len(letters) < RECTANGLES // 4:
                letter, _, ink = LOOKS[NAMES[family]]
                letters.append(f'<text x="{x + 4}" y="{y + 17}" fill="{ink}">{letter}</text>')
    drawn = "".join(
        f'<path fill="{_shaded(LOOKS[NAMES[family]][1]) if shade else LOOKS[NAMES[family]][1]}" d="{"".join(parts)}"/>'
        for (family, shade), parts in paths.items()
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {LINE * LINES}" '
        f'font-family="sans-serif" font-size="12">{drawn}{"".join(letters)}</svg>'
    )


def _shaded(colour: str) -> str:
    """A lighter shade of a colour. Nothing of the page shines through, so that it is the same in the dark."""
    return "#" + "".join(f"{round(0.82 * int(colour[at : at + 2], 16) + 0.18 * 255):02x}" for at in (1, 3, 5))


def _runs(kind: Numbers, edges: Numbers, owned: Numbers, cells: int) -> Sequence[tuple[int, int, int, int]]:
    """Runs of cells of one look: the kind that most of a cell's bytes have, its shade, first and last cell (exclusive).

    Tiles that are wide enough alternate between two shades.
    """
    at = np.linspace(edges[0], edges[-1], cells + 1)
    sums = []
    for family in range(len(NAMES)):
        lengths = np.where(kind == family, np.diff(edges), 0)
        sums.append(np.diff(np.interp(at, edges, np.append(0, np.cumsum(lengths)))))
    family = np.argmax(np.array(sums), axis=0)
    tile = np.clip(np.searchsorted(edges, (at[:-1] + at[1:]) / 2, "right") - 1, 0, len(kind) - 1)
    wide = np.diff(edges)[tile] >= 3 * (at[1] - at[0])
    shade = np.where(wide & owned[tile], tile % 2, 0)
    look = family * 2 + shade
    breaks = np.flatnonzero(np.diff(look)) + 1
    bounds = [0, *breaks.tolist(), cells]
    return [(int(look[a]) // 2, int(look[a]) % 2, a, b) for a, b in itertools.pairwise(bounds)]


def _pieces(first: int, last: int) -> list[tuple[int, int, int]]:
    """The parts of a run of pixels in each line: x, y and width."""
    found = []
    while first < last:
        line, x = divmod(first, WIDTH)
        width = min(last - first, WIDTH - x)
        found.append((x, line * LINE, width))
        first += width
    return found
