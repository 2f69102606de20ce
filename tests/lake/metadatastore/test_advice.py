"""The advisor: what an index would skip, counted by stores that are really built."""

import pyarrow as pa
import pytest
from lake.metadatastore.datasets import dataset

from pqexplore.engine.errors import UsageError
from pqexplore.lake import metadatastore, scan
from pqexplore.lake.metadatastore import BloomFilter, MinMax, ValueList

QUERIES = ["n = 205", "city = 'c1'", "lower(city) = 'c2' AND n > 0", "n < 100 OR other > 5"]


@pytest.fixture(scope="module")
def ds(tmp_path_factory):
    files = {
        f"f{number}": {
            "n": list(range(100 * number, 100 * number + 20)),
            "city": [f"c{number}", "zz", "aa"] * 6 + ["zz", "aa"],
            "d": pa.array([float("nan"), *map(float, range(19))]),
            "other": [0] * 20,
        }
        for number in range(4)
    }
    return dataset(tmp_path_factory.mktemp("ds"), **files)


def of(advice):
    return {(one.column, one.index): one for one in advice.proposals}


def test_footers_alone_decide_bounds_and_nothing_else(ds):
    advice = metadatastore.advise(ds, QUERIES)
    found = of(advice)
    assert {key: one.skipped for key, one in found.items() if key[1] == "minmax"} == {
        ("n", "minmax"): 3,
        ("city", "minmax"): 0,
        ("other", "minmax"): 0,
        ("(all)", "minmax"): 6,  # for the OR both columns are needed
    }
    assert found["city", "valuelist"].skipped is None
    assert found["city", "valuelist"].why == "not known: no values were read; pass sample="
    assert found["n", "minmax"].reads == 0 and found["city", "bloomfilter"].reads > 0
    assert advice.sentence == (
        "minmax on n skips most: 3 of 16 reads of a file, for 4 queries and 4 of 4 files. "
        "6 indexes not known: their values were not read."
    )


def test_a_scanned_lake_is_advised_as_its_folder_is(ds, tmp_path):
    with scan(None, ds, processes=0) as lake:
        assert metadatastore.advise(lake, QUERIES) == metadatastore.advise(ds, QUERIES)
    several = [ds, dataset(tmp_path / "other", f={"n": [1]})]
    with (
        scan(None, several, processes=0) as lake,
        pytest.raises(UsageError, match="one table is expected; this one has 2"),
    ):
        metadatastore.advise(lake, QUERIES)


@pytest.mark.parametrize("sample", [4, 2])
def test_what_it_says_is_what_a_store_skips(ds, tmp_path, sample):
    found = of(metadatastore.advise(ds, QUERIES, sample=sample))
    for make, name in ((MinMax, "minmax"), (ValueList, "valuelist"), (BloomFilter, "bloomfilter")):
        store = metadatastore.build(None, ds, [make("city")], tmp_path / name)
        looked = (
            {one.path for one in store.objects}
            if name == "minmax"
            else {str(ds / f"f{4 * at // sample}.parquet") for at in range(sample)}
        )
        skipped = sum(store.object(name).path in looked for query in QUERIES for name in store.evaluate(query).skipped)
        assert found["city", name].skipped == skipped
        assert found["city", name].files == len(looked)
        assert found["city", name].bytes > 0


def test_bounds_that_a_footer_does_not_have_are_not_known(ds):
    found = of(metadatastore.advise(ds, ["d > 100"], sample=4))
    minmax = found["d", "minmax"]
    assert (minmax.skipped, minmax.unknown) == (0, 4)
    assert minmax.reads > 0 and minmax.why == "their footers have no reliable bounds"
    assert ("d", "bloomfilter") not in found


def test_conditions_without_a_column_are_refused(ds):
    for queries in (["1 = 1"], ["nowhere = 1"], [], "n = 1"):
        with pytest.raises(UsageError):
            metadatastore.advise(ds, queries)
