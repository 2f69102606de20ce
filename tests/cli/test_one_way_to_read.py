"""A page whose header counts other values than its bytes hold is read by all that read, and all read the same."""

import json

import pytest
from engine.hostile.broken import THREE, integers, leaf, levels, one_column, root

import pqexplore
from pqexplore import cli
from pqexplore.engine.writer.assembly import page_v1, page_v2

OPTIONAL = root(leaf(repetition_type=1))
DELTAS = bytes([128, 1, 4, 3, 2, 2, 0, 0, 0, 0])
"""1, 2, 3 in DELTA_BINARY_PACKED."""

COUNTED = {
    "too few": (one_column(page_v1(THREE, 2)), [1, 2, 3]),
    "too many": (one_column(page_v1(THREE, 5)), [1, 2, 3]),
    "none": (one_column(page_v1(THREE, 0)), [1, 2, 3]),
    "none, with nulls": (one_column(page_v1(levels(1, 0, 1) + integers(1, 2), 0), schema=OPTIONAL), [1, None, 2]),
    "too few in one of two pages": (
        one_column(page_v1(integers(1, 2), 1), page_v1(THREE, 3), num_values=5, num_rows=5),
        [1, 2, 1, 2, 3],
    ),
    "too many in one of two pages": (
        one_column(page_v1(integers(1, 2), 3), page_v1(THREE, 3), num_values=5, num_rows=5),
        [1, 2, 1, 2, 3],
    ),
    "differences": (one_column(page_v1(DELTAS, 2, 5)), [1, 2, 3]),
    "V2, values": (one_column(page_v2(THREE, 2, 3)), [1, 2, 3]),
    "V2, rows": (one_column(page_v2(THREE, 3, 5)), [1, 2, 3]),
    "V2, nulls": (one_column(page_v2(THREE, 3, 3, 4)), [1, 2, 3]),
    "the footer": (one_column(num_values=5), [1, 2, 3]),
}
"""Files whose counts contradict their bytes, and the values that the bytes hold."""


def of_command(capsys, *words):
    assert cli.main(list(words)) == cli.DONE
    return capsys.readouterr().out


@pytest.mark.parametrize("name", COUNTED)
def test_all_that_read_a_file_read_the_same_of_it(name, tmp_path, capsys):
    data, values = COUNTED[name]
    path, new = (str(tmp_path / one) for one in ("counted.parquet", "new.parquet"))
    (tmp_path / "counted.parquet").write_bytes(data)

    def held(file):
        with pqexplore.open(file) as opened:
            return opened.read()["a"].to_pylist()

    assert held(path) == values
    lines = of_command(capsys, "cat", path).splitlines()
    assert [json.loads(line)["a"] for line in lines] == values
    rows = json.loads(of_command(capsys, "head", "--json", path))["rows"]
    assert [row["a"] for row in rows] == values

    of_command(capsys, "rewrite", path, new)
    assert held(new) == values
    assert cli.main(["diff", "--level", "data", path, new]) == cli.FOUND
    assert "new.parquet holds the same rows as" in capsys.readouterr().out
    of_command(capsys, "salvage", path, new, "--force")
    assert held(new) == values
