"""What engines make of a table of several types depends on its values: predictions by the footers, held against runs."""

import functools

import pytest
from insight.diff.engine_cases import VALUES, of_values, seen, stored
from insight.diff.test_engines import READERS, VERSIONS
from needs import needs

from pqexplore.lake import scan


@pytest.fixture(scope="module")
def predicted(tmp_path_factory):
    """The outcome and the words of each engine for a line of `VALUES`, and the paths of its files."""

    @functools.cache
    def predict(name):
        folder = tmp_path_factory.mktemp("lake")
        paths = stored(folder, of_values(name))
        with scan(None, folder, processes=0) as lake:
            [one] = lake.drift().differences
        return one, paths

    return predict


@pytest.mark.parametrize(
    "engine", [pytest.param(one, marks=needs(one.lower(), VERSIONS[one], "the version seen")) for one in READERS]
)
@pytest.mark.parametrize("name", VALUES)
def test_what_is_predicted_of_an_engine_is_what_it_does(predicted, name, engine):
    one, paths = predicted(name)
    done = seen(READERS[engine], paths)
    if VALUES[name][3] == "open" and engine not in one.outcomes:
        assert one.engines[engine].startswith("not known by the footers: it ")
    elif VALUES[name][3] == "open" and one.outcomes[engine].value == "loses":
        assert done.value in ("loses", "widens")  # it rounds: values that need it may not be there
    else:
        assert one.outcomes[engine] is done, one.engines[engine]


@pytest.mark.parametrize("name", VALUES)
def test_bounds_decide_where_they_can(predicted, name):
    one, _ = predicted(name)
    known = {engine: one.outcomes.get(engine) for engine in ("pyarrow", "DuckDB")}
    expected = {"fit": {"widens"}, "not": {"fails", "loses"}, "open": {None, "loses"}}[VALUES[name][3]]
    by_type = {"INT64 in a decimal": "pyarrow"}.get(name)
    said = {seen and seen.value for engine, seen in known.items() if engine != by_type}
    assert said <= expected | {"harmless"}
