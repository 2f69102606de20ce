"""Checks the app of an installed pqexplore: JupyterLab's part, the server's extension, and the page of `pqexplore view`.

`tools/release.py` runs it in an empty environment with the extra `app`.
"""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

from jupyter_core.paths import jupyter_config_path, jupyter_path

import pqexplore


def main() -> None:
    """Raise what is wrong."""
    [part] = [one for one in map(pathlib.Path, jupyter_path("labextensions", "pqexplore")) if one.is_dir()]
    about = json.loads((part / "package.json").read_text("utf-8"))
    assert about["version"] == pqexplore.__version__, about
    assert (part / about["jupyterlab"]["_build"]["load"]).is_file(), about
    enabled = [pathlib.Path(one) / "jupyter_server_config.d" / "pqexplore.json" for one in jupyter_config_path()]
    assert any(one.is_file() for one in enabled), enabled
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "events.parquet"
        subprocess.run([sys.executable, "-m", "pqexplore", "sample", "events", path], check=True, cwd=folder)
        command = [sys.executable, "-m", "pqexplore", "view", path, "--no-browser"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
            assert server.stdout is not None
            try:
                address = server.stdout.readline().split()[-1]
                page, _, token = address.partition("?")
                for place in (address, page.replace("/view/", "/static/index.js") + "?" + token):
                    with urllib.request.urlopen(place, timeout=60) as reply:
                        assert reply.status == 200, place
            finally:
                server.terminate()
    print(
        f"the app of pqexplore {pqexplore.__version__}: JupyterLab's part is found, the server's extension is enabled, view serves"
    )


if __name__ == "__main__":
    main()
