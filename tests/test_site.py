"""The site's pages that are made of the code, and what its index lists. `make docs` builds all of it."""

import importlib.util
import re
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    "page, heading, names",
    [
        ("cli", r"^## ([\w-]+): ", VERBS),
        ("lake", r"^## Table `(\w+)`", TABLES),
        ("glossary", r"^## (.+)$", GLOSSARY),
        ("readers", r"^\| `([\w-]+)`: ", KNOWN),
        ("readers", r"^## (.+)$", VERSIONS),
    ],
)
def test_a_page_has_every_name(pages, page, heading, names):
    assert re.findall(heading, pages[f"reference/{page}.md"], re.M) == list(names)


def test_the_page_of_python_has_every_public_name(reference, pages):
    assert reference.missing() == set()
    assert "pqexplore.open(\n    source: Readable,\n    *,\n" in pages["reference/python.md"]


@pytest.mark.parametrize(
    "heading, names",
    [("lens", list(LENSES)), ("panel", list(panels.LAKE)), ("panel", list(panels.STORE))],
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
