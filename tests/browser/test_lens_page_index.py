"""The page index lens, on ten pages that are known."""

import re

import numpy as np
import pyarrow as pa
import pytest
from browser.boards import answer, hot, marks, says, selected, stage
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.samples import write_sample

CHUNK = "row_groups/0/columns/3"


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("index") / "f"
    write_sample("page-index", str(path))
    return path.read_bytes()


def test_pages_are_read_from_the_picture(show, sample):
    view = show(sample, at=CHUNK, view="page_index")
    assert "reads 1 of 10 pages on average, because they are ascending" in answer(view)
    assert marks(view) == 10
    says(view, "Home", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight")
    expect(stage(view)).to_have_attribute("aria-valuetext", "page 4, 400 … 499, rows 400 to 499, 451 bytes at 14,922")
    assert says(view, "ArrowLeft") == ("page 3, nulls only, rows 300 to 399, 36 bytes at 14,886, 100 nulls")


def test_a_page_is_chosen_by_its_rows_and_by_its_bytes(show, sample):
    view = show(sample, at=CHUNK, view="page_index")
    box = stage(view).bounding_box()
    axis = box["width"] - 104 - 10
    rows, data = 8 + 130 + 10 + 9, 8 + 130 + 10 + 18 + 34 + 9
    # half of the rows are before page 5; half of the bytes are in it, because page 3 is small
    stage(view).hover(position={"x": 104 + 0.52 * axis, "y": rows})
    expect(stage(view)).to_have_attribute("aria-valuenow", "5")
    stage(view).hover(position={"x": 104 + 0.47 * axis, "y": data})
    expect(stage(view)).to_have_attribute("aria-valuenow", "5")
    with pqexplore.open(sample) as file:
        span = file.row_groups[0].columns[3].pages[5].span
        assert bytes.fromhex(hot(view))[:16] == file.bytes(span)[:16]
    stage(view).click(position={"x": 104 + 0.52 * axis, "y": rows})
    selected(view, f"{CHUNK}/pages/5")


def test_without_an_index_it_says_who_writes_one(show, tmp_path):
    write_sample("no-metadata", str(tmp_path / "f"))
    view = show(tmp_path / "f", at="row_groups/0/columns/0", view="page_index")
    expect(view.page.locator(".pqx-empty")).to_contain_text("parquet-java since 1.11")


def test_a_thousand_pages_all_have_marks(show, tmp_path):
    table = pa.table({"n": np.arange(2_000)})
    options = pqexplore.WriteOptions(page_rows=2, encoding="PLAIN", codec="UNCOMPRESSED")
    pqexplore.write(table, tmp_path / "f", options)
    view = show(tmp_path / "f", at="row_groups/0/columns/0", view="page_index")
    assert marks(view) == 1_000
    says(view, "End")
    text = re.compile(r"^page 999, 1998 … 1999, rows 1,998 to 1,999, ")
    expect(stage(view)).to_have_attribute("aria-valuetext", text)
    view.page.get_by_role("tab", name="Statistics").click()
    view.page.locator(".pqx-ranges .pqx-board-stage[data-drawn]").wait_for()
    assert marks(view) == 1_001
    assert says(view, "End") == "page 999: 1998 … 1999"
