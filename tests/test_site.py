"""The site's pages that are made of the code, and what its index lists. `make docs` builds all of it."""

import importlib
import importlib.util
import json
import re
import sys
from pathlib import Path

import pytest
from engine.check.test_violations import ROWS

from pqexplore.cli.verbs import VERBS
from pqexplore.insight.doctor.readers.known import KNOWN
from pqexplore.insight.doctor.readers.table import VERSIONS
from pqexplore.insight.glossary import GLOSSARY
from pqexplore.insight.lenses import LENSES
from pqexplore.lake import panels
from pqexplore.lake.tables import TABLES

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "tools" / "site"


def tool(name):
    spec = importlib.util.spec_from_file_location(name, SITE / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@pytest.fixture(scope="module")
def reference():
    return tool("reference")


@pytest.fixture(scope="module")
def pages(reference):
    return reference.pages()


@pytest.mark.parametrize("page, heading, names", [
    ("cli", r"^## ([\w-]+): ", VERBS),
    ("lake", r"^## Table `(\w+)`", TABLES),
    ("glossary", r"^## (.+)$", GLOSSARY),
    ("readers", r"^\| `([\w-]+)`: ", KNOWN),
    ("readers", r"^## (.+)$", VERSIONS),
])  # fmt: skip
def test_a_page_has_every_name(pages, page, heading, names):
    assert re.findall(heading, pages[f"reference/{page}.md"], re.M) == list(names)


def test_the_page_of_python_has_every_public_name(reference, pages):
    assert reference.missing() == set()
    assert "pqexplore.open(\n    source: Readable,\n    *,\n" in pages["reference/python.md"]


def test_the_page_of_modules_has_every_public_name(reference, pages):
    for module in reference.MODULES:
        found = importlib.import_module(f"pqexplore.{module}")
        for name in found.__all__:
            heading = f"\n### pqexplore.{module}.{name}\n"
            assert (heading in pages["reference/modules.md"]) == callable(getattr(found, name))


def test_the_page_of_rules_is_written_from_their_records_and_cases():
    spec = importlib.util.spec_from_file_location("doctor_rules", ROOT / "tools" / "doctor_rules.py")
    rules = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rules)
    assert (ROOT / "docs" / "rules.md").read_text("utf-8") == rules.page()


def test_the_page_of_findings_has_each_rule_that_a_file_breaks():
    page = tool("findings").page()
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    assert all(len(re.findall(r"(?<!\\)\|", row)) == 4 for row in rows)
    assert {row.split("`")[1] for row in rows} == {row.rule for row in ROWS.values()}


@pytest.mark.parametrize(
    "heading, names", [("lens", list(LENSES)), ("panel", list(panels.LAKE)), ("panel", list(panels.STORE))]
)
def test_each_lens_and_panel_answers_one_question(heading, names):
    page = (ROOT / "docs" / "how-to.md").read_text("utf-8")
    tables = re.findall(rf"^\| question \| {heading} \|\n(.*?)\n(?:\n|\Z)", page, re.M | re.S)
    listed = [re.findall(r"\| `(\w+)` \|$", table, re.M) for table in tables]
    assert sorted(names) in [sorted(one) for one in listed]


def test_the_index_lists_every_page():
    listed = re.findall(r"^([\w/-]+)$", (ROOT / "docs" / "index.md").read_text("utf-8"), re.M)
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert pages <= set(listed)


SITE_OF_TWO = {
    "index.html": '<h1 id="top">x</h1><a href="sub/b.html#there">b</a><a href="#top">up</a><a href="#">top</a>'
    '<img src="data:image/png;base64,AA"><a href="https://example.org/x#y">out</a>',
    "sub/b.html": '<p id="there">y</p><a href="../index.html#top">a</a><a href="..">a</a>',
    "gallery/x.html": '<a href="nowhere">made by its script</a>',
}


@pytest.mark.parametrize("added, wrong", [
    ("", []),
    ('<a href="c.html">c</a>', ["c.html"]),
    ('<a href="sub/b.html#here">b</a>', ["sub/b.html#here"]),
    ('<a href="#here">b</a>', ["#here"]),
    ('<img src="x.png">', ["x.png"]),
    ('<source srcset="x.png">', ["x.png"]),
    ('<a href="sub/">a folder without a page</a>', ["sub/"]),
])  # fmt: skip
def test_broken_links_of_the_site_are_found(tmp_path, added, wrong):
    for name, text in SITE_OF_TWO.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text + (added if name == "index.html" else ""))
    links = tool("links")
    assert links.broken(tmp_path) == [f"index.html: nothing is at {one}" for one in wrong]
    assert links.outside(tmp_path) == ["https://example.org/x"]


@pytest.mark.parametrize("problems, said", [
    ({"https://a/": "", "https://b/": ""}, []),
    ({"https://a/": "", "https://b/": "status 404"}, ["https://b/: status 404"]),
    ({"https://a/": "", "https://b/": OSError("no")}, ["https://b/: no"]),
    ({"https://a/": OSError("no"), "https://b/": OSError("no")}, []),
])  # fmt: skip
def test_outside_links_are_asked_for_where_there_is_a_network(monkeypatch, tmp_path, capsys, problems, said):
    links = tool("links")
    monkeypatch.setattr(links, "outside", lambda folder: list(problems))
    monkeypatch.setattr(links, "_problem", problems.get)
    assert links.unreachable(tmp_path) == said
    without = all(isinstance(one, OSError) for one in problems.values())
    assert ("no network: 2 outside addresses were not checked" in capsys.readouterr().err) == without


def cell(kind, source):
    more = {"outputs": [], "execution_count": None} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **more}


@pytest.mark.parametrize("written, place, shown", [
    ("[a](docs/views.md)", "README.md", "[a](views.md)"),
    ("[a](../README.md#use)", "docs/x.md", "[a](readme.md#use)"),
    ("[a](notebooks/05-variant.ipynb)", "README.md", "[a](course/05-variant.md)"),
    ("[the licence](LICENSE), [a](tests/)", "README.md", "the licence, a"),
    ("[a](https://example.org/docs/x.md)", "README.md", "[a](https://example.org/docs/x.md)"),
    ("![a](docs/explorer.gif)", "README.md", "![a](explorer.gif)"),
    ("![a](https://raw.example.org/p/main/docs/explorer.gif)", "README.md", "![a](explorer.gif)"),
    ('<img src="docs/explorer.png">', "README.md", '<img src="explorer.png">'),
    ('<source srcset="https://e.org/docs/explorer-dark.png">', "README.md", '<source srcset="explorer-dark.png">'),
])  # fmt: skip
def test_links_of_a_page_lead_to_pages_of_the_site(written, place, shown):
    assert tool("pages").page(written, ROOT / place) == shown


@pytest.mark.full
def test_notebooks_become_pages(tmp_path, monkeypatch):
    """A chapter and its solutions as they ran; one on Spark, which is not there, without outputs."""
    pytest.importorskip("nbconvert")
    for name in ("JUPYTER_PATH", "IPYTHONDIR", "PQEXPLORE_COURSE"):
        monkeypatch.setenv(name, "")  # the build sets them; they are put back
    notebooks, site = tmp_path / "notebooks", tmp_path / "site"
    prints = "import sys; print(6 * 7); print('a log', file=sys.stderr)"
    made = {
        "01-a.ipynb": [("markdown", "# A\n\n[B](02-b.ipynb)"), ("code", prints)],
        "02-b.ipynb": [("markdown", "# B"), ("code", "local_session()")],
        "solutions/01-a.ipynb": [
            ("markdown", "# A: the solutions"),
            ("code", "%run ../01-a.ipynb"),
            ("code", "import os; [6 * 9, os.getcwd()]"),
        ],
    }
    for name, cells in made.items():
        (notebooks / name).parent.mkdir(parents=True, exist_ok=True)
        notebook = {"nbformat": 4, "nbformat_minor": 4, "metadata": {}}
        (notebooks / name).write_text(json.dumps({**notebook, "cells": [cell(*one) for one in cells]}))
    tool("chapters").pages(notebooks, site, tmp_path / "no-spark")
    chapter, spark, solutions = (
        (site / name).read_text() for name in ("course/01-a.md", "course/02-b.md", "solutions/01-a.md")
    )
    assert chapter.startswith("# 1. A\n") and "\n    42\n" in chapter and "a log\n" not in chapter
    assert "[B](02-b.md)" in chapter and "(../solutions/01-a.md)" in chapter
    assert "needs Spark" in spark and "solutions" not in spark
    assert "[54, '…']" in solutions and "42" not in solutions and "(../course/01-a.md)" in solutions


def test_the_page_of_trust_has_each_claim_with_what_came_of_its_tests():
    spec = importlib.util.spec_from_file_location("trust", ROOT / "tools" / "trust.py")
    trust = importlib.util.module_from_spec(spec)
    sys.modules["trust"] = trust
    spec.loader.exec_module(trust)
    page = (ROOT / "docs" / "trust.md").read_text("utf-8")
    for one in trust.CLAIMS:
        part = page.partition(f"\n## {one.title}\n")[2].partition("\n## ")[0]
        assert re.search(r"^\*\*\d+ passed\*\*: ", part, re.M), one.title
        assert all(f"`{test}`" in part and (ROOT / test).exists() for test in one.tests)
    assert re.search(r"^\*\*[\d,]+ mutants of \d+ seeds in \d+ s, 0 failed\*\*", page, re.M)
