"""The Bloom filter lens, on a filter whose bits are known."""

import pytest
from browser.boards import answer, hot, marks, says, selected, stage
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.samples import write_sample

FILTER = "row_groups/0/columns/0/bloom_filter"


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("bloom") / "f"
    write_sample("bloom-filter", str(path))
    return path.read_bytes()


def ask(view, value):
    view.page.get_by_label("Is this value there?").fill(value)
    view.page.keyboard.press("Enter")


def test_blocks_are_read_from_the_picture(show, sample):
    view = show(sample, at=FILTER)
    assert answer(view).startswith("It suits: about 2,001 distinct values in 4,096 bytes")
    assert marks(view) == 128
    assert says(view, "Home") == "block 0: 57 of 256 bits set, 22 %"
    assert says(view, "End").startswith("block 127: ")


def test_a_block_is_chosen_and_opened(show, sample):
    view = show(sample, at=FILTER)
    says(view, "Home", "ArrowRight", "ArrowRight", "Enter")
    selected(view, f"{FILTER}/bitset/2")
    expect(view.page.locator(".pqx-bloom-block")).to_have_attribute("data-block", "2")
    with pqexplore.open(sample) as file:
        stored = file.bytes(file.node(f"{FILTER}/bitset/2").span)
    expect(stage(view).first).to_have_attribute("data-marks", "256")
    text = says(view, "Home", "ArrowDown")
    is_set = "set" if stored[4] & 1 else "not set"
    assert text.startswith(f"word 1, bit 0: {is_set}; byte ")
    assert bytes.fromhex(hot(view)) == stored[4:5]


def test_a_typed_value_shows_its_hash_block_and_bits(show, sample):
    view = show(sample, at=FILTER)
    ask(view, "nothing here")
    verdict = view.page.locator(".pqx-bloom-verdict")
    expect(verdict).to_contain_text("nothing here is certainly not there")
    expect(verdict).to_contain_text("9adbbe68 eed11347")
    expect(verdict).to_have_attribute("data-hit", "false")
    bits = verdict.get_by_role("button").all_inner_texts()
    assert len(bits) == 8 and sum("✗" in bit for bit in bits) == 2
    expect(view.page.locator(".pqx-bloom-block")).to_have_attribute("data-block", "77")
    # the byte of the bit under the pointer is highlighted
    verdict.get_by_role("button").first.hover()
    with pqexplore.open(sample) as file:
        stored = file.bytes(file.node(f"{FILTER}/bitset/77").span)
    assert bytes.fromhex(hot(view)) == stored[21 // 8 : 21 // 8 + 1]
    ask(view, "right 25")
    expect(verdict).to_contain_text("right 25 may be there")


def test_a_typed_text_of_the_wrong_type_shows_an_error(show, orders_bytes, tmp_path):
    import pyarrow as pa

    options = pqexplore.WriteOptions(bloom_filter=True)
    pqexplore.write(pa.table({"n": [1, 2]}), tmp_path / "f", options)
    view = show(tmp_path / "f", at=FILTER)
    ask(view, "Oslo")
    expect(view.page.locator(".pqx-bloom-answer")).to_contain_text("no value of n")


def test_a_filter_of_a_megabyte_is_drawn_quickly(show, tmp_path):
    import numpy as np
    import pyarrow as pa

    options = pqexplore.WriteOptions(bloom_filter=True, bloom_filter_bytes=1 << 20, encoding="PLAIN")
    pqexplore.write(pa.table({"n": np.arange(100_000)}), tmp_path / "f", options)
    view = show(tmp_path / "f", at=FILTER)
    assert marks(view) == 32_768
    assert float(stage(view).get_attribute("data-drawn")) < 100
