"""The column card: its numbers against pyarrow's metadata, its sentence, and its three answers."""

import io
import math

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made import ours, parquet

import pqexplore
from pqexplore import samples
from pqexplore.engine.errors import UsageError
from pqexplore.engine.writer.samples import SAMPLES
from pqexplore.insight import wire
from pqexplore.insight.doctor.diagnose import diagnose
from pqexplore.insight.lenses import column
from pqexplore.insight.lenses.column import page_strip, value_counts
from pqexplore.insight.lenses.lens import finish

N = 3_000
RANDOM = np.random.default_rng(7)
NOISE = RANDOM.random(N)
WORDS = [f"word {i % 40}" for i in range(N)]


def card(data, at="schema/1", **keys):
    with pqexplore.open(data, **keys) as file:
        diagnose(file, "footer")
        return column.answer(file, file.node(at))


def made(values, kind=None, nullable=True, **options):
    """A file with a column `x`."""
    field = pa.field("x", kind or pa.array(values).type, nullable)
    table = pa.table([pa.array(values, kind)], schema=pa.schema([field]))
    return parquet(table, **options)


def asked(answer, word):
    return next(one for one in answer.picture.questions if word in one.question)


@pytest.fixture(scope="module")
def mixed():
    table = pa.table(
        {
            "n": pa.array([None if i % 10 == 0 else i for i in range(N)], pa.int64()),
            "word": WORDS,
            "list": pa.array([[i, i + 1] if i % 2 else [] for i in range(N)]),
        }
    )
    return parquet(table, row_group_size=1_000, write_page_index=True)


@pytest.mark.parametrize("leaf", range(3))
def test_the_table_has_what_pyarrow_reads_from_the_footer(mixed, leaf):
    metadata = pq.ParquetFile(io.BytesIO(mixed)).metadata
    answer = card(mixed, f"row_groups/1/columns/{leaf}")
    assert answer.picture.mine == 1 and answer.picture.total == metadata.num_row_groups
    for group in range(metadata.num_row_groups):
        chunk, row = metadata.row_group(group).column(leaf), {}
        for one in answer.table.columns:
            row[one.name] = answer.table.column(one.name)[group]
        assert row["rows"] == metadata.row_group(group).num_rows
        assert row["entries"] == chunk.num_values
        assert row["nulls"] == chunk.statistics.null_count
        assert row["compressed"] == chunk.total_compressed_size
        assert row["uncompressed"] == chunk.total_uncompressed_size
        assert row["codec"] == chunk.compression
        assert (row["min"], row["max"]) == (str(chunk.statistics.min), str(chunk.statistics.max))
        assert (row["index"], row["bloom"]) == (True, False)
        assert answer.table.addresses[group] == f"row_groups/{group}/columns/{leaf}"
        assert answer.picture.groups.compressed[group] == chunk.total_compressed_size
        share = chunk.statistics.null_count / chunk.num_values
        assert math.isclose(answer.picture.groups.nulls[group], share)


INT = pa.int64()


@pytest.mark.parametrize(("data", "words", "without"), [
    (made(range(5)), ["`x`, INT64: ", "5 values; by the statistics no nulls, all between 0 and 4"], "each"),
    (made([1, None, 3, None]), ["50 % null, all between 1 and 3"], "no nulls"),
    (made([1, 2], nullable=False), ["2 values, which cannot be null; by the"], "no nulls"),
    (made([7, 7]), ["each of them 7"], "between"),
    (made([0.0, -0.0]), ["all between -0.0 and 0.0, NaNs aside"], "each of them"),
    (made([1.5, math.nan]), ["all between 1.5 and 1.5, NaNs aside"], "each of them"),
    (made([None, None], INT), ["2 values, all null by the statistics"], "range"),
    (made([None, None], pa.null()), ["2 values, all null by its type"], "range"),
    (made([], INT), ["and no values."], "range"),
    (made([1, 2], write_statistics=False), ["the statistics give no range"], "null"),
    (made([[1], [], None]), ["3 entries; by the statistics 67 % without a value"], "null"),
    (made([[1], [2]]), ["2 entries; by the statistics all with a value"], "null"),
    (made(["a"], compression="none"), ["without a codec"], "compressed"),
    (made(["a"], compression="zstd"), ["compressed ", " × by ZSTD"], "without a codec"),
], ids=lambda one: "file" if isinstance(one, bytes) else None)  # fmt: skip
def test_the_sentence_says_what_the_footer_does(data, words, without):
    said = card(data, f"schema/{pqexplore.open(data).schema.leaves[0].index}").sentence
    assert [word for word in words if word not in said] == [], said
    assert without not in said.partition(": ")[2]


def test_cut_bounds_are_not_said_to_be_values():
    table = pa.table({"x": ["a" * 100, "b" * 100]})
    answer = card(ours(table, columns={"x": {"statistics_bytes": 8}}))
    assert "all between the cut bounds aaaaaaaa and " in answer.sentence
    assert answer.table.column("min") == ["≥ aaaaaaaa"]


def test_bounds_that_readers_must_ignore_are_no_range():
    answer = card(sample("slow-distrusted"), "row_groups/0/columns/0")
    assert "all between" not in answer.sentence


def sample(name):
    return samples.data(name)


@pytest.mark.parametrize(("name", "said", "bytes_"), [
    ("encrypted-columns", "pass Decryption(column_keys=", [-1, -1]),
    ("plaintext-footer-bloom", "150 values; its statistics are encrypted.", [690, 689]),
])  # fmt: skip
def test_a_locked_column_says_what_it_needs_once(name, said, bytes_):
    keys = SAMPLES[name].keys
    footer = pqexplore.Decryption(footer_key=keys["footer_key"])
    answer = card(sample(name), "row_groups/0/columns/1", decryption=footer)
    assert said in answer.sentence and "all between" not in answer.sentence
    assert {one.verdict for one in answer.picture.questions} == {"not known"}
    assert asked(answer, "skip").evidence == "The column is encrypted, and its key was not given."
    assert answer.picture.groups.compressed == bytes_
    assert answer.picture.pages.note == "their headers are encrypted"
    opened = card(sample(name), "row_groups/0/columns/1", decryption=pqexplore.Decryption(**keys))
    assert "encrypted" not in opened.sentence and opened.picture.pages.note == ""


SORTED = pa.table({"x": pa.array(range(N))})
SHUFFLED = pa.table({"x": RANDOM.permutation(N)})
OPTIONS = {"row_group_size": 1_000}


def test_a_bloom_filter_in_every_chunk_helps_with_single_values():
    answers = []
    for share in (True, False):
        out = io.BytesIO()
        options = {"x": {"bloom_filter": share}}
        pqexplore.write(SHUFFLED, out, pqexplore.WriteOptions(row_group_rows=1_000, columns=options))
        answers.append(asked(card(out.getvalue()), "skip"))
    assert [one.verdict for one in answers] == ["partly", "no"]
    assert answers[0].evidence.endswith("Bloom filters can rule out single values.")


DATES = [f"20{i % 80 + 10}-01-{i % 28 + 1:02}" for i in range(N)]


QUESTIONS = {
    # word of a question: the file, the verdict, words of the evidence
    "skip": [
        (parquet(SORTED, **OPTIONS), "yes", "reads 1 of 3"),
        (parquet(SHUFFLED, **OPTIONS), "no", "reads 3 of 3"),
        (made([*range(1_000), *range(500, 1_500), *range(1_000, 2_000)], **OPTIONS), "partly", "overlap"),
        (parquet(SORTED), "partly", "only skip it as a whole"),
        (parquet(SORTED, write_statistics=False, **OPTIONS), "no", "the writer left none"),
        (made([None] * 10, INT), "yes", "skips the only row group by the null count"),
        (made([], INT), "no", "nothing that a filter could skip"),
        (parquet(SORTED, write_page_index=True, data_page_size=64, write_batch_size=64,
                 use_dictionary=False), "yes", "pages of this chunk are sorted"),
    ],
    "compress": [
        (made(WORDS), "yes", "for 3,000 entries; "),
        (made([i % 9 for i in range(N)], pa.int64()), "yes", "in PLAIN without a codec: 24.0 kB"),
        (made(NOISE, use_dictionary=False), "no", "in PLAIN without a codec: 24.0 kB"),
        (made(WORDS, use_dictionary=False, compression="none", write_statistics=False), "no", "in PLAIN, without a codec"),
        (made(WORDS, compression="none", write_statistics=False), "not known", "what PLAIN would take is not known"),
        (made([], INT), "not known", "no values"),
        (made([*range(1_000), *NOISE[:2_000]], use_dictionary=False, row_group_size=1_000), "partly", "2 of 3 row groups shrink by less than"),
    ],
    "type": [
        (made(range(N)), "yes", "INT64; nothing in the footer speaks against it"),
        (made(WORDS), "yes", "STRING; nothing in the footer"),
        (made(DATES), "partly", "look like a date"),
        (made(DATES[:900]), "not known", "below 1,000 rows"),
        (made(WORDS, write_statistics=False), "not known", "the values were not read"),
        (made(NOISE), "yes", "DOUBLE; nothing in the footer"),
        (made(np.arange(N, dtype=float)), "not known", "the values were not read"),
        (made([None] * 10, INT), "not known", "nulls only"),
        (made([None] * 10, pa.null()), "not known", "nulls only"),
        (made([], INT), "not known", "no values to judge it by"),
        (made([0], pa.timestamp("ns"), use_deprecated_int96_timestamps=True), "no", "deprecates"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("word", QUESTIONS)
def test_the_verdict_of_a_question_and_its_evidence(word):
    for data, verdict, words in QUESTIONS[word]:
        found = asked(card(data), word)
        assert (found.verdict, words in found.evidence) == (verdict, True), found
        if word == "skip":
            assert (found.lens, found.address) == ("statistics", "schema/1")


def test_the_type_is_judged_by_the_values_after_all_bytes_were_checked():
    with pqexplore.open(made(np.arange(N, dtype=float))) as file:
        diagnose(file, "data")
        found = asked(column.answer(file, file.node("schema/1")), "type")
        assert found.verdict == "partly" and "are whole numbers" in found.evidence
    with pqexplore.open(made(WORDS, write_statistics=False)) as file:
        diagnose(file, "data")
        found = asked(column.answer(file, file.node("schema/1")), "type")
        assert found.verdict == "yes" and "nothing in the values" in found.evidence


def test_pages_show_where_the_dictionary_is_given_up():
    answer = card(sample("dictionary-fallback"), "row_groups/0/columns/0")
    pages = answer.picture.pages
    assert pages.dictionary[0] and not any(pages.dictionary[1:])
    first = pages.fallbacks[0]
    assert pages.names[pages.encoding[first]] == "PLAIN"
    assert all(pages.indexed[code] for code in pages.encoding[1:first])
    assert answer.table.column("fallback") == [first]
    assert f"page {first} of row group 0 is the first without" in answer.picture.pages_text
    whole = card(made(WORDS))
    assert whole.picture.pages.fallbacks == [] and "without" not in whole.picture.pages_text


def test_only_the_first_pages_and_row_groups_are_looked_at(monkeypatch):
    data = parquet(SORTED, row_group_size=1_000, data_page_size=64, write_batch_size=64)
    monkeypatch.setattr(page_strip, "PAGES", 5)
    assert card(data, "row_groups/0/columns/0").picture.pages.note == "the first 5 pages"
    monkeypatch.setattr(page_strip, "PAGES", 2_000)
    monkeypatch.setattr(page_strip, "CHUNKS", 2)
    assert card(data).picture.pages.note == "the first 2 of 3 row groups"
    monkeypatch.setattr(page_strip, "WALKED", 10)
    assert "not searched" in card(data, "row_groups/0/columns/0").picture.pages.note


def counted(data, at="schema/1"):
    with pqexplore.open(data) as file:
        return finish(value_counts.count_values(file, at))


def test_a_dictionary_gives_values_without_counts():
    values = card(made(WORDS)).picture.values
    assert [one.value for one in values.entries] == WORDS[:12]
    assert {one.count for one in values.entries} == {None} and values.countable
    assert "40 entries" in values.title and "not counted" in values.title
    assert card(made(WORDS, use_dictionary=False)).picture.values.entries == []


def test_counted_values_are_those_of_the_column():
    found = counted(made([*WORDS, None], row_group_size=1_000))
    assert found.title == "3,000 values, 40 distinct, the 12 most frequent"
    assert {one.count for one in found.entries} == {75} and not found.countable
    few = counted(made([1, 2, 2, None]))
    assert [(one.value, one.count) for one in few.entries] == [("2", 2), ("1", 1)]
    assert few.histogram is None
    assert counted(made([None], INT)).title == "there are no values, only nulls"


def test_a_histogram_counts_as_numpy_does():
    found = counted(made([*NOISE, math.nan, math.inf]))
    assert found.histogram.counts == np.histogram(NOISE, value_counts.BINS)[0].tolist()
    assert found.title.endswith("; 2 NaN or infinite are not drawn")
    for first in (2**64 - 100, 2**63 - 50):
        assert sum(counted(made(range(first, first + 100), pa.uint64())).histogram.counts) == 100


def test_counting_ends_at_its_bound_and_says_so(monkeypatch):
    monkeypatch.setattr(value_counts, "COUNTED", 1_000)
    data = made(range(N), row_group_size=1_000)
    assert counted(data).title.startswith("the first 1,000 values, 1,000 distinct")
    assert counted(data, "row_groups/2/columns/0").title.startswith("1,000 values")
    monkeypatch.setattr(value_counts, "COUNTED", 1_000_000)
    monkeypatch.setattr(value_counts, "COUNTED_PAGES", 2)
    assert counted(data).title.startswith("the first 2,000 values, 2,000 distinct")


def test_many_row_groups_are_asked_for_as_columns(monkeypatch):
    data = parquet(SORTED, row_group_size=1_000)
    few = card(data).picture.groups
    monkeypatch.setattr(column, "INLINE", 2)
    picture = wire.encode(card(data).picture)
    assert picture["groups"] is None
    assert list(column.saved(picture)) == [("column_groups", {"leaf": 0})]
    assert list(column.saved(wire.encode(card(made([1])).picture))) == []
    with pqexplore.open(data) as file:
        columns = column.column_groups(file, 0).columns
        with pytest.raises(UsageError):
            column.column_groups(file, 9)
    assert np.allclose(columns.by_name["low"], few.low) and columns.by_name["text"] == few.text
