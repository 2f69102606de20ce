"""Sizes of 0 in the footer state nothing: no sentence, table or fact takes them for a size."""

import numpy as np
import pytest
from engine.check import forged

import pqexplore
from pqexplore.engine.format.thrift.structs import CompressionCodec, Type
from pqexplore.engine.tree.chunks import compression_ratio
from pqexplore.engine.writer import assembly
from pqexplore.insight import report, summary
from pqexplore.insight.lenses import answer_of, applying
from pqexplore.insight.steps import finish

RANDOM = np.random.default_rng(2).integers(0, 1 << 31, 30_000).tolist()


def written(uncompressed):
    """Random numbers by Zstd; `uncompressed(right)` is total_uncompressed_size, `right` the true one."""
    pages = [forged.page(RANDOM, packing=assembly.Packing(CompressionCodec.ZSTD))]
    return forged.one_column(
        pages, Type.INT32, codec=CompressionCodec.ZSTD, metadata={"total_uncompressed_size": uncompressed}
    )


RATIOS = [
    # uncompressed, compressed, ratio
    (200, 100, 2.0),
    (50, 100, 0.5),
    (0, 100, None),
    (100, 0, None),
    (0, 0, None),
    (-1, 100, None),
]


@pytest.mark.parametrize(("uncompressed", "compressed", "ratio"), RATIOS)
def test_a_ratio_needs_both_sizes(uncompressed, compressed, ratio):
    assert compression_ratio(uncompressed, compressed) == ratio


def sentences(file):
    nodes = [file.root, *map(file.node, ("row_groups", "row_groups/0", "row_groups/0/columns/0", "schema/1"))]
    for node in nodes:
        yield from (str(fact.value) for fact in node.facts if fact.name == "ratio")
        for lens in applying(node):
            if lens.name != "what_if":
                yield finish(answer_of(file, node, lens)).sentence


@pytest.mark.parametrize("stated", [0, -1])
def test_a_size_of_0_before_compression_is_not_stated(stated):
    with pqexplore.open(written(lambda right: stated)) as file:
        [column] = summary.columns(file)
        assert column.ratio is None
        said = list(sentences(file))
        lines = list(report.file_report(file, 200))
        rules = {one.rule for one in file.diagnose().findings}
    assert any("is compressed by Zstd, and the footer does not say from how many bytes" in one for one in said)
    for one in (*said, *lines):
        assert "0.00" not in one and "makes larger" not in one and "grows" not in one and one != "0.0"
    assert "codec-enlarges" not in rules


def test_a_size_that_is_stated_is_said():
    with pqexplore.open(written(lambda right: right)) as file:
        [column] = summary.columns(file)
        assert column.ratio == pytest.approx(1, abs=0.1)
        assert any("Zstd" in one and "does not say" not in one for one in sentences(file))
