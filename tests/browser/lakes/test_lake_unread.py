"""Lakes with files that cannot be read, and long lists: what one sees is true, and what one asks for is seen."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.harness import settle
from browser.lakes.panels import panel
from browser.test_stage import WITHOUT_CUE, seen
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.options import Encryption
from pqexplore.lake import scan

SCREEN = (1280, 780)


@pytest.fixture(scope="module")
def locked(tmp_path_factory):
    """Two files with an encrypted footer."""
    root = tmp_path_factory.mktemp("locked")
    for n in range(2):
        options = pqexplore.WriteOptions(encryption=Encryption(b"k" * 16))
        pqexplore.write(pa.table({"id": range(n, n + 9)}), root / f"part-{n}.parquet", options)
    return scan(None, str(root), out=tmp_path_factory.mktemp("locked-tables"), processes=0)


@pytest.fixture(scope="module")
def wide(tmp_path_factory):
    """Three files with thirty columns; each column is of another type in the last file."""
    root = tmp_path_factory.mktemp("wide")
    for n in range(3):
        made = {f"c{i:02}": np.arange(n, n + 9, dtype="i4" if n > 1 else "i8") for i in range(30)}
        pq.write_table(pa.table(made), root / f"part-{n}.parquet")
    return scan(None, str(root), out=tmp_path_factory.mktemp("wide-tables"), processes=0)


def test_a_lake_that_needs_a_key_is_not_called_sound(look, locked):
    view = look(locked, size=SCREEN)
    page = view.page
    expect(page.locator(".pqx-headline")).to_contain_text("Not one of 2 files can be read without a key")
    expect(page.locator(".pqx-diagnosis h4")).to_have_text("No file can be read without a key")
    # the note is all that is known, so it is open
    expect(page.locator('.pqx-card[data-rule="file-needs-key"]')).to_be_visible()
    panel(view, "fleet", "Files")
    expect(page.locator(".pqx-answer")).to_contain_text("not one of them could be read")
    expect(page.locator(".pqx-picture")).to_contain_text("✗: files whose rows are not known")
    page.get_by_label("status").select_option("vanished")
    expect(page.locator(".pqx-empty")).to_have_text("No file passes the filters.")
    expect(page.locator(".pqx-fleet")).to_have_count(0)


def test_the_ranges_that_are_asked_for_are_seen(look, wide):
    view = look(wide, "overlap", size=SCREEN)
    page = view.page
    bars = page.locator(".pqx-bars li")
    expect(bars).to_have_count(30)
    assert sum(bar.is_visible() for bar in bars.all()) == 10
    more = page.get_by_role("button", name="show 20 more")
    more.press("Enter")
    expect(page.get_by_role("button", name="show the first 10 only")).to_be_focused()
    page.locator(".pqx-bars button").last.press("Enter")
    name = page.locator(".pqx-bars .pqx-bar-name").last.get_attribute("title").split()[0]
    expect(page.locator(".pqx-ranges h4")).to_have_text(f"Ranges of {name}, a line for each file")
    settle(page)
    assert seen(page, ".pqx-ranges-stage")


def test_a_long_matrix_scrolls_with_its_panel(look, wide):
    page = look(wide, "drift", size=(400, 800)).page
    expect(page.locator(".pqx-matrix tbody tr")).to_have_count(30)
    settle(page)
    tall = page.locator(".pqx-matrix").evaluate("(e) => [e.scrollHeight, e.clientHeight]")
    assert tall[0] == tall[1]
    assert page.evaluate(WITHOUT_CUE) == []


def test_a_metadatastore_begins_with_what_is_wrong_and_names_objects_by_their_end(look, store):
    page = look(store, size=(400, 800)).page
    headline = page.locator(".pqx-headline")
    expect(headline).to_have_text(re.compile(r"xskipper loses rows of some queries, by 1 of 2"))
    expect(headline.get_by_role("img")).to_have_attribute("aria-label", "wrong answer possible")
    names = page.get_by_role("grid").locator("[role=row] .pqx-goes")
    assert re.fullmatch(r"part-0\.parquet#\d+", names.first.text_content())
    # back, forward and the palette are here, too
    page.get_by_role("tab", name="What a query skips").click()
    page.locator('.pqx-lake[data-shown="skipping"]').wait_for()
    page.keyboard.press("Alt+ArrowLeft")
    page.locator('.pqx-lake[data-shown="objects"]').wait_for()
    page.keyboard.press("Control+k")
    page.get_by_role("combobox").fill("part-3")
    found = page.get_by_role("listbox", name="Found").get_by_role("option")
    expect(found).to_have_count(1)
    expect(found.locator(".pqx-found-name")).to_have_text("part-3.parquet")
