"""The course as pages: each notebook as it ran, and its solutions on a page of their own.

The notebooks run in a copy of their folder, in kernels of their own. A notebook on Spark runs in the environment that
`make spark` makes; without that, its page shows no outputs, and says so.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import nbformat
from nbclient import NotebookClient
from nbconvert import MarkdownExporter

from pqexplore.widget.picture import CLOSING

NOT_RUN = "This chapter needs Spark, which was not installed when the site was built: its outputs are missing here.\n"
ON_SITE = "<p>In a notebook, this is the explorer.</p>"
"""In place of what the picture of an explorer says of its cell, which does not run here."""
SECONDS = 600
"""The time that a cell may take."""


def pages(notebooks: pathlib.Path, target: pathlib.Path, spark: pathlib.Path) -> None:
    """Write `course/NAME.md` and `solutions/NAME.md` below `target`; `spark` is the interpreter that has Spark."""
    with tempfile.TemporaryDirectory() as scratch:
        here = pathlib.Path(scratch)
        copies = shutil.copytree(notebooks, here / "notebooks")
        for name, python in (("site", sys.executable), ("spark", str(spark))):
            kernel = here / "kernels" / name / "kernel.json"
            kernel.parent.mkdir(parents=True)
            line = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
            kernel.write_text(json.dumps({"argv": line, "display_name": name}), "utf-8")
        os.environ["JUPYTER_PATH"] = scratch
        os.environ["PQEXPLORE_COURSE"] = str(here / "course.json")
        os.environ["IPYTHONDIR"] = str(here / "ipython")
        for path in sorted(copies.glob("*.ipynb")):
            text = _page(path, target / "course", spark)
            number = path.stem.partition("-")[0].lstrip("0")
            text = re.sub(r"\A# ", f"# {number}. ", text.lstrip())
            if (copies / "solutions" / path.name).exists():
                text += f"\n[The solutions of this chapter](../solutions/{path.stem}.md)\n"
            (target / "course" / f"{path.stem}.md").write_text(text, "utf-8")
        for path in sorted((copies / "solutions").glob("*.ipynb")):
            text = _page(path, target / "solutions", spark)
            text = f"---\norphan: true\n---\n{text}\n[Back to the chapter](../course/{path.stem}.md)\n"
            (target / "solutions" / f"{path.stem}.md").write_text(text, "utf-8")


def _page(path: pathlib.Path, folder: pathlib.Path, spark: pathlib.Path) -> str:
    """The Markdown of a notebook; its images are written into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    print(f"  {folder.name}/{path.stem}", file=sys.stderr)
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = re.sub(r"\]\((?:\.\./)?([\w-]+)\.ipynb\)", r"](\1.md)", cell.source)
    chapter = path.parent.parent / path.name  # what a page of solutions runs first
    texts = [one.read_text("utf-8") for one in (path, chapter) if one.exists()]
    needs_spark = any("local_session" in text for text in texts)
    if not needs_spark or spark.exists():
        NotebookClient(
            notebook,
            timeout=SECONDS,
            kernel_name="spark" if needs_spark else "site",
            resources={"metadata": {"path": str(path.parent)}},
            store_widget_state=False,
        ).execute(stderr=subprocess.DEVNULL)  # Spark's log, and that of the kernel
    else:
        notebook.cells.insert(1, nbformat.v4.new_markdown_cell(NOT_RUN))
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        if cell.source.startswith("%run"):
            cell.outputs = []  # those of the whole chapter, which has its own page
        cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
    names = {"unique_key": path.stem, "output_files_dir": f"{path.stem}_files"}
    text, made = MarkdownExporter().from_notebook_node(notebook, names)
    for name, data in made["outputs"].items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)
    return str(text).replace(CLOSING, ON_SITE).replace(str(path.parent), "…")
