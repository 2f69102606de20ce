"""Wrong answers to the exercises of chapter 03."""

WRONG = {
    "03.1": ["5", "6", "7", "9", "True", "'8'", "[8]"],
    "03.2": ["0", "2", "3", "True", "'1'", "[1]"],
    "03.3": [
        "[None, [10, None, 20], [], [30]]",
        "[[], [10, 20], None, [30]]",
        "[[10, None, 20], [30]]",
        "[[], [10], [None], [20], None, [30]]",
        "[[], [10, None, 20], [None], [30]]",
        "[[], ['10', None, '20'], None, ['30']]",
        "[[], [10, [], 20], None, [30]]",
        "[10, 20, 30]",
        "()",
        "4",
    ],
    "03.4": [
        "''",
        "'row_groups/0/columns/0/pages/0/repetition_levels/4'",
        "'row_groups/0/columns/0/pages/0/definition_levels'",
        "'row_groups/0/columns/0/pages/0/definition_levels/3'",
        "'row_groups/0/columns/0/pages/0/definition_levels/5'",
        "'row_groups/0/columns/0/pages/0/definition_levels/8'",
        "'row_groups/0/columns/0/pages/0/values/3'",
        "4",
    ],
    "03.5": [
        "0",
        "True",
        "[2, 0, None, 2, 1]",
        "lambda repetition, definition: [2, 0, None, 2, 1]",
        "lambda repetition, definition: []",
        "lambda repetition, definition: [n or 0 for n in lengths(repetition, definition)]",
        "lambda repetition, definition: [n and n - 1 for n in lengths(repetition, definition)]",
        "lambda repetition, definition: lengths(definition, repetition)",
        "lambda levels: levels",
        "lambda repetition, definition: lengths(repetition, [d - (d == 2) for d in definition])",
    ],
    "03.6": [
        "'schema/5'",
        "'schema/1'",
        "'schema/4'",
        "'schema/7'",
        "'row_groups/0/columns/3'",
        "'schema/1/11'",
        "11",
        "'repeated'",
    ],
}

REASONS = {
    "03.5": {
        "lambda repetition, definition: []": "it gives [].",
        "[2, 0, None, 2, 1]": "Write a function",
        "lambda levels: levels": "ends in TypeError(",
    }
}
