"""Every lens in every look, as a saved page, and in real notebooks. Each lens's contents are in its own tests."""

from __future__ import annotations

import contextlib
import itertools

import pytest
from browser.harness import settle
from browser.lens_places import COMPARED, LENS_PLACES, write_second
from browser.looks import LOOKS, misplaced, violations
from playwright.sync_api import expect

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES, write_sample
from pqexplore.insight import lenses
from pqexplore.insight.diff.second import compared_with

SEEN = ("light", "narrow-dark", "zoomed", "forced-colours")
ROUND = dict(zip(LENS_PLACES, itertools.cycle(SEEN[:2]), strict=False))
"""The look in which each lens is seen in each run; the others are seen with the slow tests."""

LIVE = ("query", "diff")
"""Lenses whose saved page is made by an explorer that a page shows. The others are saved without that in each run."""


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
    return pqexplore.open(
        samples[sample], decryption=pqexplore.Decryption(**keys) if keys else None
    )


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
    ("lens", "look"),
    [
        pytest.param(lens, look, marks=() if ROUND[lens] == look else pytest.mark.full)
        for lens in LENS_PLACES
        for look in SEEN
    ],
)
def test_nothing_is_outside_cut_off_or_hard_to_use(show, samples, lens, look):
    sample, address = LENS_PLACES[lens]
    with opened(samples, sample) as file:
        view = show(file, at=address, view=lens, against=second(samples, lens), **LOOKS[look])
        view.page.locator(f'.pqx-lens[data-lens="{lens}"]').wait_for()
        tabs = view.page.get_by_role("tablist", name="Lenses").get_by_role("tab")
        expect(tabs.last).to_have_attribute("data-lens", "facts")
        assert misplaced(view.page) == []
        assert violations(view.page) == []


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


@pytest.mark.parametrize(
    ("lens", "live"),
    [
        pytest.param(lens, live, marks=() if live == (lens in LIVE) else pytest.mark.full)
        for lens in LENS_PLACES
        for live in (False, True)
    ],
)
def test_saved_page_shows_the_last_view_without_a_request(
    show, offline, samples, tmp_path, lens, live
):
    sample, address = LENS_PLACES[lens]
    shown = {"at": address, "view": lens, "against": second(samples, lens)}
    with opened(samples, sample) as file:
        explorer = show(file, **shown).explorer if live else pqexplore.explore(file, **shown)
        path = tmp_path / "explorer.html"
        path.write_text(
            explorer.to_html(decrypted=bool(SAMPLES[sample].keys), budget=500_000), "utf-8"
        )
        sentence = answer(samples, file, lens, address)
    offline.urls.clear()
    offline.errors.clear()
    offline.goto(path.as_uri())
    offline.locator(f'.pqx-lens[data-lens="{lens}"]').wait_for()
    if sentence:
        expect(offline.locator(".pqx-answer > p")).to_have_text(sentence)
    settle(offline)
    expect(offline.locator(".pqx-detail .pqx-trouble")).to_have_count(0)
    assert [url for url in offline.urls if not url.startswith(("file:", "blob:", "data:"))] == []
    assert offline.errors == []


@pytest.fixture(scope="module", params=["lab", pytest.param("notebook", marks=pytest.mark.full)])
def server(request, tmp_path_factory, samples):
    jupyter_app = pytest.importorskip("browser.jupyter_app")
    pytest.importorskip("jupyterlab" if request.param == "lab" else "notebook")
    root = tmp_path_factory.mktemp(f"every-lens-{request.param}")
    for sample, path in samples.items():
        (root / f"{sample}.parquet").write_bytes(path.read_bytes())
    with jupyter_app.jupyter_server(root, request.param) as (url, token):
        yield jupyter_app, request.param, root, url, token


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
        place = page.locator(
            f'.pqx[data-shown="{address or "file"}"] .pqx-lens[data-lens="{lens}"]'
        )
        place.first.wait_for()
        with opened(samples, sample) as file:
            sentence = answer(samples, file, lens, address)
        if sentence:
            expect(place.first.locator(".pqx-answer > p").first).to_have_text(sentence)
        if lens in ("overview", "compare"):
            place.first.locator(".pqx-board-stage[data-drawn]").wait_for()
    context.close()
    assert [error for error in errors if "pqx" in error or "anywidget" in error] == []
