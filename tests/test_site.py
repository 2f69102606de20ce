"""The site's pages that are made of the code, and what its index lists. `make docs` builds all of it."""

import importlib.util
import re
from pathlib import Path

import pytest

from pqexplore.cli.verbs import VERBS
from pqexplore.insight.glossary import GLOSSARY
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
    ],
)
def test_a_page_has_every_name(pages, page, heading, names):
    assert re.findall(heading, pages[f"reference/{page}.md"], re.M) == list(names)


def test_the_page_of_python_has_every_public_name(reference, pages):
    assert reference.missing() == set()
    assert "pqexplore.open(\n    source: Readable,\n    *,\n" in pages["reference/python.md"]


def test_the_index_lists_every_page():
    listed = re.findall(r"^([\w/-]+)$", (ROOT / "docs" / "index.md").read_text("utf-8"), re.M)
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert pages <= set(listed)
