"""Filters of the lake explorer are conditions on files, and texts stay in their quotes."""

import pytest

from pqexplore.engine.errors import UsageError
from pqexplore.lake.panels.filters import Filters, literal


@pytest.mark.parametrize("text, where", [
    ("", ""),
    ("{}", ""),
    ('{"size": [10.5, null]}', "size >= 10"),
    ('{"rows": [1, 9.5]}', "num_rows >= 1 AND num_rows <= 10"),
    ('{"status": "ok", "writer": "it\'s"}', "status = 'ok' AND created_by = 'it''s'"),
])  # fmt: skip
def test_filters_are_conditions_on_files(text, where):
    assert Filters.parse(text).where(spark=False) == where


@pytest.mark.parametrize(
    "text",
    ["[]", "x", '{"size": 3}', '{"size": [1]}', '{"size": [true, null]}', '{"path": "a"}', '{"size": [1e999, 0]}'],
)
def test_what_is_no_filter_is_refused(text):
    with pytest.raises(UsageError):
        Filters.parse(text)


def test_texts_cannot_leave_their_quotes():
    assert literal("a' OR '1'='1", spark=False) == "'a'' OR ''1''=''1'"
    assert literal("a\\' OR 1", spark=True) == "'a\\\\\\' OR 1'"
