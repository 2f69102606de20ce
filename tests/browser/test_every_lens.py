"""Every lens in every look, as a saved page, and in real notebooks. Each lens's contents are in its own tests."""

import contextlib

import pytest
from browser.harness import settle
from browser.lens_places import COMPARED, LENS_PLACES, write_second
from browser.looks import LOOKS, change_look, misplaced, violations
from playwright.sync_api import expect
from quick import quick

import pqexplore
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import lenses
from pqexplore.insight.diff.second_file import compared_with

ROUNDS = (("light", "narrow-dark"), ("narrow", "dark"), ("zoomed",), ("forced-colours",))
"""The looks in which each lens is seen; one page shows those of a round. Each run has the first, slow tests the others."""

SEEN = [
    "overview", "value", "page", "statistics", "what_if", "schema", "layout", "thrift", "variant", "page_index",
    "query", "diff",
]  # fmt: skip
"""Lenses that each run sees; most tests of the others show them, too."""

LIVE = ("query", "diff")
"""Lenses whose saved page is made by an explorer that a page shows: one asks for more than its picture, the other for a file."""


@pytest.fixture(scope="module")
def second(sample, tmp_path_factory):
    """The second file that a lens needs; None for the others."""
    folder = tmp_path_factory.mktemp("second")
    paths = {
        lens: write_second(sample(LENS_PLACES[lens][0]), folder / f"{name}.parquet") for lens, name in COMPARED.items()
    }
    return paths.get


def answer(file, lens, address, path=None):
    """The sentence of Python's answer; `path` is a second file."""
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
        pytest.param(
            lens, looks, id=f"{lens}-{'-'.join(looks)}", marks=pytest.mark.full if i or lens not in SEEN else ()
        )
        for lens in LENS_PLACES
        for i, looks in enumerate(ROUNDS)
    ],
)
def test_nothing_is_outside_cut_off_or_hard_to_use(show, unlocked, second, lens, looks):
    name, address = LENS_PLACES[lens]
    with unlocked(name) as file:
        view = show(file, at=address, view=lens, against=second(lens), **LOOKS[looks[0]])
        view.page.locator(f'.pqx-lens[data-lens="{lens}"]').wait_for()
        tabs = view.page.locator(".pqx-tab-bar .pqx-tab")
        assert "facts" in tabs.evaluate_all("all => all.map((one) => one.dataset.lens)")
        turn = list(LENS_PLACES).index(lens)
        for at, look in enumerate(looks):
            if at:
                change_look(view.page, look)
            assert misplaced(view.page) == [], look
            # axe-core takes most of the time: each run has it in one of the first looks, by turns
            if looks != ROUNDS[0] or turn % len(looks) == at:
                assert violations(view.page) == [], look


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


SAVED = {
    sample: [lens for lens, (own, _) in LENS_PLACES.items() if own == sample and lens not in LIVE]
    for sample, _ in LENS_PLACES.values()
}


@pytest.mark.parametrize("name", quick(SAVED, "events"))
def test_a_saved_page_shows_every_lens_that_was_looked_at_without_a_request(saved, unlocked, name):
    """A page for each sample, opened once; the place and the lens are in the page's address."""
    with unlocked(name) as file:
        explorer = pqexplore.explore(file)
        for lens in SAVED[name]:
            look_at(explorer, lens, LENS_PLACES[lens][1])
        page = explorer.to_html(decrypted=bool(SAMPLES[name].keys), budget=600_000)
        sentences = {lens: answer(file, lens, LENS_PLACES[lens][1]) for lens in SAVED[name]}
    for number, (lens, sentence) in enumerate(sentences.items()):
        address = LENS_PLACES[lens][1]
        place = f"#{address}?lens={lens}"
        if number:
            page.evaluate("(place) => { location.hash = place; }", place)  # as a link in the open page does
        else:
            page = saved(page, place)
        check_saved(page, lens, address, sentence)


@pytest.mark.parametrize(
    ("lens", "live"),
    [
        pytest.param(lens, live, marks=() if live and lens in LIVE else pytest.mark.full)
        for lens in LENS_PLACES
        for live in (False, True)
    ],
)
def test_saved_page_shows_the_last_view_without_a_request(show, saved, unlocked, second, lens, live):
    name, address = LENS_PLACES[lens]
    shown = {"at": address, "view": lens, "against": second(lens)}
    with unlocked(name) as file:
        explorer = show(file, **shown).explorer if live else pqexplore.explore(file, **shown)
        page = explorer.to_html(decrypted=bool(SAMPLES[name].keys), budget=300_000)
        sentence = answer(file, lens, address, second(lens))
    check_saved(saved(page), lens, address, sentence)


@pytest.fixture(scope="module", params=["lab", "notebook"])
def server(request, tmp_path_factory, sample, second):
    jupyter_app = pytest.importorskip("browser.jupyter_app")
    pytest.importorskip("jupyterlab" if request.param == "lab" else "notebook")
    root = tmp_path_factory.mktemp(f"every-lens-{request.param}")
    paths = {name: sample(name) for name, _ in LENS_PLACES.values()} | {
        COMPARED[lens]: second(lens) for lens in COMPARED
    }
    for name, path in paths.items():
        (root / f"{name}.parquet").write_bytes(path.read_bytes())
    with jupyter_app.jupyter_server(root, request.param) as (url, token):
        yield jupyter_app, request.param, root, url, token


@pytest.mark.full
def test_every_lens_in_a_real_notebook(server, browser, unlocked, second):
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
        with unlocked(sample) as file:
            sentence = answer(file, lens, address, second(lens))
        if sentence:
            expect(place.first.locator(".pqx-answer > p").first).to_have_text(sentence)
        if lens in ("overview", "compare"):
            place.first.locator(".pqx-board-stage[data-drawn]").wait_for()
    context.close()
    assert [error for error in errors if "pqx" in error or "anywidget" in error] == []
