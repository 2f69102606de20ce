"""docs/writers.md is written from the tables of the package."""

import importlib.util
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_the_page_of_writers_is_written_from_the_tables():
    path = ROOT / "tools" / "writers_page.py"
    spec = importlib.util.spec_from_file_location("writers_page", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert (ROOT / "docs" / "writers.md").read_text("utf-8") == tool.page()
