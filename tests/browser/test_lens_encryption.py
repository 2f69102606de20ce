"""The module map in the page: blocks, parts and AAD of the selected module, and the highlighted bytes."""

import pytest
from browser.looks import in_looks, misplaced, violations
from browser.test_explorer import marked
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES

SECRET = "row_groups/0/columns/1"


@pytest.fixture(scope="module")
def sample_path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encrypted")

    def make(name):
        path = folder / f"{name}.parquet"
        if not path.exists():
            SAMPLES[name].write(path)
        return path

    return make


@pytest.fixture
def opened(show, sample_path):
    """A view of a sample, with its keys or without."""

    def make(name, at, keys=True, **look):
        decryption = pqexplore.Decryption(**SAMPLES[name].keys) if keys else None
        file = pqexplore.open(sample_path(name), decryption=decryption)
        return show(file, at=at, view="encryption", **look)

    return make


def parts(view):
    return view.page.locator(".pqx-encryption-frame strong").all_inner_texts()


def aad(view):
    return view.page.locator(".pqx-encryption-aad-part code").all_inner_texts()


def test_a_module_in_its_parts_and_its_aad(opened):
    view = opened("encrypted-columns", f"{SECRET}/pages/1/body")
    assert parts(view) == ["length", "nonce", "ciphertext", "tag"]
    expect(view.page.locator(".pqx-encryption-frame")).to_contain_text("ciphertext 123 bytes")
    expect(view.page.locator(".pqx-encryption-frame")).to_contain_text("000000000000000000000003")
    assert aad(view) == ["no bytes", "65 6e 63 72 79 70 74 65", "02", "00 00", "01 00", "00 00"]
    expect(view.page.locator(".pqx-encryption-aad")).to_contain_text("AAD, 15 bytes")


def test_a_part_leads_to_its_bytes(opened):
    view = opened("encrypted-columns", f"{SECRET}/pages/1/body")
    view.page.locator('[data-part="nonce"]').click()
    view.shown(f"{SECRET}/pages/1/body/nonce")
    assert marked(view) == ["00"] * 11 + ["03"]
    expect(view.page.locator('[data-part="nonce"]')).to_have_attribute("aria-current", "true")


def test_blocks_are_walked_with_the_keyboard(opened):
    view = opened("encrypted-columns", SECRET)
    blocks = view.page.locator(".pqx-encryption-block")
    expect(blocks).to_have_count(7)
    blocks.first.focus()
    view.page.keyboard.press("End")
    expect(view.page.locator(".pqx-encryption-title")).to_contain_text("data page · 155 bytes at 2,287")
    expect(view.page.locator(".pqx-line .pqx-hot")).not_to_have_count(0)
    view.page.keyboard.press("ArrowLeft")
    expect(view.page.locator(".pqx-encryption-title")).to_contain_text("data page header · 58 bytes")
    view.page.keyboard.press("Enter")
    view.shown(f"{SECRET}/pages/1/header/module")


def test_each_key_lists_its_modules(opened):
    view = opened("encrypted-columns", "")
    cards = view.page.get_by_role("list", name="Keys").locator(":scope > li")
    expect(cards).to_have_count(2)
    expect(cards.nth(0)).to_contain_text("footer key at hand · 13 modules")
    expect(cards.nth(1)).to_contain_text('asks for the key "the key of column secret"')
    letters = view.page.locator(".pqx-encryption-key").all_inner_texts()
    assert (letters.count("A"), letters.count("B")) == (13, 14)


def test_without_keys_every_module_is_locked_and_its_key_is_named(opened):
    view = opened("ctr-plaintext-footer", SECRET, keys=False)
    card = view.page.get_by_role("list", name="Keys").locator(":scope > li")
    expect(card).to_contain_text("key of column `secret` not at hand")
    assert view.page.locator(".pqx-encryption-block:not(.pqx-encryption-locked)").count() == 0
    view.page.get_by_role("grid", name="Modules").locator('[data-row="4"] [data-column="0"]').click()
    view.shown(f"{SECRET}/modules/1")
    assert parts(view) == ["length", "nonce", "ciphertext"]
    expect(view.page.locator(".pqx-encryption-aad")).to_contain_text("AES-CTR has no tag")
    expect(view.page.locator(".pqx-answer")).to_contain_text("pass Decryption(column_keys=")


@in_looks("narrow", full=("light", "dark", "forced-colours"))
def test_everyone_can_use_it(opened, look):
    view = opened("ctr-plaintext-footer", "", keys=False, **look)
    assert misplaced(view.page) == []
    assert violations(view.page) == []
