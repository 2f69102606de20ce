"""Lenses over the transport: which apply, and pictures and columns as the view gets them."""

import numpy as np
import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.insight import lenses
from pqexplore.widget import lens as lens_view
from pqexplore.widget import rpc
from pqexplore.widget.operations import OPERATIONS


def texts(result, buffers):
    """The columns of a reply as lists."""
    found, buffers = {}, list(buffers)
    for name, dtype in result["columns"]:
        if not dtype.startswith("text"):
            found[name] = np.frombuffer(buffers.pop(0), np.dtype(dtype)).tolist()
            continue
        offsets = np.frombuffer(buffers.pop(0), "<u4")
        data = bytes(buffers.pop(0))
        nulls = bytes(buffers.pop(0)) if dtype == "text?" else bytes(len(offsets))
        found[name] = [
            None if nulls[i] else data[offsets[i] : offsets[i + 1]].decode() for i in range(len(offsets) - 1)
        ]
    return found


@pytest.mark.parametrize(("address", "lens"), [("", "page"), ("footer", "rows"), ("", "nonsense")])
def test_a_lens_that_does_not_apply_says_so(file, address, lens):
    with pytest.raises(UsageError):
        lenses.finish(lens_view.show(file, address, lens))


def test_errors_of_columns_travel_beside_the_columns(broken_file):
    result, buffers = rpc.call(OPERATIONS, broken_file, "rows", {"start": 0, "column": 0})
    columns = texts(result, buffers)
    assert set(result["errors"]) == {"0"}
    assert result["errors"]["0"]["address"].startswith("row_groups/0/columns/0/pages/")
    assert columns["0"] == [""] * 50
    assert columns["1"][:2] == ["Oslo", "Lima"]
