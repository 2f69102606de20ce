"""Every lens in every look, as a saved page, and in real notebooks. Each lens's contents are in its own tests."""

from __future__ import annotations

import contextlib

import pytest
from browser.harness import settle
from browser.lens_places import COMPARED, LENS_PLACES, write_second
from browser.looks import LOOKS, change_look, misplaced, violations
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight import lenses
from pqexplore.insight.diff.second import compared_with

ROUNDS = (("light", "narrow-dark"), ("narrow", "dark"), ("zoomed",), ("forced-colours",))
"""The looks in which each lens is seen; one page shows those of a round. Each run has the first, slow tests the others."""

LIVE = ("query", "diff")
"""Lenses whose saved page is made by an explorer that a page shows: one asks for more than its picture, the other for a file."""


@pytest.fixture(scope="module")
def samples(tmp_path_factory):
    """The samples by name, written once."""
    folder = tmp_path_factory.mktemp("samples")
    paths = {}
    for sample, _ in LENS_PLACES.values():
        paths[sample] = folder / f"{sample}.parquet"
        if not paths[sample].exists():
            write_sample(sample, paths[sample])
    for lens, name in COMPARED.items():
        paths[name] = write_second(paths[LENS_PLACES[lens][0]], folder / f"{name}.parquet")
    return paths


def opened(samples, sample):
    keys = SAMPLES[sample].keys
    return pqexplore.open(samples[sample], decryption=pqexplore.Decryption(**keys) if keys else None)


def second(samples, lens):
    """The second file that a lens needs; None for the others."""
    return samples[COMPARED[lens]] if lens in COMPARED else None


def answer(samples, file, lens, address):
    """The sentence of Python's answer."""
    path = second(samples, lens)
    with contextlib.ExitStack() as stack:
        other = None if path is None else stack.enter_context(pqexplore.open(path))
        stack.enter_context(compared_with(other))
        made = lenses.finish(lenses.answer_of(file, file.node(address), lenses.LENSES[lens]))
        return made.sentence


def test_lens_places_names_every_lens():
    assert set(LENS_PLACES) == set(lenses.LENSES)


@pytest.mark.parametrize(
    ("lens", "looks"),
    [
        pytest.param(lens, looks, id=f"{lens}-{'-'.join(looks)}", marks=pytest.mark.full if i else ())
        for lens in LENS_PLACES
        for i, looks in enumerate(ROUNDS)
    ],
)
def test_nothing_is_outside_cut_off_or_hard_to_use(show, samples, lens, looks):
    sample, address = LENS_PLACES[lens]
    with opened(samples, sample) as file:
        view = show(file, at=address, view=lens, against=second(samples, lens), **LOOKS[looks[0]])
        view.page.locator(f'.pqx-lens[data-lens="{lens}"]').wait_for()
        tabs = view.page.get_by_role("tablist", name="Lenses").get_by_role("tab")
        expect(tabs.last).to_have_attribute("data-lens", "facts")
        turn = list(LENS_PLACES).index(lens)
        for at, look in enumerate(looks):
            if at:
                change_look(view.page, look)
            assert misplaced(view.page) == [], look
            # axe-core takes most of the time: each run has it in one of the first looks, by turns
            if looks != ROUNDS[0] or turn % len(looks) == at:
                assert violations(view.page) == [], look


@pytest.fixture(scope="module")
def offline(browser):
    """A page without a network, for all saved pages; `urls` and `errors` are what it asked for and what went wrong."""
    context = browser.new_context(offline=True, viewport={"width": 1200, "height": 1000})
    page = context.new_page()
    page.urls, page.errors = [], []
    page.on("request", lambda request: page.urls.append(request.url))
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.on("console", lambda m: page.errors.append(m.text) if m.type == "error" else None)
    yield page
    context.close()


def look_at(explorer, lens, address):
    """What a view asks when somebody looks at a lens, and the condition that is set."""
    asked = {"address": address, "view": lens}
    request = {"kind": "request", "id": 1, "op": "node", "args": asked}
    explorer._handle_custom_msg(request, [])


def check_saved(page, lens, address, sentence):
    page.locator(f'.pqx[data-shown="{address or "file"}"] .pqx-lens[data-lens="{lens}"]').wait_for()
    if sentence:
        expect(page.locator(".pqx-answer > p")).to_have_text(sentence)
    settle(page)
    expect(page.locator(".pqx-detail .pqx-trouble")).to_have_count(0)
    assert [url for url in page.urls if not url.startswith(("file:", "blob:", "data:"))] == []
    assert page.errors == []


def open_saved(page, path, place=""):
    page.urls.clear()
    page.errors.clear()
    page.goto("about:blank")
    page.goto(path.as_uri() + place)


def follow(page, place):
    """Go to a place as a link in the open page does."""
    page.evaluate("(place) => { location.hash = place; }", place)


SAVED = {
    sample: [lens for lens, (own, _) in LENS_PLACES.items() if own == sample and lens not in LIVE]
    for sample, _ in LENS_PLACES.values()
}


@pytest.mark.parametrize("sample", SAVED)
def test_a_saved_page_shows_every_lens_that_was_looked_at_without_a_request(offline, samples, tmp_path, sample):
    """A page for each sample, opened once; the place and the lens are in the page's address."""
    path = tmp_path / "explorer.html"
    with opened(samples, sample) as file:
        explorer = pqexplore.explore(file)
        sentences = {}
        for lens in SAVED[sample]:
            look_at(explorer, lens, LENS_PLACES[lens][1])
            sentences[lens] = answer(samples, file, lens, LENS_PLACES[lens][1])
        page = explorer.to_html(decrypted=bool(SAMPLES[sample].keys), budget=600_000)
        path.write_text(page, "utf-8")
    for number, lens in enumerate(SAVED[sample]):
        address = LENS_PLACES[lens][1]
        place = f"#{address}?lens={lens}"
        if number:
            follow(offline, place)
        else:
            open_saved(offline, path, place)
        check_saved(offline, lens, address, sentences[lens])


@pytest.mark.parametrize(
    ("lens", "live"),
    [
        pytest.param(lens, live, marks=() if live and lens in LIVE else pytest.mark.full)
        for lens in LENS_PLACES
        for live in (False, True)
    ],
)
def test_saved_page_shows_the_last_view_without_a_request(show, offline, samples, tmp_path, lens, live):
    sample, address = LENS_PLACES[lens]
    shown = {"at": address, "view": lens, "against": second(samples, lens)}
    with opened(samples, sample) as file:
        explorer = show(file, **shown).explorer if live else pqexplore.explore(file, **shown)
        path = tmp_path / "explorer.html"
        path.write_text(explorer.to_html(decrypted=bool(SAMPLES[sample].keys), budget=300_000), "utf-8")
        sentence = answer(samples, file, lens, address)
    open_saved(offline, path)
    check_saved(offline, lens, address, sentence)


@pytest.fixture(scope="module", params=["lab", "notebook"])
def server(request, tmp_path_factory, samples):
    jupyter_app = pytest.importorskip("browser.jupyter_app")
    pytest.importorskip("jupyterlab" if request.param == "lab" else "notebook")
    root = tmp_path_factory.mktemp(f"every-lens-{request.param}")
    for sample, path in samples.items():
        (root / f"{sample}.parquet").write_bytes(path.read_bytes())
    with jupyter_app.jupyter_server(root, request.param) as (url, token):
        yield jupyter_app, request.param, root, url, token


@pytest.mark.full
def test_every_lens_in_a_real_notebook(server, browser, samples):
    """One explorer for each sample, and each of its lenses in turn, chosen from Python."""
    jupyter_app, app, root, url, token = server
    context = browser.new_context(viewport={"width": 1400, "height": 1100})
    context.set_default_timeout(60_000)
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(f"{error}\n{error.stack or ''}"))
    notebook = jupyter_app.Notebook(page, url, token, app, root)
    places = {lens: place for lens, place in LENS_PLACES.items() if not SAMPLES[place[0]].keys}
    later = f", against='{COMPARED['diff']}.parquet'"
    cells = [f"import pqexplore\nshown = pqexplore.explore('events.parquet'{later})\nshown"]
    cells += [
        f"{name.replace('-', '_')} = pqexplore.explore('{name}.parquet')\n{name.replace('-', '_')}"
        for name in dict.fromkeys(sample for sample, _ in places.values())
        if name != "events"
    ]
    notebook.run("lenses.ipynb", cells)
    for lens, (sample, address) in places.items():
        name = "shown" if sample == "events" else sample.replace("-", "_")
        notebook.evaluate(f"{name}.set_trait('view', '{lens}')")
        notebook.evaluate(f"{name}.set_trait('selection', '{address}')")
        place = page.locator(f'.pqx[data-shown="{address or "file"}"] .pqx-lens[data-lens="{lens}"]')
        place.first.wait_for()
        with opened(samples, sample) as file:
            sentence = answer(samples, file, lens, address)
        if sentence:
            expect(place.first.locator(".pqx-answer > p").first).to_have_text(sentence)
        if lens in ("overview", "compare"):
            place.first.locator(".pqx-board-stage[data-drawn]").wait_for()
    context.close()
    assert [error for error in errors if "pqx" in error or "anywidget" in error] == []
