"""Wrong answers to the exercises of chapter 01."""

WRONG = {
    "01.1": ["3508", "f.size - 3508", "f.size - 4 - 3508", "386998", "'386999'", "f.size", "True"],
    "01.2": ["22278", "111807", "(13353, 42627)", "390515", "13353", "'55980'", "28000"],
    "01.3": [
        "'row_groups'",
        "'schema/4'",
        "'row_groups/1/columns/3/column_index'",
        "'row_groups/0/columns/3/pages/3'",
        "'row_groups/1/columns/3/pages/2'",
        "'row_groups/1/columns/3/pages/4'",
        "'row_groups/1/columns/3/pages/0'",
        "'row_groups/1/columns/3'",
        "'row_groups/1/columns/9/pages/2'",
        "'row_groups/1/columns/3/pages/30'",
        "3",
    ],
    "01.4": ["5", "9", "11", "807", "2000", "'10'", "True", "[10]"],
    "01.5": [
        "(247016, 221.437)",
        "(247017, 221.0)",
        "(221.437, 247017)",
        "247017",
        "221.437",
        "(87082, 650.95)",
        "(1000, 221.437)",
        "('247017', '221.437')",
        "(247025, 221.437)",
    ],
}

REASONS = {
    "01.1": {"3508": "its length", "f.size - 3508": "not the last thing", "f.size - 4 - 3508": "Two things", "386998": "Not yet."},
    "01.3": {
        "'schema/4'": "begin there",
        "'row_groups/1/columns/3/column_index'": "Now select the page in it",
        "'row_groups/1/columns/3/pages/2'": "the page is not",
    },
}  # fmt: skip
