"""What differs between row groups: encodings, codecs, ranges and nulls; what the footer does not say is not known."""

import pyarrow as pa
import pytest
from made import one_column, open_sample, parquet, rebuilt
from needs import ONE_COLUMN_METADATA

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.engine.format.thrift.structs import CompressionCodec
from pqexplore.insight.lenses import group_differences as module
from pqexplore.insight.lenses.group_differences import differences, group_differences

FEW = [f"city {i % 50}" for i in range(5_000)]
MANY = [f"{i * 7919 % 5_000:012}" for i in range(5_000)]


def opened(*columns, kind=None, **options):
    """A file with a column `x`, a row group for each list of values."""
    return pqexplore.open(one_column(kind or pa.array(columns[0]).type, *columns, **options))


def properties(found, column=0):
    return {one.name: one for one in found.columns[column].properties}


def forms(one):
    return [(form.groups, form.text) for form in one.variants]


def test_a_dictionary_that_was_given_up_is_a_difference_of_encodings():
    found = differences(opened(FEW, FEW, MANY, FEW, dictionary_pagesize_limit=4096))
    one = properties(found)["encodings"]
    assert (one.state, found.differing, found.said) == ("differs", 1, "The row groups differ in the encodings of `x`.")
    assert [groups for groups, _ in forms(one)] == ["0 to 1 and 3", "2"]
    assert "PLAIN" not in one.variants[0].text and "PLAIN" in one.variants[1].text
    assert one.variants[1].address == "row_groups/2/columns/0"
    assert properties(found)["codec"].state == properties(found)["nulls"].state == "same"


@ONE_COLUMN_METADATA
def test_a_codec_is_compared():
    def other(groups):
        groups[1].columns[0].meta_data.codec = CompressionCodec.ZSTD
        return groups

    data = parquet(pa.table({"x": range(20)}), row_group_size=10, compression="snappy")
    found = differences(pqexplore.open(rebuilt(data, row_groups=other)))
    assert found.said == "Row groups 0 and 1 differ in the codec of `x`."
    assert forms(properties(found)["codec"]) == [("0", "SNAPPY"), ("1", "ZSTD")]


def test_nulls_are_compared_by_their_share():
    found = differences(opened([1, None] * 4, [1, None, 3, None] * 4, [1, 3, 3, None] * 4))
    assert forms(properties(found)["nulls"]) == [("0 to 1", "50 %"), ("2", "25 %")]


def test_shares_of_nulls_that_round_to_the_same_are_not_the_same():
    one, other = [None] * 402 + [1] * 598, [None] * 404 + [1] * 596
    found = differences(opened(one, other))
    assert forms(properties(found)["nulls"]) == [("0", "40.2 %"), ("1", "40.4 %")]
    assert differences(opened(one, one)).same == 1


def test_what_is_the_same_is_counted_and_not_listed():
    found = differences(opened([1, 2], [1, 2]))
    assert (found.columns, found.same, found.differing, found.unknown) == ([], 1, 0, 0)
    assert found.said == "Row groups 0 and 1 have the same encodings and codecs in all columns."


def test_a_locked_column_is_not_known():
    with open_sample("encrypted-columns", column_keys=None) as file:
        found = differences(file, range(len(file.row_groups)))
        states = {one.name: [p.state for p in one.properties] for one in found.columns}
        locked = [leaf.path[-1] for leaf in file.schema.leaves if file.row_groups[0].columns[leaf.leaf_index].locked]
    assert locked and all(states[one] == ["unknown"] * 4 for one in locked)


def test_any_two_row_groups_are_compared_and_nothing_else():
    file = opened([1], [5], [1])
    assert group_differences(file, [2, 0]).columns == []
    assert group_differences(file, [2, 1]).columns[0].properties[2].text == "do not overlap"
    for wrong in ([0, 0], [0, 3], [-1, 0], [0], [0, 1, 2], ["0", 1], [0, True], "01"):
        with pytest.raises(UsageError, match="two different row groups"):
            group_differences(file, wrong)


def test_only_so_many_chunks_are_compared(monkeypatch):
    monkeypatch.setattr(module, "CHUNKS", 3)
    found = differences(opened([1], [2], [3], [4]))
    assert (found.groups, found.total) == ([0, 1, 2], 4)
    assert found.said.startswith("The first 3 row groups have the same encodings")
    monkeypatch.setattr(module, "CHUNKS", 2)
    wide = pqexplore.open(parquet(pa.table({"a": [1, 2], "b": [1, 2]}), row_group_size=1))
    assert (differences(wide).compared, differences(wide).of) == (1, 2)
    assert differences(wide).said.endswith(" in the first 1 column.")


def test_many_forms_are_cut():
    found = differences(opened(*[[i] for i in range(9)]))
    texts = forms(properties(found)["range"])
    assert texts[2:] == [("2", "2 … 2"), ("", "6 row groups more")]
