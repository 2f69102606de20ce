"""The real widget and the real bundle in a page, joined without Jupyter: about a second a test.

The page has the style sheets of a notebook and of a window and no others, so that tests look at what ships.

What the widget sends goes to the page through a Playwright binding, and what the page sends to the widget's own
message handler, as bytes: what cannot travel as JSON and buffers fails here as it would in Jupyter.

`PQEXPLORE_SLOW=6` makes the page six times slower and the kernel late: a test that does not wait for what it reads
fails then, not on somebody's busy machine.
"""

from __future__ import annotations

import base64
import json
import os
import time
from typing import Any

import ipywidgets

from pqexplore.widget.export import WINDOW
from pqexplore.widget.loaded import BUNDLE, STATIC

SCRIPT, STYLE = BUNDLE

CHROMIUM_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]

PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>explorer</title>
<style>{css}</style>
<main id="pqx-root" style="width: {width}"></main></html>"""

JUPYTER_DARK = """body { --jp-layout-color0: #111; --jp-layout-color1: #212121; --jp-layout-color2: #424242;
--jp-content-font-color0: rgba(255, 255, 255, 1); --jp-brand-color1: #42a5f5; background: #111 }"""

QUIET = """async () => {
  let changes = 0;
  const watch = new MutationObserver(() => changes++);
  watch.observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
  const end = performance.now() + 60_000;
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const moment = () => new Promise((done) => setTimeout(done, 20));
  for (let quiet = 0; quiet < 3; ) {
    const before = changes;
    await (quiet < 2 ? moment() : frame().then(moment));  // a frame is dear where the machine draws it
    quiet = changes === before && !window.pqxBridge?.waiting ? quiet + 1 : 0;
    if (performance.now() > end) throw new Error("the page does not come to rest");
  }
  watch.disconnect();
}"""


def settle(page: Any) -> None:
    """Wait until no request is under way and the page does not change any more."""
    page.evaluate(QUIET)


def wait_until(page: Any, condition: str, seen: object = None) -> None:
    """Wait until `condition`, a JavaScript function of `seen`, is true.

    Playwright's `wait_for_function` evaluates its text again at each frame. A page whose policy has no
    `unsafe-eval` refuses that from the second time on. Here the text is evaluated once.
    """
    page.evaluate(
        f"""async (seen) => {{
          const condition = {condition};
          const end = performance.now() + 60_000;
          while (!condition(seen)) {{
            if (performance.now() > end) throw new Error("still false after a minute");
            await new Promise((done) => setTimeout(done, 20));
          }}
        }}""",
        seen,
    )


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
    """An explorer in a page. `page` is Playwright's; `explorer` the Python widget."""

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
        style = "".join((STATIC / name).read_text("utf-8") for name in (WINDOW, STYLE)) + css
        page.set_content(PAGE.format(css=style, width=width))
        own = [name for name in explorer.traits(sync=True) if not name.startswith("_")]
        values = {name: getattr(explorer, name) for name in own}
        state = {name: value for name, value in values.items() if isinstance(value, str)}
        page.evaluate(
            """([state, views]) => { window.pqxBridge = {state, views, waiting: 0, post: async (sent) => {
                 window.pqxBridge.waiting++;
                 for (const message of JSON.parse(await window.pqxPython(sent))) window.pqxBridge.receive(message);
                 window.pqxBridge.waiting--; }}; }""",
            [state, views],
        )
        script = "".join((STATIC / name).read_text("utf-8") for name in (SCRIPT, "bridge.js"))
        page.add_script_tag(content=script, type="module")

    def _prepare(self, page: Any) -> None:
        """Join a new page to the view that it shows at the time; it may show others after this one."""
        page.on("pageerror", lambda error: page.shows.errors.append(str(error)))
        page.expose_binding(
            "pqxPython", lambda _source, sent: json.dumps(page.shows._receive(sent))
        )  # as one text, which Playwright does not look into value by value
        if self.slow > 1:
            throttle = page.context.new_cdp_session(page)
            throttle.send("Emulation.setCPUThrottlingRate", {"rate": self.slow})

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

    def go(self, address: str) -> None:
        """Select in Python, as a cell does, and wait."""
        self.explorer.selection = address
        self.flush()
        self.shown(address)
