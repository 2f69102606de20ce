"""`make demo`: a sample file with the first notebook beside it in demo/, and JupyterLab on both, where a double click opens it."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEMO = ROOT / "demo"
SAMPLE = "events"


def main() -> None:
    """Writes the demo's files, and serves them unless `--no-serve` is given."""
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--no-serve", action="store_true", help="do all but start JupyterLab")
    parser.add_argument("--port", type=int, default=8888, help="the first port to try")
    options = parser.parse_args()

    notebook = write_files()
    if options.no_serve:
        return
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={DEMO}", f"--port={options.port}"]
    command.append(f"--LabApp.default_url=/lab/tree/{notebook.name}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    print("==> JupyterLab; Ctrl+C twice ends it", flush=True)
    os.chdir(DEMO)
    os.execv(sys.executable, command)


def write_files() -> Path:
    """The sample, its explorer as a page, and copies of the notebooks, which may be changed at will; the first one."""
    import pqexplore
    from pqexplore import cli
    from pqexplore.engine.writer.samples import write_sample

    DEMO.mkdir(exist_ok=True)
    path = DEMO / f"{SAMPLE}.parquet"
    write_sample(SAMPLE, path, overwrite=True)
    print(f"==> {path.relative_to(ROOT)}: the sample file", flush=True)
    cli.main([str(path)])
    page = DEMO / "explorer.html"
    with pqexplore.open(path) as file:
        page.write_text(pqexplore.explore(file).to_html(), "utf-8")
    print(f"==> {page.relative_to(ROOT)}: the explorer as a page that needs no server")
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    for notebook in notebooks:
        copy = DEMO / notebook.name
        if not copy.exists():
            shutil.copyfile(notebook, copy)
    print(f"==> {(DEMO / notebooks[0].name).relative_to(ROOT)}: the notebook to begin with")
    print(f"==> a double click on {path.name} in JupyterLab's file browser opens the explorer, without a notebook")
    command = os.path.relpath(Path(sys.executable).with_name("pqexplore"), ROOT)
    print(f"==> without Jupyter: {command} view {path.relative_to(ROOT)}", flush=True)
    return DEMO / notebooks[0].name


if __name__ == "__main__":
    main()
