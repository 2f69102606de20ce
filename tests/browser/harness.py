"""The real widget and the real bundle in a page, joined without Jupyter: about a second a test.

The page has the style sheets of a notebook and of a window and no others, so that tests look at what ships.

What the widget sends goes to the page through a Playwright binding, and what the page sends to the widget's own
message handler, as bytes: what cannot travel as JSON and buffers fails here as it would in Jupyter.

`PQEXPLORE_SLOW=6` makes the page six times slower and the kernel late: a test that does not wait for what it reads
fails then, not on somebody's busy machine.
"""

import base64
import contextlib
import json
import os
import time
from collections.abc import Iterator
from typing import Any

import ipywidgets

from pqexplore.widget.export import WINDOW
from pqexplore.widget.script_loader import BUNDLE, STATIC

SCRIPT, STYLE = BUNDLE

CHROMIUM_ARGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
]  # fmt: skip

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>explorer</title>
<style id="pqx-style">{css}</style><style id="pqx-theme"></style>
<main id="pqx-root"></main></html>"""

JUPYTER_DARK = """body { --jp-layout-color0: #111; --jp-layout-color1: #212121; --jp-layout-color2: #424242;
--jp-content-font-color0: rgba(255, 255, 255, 1); --jp-brand-color1: #42a5f5; background: #111 }"""

MOUNT = """([view, state, views, width, css]) => {
  const root = document.getElementById("pqx-root");
  for (const el of document.querySelectorAll("style:not([id]), body > :not(#pqx-root)")) el.remove();
  for (const name of document.body.getAttributeNames()) document.body.removeAttribute(name);
  document.getElementById("pqx-theme").textContent = css;
  root.style.width = width;
  delete performance.now;
  delete document.execCommand;
  scrollTo(0, 0);
  const bridge = { state, views, waiting: 0, post: async (sent) => {
    bridge.waiting++;
    for (const message of JSON.parse(await window.pqxPython(view, sent))) bridge.receive(message);
    bridge.waiting--;
  } };
  window.pqxMount(bridge);
}"""
"""Show the explorers of a view in place of those that the page shows, as if the page were new."""

REST = """async () => {
  const busy = () => window.pqxBridge?.waiting || document.querySelector(".pqx[data-busy]");
  const frame = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  const end = Date.now() + 60_000;
  for (await frame(); busy(); await frame()) {
    while (busy()) {
      if (Date.now() > end) throw new Error("the page does not come to rest");
      await new Promise((done) => setTimeout(done, 5));
    }
  }
}"""
"""What changed the page is seen at its next frame; from then on the explorers state that they are busy."""


OPEN = """(parts) => {
  for (const root of document.querySelectorAll(".pqx"))
    for (const part of parts) {
      const button = root.querySelector(`.pqx-toggle-${part}`);
      if (!button) continue;  // the explorer of a lake
      if (root.dataset[part] === "open") button.click();  // bytes that opened by themselves
      button.click();
    }
  document.body.tabIndex = -1;  // from here the next Tab goes to the first element
  document.body.focus();
  document.body.removeAttribute("tabindex");
}"""


def settle(page: Any) -> None:
    """Wait until each explorer of the page states that it is at rest, and Python has answered."""
    page.evaluate(REST)


def open_parts(page: Any, *parts: str) -> None:
    """Open drawers of each explorer in a page: `map`, `tree`, `bytes`."""
    page.evaluate(OPEN, parts)
    settle(page)


def tool(page: Any, name: object) -> Any:
    """A button of the menu of tools, which is opened: "Pin this view"."""
    button = page.locator(".pqx-tools .pqx-menu").first.get_by_role("button", name=name)
    if not button.is_visible():
        page.get_by_role("button", name="More tools").first.click()
    return button


def choose_tab(tab: Any) -> None:
    """Click the tab of a lens: in the line of tabs, or in the menu at its end."""
    if not tab.is_visible():
        tab.evaluate("(el) => el.closest('.pqx-tab-bar').querySelector('.pqx-more-tabs').click()")
    tab.click()


def choose_lens(page: Any, title: str) -> None:
    """Choose a lens by its title."""
    choose_tab(page.locator(".pqx-detail > .pqx-tab-bar .pqx-tab").filter(has=page.get_by_text(title, exact=True)))


def resize(page: Any, width: int, height: int) -> None:
    """Give the window a size, and wait until the page is at rest in it."""
    page.set_viewport_size({"width": width, "height": height})
    wait_until(page, "([width, height]) => innerWidth === width && innerHeight === height", [width, height])
    settle(page)


def wait_until(page: Any, condition: str, seen: object = None) -> None:
    """Wait until `condition`, a JavaScript function of `seen`, is true.

    Playwright's `wait_for_function` evaluates its text again at each frame. A page whose policy has no
    `unsafe-eval` refuses that from the second time on. Here the text is evaluated once.
    """
    page.evaluate(
        f"""async (seen) => {{
          const condition = {condition};
          const end = Date.now() + 60_000;
          while (!condition(seen)) {{
            if (Date.now() > end) throw new Error("still false after a minute");
            await new Promise((done) => setTimeout(done, 20));
          }}
        }}""",
        seen,
    )


@contextlib.contextmanager
def without_kernel(page: Any) -> Iterator[None]:
    """Python does not answer; the notebook says when the connection is lost, and when it is there again."""
    changed = "window.pqxBridge.receive({type: 'event', event: 'comm_live_update'})"
    page.evaluate(
        "() => { window.pqxAnswers = window.pqxPython; window.pqxPython = () => new Promise(() => {}); "
        f"{changed}; }}"
    )
    yield
    page.evaluate(f"() => {{ window.pqxPython = window.pqxAnswers; {changed}; }}")


def let_time_pass(page: Any) -> None:
    """A second passes between any two looks at the page's clock: no place that is shown counts as passed by."""
    page.evaluate("void (performance.now = () => (window.pqxNow = (window.pqxNow ?? 1e9) + 1_000))")


def keep_copies(page: Any) -> None:
    """Keep what the page copies from now on, for `copied`."""
    page.evaluate(
        """void (window.pqxCopied = [], document.execCommand = () => {
          window.pqxCopied.push(document.activeElement.value); return true; })"""
    )


def copied(page: Any) -> list[str]:
    """What the page has copied since `keep_copies`."""
    found: list[str] = page.evaluate("window.pqxCopied")
    return found


def digits(page: Any, how: str) -> list[str]:
    """The bytes in hex that are marked as `selected`, or highlighted as `hot`, after the page is at rest."""
    settle(page)
    return "".join(page.locator(f".pqx-digits .pqx-{how}").all_inner_texts()).split()


def _base() -> type:
    """ipywidgets 7 accepts only comms of ipykernel."""
    if int(ipywidgets.__version__.partition(".")[0]) > 7:
        return object
    from ipykernel.comm import Comm as KernelComm

    return KernelComm


class Comm(_base()):  # type: ignore[misc]
    """Stands in for the kernel's comm: keeps what the widget sends until the page fetches it."""

    comm_id = "test"
    kernel = True  # ipywidgets 7 sends nothing where there is none

    def __init__(self) -> None:
        self.sent: list[dict[str, Any]] = []
        self.largest = 0

    def on_msg(self, callback: Any) -> None:
        pass

    def on_close(self, callback: Any) -> None:
        pass

    def open(self, *args: Any, **kwargs: Any) -> None:
        pass

    def close(self, *args: Any, **kwargs: Any) -> None:
        pass

    def send(self, data: Any = None, metadata: Any = None, buffers: Any = None) -> None:
        text = json.dumps(data)
        parts = [bytes(part) for part in buffers or []]
        self.largest = max(self.largest, len(text) + sum(map(len, parts)))
        if data["method"] == "custom":
            encoded = [base64.b64encode(part).decode() for part in parts]
            self.sent.append({"type": "custom", "content": data["content"], "buffers": encoded})
        elif data["method"] in ("update", "echo_update"):
            self.sent.append({"type": "update", "state": data["state"]})


class View:
    """An explorer in a page. `page` is Playwright's; `explorer` the Python widget.

    The page is made ready once, and may show one view after another: the script is compiled once.
    """

    def __init__(self, page: Any, explorer: Any, *, width: str = "auto", views: int = 1, css: str = "") -> None:
        assert "pqx" not in css, "what is added is a theme's, and no rule for the explorer"
        self.page = page
        self.explorer = explorer
        self.comm = Comm()
        self.errors: list[str] = []
        explorer.comm = self.comm
        self.slow = int(os.environ.get("PQEXPLORE_SLOW", "1"))
        if not hasattr(page, "shows"):
            self._prepare(page)
        page.shows = self
        own = [name for name in explorer.traits(sync=True) if not name.startswith("_")]
        values = {name: getattr(explorer, name) for name in own}
        state = {name: value for name, value in values.items() if isinstance(value, str)}
        page.evaluate(MOUNT, [id(self), state, views, width, css])

    def _prepare(self, page: Any) -> None:
        page.on("pageerror", lambda error: page.shows.errors.append(str(error)))
        page.expose_binding("pqxPython", lambda _source, view, sent: page.shows._answer(view, sent))
        page.set_content(PAGE.format(css="".join((STATIC / name).read_text("utf-8") for name in (WINDOW, STYLE))))
        script = "".join((STATIC / name).read_text("utf-8") for name in (SCRIPT, "bridge.js"))
        page.add_script_tag(content=script, type="module")
        wait_until(page, "() => window.pqxMount")
        if self.slow > 1:
            throttle = page.context.new_cdp_session(page)
            throttle.send("Emulation.setCPUThrottlingRate", {"rate": self.slow})

    def _answer(self, view: int, sent: Any) -> str:
        """The messages of the widget, as one text, which Playwright does not look into; none to the view before."""
        return json.dumps(self._receive(sent) if view == id(self) else [])

    def _receive(self, sent: Any) -> list[dict[str, Any]]:
        if sent["type"] == "custom":
            data = {"method": "custom", "content": sent["content"]}
        else:
            data = {"method": "update", "state": sent["state"], "buffer_paths": []}
        if self.slow > 1:
            time.sleep(0.02 * self.slow)
        self.explorer._handle_msg({"content": {"data": data}, "buffers": []})
        out, self.comm.sent = self.comm.sent, []
        return out

    def flush(self) -> None:
        """Give the page the messages that the widget sent without a request, as after a cell sets a trait."""
        out, self.comm.sent = self.comm.sent, []
        self.page.evaluate("(all) => { for (const m of all) window.pqxBridge.receive(m); }", out)

    def shown(self, address: str, nth: int = 0) -> None:
        """Wait until a view shows an address in all its parts, and is at rest."""
        self.page.locator(".pqx").nth(nth).and_(self.page.locator(f'[data-shown="{address or "file"}"]')).wait_for()
        settle(self.page)

    def open(self, *parts: str) -> None:
        """Open the map, the tree or the bytes of each explorer, and let no button keep the focus."""
        open_parts(self.page, *parts)

    def go(self, address: str) -> None:
        """Select in Python, as a cell does, and wait."""
        self.explorer.selection = address
        self.flush()
        self.shown(address)
