"""`docs/first.md`: each line below a picture is what stands below the name of that sample."""

import re
from pathlib import Path

import pytest

import pqexplore
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight.steps import finish
from pqexplore.widget.headline import headline

DOCS = Path(__file__).parent.parent / "docs"
SCREENS = re.findall(r"\(first/(.+)\.png\)\n\n> (.+)", (DOCS / "first.md").read_text("utf-8"))


def test_there_are_twelve_with_a_picture_each():
    assert len(SCREENS) == 12
    assert {name for name, _ in SCREENS} == {path.stem for path in (DOCS / "first").iterdir()}


@pytest.mark.parametrize(("name", "line"), SCREENS)
def test_the_line_below_the_name_is_that_of_the_page(tmp_path, name, line):
    path = tmp_path / f"{name}.parquet"
    write_sample(name, path)
    with pqexplore.open(path) as file:
        assert finish(headline(file)).sentence == line
