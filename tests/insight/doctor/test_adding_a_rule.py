"""A rule is one record and one function that yields evidence: then every surface knows it.

Nothing else is touched here, so nothing else names the rules.
"""

import pyarrow as pa
import pytest
from insight.doctor.doctor_cases import written

import pqexplore
from pqexplore import lake
from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import FOOTER, RULES, Rule, Severity
from pqexplore.insight.doctor import rules
from pqexplore.insight.doctor.formats import sarif
from pqexplore.insight.doctor.report_text import report_document, report_lines
from pqexplore.insight.lenses import LENSES, answer_of
from pqexplore.insight.steps import finish
from pqexplore.widget.headline import headline

SAID = "The column `price` is in cents: 1 row group."


def in_cents(subject):
    for leaf in subject.leaves:
        if leaf.path[-1] == "price":
            evidence = {"column": ".".join(leaf.path), "groups": subject.groups}
            yield Finding("price-in-cents", f"schema/{leaf.index}", evidence=evidence, column="price")


RULE = Rule(
    "price-in-cents", Severity.WRONG, FOOTER, "Prices in cents", "Our reports expect euros.", in_cents,
    message="The column `{column}` is in cents: {groups} row group.", fix="Divide them by 100.", cost="sums are 100 times too large",
)  # fmt: skip


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setitem(RULES, RULE.name, RULE)
    monkeypatch.setitem(rules.RULES, RULE.name, RULE)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "a.parquet").write_bytes(written(pa.table({"price": [1]})))
    return tmp_path / "a.parquet"


def test_the_doctor_says_it_with_cost_and_fix(path):
    report = pqexplore.diagnose(path)
    [found] = [one for one in report.findings if one.rule == RULE.name]
    assert (found.severity, found.sentence, found.fix) == (Severity.WRONG, SAID, RULE.fix)
    assert report.sentence == f"{SAID} Cost: {RULE.cost}."
    assert SAID in " ".join(report_lines(report, 1_000))
    assert report_document(report)["findings"][0]["rule"] == RULE.name
    named = {
        one["id"]: one["shortDescription"]["text"] for one in sarif([report], "1")["runs"][0]["tool"]["driver"]["rules"]
    }
    assert named[RULE.name] == RULE.title


def test_the_overview_and_the_header_begin_with_it(path):
    with pqexplore.open(path) as file:
        assert finish(answer_of(file, file.root, LENSES["overview"])).sentence.startswith(SAID)
        assert finish(headline(file)).sentence == SAID


def test_the_lake_adds_it_up(path):
    with lake.scan(None, str(path.parent), processes=0) as made:
        found = made.diagnose(processes=0).findings[0]
    assert (
        found.sentence
        == f"{path.name}: {RULE.title[0].lower()}{RULE.title[1:]}: the only file, column price, written by parquet-cpp-arrow {pa.__version__}"
        + (found.sentence.partition(pa.__version__)[2])
    )


def test_a_rule_without_a_record_is_a_mistake():
    with pytest.raises(KeyError, match="the rule 'no-such-rule' has no record"):
        Finding("no-such-rule", message="something")
