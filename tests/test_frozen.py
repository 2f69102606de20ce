"""What version 1 promises stays: Python's public names and signatures, verbs and options, JSON, names that are texts.

Each is compared with a text in `golden/`. `PQEXPLORE_RENEW_VIEWS=1` writes these anew: what is new may be added. A line that
goes or changes breaks callers. Keep the old name with `deprecated` of `pqexplore/engine/deprecation.py` and a row of
docs/migration.md; of JSON, only another `version` of the documents may do it.
"""

import re
import warnings
from pathlib import Path

import public_names
import pytest
from golden import same
from json_schema import SCHEMA

from pqexplore.engine.deprecation import DEPRECATED, RENAMED_RULES, deprecated
from pqexplore.engine.rule import Severity
from pqexplore.insight.doctor.rules import ALL
from pqexplore.insight.doctor.selection import Selection

GOLDEN = Path(__file__).parent / "golden"
MIGRATION = Path(__file__).parents[1] / "docs" / "migration.md"


@pytest.mark.parametrize("name, made", [
    ("python", public_names.of_python),
    ("commands", public_names.of_commands),
    ("json", lambda: public_names.of_json(SCHEMA)),
    ("names", public_names.of_names),
])  # fmt: skip
def test_what_is_public_stays(name, made):
    same(GOLDEN / f"public_{name}.txt", made())


def test_a_deprecated_call_warns_where_it_stands_and_works():
    @deprecated("old(x)", "new(x)")
    def old(x):
        return x + 1

    del DEPRECATED["old(x)"]
    with pytest.warns(DeprecationWarning, match=r"old\(x\) is deprecated since pqexplore 1\.0: new\(x\)") as caught:
        assert old(1) == 2
    assert caught[0].filename == __file__


def test_a_severity_is_still_its_level():
    with pytest.warns(DeprecationWarning, match=r"finding\.severity\.level == 'error'") as caught:
        assert Severity.DAMAGE == "error"
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Severity.DAMAGE.level == "error"
        assert len({Severity.DAMAGE, Severity.WRONG}) == 2


@pytest.mark.parametrize("old", RENAMED_RULES)
def test_a_renamed_rule_has_both_names(old):
    assert old not in ALL and RENAMED_RULES[old] in ALL
    with pytest.warns(DeprecationWarning, match=f"the rule {old} is called {RENAMED_RULES[old]}"):
        assert Selection(ignore=[old, "gap"]).checked().ignore == [RENAMED_RULES[old], "gap"]


def test_the_page_of_renamed_things_has_each():
    page = MIGRATION.read_text("utf-8")
    rows = dict(re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|", page, re.M))
    assert rows.items() >= {**DEPRECATED, **RENAMED_RULES}.items()
