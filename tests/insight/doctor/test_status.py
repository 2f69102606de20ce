"""docs/status.md: it has every row and a version of each reader, and our own column is what a run shows."""

import os
import re
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from needs import needs_pyarrow

import pqexplore
from pqexplore.engine.writer.options import WriteOptions

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))

import status  # noqa: E402
import status_measure  # noqa: E402
import status_rows  # noqa: E402
from status_measure import NOTHING, Cell  # noqa: E402

PAGE = (ROOT / "docs" / "status.md").read_text("utf-8")
SYMBOLS = {"✅", "(R)", "(W)", "❌", "⚠️", "⚠️ (W)", "·"}


def tables():
    """(heading, rows of cells) of each table of the page."""
    heading, rows = "", []
    for line in [*PAGE.split("\n"), ""]:
        if line.startswith("#"):
            heading = line.lstrip("# ")
        if line.startswith("|"):
            rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]])
        elif rows:
            yield heading, rows
            rows = []


def cells():
    """The page's symbols: (theme, title) → engine → symbol."""
    found = {}
    for heading, (names, _, *rows) in tables():
        if heading in status_rows.THEMES:
            engines = [name.strip("*") for name in names[1:]]
            for title, *symbols in rows:
                found[heading, title] = dict(zip(engines, symbols, strict=True))
    return found


def versions():
    """The engines and versions that the page names."""
    rows = next(rows for _, rows in tables() if "version" in rows[0])
    return {engine: version for engine, version, *_ in rows[2:]}


def test_the_page_has_every_row_and_column():
    found = cells()
    expected = [
        (theme, status.title(id, name)) for theme, rows in status_rows.THEMES.items() for id, name in rows.items()
    ]
    assert list(found) == expected
    for symbols in found.values():
        assert set(symbols) == {"pqexplore", *status_measure.ENGINES}
        assert set(symbols.values()) <= SYMBOLS
    published = [one["name"] for rows in status_rows.PUBLISHED["themes"].values() for one in rows]
    assert all(any(title.startswith(name) for _, title in found) for name in published)


def test_the_page_names_versions_and_differences():
    named = versions()
    assert set(named) == {"pqexplore", *status_measure.ENGINES}
    for engine, version in named.items():
        assert re.fullmatch(r"\d+(\.\d+)+", version), engine
    heads = re.findall(r"^### (\w+) (\S+) and `([\w-]+)`: \d+$", PAGE, re.MULTILINE)
    assert heads == [(one, named[one], column) for one, column in status.COLUMNS.items()]
    rows = [row for heading, rows in tables() if " and `" in heading for row in rows[2:]]
    assert all(published != measured.strip("*") for _, _, published, measured, _ in rows)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("status")


@pytest.mark.parametrize("theme, id", [(theme, id) for theme, rows in status_rows.THEMES.items() for id in rows])
def test_our_own_column(folder, theme, id):
    """We write each row's feature into the bytes, read the values back, and the page says so."""
    if id == "compression-lzo":
        pytest.importorskip("lzallright")
    cell = status_measure.own(status_rows.ROWS_BY_ID[id], folder)
    title = status.title(id, status_rows.THEMES[theme][id])
    assert status.symbol(cell) == cells()[theme, title]["pqexplore"] == "✅"


PLAINEST = {"physical-int64", "encoding-plain", "compression-uncompressed"}
"""The features that the plainest file has."""


def test_a_proof_fails_where_the_feature_is_missing(tmp_path):
    path = tmp_path / "plain.parquet"
    schema = pa.schema([pa.field("x", pa.int64(), nullable=False)])
    pqexplore.write(
        pa.table({"x": [1, 2]}, schema=schema),
        path,
        WriteOptions(
            encoding="PLAIN", codec="UNCOMPRESSED", statistics=(), column_index=False,
            offset_index=False, size_statistics=False, checksum=False,
        ),
    )  # fmt: skip
    with pqexplore.open(path) as file:
        rows = status_rows.ROWS_BY_ID.values()
        assert {row.id for row in rows if row.proof is not None and row.proof(file)} == PLAINEST


SYMBOLS_OF = [
    (Cell("yes", "yes"), "✅"),
    (Cell("yes", "no"), "(R)"),
    (Cell("no", "yes"), "(W)"),
    (Cell("no", "no"), "❌"),
    (Cell("wrong values", "no"), "⚠️"),
    (Cell("wrong values", "yes"), "⚠️ (W)"),
    (Cell(NOTHING, "no"), "❌"),
    (Cell("yes", NOTHING), "✅"),
    (Cell(), "·"),
]


@pytest.mark.parametrize("cell, symbol", SYMBOLS_OF)
def test_symbols(cell, symbol):
    assert status.symbol(cell) == symbol


def as_published():
    """Cells that say what the published table says, or nothing where it has no data."""
    found = {}
    for rows in status_rows.PUBLISHED["themes"].values():
        for one in rows:
            words = {
                engine: status.PUBLISHED_WORDS.get(one[column], (NOTHING, NOTHING))
                for engine, column in status.COLUMNS.items()
            }
            found[one["id"]] = {engine: Cell(*sides) for engine, sides in words.items()}
    return found


def test_differences_are_those_to_the_published_table():
    found = status_measure.Measured({}, {}, as_published())
    assert list(status.differences(found)) == []
    found.cells["encoding-alp"]["pyarrow"].reads = "yes"  # the published table has no data
    found.cells["compression-lzo"]["polars"].reads = "no"
    found.cells["encoding-rle"]["DuckDB"].reads = "wrong values"
    seen = [(name, engine, said, word) for name, engine, _, said, word, _ in status.differences(found)]
    assert seen == [("RLE", "DuckDB", "yes", "wrong values"), ("LZO", "polars", "yes", "no")]


fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="it forks")


@fork
@needs_pyarrow(26, "the page is about this version")
def test_a_run_of_one_engine():
    """pyarrow reads and writes INT64; it reads BIT_PACKED levels from the wrong end, and has no ALP."""
    ids = ["physical-int64", "encoding-bit-packed", "encoding-alp", "api-rowgroup-pruning-stats"]
    found = status_measure.measure(ids, ["pyarrow"])
    seen = {id: (found.cells[id]["pyarrow"].reads, found.cells[id]["pyarrow"].writes) for id in ids}
    assert seen == {
        "physical-int64": ("yes", "yes"),
        "encoding-bit-packed": ("wrong values", "no"),
        "encoding-alp": ("no", "no"),
        "api-rowgroup-pruning-stats": ("yes", NOTHING),
    }


@fork
@pytest.mark.full
def test_the_page_is_what_a_run_shows():
    """Every cell of the engines that are installed in the version that the page names."""
    named = versions()
    engines = [one for one in status_measure.ENGINES if status_measure.installed(one) == named[one]]
    found = status_measure.measure(engines=engines)
    page = cells()
    wrong = [
        (title, engine, symbol, page[theme, title][engine])
        for theme, rows in status_rows.THEMES.items()
        for id, name in rows.items()
        for title in [status.title(id, name)]
        for engine in engines
        if (symbol := status.symbol(found.cells[id][engine])) != page[theme, title][engine]
    ]
    assert engines and not wrong
