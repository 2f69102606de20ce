"""Statistics, page index, Bloom filter and map in each size and colour scheme: nothing overlaps, axe finds nothing."""

import struct

import pyarrow as pa
import pytest
from browser.boards import stage
from browser.test_looks import AXE, GEOMETRY, LOOKS

import pqexplore

LENSES = ["statistics", "page_index", "bloom", "geospatial"]


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    """A column of geometries with everything beside it: statistics, index, filter, boxes."""
    path = tmp_path_factory.mktemp("rich") / "f"
    points = [struct.pack("<BIdd", 1, 1, x * 1.5, x % 7) for x in range(90)]
    options = pqexplore.WriteOptions(
        row_group_rows=30,
        page_rows=10,
        bloom_filter=True,
        columns={"where": {"logical_type": "GEOMETRY"}},
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


@pytest.mark.parametrize("look", LOOKS)
def test_nothing_overlaps_or_is_cut_off(show, rich, look):
    for lens in LENSES:
        view = opened(show, rich, lens, look)
        assert view.page.evaluate(GEOMETRY) == [], lens


@pytest.mark.parametrize(
    "look", [*LOOKS[:4], pytest.param({"forced_colors": "active"}, id="forced-colours")]
)
def test_axe_has_no_finding(show, rich, look):
    if not AXE.exists():
        pytest.fail("axe-core is not installed: run `npm ci` in js")
    for lens in LENSES:
        view = opened(show, rich, lens, look)
        view.page.add_script_tag(path=AXE)
        view.page.wait_for_timeout(150)
        violations = view.page.evaluate(
            """async () => (await axe.run('#pqx-root', {resultTypes: ['violations']})).violations
                 .map((v) => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 160), v.nodes[0].failureSummary])"""
        )
        assert violations == [], lens
