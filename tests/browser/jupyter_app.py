"""A private Jupyter server, and a notebook in it, driven from Chromium.

Nothing of the user's own Jupyter is read or written: every folder of it lies below one temporary one.
"""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import nbformat
from playwright.sync_api import Error as PlaywrightError

ROOT = pathlib.Path(__file__).parents[2]


@contextlib.contextmanager
def jupyter_server(root: pathlib.Path, app: str, timeout: float = 90) -> Iterator[tuple[str, str]]:
    """URL and token of a running JupyterLab (`lab`) or Notebook 7 (`notebook`)."""
    home = root / ".jupyter-private"
    settings = home / "lab-settings"
    runtime = home / "runtime"
    for folder in (settings / "@jupyterlab" / "apputils-extension", runtime):
        folder.mkdir(parents=True, exist_ok=True)
    news = settings / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    news.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
    extension = home / "share" / "labextensions" / "pqexplore"
    enabled = home / "etc" / "jupyter_server_config.d"
    extension.parent.mkdir(parents=True, exist_ok=True)
    enabled.mkdir(parents=True, exist_ok=True)
    if not extension.is_symlink():  # what is built now, and not what was when pqexplore was installed
        extension.symlink_to(ROOT / "pqexplore" / "app" / "labextension")
        shutil.copy(ROOT / "pqexplore" / "app" / "jupyter_server.json", enabled / "pqexplore.json")
    environment = os.environ | {
        "JUPYTER_PATH": str(home / "share"),
        "JUPYTER_CONFIG_PATH": str(home / "etc"),
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(runtime),
        "JUPYTERLAB_SETTINGS_DIR": str(settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        "IPYTHONDIR": str(home / "ipython"),
        "PQEXPLORE_COURSE": str(home / "course.json"),
        "JUPYTER_PLATFORM_DIRS": "1",
        "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")])),
    }
    command = [
        sys.executable,
        "-m",
        "jupyterlab" if app == "lab" else "notebook",
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        "--port=0",
        f"--ServerApp.root_dir={root}",
        "--ServerApp.jpserver_extensions={'jupyter_lsp': False, 'jupyter_server_terminals': False}",
        "--expose-app-in-browser",
        "--LabApp.extension_manager=readonly",
        "--YDocExtension.disable_rtc=True",
    ]
    log = root / f"{app}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, env=environment, stdout=out, stderr=subprocess.STDOUT, start_new_session=True, cwd=root
        )
        try:
            yield _wait(process, runtime, log, timeout)
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _wait(
    process: subprocess.Popen[bytes], runtime: pathlib.Path, log: pathlib.Path, timeout: float
) -> tuple[str, str]:
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"jupyter ended with {process.returncode}: {log.read_text()[-2000:]}")
        for file in runtime.glob(f"jpserver-{process.pid}.json"):
            with contextlib.suppress(json.JSONDecodeError, OSError):
                info = json.loads(file.read_text())
                urllib.request.urlopen(f"{info['url']}api?token={info['token']}", timeout=2).read()
                return info["url"], info["token"]
        time.sleep(0.05)
    raise TimeoutError(log.read_text()[-2000:])


def write_notebook(path: pathlib.Path, cells: list[str]) -> None:
    """A notebook of code cells, not yet run."""
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(notebook, path)


class Notebook:
    """The actions of a test in an open notebook, in JupyterLab 4 or Notebook 7."""

    def __init__(self, page: Any, url: str, token: str, app: str, root: pathlib.Path) -> None:
        self.page = page
        self.url = url
        self.token = token
        self.app = app
        self.root = root

    def run(self, name: str, cells: list[str], *, fresh: bool = False) -> None:
        """Write a notebook, open it, run all its cells."""
        write_notebook(self.root / name, cells)
        self.open(name, fresh=fresh)
        self.run_all()

    def open(self, name: str, *, fresh: bool = False) -> None:
        """Open a notebook in place of the one that is open, and wait for its kernel.

        JupyterLab is loaded again only if it must be `fresh`: that takes longer than most tests.
        """
        if fresh or self.app != "lab" or not self.page.evaluate("() => !!window.jupyterapp"):
            place = f"lab/tree/{name}?reset" if self.app == "lab" else f"notebooks/{name}?"
            self.page.goto(f"{self.url}{place}&token={self.token}", wait_until="domcontentloaded")
            self.page.wait_for_function("() => !!window.jupyterapp", timeout=60_000)
            self.page.evaluate("() => window.jupyterapp.restored")
        else:
            self.page.evaluate(
                """async (name) => {
                     const { commands, shell } = window.jupyterapp;
                     for (const open of [...shell.widgets('main')]) {
                       await open.sessionContext?.shutdown().catch(() => {});  // its kernel may be dead
                       open.dispose();
                     }
                     await commands.execute('docmanager:open', { path: name }); }""",
                name,
            )
        self.page.wait_for_function(
            """() => { const w = window.jupyterapp.shell.currentWidget;
                 return w?.content?.model && w.context?.isReady
                   && w.sessionContext?.session?.kernel?.status === 'idle'
                   && w.sessionContext.session.kernel.connectionStatus === 'connected'; }""",
            timeout=60_000,
        )

    def is_open(self, name: str) -> bool:
        """Whether the page shows this notebook."""
        return bool(
            self.page.evaluate("(name) => window.jupyterapp?.shell.currentWidget?.context?.path === name", name)
        )

    def run_all(self) -> None:
        """Run all cells."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
        self.page.wait_for_function(
            """() => window.jupyterapp.shell.currentWidget.content.widgets.every(
                 (c) => c.model.type !== 'code' || c.model.executionCount !== null)""",
            timeout=60_000,
        )

    def show_cell(self, source: str) -> None:
        """Make the cell that has this in its source the active one, and scroll to it."""
        self.page.evaluate(
            """async (source) => {
                 const notebook = window.jupyterapp.shell.currentWidget.content;
                 const at = notebook.widgets.findIndex((c) => c.model.sharedModel.source.includes(source));
                 notebook.activeCellIndex = at;
                 await notebook.scrollToItem(at, 'start'); }""",
            source,
        )

    def run_cell(self) -> None:
        """Run the active cell."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-cell')")

    def save(self, *, widgets: bool) -> None:
        """Save the notebook, with or without the state of its widgets."""
        self.page.evaluate(
            """async (widgets) => {
                 const { commands, shell } = window.jupyterapp;
                 const keep = '@jupyter-widgets/jupyterlab-manager:saveWidgetState';
                 if (commands.isToggled(keep) !== widgets) await commands.execute(keep);
                 await shell.currentWidget.context.save(); }""",
            widgets,
        )

    def shut_down(self) -> None:
        """End the kernel, as one does who closes the notebook."""
        self.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")

    def evaluate(self, expression: str) -> str:
        """The repr of a Python expression in the notebook's kernel."""
        return self.page.evaluate(
            """async (expression) => {
                 const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                 const reply = await kernel.requestExecute({code: '', silent: true, store_history: false,
                   user_expressions: {v: expression}}, true).done;
                 const v = reply.content.user_expressions.v;
                 if (v.status !== 'ok') throw new Error(v.ename + ': ' + v.evalue);
                 return v.data['text/plain']; }""",
            expression,
        )

    def expect(self, expression: str, value: object, timeout: float = 60) -> None:
        """Wait until an expression has a value: messages of a widget and cells are not ordered."""
        deadline = time.monotonic() + timeout
        while True:
            try:
                current = self.evaluate(expression)
            except PlaywrightError as error:
                current = str(error).splitlines()[0]
            if current == repr(value):
                return
            assert time.monotonic() < deadline, f"{expression} is {current}, not {value!r}"
            time.sleep(0.02)

    def output(self, cell: int) -> dict[str, Any]:
        """The data of a cell's first output, by MIME type."""
        outputs = self.page.evaluate(
            "(i) => window.jupyterapp.shell.currentWidget.content.widgets[i].model.outputs.toJSON()", cell
        )
        return outputs[0]["data"]
