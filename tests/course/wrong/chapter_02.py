"""Wrong answers to the exercises of chapter 02."""

WRONG = {
    "02.1": ["(2, 41)", "(82, 2)", "(41, 1)", "(41, 3)", "(40, 2)", "(101, 3)", "(41, True)", "41", "'41, 2'"],
    "02.2": ["(7, 8)", "(11, 13)", "(12, 11)", "(12, 13)", "(10, 11)", "(11, 11)", "11", "('11', '12')"],
    "02.3": [
        "''",
        "'row_groups/0/columns/0/pages/0'",
        "'row_groups/0/columns/0/pages/6'",
        "'row_groups/0/columns/0/pages/4'",
        "'row_groups/0/columns/0/pages/7/values/3'",
        "'row_groups/0/columns/0/pages'",
        "'row_groups/0/columns/0/pages/50'",
        "5",
    ],
    "02.4": ["2", "3", "5", "7", "15", "16", "'4'", "True", "[4]"],
    "02.5": ["(4, 8)", "(9, 3)", "(8, 3)", "(10, 2)", "(12, 0)", "(0, 12)", "8", "'8, 4'"],
}

REASONS = {
    "02.1": {"(40, 2)": "once more", "(41, 3)": "belongs to the section", "(41, 1)": "the header alone"},
    "02.4": {"7": "how much larger", "15": "not a width", "16": "not a width"},
}
