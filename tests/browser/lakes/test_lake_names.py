"""Names keep their end: columns in bars and tables, and files."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browser.looks import misplaced
from playwright.sync_api import expect

from pqexplore.lake import scan

DEEP = "payload.measurement.of_the_sensor.channel_number_{:03d}"
FILE = "part-{:05d}-a1b2c3d4-e5f6-7890-abcd-ef0123456789.c000.snappy.parquet"

CUT = """(all) => all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.textContent)"""


@pytest.fixture(scope="module")
def deep(tmp_path_factory):
    """Two files with long names, and twelve columns whose names differ at their end only; one has another type."""
    root = tmp_path_factory.mktemp("deep")
    for i in range(2):
        made = {DEEP.format(n): np.arange(50) for n in range(12)}
        made[DEEP.format(3)] = np.arange(50, dtype=[np.int32, np.int64][i])
        pq.write_table(pa.table(made), root / FILE.format(i))
    return scan(None, str(root), out=tmp_path_factory.mktemp("deep-tables"), processes=0)


@pytest.mark.parametrize("size", [(1280, 780), (400, 800)])
def test_names_are_not_cut_to_the_same_prefix(look, deep, size):
    view = look(deep, "columns", size=size)
    page = view.page
    ends = page.locator(".pqx-bars .pqx-bar-name .pqx-end")
    assert sorted(ends.all_inner_texts()) == sorted(f"umber_{n:03d}" for n in range(12))
    assert ends.evaluate_all(CUT) == []
    assert misplaced(page) == []
    expect(page.locator(".pqx-bars button").first).to_have_attribute("title", DEEP.format(0)[:-3] + "000")
    ends = page.get_by_role("grid").locator(".pqx-end")
    assert len(set(ends.all_inner_texts())) == ends.count() > 3
    assert ends.evaluate_all(CUT) == []
    # in a narrow room a name leaves room for the numbers
    room = page.get_by_role("grid").bounding_box()["width"]
    head = page.get_by_role("columnheader", name="column").bounding_box()
    assert head["width"] < 0.61 * room
