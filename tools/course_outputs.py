"""Runs the chapters of the course, and writes into each what its cells show: `make chapters`, or with numbers of chapters.

A forge shows a notebook as it is committed, and runs nothing. So the chapters have their outputs, as texts and pictures that
need neither a kernel nor a script: of an explorer its picture stays, its widget goes. The notebook says which code the outputs
are of; a test compares it. The chapter on Spark runs in the environment that `make spark` makes, or keeps what it has.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = ROOT / "notebooks"
SPARK = ROOT / ".venv" / "spark" / "bin" / "python"
SECONDS = 600
"""The time that a cell may take."""

STATIC = ("text/plain", "text/html", "image/png")
"""Kinds of output that need no program."""


def code_of(notebook: Any) -> str:
    """The digest of a notebook's code, in its order."""
    texts = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def without(text: str, folder: str) -> str:
    """A text that does not name the folder, with or without its first slash."""
    return text.replace(folder, "…").replace(folder.lstrip("/"), "…")


def static(output: Any, folder: str) -> Any | None:
    """An output as texts and pictures; None if nothing is left. `folder`, where the notebook ran, is not named."""
    if output.output_type == "stream":
        output.text = without(output.text, folder)
        return output if output.name == "stdout" else None
    output.data = {kind: without(text, folder) for kind, text in output.data.items() if kind in STATIC and text}
    output.metadata = {}
    return output if output.data else None


def run(path: Path, kernel: str) -> None:
    """Run a notebook where it is, and write its outputs into it."""
    notebook = nbformat.read(path, as_version=4)
    language = notebook.metadata.get("language_info")
    client = NotebookClient(
        notebook,
        timeout=SECONDS,
        kernel_name=kernel,
        resources={"metadata": {"path": str(path.parent)}},
        store_widget_state=False,
    )
    client.execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            made = [static(one, str(path.parent)) for one in cell.outputs]
            cell.outputs = [one for one in made if one is not None]
        cell.metadata.pop("execution", None)  # when it ran, which differs each time
    notebook.metadata["language_info"] = language  # without the version of this Python
    notebook.metadata["pqexplore"] = {"outputs_of": code_of(notebook)}
    nbformat.write(notebook, path)


def main() -> int:
    """Run the chapters in a copy of their folder, and take over what they show."""
    parser = argparse.ArgumentParser(description="Write into the chapters what their cells show.")
    parser.add_argument("numbers", nargs="*", help="numbers of chapters, such as 01; all without any")
    parser.add_argument("--spark", type=Path, default=SPARK, help="Python that has Spark")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        here = Path(scratch)
        copies = shutil.copytree(NOTEBOOKS, here / "notebooks")
        for name, python in (("course", sys.executable), ("spark", str(asked.spark))):
            kernel = here / "kernels" / name / "kernel.json"
            kernel.parent.mkdir(parents=True)
            line = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
            kernel.write_text(json.dumps({"argv": line, "display_name": name}), "utf-8")
        os.environ |= {"JUPYTER_PATH": scratch, "IPYTHONDIR": str(here / "ipython")}
        os.environ["PQEXPLORE_COURSE"] = str(here / "course.json")
        for path in sorted(copies.glob("*.ipynb")):
            if asked.numbers and path.name[:2] not in asked.numbers:
                continue
            on_spark = "local_session" in path.read_text("utf-8")
            if on_spark and not asked.spark.exists():
                print(f"{path.name}: Spark is not here", file=sys.stderr)
                continue
            run(path, "spark" if on_spark else "course")
            shutil.copyfile(path, NOTEBOOKS / path.name)
            print(f"{path.name}: {path.stat().st_size:,} bytes", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
