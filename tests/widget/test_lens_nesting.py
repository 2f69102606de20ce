"""The stepper's replies for the view: JSON, on a damaged page and with a hostile name."""

import json

import pytest

from pqexplore.engine.errors import ParquetError
from pqexplore.insight import lenses
from pqexplore.insight.lenses.nesting import STEPS
from pqexplore.widget import lens as lens_view
from pqexplore.widget import rpc
from pqexplore.widget.operations import OPERATIONS


def payload(file, address):
    made = lenses.finish(lens_view.show(file, address, "nesting"))
    json.dumps(made, allow_nan=False)
    return made


def test_a_step_has_its_lines_by_name(file):
    args = {"address": "row_groups/0/columns/2/pages/1", "start": STEPS}
    result, _ = rpc.call(OPERATIONS, file, "nesting_steps", args)
    assert result["start"] == STEPS and len(result["steps"]) == STEPS
    assert result["steps"][0]["lines"][0] == {"indent": 0, "text": "tags: [", "new": True}


def test_a_broken_page_raises(broken_file):
    with pytest.raises(ParquetError):
        payload(broken_file, "row_groups/0/columns/0/pages/1")


def test_a_hostile_name_is_only_text(hostile_file):
    made = payload(hostile_file, "row_groups/0/columns/0")
    assert "<img" in made["picture"]["column"]
