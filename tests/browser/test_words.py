"""Cards for words of the specification, and the tour."""

import contextlib
import re

import pyarrow as pa
import pytest
from browser.harness import choose_tab, resize, settle
from browser.lens_places import COMPARED, LENS_PLACES, write_second
from browser.looks import violations
from made import parquet
from playwright.sync_api import expect

from pqexplore.insight.glossary import bytes_of, explain

CHUNK = "row_groups/0/columns/2"


def test_a_card_explains_the_word_under_the_pointer_or_with_the_focus(show, orders_bytes):
    page = show(orders_bytes, at=CHUNK, view="facts", opens=("map", "bytes")).page
    card, tab = page.locator(".pqx-word"), page.locator('.pqx-tab[data-lens="page_index"]')
    expect(card).to_be_hidden()
    page.locator(".pqx-fact-name", has_text="codec").hover()
    expect(card).to_contain_text("The compression of a column chunk's pages")
    assert card.locator("pre span").count() == 3
    expect(card.locator(".pqx-word-bytes code")).to_have_text(bytes_of(explain("codec")).hex)
    expect(card.locator(".pqx-word-bytes")).to_contain_text("codecs: row_groups/0/columns/1/metadata/meta_data/codec")
    link = "https://github.com/apache/parquet-format/blob/master/Compression.md"
    expect(card.get_by_role("link")).to_have_attribute("href", link)
    page.locator(".pqx-crumbs").hover()  # the card is over the bytes
    expect(card).to_be_hidden()
    # the letter of a swatch is no word: the legend's D had the card of the definition level
    for item, said in (("dictionary", "dictionary page"), ("data pages", "page")):
        page.locator(".pqx-legend > li", has_text=item).first.hover()
        expect(card.locator("strong")).to_have_text(said)
    choose_tab(tab)
    settle(page)
    tab.press("?")
    expect(card).to_contain_text("The column index and the offset index")
    assert violations(page) == []
    tab.press("Escape")
    expect(card).to_be_hidden()
    expect(page.locator(".pqx[data-shown]")).to_have_attribute("data-shown", CHUNK)


def test_a_name_of_the_file_is_no_word(show):
    view = show(parquet(pa.table({"codec": [1, 2]})), view="rows", opens=("tree",))
    page = view.page
    expect(page.locator(".pqx-rows-summary")).to_be_visible()
    head = page.get_by_role("columnheader", name="codec").get_by_role("button", name="codec")
    for place in (head, page.get_by_role("tree")):
        place.press("?")
        settle(page)
        expect(page.locator(".pqx-word")).to_be_hidden()


@pytest.fixture
def kept_page(saved, saved_orders):
    """A saved page, which can keep what was seen."""
    return saved(saved_orders(300_000))


@pytest.mark.parametrize("ending", ["take the tour", "not again"])
def test_the_tour_has_five_steps_and_comes_once_or_never(kept_page, ending):
    page = kept_page
    tour, offer, seen = page.locator(".pqx-tour"), page.locator(".pqx-tour-offer"), []
    expect(offer).to_contain_text("New here?")
    offer.get_by_role("button", name=ending).click()
    expect(offer).to_have_count(0)
    while tour.count():
        seen.append(tour.locator("strong").inner_text())
        assert page.locator(".pqx-shown-by-tour").count() == 1
        page.keyboard.press("Enter")
    assert [one[:6] for one in seen] == [f"{n} of 5" for n in range(1, 6) if ending == "take the tour"]
    assert page.locator(".pqx-shown-by-tour").count() == 0
    page.reload()
    page.locator(".pqx[data-shown]").wait_for()
    settle(page)
    assert tour.count() == offer.count() == 0


@pytest.mark.full
@pytest.mark.parametrize("width", [400, *(pytest.param(width, marks=pytest.mark.full) for width in (800, 1280))])
def test_neither_the_offer_nor_a_step_of_the_tour_covers_a_part(kept_page, width):
    """The box lay over the bytes while it spoke of them."""
    page = kept_page
    for wide in (1280, width):
        resize(page, wide, 780)
        box = page.locator(".pqx-tour-offer").bounding_box()
        assert box["x"] > 0 and box["x"] + box["width"] < wide
        for other in (".pqx-crumbs ol", ".pqx-crumbs .pqx-address", ".pqx-tools", ".pqx-detail"):
            near = page.locator(other).bounding_box() or {"x": 0, "y": 0, "width": 0, "height": 0}
            beside = near["x"] + near["width"] <= box["x"] or box["x"] + box["width"] <= near["x"]
            above = near["y"] + near["height"] <= box["y"] or box["y"] + box["height"] <= near["y"]
            assert beside or above, (wide, other, near, box)
    page.get_by_role("button", name="take the tour").click()
    tour, tall = page.locator(".pqx-tour"), set()
    for _ in range(5):
        settle(page)
        box, part = (page.locator(one).bounding_box() for one in (".pqx-tour", ".pqx-shown-by-tour"))
        assert min(part["width"], part["height"]) > 15
        assert box["y"] >= 0 and box["y"] + box["height"] < 400
        below = part["y"] + part["height"] <= box["y"] + 1
        assert below or part["y"] >= box["y"] + box["height"], (box, part)
        tall.add(round(box["height"]))
        tour.get_by_role("button").first.click()
    assert len(tall) == 1  # the parts do not move from step to step
    expect(tour).to_have_count(0)


PLACES = {
    "tab": ".pqx-tab[data-lens] > small",
    "fact": ".pqx-fact-name",
    "badge": ".pqx-badge",
    "kind": ".pqx-about > strong",
    "stage": ".pqx-life-name > :first-child",
    "head": ".pqx-head > :not(.pqx-rows-lens *)",
    "heading": ".pqx dt, .pqx th",
    "legend": ":is(.pqx-legend, .pqx-keys, .pqx-bit-key, .pqx-anatomy-key, .pqx-encryption-legend) > li",
}
"""Where words of the specification stand, as js/src/words.ts lists them."""

ORDINARY = {
    # tabs that say what one does there, not what the specification has
    "tab": "Across row groups|Contents|Difference|Facts|Layout|Life of a value|Map|Overview|Query|Rows|What if",
    # English words; the meaning that stands beside each fact explains it
    "fact": "order|trusted|type|values?|key|bits|bytes|rows|length|size|name|note|version|hash|path|shape",
    "kind": "file|group|value|values|body|field",
    # of our own tables: what stands below them is counted or named in English
    "head": "a row|a value|about|belongs to|best|both|bytes|difference|elsewhere|entr(y|ies)|error|estimate|field|filled"
    "|(first|second) (file|value)|hidden|id|is|key|kind|m|z|marked as|meaning|means|not (read by|there)|of (today|the (column|file))"
    "|other fields|part|place|remark|rows?|rule|seconds|share|stage|step|stored|the file says|type|types|usable|uses"
    "|values?|what( it (is|gives))?|binary|parts|(Arrow|Spark) .*",
    "heading": "bytes( a page)?|order|rows a page|the index itself|types|values in the chunk|how|is|place|value|[0-9]+"
    "|[AB] .*|range",
    # sentences about a mark, and names of numbers in the bits
    "legend": "a full block .*|another choice|groups|hatched: .*|header .*|id .*|length.*|more follow|not read by .*"
    "|the (bytes today|last|first page .*)|type .*|values .*|new|gone|larger|smaller|best.*|the best.*"
    "|(damage|wrong answer possible|portability|wasteful|slow|note): [0-9]+ findings?",
    "badge": "",
    "stage": "Encoding.*|Stored value: .*|Meaning: .*|Record|Use",
}
"""Words that have no card, with the reason."""


def has_card(text):
    """Whether the explorer would find a card: js/src/words.test.ts holds its rules."""
    words = re.sub(r"^[^A-Za-z]+", "", text).split()
    starts = [words] + ([words[1:]] if len(words) > 1 and len(words[0]) == 1 else [])
    for start in starts:
        for n in range(min(5, len(start)), 0, -1):
            head = re.sub(r"[:,(].*$", "", " ".join(start[:n]))
            with contextlib.suppress(KeyError):
                explain(head)
                return True
    return False


@pytest.mark.full
def test_each_word_of_the_specification_in_any_lens_has_a_card(show, sample, unlocked, tmp_path):
    missing = set()
    for lens, (name, address) in LENS_PLACES.items():
        second = write_second(sample(name), tmp_path / "second") if lens in COMPARED else None
        page = show(unlocked(name), at=address, view=lens, against=second).page
        for place, where in PLACES.items():
            for text in page.locator(where).all_inner_texts():
                said = " ".join(re.sub(r"^[\W\d]+", "", text).split())
                if said and not has_card(said) and not re.fullmatch(ORDINARY[place], said):
                    missing.add((place, said, lens))
    assert missing == set()
