"""What a file claims and the data do not hold is never repeated as a fact: before `check()` it is a claim, after it wrong."""

import dataclasses
from collections.abc import Callable

import pytest
from engine.check import forged

import pqexplore
from pqexplore.engine.check import sorting
from pqexplore.engine.finding import Finding
from pqexplore.engine.format.thrift.structs import ColumnIndex, SortingColumn, Statistics, Type
from pqexplore.engine.writer import assembly
from pqexplore.insight import findings_at
from pqexplore.insight.answer import Answer
from pqexplore.insight.features import features
from pqexplore.insight.lenses import LENSES, answer_of, finish

CHUNK = "row_groups/0/columns/0"
INDEX = f"{CHUNK}/column_index"


def indexed(order, lows=(1, 3), highs=(2, 4)):
    """Two pages, 1 to 2 and 3 to 4, whose index has these bounds."""
    entries = ColumnIndex(
        null_pages=[False] * len(lows),
        min_values=[forged.raw(low) for low in lows],
        max_values=[forged.raw(high) for high in highs],
        boundary_order=order,
    )
    pages = [forged.page([1, 2]), forged.page([3, 4])]
    return forged.one_column(pages, column_index=entries, offset_index=True)


def bounded(low, high, exact=True, **more):
    """The values 1 and 3 with these bounds."""
    stored = Statistics(
        min_value=forged.raw(low),
        max_value=forged.raw(high),
        is_min_value_exact=exact,
        is_max_value_exact=exact,
        **more,
    )
    return forged.one_column([forged.page([1, 3])], metadata={"statistics": stored})


def rows_sorted(values, descending=False):
    order = [SortingColumn(column_idx=0, descending=descending, nulls_first=False)]
    return forged.one_column([forged.page(values)], group={"sorting_columns": order})


def pages_sorted(*pages, descending=False):
    """Pages of the values of `pages` with a column index, and the claim that the rows are sorted."""
    order = [SortingColumn(column_idx=0, descending=descending, nulls_first=False)]
    entries = ColumnIndex(
        null_pages=[False] * len(pages),
        min_values=[forged.raw(min(one)) for one in pages],
        max_values=[forged.raw(max(one)) for one in pages],
        boundary_order=0,
    )
    return forged.one_column(
        [forged.page(one) for one in pages], column_index=entries, offset_index=True, group={"sorting_columns": order}
    )


def two_groups(second):
    """The values 1 and 2, then 3 and 4; the second row group's bounds are 3 and `second`."""
    groups = []
    for low, high, bound in ((1, 2, 2), (3, 4, second)):
        stored = Statistics(min_value=forged.raw(low), max_value=forged.raw(bound))
        chunk = assembly.chunk("a", Type.INT32, [forged.page([low, high])], metadata={"statistics": stored})
        groups.append(assembly.row_group([chunk], 2))
    leaf = assembly.element("a", Type.INT32, 0)
    return assembly.file([forged.root(), leaf], groups, column_orders=[forged.TYPE_ORDER])


@dataclasses.dataclass(frozen=True)
class Claim:
    """`words` are in the sentence of a lens about the file `make()`, after `check()` if `checked`; `never` is not."""

    make: Callable[[], bytes]
    lens: str
    address: str
    words: str = ""
    never: str = ""
    checked: bool = False


CLAIMS = {
    "boundary order, wrong": Claim(lambda: indexed(2), "page_index", INDEX,
        "boundary_order is DESCENDING, pages 0 and 1", "a reader finds"),
    "boundary order, wrong, at the chunk": Claim(lambda: indexed(2), "page_index", CHUNK,
        "boundary_order is DESCENDING, pages 0 and 1 are not", "a reader finds"),
    "boundary order, right": Claim(lambda: indexed(1), "page_index", INDEX, "they are ascending: a reader finds",
        "Wrong"),
    "boundary order, wrong, among the facts": Claim(lambda: indexed(2), "facts", INDEX,
        "boundary_order is DESCENDING, pages 0 and 1", ""),
    "boundary order, of equal bounds": Claim(lambda: indexed(2, (1, 1), (4, 4)), "page_index", INDEX, "same range",
        "Wrong"),
    "boundary order, ascending minima only": Claim(lambda: indexed(1, (1, 2), (4, 3)), "page_index", INDEX,
        "boundary_order is ASCENDING, pages 0 and 1", "ascending:"),
    "page bound, wrong": Claim(lambda: indexed(1, (1, 3), (2, 3)), "page_index", INDEX,
        "Wrong: the max is 3, the largest value is 4", checked=True),
    "page bound, not checked": Claim(lambda: indexed(1, (1, 3), (2, 3)), "page_index", INDEX, "reads 1 of 2", "Wrong"),
    "exact maximum, wrong": Claim(lambda: bounded(1, 5), "statistics", CHUNK,
        "the max 5 is marked as exact, the largest value is 3", checked=True),
    "exact maximum, right": Claim(lambda: bounded(1, 3), "statistics", CHUNK, never="Wrong", checked=True),
    "bound, wrong, in the schema": Claim(lambda: bounded(1, 2), "schema", "schema/1",
        "the max is 2, the largest value is 3", checked=True),
    "bound, wrong, across row groups": Claim(lambda: two_groups(3), "compare", CHUNK, "only 1 of them has a range",
        "do not overlap", checked=True),
    "bound, right, across row groups": Claim(lambda: two_groups(4), "compare", CHUNK, "do not overlap", "Wrong",
        checked=True),
    "bound, wrong, of another row group": Claim(lambda: two_groups(3), "statistics", CHUNK, "the largest value is 4",
        "sorted", checked=True),
    "bound, wrong, elsewhere": Claim(lambda: two_groups(3), "layout", CHUNK, never="Wrong", checked=True),
    "bound, wrong, of the file": Claim(lambda: two_groups(3), "overview", "", "`a`, row group 1: the max is 3",
        checked=True),
    "order of the rows, wrong": Claim(lambda: rows_sorted([2, 1]), "rows", "row_groups/0", "rows 0 and 1 are not",
        checked=True),
    "order of the rows, right": Claim(lambda: rows_sorted([1, 2]), "rows", "row_groups/0", never="Wrong", checked=True),
    "order of the rows, wrong by the page index": Claim(lambda: pages_sorted([3, 4], [1, 2]), "statistics", CHUNK,
        "sorted by a ascending, the bounds of pages 0 and 1 are not"),
    "order of the rows, wrong by the page index, in the schema": Claim(
        lambda: pages_sorted([1, 2], [3, 4], descending=True), "statistics", "schema/1",
        "sorted by a descending, the bounds of pages 0 and 1 are not"
    ),
    "order of the rows, unknown by the page index": Claim(lambda: pages_sorted([1, 3], [2, 4]), "statistics", CHUNK,
        never="sorted by a"),
    "order of the rows, right by the page index": Claim(lambda: pages_sorted([4, 3], [2, 1], descending=True),
        "statistics", CHUNK, never="Wrong", checked=True),
    "checksum, wrong": Claim(lambda: forged.one_column([forged.page([1], crc=1)]), "encoding",
        f"{CHUNK}/pages/0/values", "Wrong: the page header stores the CRC32", checked=True),
}  # fmt: skip


@pytest.mark.parametrize("name", CLAIMS)
def test_a_sentence_says_what_is_claimed_and_what_is_true(name):
    claim = CLAIMS[name]
    with pqexplore.open(claim.make()) as file:
        node = file.node(claim.address)
        if claim.checked:  # the answer before the check must not be kept
            finish(answer_of(file, node, LENSES[claim.lens]))
            file.check()
        sentence = finish(answer_of(file, node, LENSES[claim.lens])).sentence
    assert claim.words in sentence
    assert not claim.never or claim.never not in sentence


def test_a_wrong_boundary_order_is_noted_without_reading_pages():
    with pqexplore.open(indexed(2)) as file:
        answer = finish(answer_of(file, file.node(INDEX), LENSES["page_index"]))
        (finding,) = [one for one in file.findings if one.severity.level == "error"]
        assert finding.address.startswith(INDEX) and "boundary_order" in finding.message
        assert not file.row_groups[0].columns[0].walked
    assert (finding.address, finding.message) in [(one.address, one.message) for one in answer.findings]
    assert ("boundary order", "DESCENDING, which is not true") in [
        (chip.name, chip.value) for chip in answer.picture.facts
    ]


def test_a_row_group_of_too_many_rows_is_checked_by_its_page_index(monkeypatch):
    monkeypatch.setattr(sorting, "MAX_ROWS", 3)
    with pqexplore.open(pages_sorted([3, 4], [1, 2])) as file:
        assert [one.rule for one in file.check() if one.severity.level == "error"] == ["not-sorted"]
    with pqexplore.open(pages_sorted([1, 2], [3, 4])) as file:
        assert [one.rule for one in file.check() if one.severity.level == "error"] == []


def test_a_page_whose_bound_is_wrong_is_not_usable():
    with pqexplore.open(indexed(1, (1, 3), (2, 3))) as file:
        file.check()
        table = finish(answer_of(file, file.node(CHUNK), LENSES["statistics"])).table
    assert dict(zip(table.column("part"), table.column("trusted"), strict=True)) == {
        "row group 0": None,
        "  page 0": True,
        "  page 1": False,
    }


FACTS = {
    "a claim": (lambda: bounded(1, 5), False, "maximum", "by the file the largest value"),
    "a wrong bound": (lambda: bounded(1, 2), True, "trusted", "the max is 2"),
    "a wrong exactness": (lambda: bounded(1, 5), True, "maximum is exact", "Found: the max 5"),
    "wrong nulls": (lambda: bounded(1, 3, null_count=7), True, "nulls", "Found: null_count is 7"),
    "right nulls": (lambda: bounded(1, 3, null_count=0), True, "nulls", "values that are null"),
}


@pytest.mark.parametrize(("make", "checked", "name", "words"), FACTS.values(), ids=FACTS)
def test_facts_are_claims_until_they_are_checked(make, checked, name, words):
    with pqexplore.open(make()) as file:
        if checked:
            file.check()
        fact = next(one for one in file.node(CHUNK).facts if one.name == name)
    assert words in fact.meaning
    assert ("Found" in fact.meaning) == words.startswith("Found")


def test_the_order_of_the_rows_is_a_fact_of_the_row_group():
    with pqexplore.open(rows_sorted([2, 1])) as file:
        file.check()
        fact = next(one for one in file.node("row_groups/0").facts if one.name == "sorting columns")
    assert "Found: sorting_columns say" in fact.meaning


FEATURES = {
    "sorted, not checked": (lambda: rows_sorted([2, 1]), False, "sorting columns", "only check()"),
    "not sorted": (lambda: rows_sorted([2, 1]), True, "sorting columns", "1 finding says otherwise"),
    "wrong bound": (lambda: bounded(1, 2), True, "statistics", "says otherwise: the max is 2"),
    "wrong order": (lambda: indexed(2), True, "page index", "says otherwise: boundary_order"),
    "checksums": (lambda: forged.one_column([forged.page([1], crc=1)]), False, "page checksums",
        "a damaged page is noticed (by the 1 page looked at)"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "checked", "name", "words"), FEATURES.values(), ids=FEATURES)
def test_features_are_claims_until_they_are_checked(make, checked, name, words):
    with pqexplore.open(make()) as file:
        if checked:
            file.check()
        meaning = next(one.meaning for one in features(file) if one.name == name)
        assert words in meaning
        assert ("otherwise" in meaning) == ("otherwise" in words)


@pytest.mark.parametrize(
    ("count", "words"), [(2, None), (3, "There is 1 more finding."), (4, "There are 2 more findings.")]
)
def test_findings_that_are_not_quoted_are_counted(count, words):
    with pqexplore.open(forged.one_column([forged.page([1])])) as file:
        for number, rule in enumerate(("page-index", "page-locations", "page-rows", "shape")[:count]):
            file.note(Finding(rule, "footer", f"fault {number}"))
        node = file.node("footer")
        sentence = findings_at.with_findings(file, node, Answer("A footer."), False).sentence
    assert sentence.startswith("A footer. Wrong here: fault 0. Wrong here: fault 1.")
    assert sentence.endswith(words or "fault 1.")
