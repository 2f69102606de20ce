"""The encoding lens in a browser: its numbers, its keys, and the bytes that it highlights in hex."""

import pyarrow as pa
import pytest
from browser.harness import digits
from browser.looks import in_looks, violations
from engine.check import forged
from playwright.sync_api import expect
from widget.samples import HOSTILE, parquet

import pqexplore
from pqexplore.engine.writer import assembly

VALUES = "row_groups/0/columns/0/pages/1/values"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """One column of indexes: 100 times 3, then 0 to 7, then 50 times 5."""
    ids = [3] * 100 + [0, 1, 2, 3, 4, 5, 6, 7] + [5] * 50
    path = tmp_path_factory.mktemp("runs") / "runs.parquet"
    table = pa.table({"word": [f"word {i}" for i in ids]})
    pqexplore.write(table, path, pqexplore.WriteOptions(codec="UNCOMPRESSED", sort_dictionary=True))
    return path.read_bytes()


def glass(view):
    return view.page.locator(".pqx-glass")


def lit(view):
    """The bytes that are highlighted in hex."""
    return digits(view.page, "hot")


def step_is(view, step):
    expect(glass(view)).to_have_attribute("data-step", str(step))


def test_the_sentence_and_the_legend_count_the_steps(show, runs):
    view = show(runs, at=VALUES)
    expect(view.page.locator(".pqx-answer p")).to_have_text(
        "158 indexes in 3 runs (2 RLE, 1 bit-packed), 3 bits each: 10 bytes instead of 1,580 in PLAIN."
    )
    kinds = view.page.locator(".pqx-step-kinds [data-kind]")
    counts = {
        kind.get_attribute("data-kind"): (kind.get_attribute("data-steps"), kind.get_attribute("data-bytes"))
        for kind in kinds.all()
    }
    assert counts == {"rle run": ("2", "5"), "bit-packed run": ("1", "4"), "bit width": ("1", "1")}
    strips = view.page.locator(".pqx-strip canvas")
    assert [canvas.get_attribute("data-cells") for canvas in strips.all()] == ["4", "3"]


@pytest.mark.parametrize("width", ["400px", "1000px"])
def test_the_legend_names_leftover_bytes_at_any_width(show, width):
    page = assembly.page_v1(forged.encoded([1, 2, 3, 4]) + b"foreign!", 4)
    at = "row_groups/0/columns/0/pages/0/values"
    view = show(forged.one_column([page]), at=at, view="encoding", width=width)
    legend = view.page.locator(".pqx-step-kinds [data-kind=leftover]")
    expect(legend).to_be_visible()
    expect(legend).to_contain_text("8 bytes")


def test_keys_step_through_the_runs_and_light_their_bytes(show, runs):
    view = show(runs, at=VALUES)
    step_is(view, 1)
    glass(view).press("Home")
    step_is(view, 0)
    assert lit(view) == ["03"]
    glass(view).press("ArrowRight")
    step_is(view, 1)
    expect(glass(view)).to_contain_text("100 times the same value")
    glass(view).press("ArrowRight")
    step_is(view, 2)
    expect(glass(view)).to_contain_text("3 is odd: bit-packed; 3 >> 1 = 1 group of 8 values")
    assert lit(view) == ["03", "88", "c6", "fa"]
    glass(view).press("End")
    step_is(view, 3)
    glass(view).press("ArrowLeft")
    step_is(view, 2)


def test_bits_are_grouped_as_the_specification_draws_them(show, runs):
    view = show(runs, at=f"{VALUES}/100", view="encoding")
    step_is(view, 2)
    part = view.page.locator('[data-part="packed values"]')
    texts = [
        [piece.evaluate("e => e.firstChild.textContent") for piece in byte.locator(".pqx-piece").all()]
        for byte in part.locator(".pqx-byte").all()
    ]
    # 0 to 7 in 3 bits: 10001000 11000110 11111010, values from the right
    assert texts == [["10", "001", "000"], ["1", "100", "011", "0"], ["111", "110", "10"]]
    rows = view.page.locator(".pqx-yields tbody tr")
    assert rows.nth(2).locator("td").nth(0).inner_text() == "010"
    expect(rows.nth(2)).to_contain_text("word 2")


def test_a_value_marks_its_bits_and_a_click_selects_it(show, runs):
    view = show(runs, at=f"{VALUES}/100", view="encoding")
    row = view.page.locator('.pqx-yields tr[data-index="102"]')
    row.hover()
    expect(view.page.locator(".pqx-piece.pqx-near")).to_have_count(2)
    assert lit(view) == ["88", "c6"]
    row.get_by_role("button", name="102").click()
    view.shown(f"{VALUES}/102")
    expect(glass(view)).to_have_attribute("data-focus", "102")
    view.page.get_by_role("button", name="entry 2").first.click()
    view.shown("row_groups/0/columns/0/pages/0/values/2")
    expect(view.page.locator(".pqx-yielded")).to_contain_text("word 2")


def test_down_and_enter_go_to_a_value_by_keyboard(show, runs):
    view = show(runs, at=f"{VALUES}/100", view="encoding")
    for _ in range(4):  # header, packed values, value 100, value 101
        glass(view).press("ArrowDown")
    expect(view.page.locator("tr.pqx-chosen")).to_have_attribute("data-index", "101")
    glass(view).press("Enter")
    view.shown(f"{VALUES}/101")


def test_a_click_on_a_strip_opens_the_step_there(show, runs):
    view = show(runs, at=VALUES)
    values = view.page.locator(".pqx-strip canvas").nth(1)
    width = values.bounding_box()["width"]
    values.click(position={"x": width * 104 / 158, "y": 10})
    step_is(view, 2)
    assert values.get_attribute("data-marked") == "100 108"
    values.click(position={"x": width - 5, "y": 10})
    step_is(view, 3)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_play_steps_to_the_end_and_stops(show, runs, motion):
    view = show(runs, at=VALUES, reduced_motion=motion)
    glass(view).press("ArrowRight")
    step_is(view, 2)
    glass(view).press(" ")
    expect(view.page.get_by_role("button", name="Pause")).to_be_visible()
    expect(glass(view)).to_have_attribute("data-step", "3", timeout=20_000)
    glass(view).press(" ")
    expect(view.page.get_by_role("button", name="Play the steps")).to_be_visible()


def test_a_click_switches_to_another_section(show, runs):
    view = show(runs, at=VALUES)
    view.page.get_by_role("button", name="definition levels: RLE").click()
    view.shown("row_groups/0/columns/0/pages/1/definition_levels")
    expect(view.page.locator(".pqx-microscope")).to_have_attribute(
        "data-section", "row_groups/0/columns/0/pages/1/definition_levels"
    )


def test_text_of_the_file_stays_text(show):
    view = show(
        parquet(pa.table({"x": [HOSTILE, "y"]}), use_dictionary=False),
        at="row_groups/0/columns/0/pages/0/values/0",
        view="encoding",
    )
    expect(view.page.locator(".pqx-yielded")).to_contain_text("<img src=x")
    assert view.page.locator(".pqx img").count() == 0


@in_looks("narrow", full=("light", "dark"))
@pytest.mark.parametrize("place", [f"{VALUES}/100", "row_groups/0/columns/0/pages/1/header", "row_groups/0/columns/0"])
def test_axe_has_no_finding(show, runs, look, place):
    lens = {"values": "encoding", "header": "thrift"}.get(
        place.split("/")[-1 if place[-1] == "r" else -2], "dictionary"
    )
    view = show(runs, view=lens, **look)
    view.go(place)
    assert violations(view.page) == []
    assert view.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
