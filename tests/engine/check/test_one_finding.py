"""One planted violation is one finding: nothing else in the file is called wrong."""

import pytest
from engine.check import forged
from engine.check.test_violations import ROWS

MODULES = ("geospatial", "keys", "page_index", "statistics")


OTHERWISE = ("unreadable", "int96-deprecated")
"""Rules that some files break besides, on purpose."""


@pytest.mark.parametrize("name", [name for name in ROWS if name.startswith(MODULES)])
def test_one_violation_is_one_finding(name):
    row = ROWS[name]
    found = [one for one in forged.findings(row.make()) if one.rule not in OTHERWISE]
    if row.severity != "note":
        found = [one for one in found if one.severity != "note"]
    assert [one.rule for one in found] == [row.rule], "\n".join(map(str, found))
