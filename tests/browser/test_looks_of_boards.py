"""Statistics, page index, Bloom filter and map in each size and colour scheme: nothing overlaps, axe finds nothing."""

import struct

import pyarrow as pa
import pytest
from browser.boards import stage
from browser.looks import in_looks, misplaced, violations

import pqexplore

LENSES = ["statistics", "page_index", "bloom", "geospatial"]


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    """A column of geometries with statistics, page index, Bloom filter and bounding boxes."""
    path = tmp_path_factory.mktemp("rich") / "f"
    points = [struct.pack("<BIdd", 1, 1, x * 1.5, x % 7) for x in range(90)]
    options = pqexplore.WriteOptions(
        row_group_rows=30, page_rows=10, bloom_filter=True, columns={"where": {"logical_type": "GEOMETRY"}}
    )
    table = pa.table({"where": pa.array(points, pa.binary()), "n": [*range(88), None, None]})
    pqexplore.write(table, path, options)
    return path


def opened(show, rich, lens, look):
    column = 0 if lens == "geospatial" else 1
    view = show(rich, at=f"row_groups/2/columns/{column}", view=lens, **look)
    stage(view)
    if lens == "bloom":
        view.page.get_by_label("Is this value there?").fill("12")
        view.page.keyboard.press("Enter")
        view.page.locator(".pqx-bloom-verdict").wait_for()
        stage(view, 1)
    return view


@in_looks("zoomed", full=("light", "dark", "narrow", "wide"))
def test_nothing_overlaps_or_is_cut_off(show, rich, look):
    for lens in LENSES:
        view = opened(show, rich, lens, look)
        assert misplaced(view.page) == [], lens


@in_looks(full=("light", "dark", "narrow", "narrow-dark", "forced-colours"))
def test_axe_has_no_finding(show, rich, look):
    for lens in LENSES:
        view = opened(show, rich, lens, look)
        assert violations(view.page) == [], lens
