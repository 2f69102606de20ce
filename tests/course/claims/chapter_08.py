"""What the text of chapter 08 claims of its files."""

CLAIMS = [
    ("One file of more than a hundred", "len(found.kept) == 1 and len(store.rows) > 100"),
    ("`driver > 49999` reads everything", "kept(store, 'driver > 49999') == len(store.rows)"),
    ("`trip <> 500000` reads everything", "not sound.skipped and bool(upstream.may_lose) and lost > 0"),
    ("it would lose a row", "kept(store, \"city = 'Rome'\") == len(store.files_to_read(\"city = 'Rome'\")) == 1"),
    ("MinMax on `trip` is the best", "(advice.proposals[0].column, advice.proposals[0].index) == ('trip', 'minmax')"),
    ("it skips all files but one, in few bytes", "best(advice).skipped == best(advice).files - 1 and best(advice).bytes < 20 * len(store.rows)"),
    ("An index on `city` skips nothing for Oslo", "not any(one.skipped for one in advice.proposals if one.column == 'city')"),
    ("MinMax on `fare` skips nothing here", "[one.skipped for one in metadatastore.advise(str(folder), asked, sample=20).proposals if (one.column, one.index) == ('fare', 'minmax')] == [0]"),
    ("keep five files for `driver = 20019`", "kept(store, 'driver = 20019') == 5"),
    ("`fare > 100` reads all files", "kept(store, 'fare > 100') == len(store.rows)"),
]  # fmt: skip


def kept(store, where):
    """How many files a condition reads."""
    return len(store.evaluate(where).kept)


def best(advice):
    """The best index of one column."""
    return next(one for one in advice.proposals if one.column != "(all)")
