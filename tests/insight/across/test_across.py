"""A lens asked above the places that it applies to: one table over all of them, or an error that names some."""

import made
import pyarrow as pa
import pytest
from made import open_sample

import pqexplore
from pqexplore.engine.errors import UsageError
from pqexplore.insight import across
from pqexplore.insight.answer import Answer
from pqexplore.insight.lenses import LENSES

CHUNK = "row_groups/0/columns"


def column(answer: Answer, name: str) -> list:
    assert answer.table is not None
    return answer.table.column(name)


@pytest.fixture
def events():
    """Eight columns in two row groups."""
    return pqexplore.open(made.parquet(made.events(), row_group_size=600))


@pytest.mark.parametrize("at, rows", [("row_groups", 16), ("row_groups/1", 8), ("schema", 16), ("schema/7", 4)])
def test_a_table_is_about_what_lies_below(events, at, rows):
    assert events.view("statistics", at).table.total == rows


def test_a_lens_that_applies_answers_as_in_the_explorer(events):
    assert events.view("statistics", "schema/1").picture is not None


def test_fallbacks_of_a_file_have_page_row_and_dictionary():
    file = open_sample("slow-dictionary-given-up")
    found = file.view("dictionary")
    assert set(column(found, "dictionary")) == {"fallback"}
    assert column(found, "row_group") == [*range(8), *range(8)]
    assert column(found, "fallback_row") == [128] * 8 + [512] * 8
    assert column(found, "fallback_row_of_file")[:2] == [128, 1024 + 128]
    assert column(found, "entries")[0] == 95
    assert column(found, "cause")[0].startswith("the dictionary had grown to 95 entries, 1.43 kB")
    assert found.table.addresses[0] == f"{CHUNK}/0/pages/2"
    assert "`session` in row group 0 (page 2, row 128)" in found.sentence


def test_the_usual_limit_is_named_where_the_dictionary_reached_it():
    def cause(limit):
        words = pa.table({"word": [f"{n:036}" for n in range(120_000)]})
        data = made.parquet(words, dictionary_pagesize_limit=limit, data_page_size=1 << 14)
        return column(pqexplore.open(data).view("dictionary"), "cause")[0]

    assert "about 1 MiB" in cause(1 << 20)
    assert "about 1 MiB" not in cause(1 << 18)


@pytest.mark.parametrize("name, at, said", [
    ("value", "schema/1", f"applies to {CHUNK}/0/pages/0/values/0"),
    ("statistics", f"{CHUNK}/2/pages/0", f"does not apply to a dictionary page; it applies to the whole file, {CHUNK}/2 and"),  # fmt: skip
    ("nesting", f"{CHUNK}/3/metadata", f"it applies to the whole file, {CHUNK}/3 and "),
    ("encryption", "", "no place was found in this file where it does"),
    ("statistic", "", "there is no lens 'statistic'; there are rows, "),
])  # fmt: skip
def test_an_error_names_addresses_of_the_file(events, name, at, said):
    with pytest.raises(UsageError) as raised:
        across.answer(events, events.node(at), name)
    assert said in str(raised.value)
    for word in str(raised.value).replace(",", " ").split():
        if word.startswith("row_groups/"):
            events.node(word)


@pytest.mark.parametrize(
    "table, lacks", [(pa.table({"n": pa.array([], pa.int64())}), "row groups"), (pa.table({}), "columns")]
)
@pytest.mark.parametrize("name", sorted({"levels", *filter(across.has_table, LENSES)} - {"rows"}))
def test_a_file_without_column_chunks_says_so(table, lacks, name):
    data = made.rebuilt(made.parquet(table), row_groups=[]) if lacks == "row groups" else made.parquet(table)
    answer = pqexplore.open(data).view(name)
    assert answer.table is None
    assert answer.sentence.startswith("There are no column chunks: the file has no ")
