"""The tree shows the parts of a Variant below its value."""

import pqexplore
from pqexplore.engine.writer.samples import write_sample
from pqexplore.insight import lenses
from pqexplore.widget import tree

VALUE = "row_groups/0/columns/1/pages/1/values/22"


def test_the_value_of_a_variant_shows_its_parts(tmp_path, file):
    write_sample("variant", tmp_path / "variant.parquet")
    with pqexplore.open(tmp_path / "variant.parquet") as opened:
        shown = tree.children(opened, VALUE).items
        assert [child.kind for child in shown][:2] == ["variant_header", "variant_num_elements"]
        assert lenses.finish(tree.node(opened, VALUE)).children == len(shown) == 5
        assert not lenses.finish(tree.node(opened, VALUE)).leaf
    assert lenses.finish(tree.node(file, "row_groups/0/columns/1/pages/1/values/0")).leaf
