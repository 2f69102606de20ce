"""A saved page with room for everything: each node that its outline lists has all its lenses."""

import pytest
from widget.pages import replies_of

import pqexplore
from pqexplore.widget import export

FILES = [
    "single_nan.parquet", "null_list.parquet", "data_index_bloom_encoding_stats.parquet",
    "nation.dict-malformed.parquet", "int32_with_null_pages.parquet", "alltypes_plain.parquet",
    "nonnullable.impala.parquet", "encrypt_columns_plaintext_footer.parquet.encrypted",
]  # fmt: skip


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=() if i < 3 else pytest.mark.full) for i, one in enumerate(FILES)]
)
def test_each_listed_node_has_all_its_lenses(corpus, name):
    with pqexplore.open(corpus / "apache__parquet-testing" / "data" / name) as file:
        page = pqexplore.explore(file).to_html(budget=64 << 20)
    kept = replies_of(page)
    assert "Not everything was saved" not in page
    children = [reply["result"]["items"] for key, reply in kept.items() if key.startswith("children")]
    listed = {one["address"] for items in children for one in items}
    assert len(listed) > 50
    for address in listed:
        node = kept[export.key("node", {"address": address})]["result"]
        for lens in node["lenses"]:
            if lens["name"] not in (node["lens"], "facts"):  # these are in the node
                assert export.key("lens", {"address": address, "lens": lens["name"]}) in kept
