"""The blocks of README.md and docs/*.md run as written, page by page, each page in a fresh folder.

A block of `text` directly after one that runs is what that one prints; a block that prints has one. `PQEXPLORE_RENEW_VIEWS=1`
writes these, also for a block that has none yet. A table may list commands in its first column: each of them runs, too, after
the blocks of its page.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pqexplore.cli import DONE, FOUND, main
from pqexplore.engine.writer.samples import write_sample

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("**/*.md"))]
RUN = ("python", "sh", "console", "bash", "shell")
BLOCK = re.compile(rf"^```({'|'.join(RUN)})\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", re.M | re.S)
"""The language of a block that runs, its text, and what it prints ("" if the page does not show it)."""
LISTED = re.compile(r"^\| `(pqexplore (?!view`)(?![^`]*\b(?:FILE|DIR|NAME|TERM)\b)[^`]+)` \|", re.M)
"""A command in the first column of a table; not one with a placeholder, nor one that serves until it is stopped."""
ANY_BLOCK = re.compile(r"^```([^`\n]*)\n(.*?)^```$", re.M | re.S)

NOT_RUN = {
    "CONTRIBUTING.md: mermaid": "a drawing",
    "index.md: {image} explorer.png": "an image of the site",
    "index.md: {image} explorer-dark.png": "an image of the site",
    "app.md: ": "`tests/app/test_safety.py` starts the server",
    "mcp.md: json": "`tests/cli/test_mcp.py` starts the server by it",
    "json.md: json": "an answer: `tests/cli/test_verbs.py` compares it with what is printed",
    "pipelines.md: toml": "`tests/cli/test_pipelines.py` reads it",
    "pipelines.md: yaml": "`tests/cli/test_pipelines.py` runs them",
    "magic.md: ": "`tests/test_magic.py` runs them in IPython",
}
"""Blocks that do not run here, by page and language, and why."""

INSTALLS = ("pip install ", "%pip install ", "uvx ")
"""What begins the lines of blocks that install; `make release-check` installs the wheel."""

TEST = re.compile(r"`(tests/[a-z0-9_/]+\.py)(?:::(\w+))?`")
"""A test that a page names."""

ON_SPARK = ("from pqexplore.lake import metadatastore, scan\n", "from pqexplore.lake import scan\n")
"""How the blocks begin that `tests/spark/test_docs.py` runs."""

WITH_STORES = (
    "from pqexplore.lake import scan\nfrom pqexplore.lake.credentials import UnityCatalog\n",
    "import fsspec\n\nimport pqexplore\n\npqexplore.open(",
)
"""How the blocks begin that `tests/lake/test_docs_with_stores.py` runs."""

VOLUME = "/Volumes/main/default/files"
"""A folder of Databricks in the docs. It is a folder of the test when the blocks run."""


def blocks(page, elsewhere=(*ON_SPARK, *WITH_STORES)):
    """Language, text and output of each block of a page that runs, without those that begin as listed."""
    found = BLOCK.findall(page.read_text("utf-8"))
    return [one for one in found if not one[1].startswith(elsewhere)]


def delta_table(folder):
    """A Delta table of six versions; each adds a file of one row."""
    (folder / "_delta_log").mkdir(parents=True)
    field = {"name": "id", "type": "long", "nullable": True, "metadata": {}}
    schema = json.dumps({"type": "struct", "fields": [field]})
    for version in range(6):
        name = f"part-{version}.parquet"
        pq.write_table(pa.table({"id": [version]}), folder / name)
        size = (folder / name).stat().st_size
        added = {"path": name, "partitionValues": {}, "size": size, "modificationTime": 0}
        actions = [{"add": {**added, "dataChange": True}}]
        if not version:
            meta = {"id": "t", "format": {"provider": "parquet", "options": {}}, "configuration": {}}
            actions = [
                {"protocol": {"minReaderVersion": 1, "minWriterVersion": 2}},
                {"metaData": {**meta, "schemaString": schema, "partitionColumns": []}},
                *actions,
            ]
        log = folder / "_delta_log" / f"{version:020}.json"
        log.write_text("".join(json.dumps(one) + "\n" for one in actions))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with what the pages take for granted: a sample, two versions of a file, a Delta table, a folder of files."""
    monkeypatch.chdir(tmp_path)
    write_sample("events", "events.parquet")
    for name in ("old", "new"):
        write_sample("page-index", f"{name}.parquet")
    Path("warehouse/events").mkdir(parents=True)
    Path("volume").mkdir()
    for name in ("warehouse/events/a.parquet", "warehouse/events/b.parquet", "volume/events.parquet"):
        shutil.copy("new.parquet", name)
    changed = pq.read_table("old.parquet").slice(0, 900)
    pq.write_table(changed.drop_columns(changed.column_names[-1:]), "new.parquet", compression="zstd")
    delta_table(Path("events"))


def run_python(text, name, names):
    """Runs a block; a volume of Databricks is the folder `volume`."""
    exec(compile(text.replace(VOLUME, "volume"), name, "exec"), names)


def run_shell(text):
    """Runs each line, a command of pqexplore. `make` is asked what it would do, as it would run these tests."""
    for line in text.splitlines():
        words = shlex.split(line.removeprefix("$ "), comments=True)
        assert not words or words[0] in ("pqexplore", "make"), line
        if words and words[0] == "make":
            assert subprocess.run(["make", "-n", "-C", ROOT, *words[1:]], stdout=subprocess.DEVNULL).returncode == 0
        elif words:
            try:
                status = main(words[1:])
            except SystemExit as end:  # an option that only prints, such as --explain
                status = end.code or DONE
            assert status in (DONE, FOUND), line


def with_output(whole, text, shown, printed):
    """A page's text with what a block prints in place of what is shown."""
    before = f"{text}```\n" + (f"\n```text\n{shown}```\n" if shown else "")
    after = f"{text}```\n" + (f"\n```text\n{printed}```\n" if printed else "")
    assert whole.count(before) == 1, f"a block stands there twice: {text}"
    return whole.replace(before, after)


@pytest.mark.parametrize(
    "page",
    [page for page in PAGES if blocks(page) or LISTED.search(page.read_text("utf-8"))],
    ids=lambda page: page.name,
)
def test_the_blocks_of_a_page_run(page, folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "88")
    for shows in ("IPython.display.display", "ipywidgets.widgets.widget_output.clear_output"):
        monkeypatch.setattr(shows, lambda *_, **__: None)  # what a notebook draws is no text
    if page.name in ("README.md", "first-minutes.md", "commands.md"):
        os.unlink("events.parquet")  # the page begins with writing it
    names = {}
    for language, text, shown in blocks(page):
        if language == "python":
            run_python(text, page.name, names)
        else:
            run_shell(text)
        printed = capsys.readouterr().out
        if os.environ.get("PQEXPLORE_RENEW_VIEWS"):
            page.write_text(with_output(page.read_text("utf-8"), text, shown, printed), "utf-8")
        else:
            assert printed == shown, f"not what the page shows below this block:\n{text}"
    if "plan" in names:
        assert 0 < len(names["plan"].kept) < len(names["f"].row_groups)
    for command in LISTED.findall(page.read_text("utf-8")):
        run_shell(command)
        assert capsys.readouterr().out, command


def test_a_block_that_prints_and_shows_nothing_is_seen(folder, capsys, monkeypatch, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```python\nprint(1)\n```\n")
    with pytest.raises(AssertionError, match="not what the page shows"):
        test_the_blocks_of_a_page_run(page, folder, capsys, monkeypatch)
    monkeypatch.setenv("PQEXPLORE_RENEW_VIEWS", "1")
    test_the_blocks_of_a_page_run(page, folder, capsys, monkeypatch)
    assert page.read_text() == "```python\nprint(1)\n```\n\n```text\n1\n```\n"
    monkeypatch.delenv("PQEXPLORE_RENEW_VIEWS")
    test_the_blocks_of_a_page_run(page, folder, capsys, monkeypatch)


def test_a_command_that_fails_is_seen(folder, capsys):
    with pytest.raises(AssertionError, match="nowhere"):
        run_shell("pqexplore check nowhere.parquet")


def test_what_is_run_elsewhere_is_there():
    texts = [text for page in PAGES for _, text, _ in BLOCK.findall(page.read_text("utf-8"))]
    assert all(any(text.startswith(start) for text in texts) for start in (*ON_SPARK, *WITH_STORES))


def test_every_block_runs_or_says_why_not():
    others = set()
    for page in PAGES:
        text = page.read_text("utf-8")
        assert "```text\n```" not in text, f"{page.name}: an output that is not compared"
        left = BLOCK.sub("", text)
        assert left.count("\n```") % 2 == 0, f"{page.name}: a block that does not end"
        for language, block in ANY_BLOCK.findall(left):
            if not all(line.startswith(INSTALLS) for line in block.splitlines() if line):
                others.add(f"{page.name}: {language}")
    assert others == set(NOT_RUN)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_test_that_a_page_names_is_there(page):
    for file, name in TEST.findall(page.read_text("utf-8")):
        text = (ROOT / file).read_text("utf-8")
        assert not name or f"\ndef {name}(" in text, f"{file}::{name}"
