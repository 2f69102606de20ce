"""An exercise of a notebook refuses wrong answers with a hint, and accepts right ones; what the text claims is true."""

import contextlib
import io
import re
from pathlib import Path

import nbformat
import pytest

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
OPEN = re.compile(r"^(\w+(?:, \w+)*) = None(?:, None)*\b.*$", re.MULTILINE)
"""Where a reader writes an answer; the cell after it checks it."""

WRONG = repr("no answer at all")


def cells_of(path):
    """The sources of the code cells of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return [cell.source for cell in cells if cell.cell_type == "code"]


def exercises():
    """The notebooks that ask for answers, by name."""
    found = {path.stem: cells_of(path) for path in sorted(NOTEBOOKS.glob("*.ipynb"))}
    return {name: cells for name, cells in found.items() if any(map(OPEN.search, cells))}


EXERCISES = exercises()


def test_there_are_exercises():
    assert len(EXERCISES) >= 3


def refusal(cells, space):
    """Runs cells; the message of a check that refuses, None if none does."""
    try:
        for cell in cells:
            exec(compile(cell, "cell", "exec"), space)
    except AssertionError as refused:
        return str(refused)
    return None


def run(name, answers):
    """Runs a notebook, and in each exercise its answers. Yields (number, answer, hint or None), and at the end the names."""
    space, number = {}, 0
    cells = EXERCISES[name]
    for cell, after in zip(cells, [*cells[1:], ""], strict=True):
        asked = OPEN.search(cell)
        if asked:
            for answer in answers[number]:
                given = (
                    ", ".join([answer] * len(asked[1].split(","))) if answer == WRONG else answer
                )
                answered = OPEN.sub(lambda found, given=given: f"{found[1]} = {given}", cell)
                yield number, answer, refusal([answered, after], space)
            number += 1
        exec(compile(cell, name, "exec"), space)
    assert number == len(answers), "there are more answers than exercises"
    yield space


ANSWERS = {
    # notebook: for each exercise, the right answers and the wrong ones
    "02-pages-and-encodings": [
        (["(401, 3)", "[401, 3]"], ["(3, 401)", "401"]),
        (["[6, 7]"], ["(7, 6)"]),
        (["4"], ["True", "'4'"]),
        (["(8, 4)", "[8, 4]"], ["(4, 8)"]),
    ],
    "03-nesting-and-levels": [
        (["8"], ["True", "6"]),
        ([], ["[]", "()"]),
        (["1"], ["True"]),
        ([], ["0", "True"]),
    ],
    "05-variant": [
        (["'yes'"], ["b'yes'"]),
        (["bytes.fromhex('03 02 00 02 03 0c 01 04')"], ["bytes.fromhex('03 02 00 01 02 04 04')"]),
        (["(7,)"], ["7"]),
        (["0b1_01_11"], ["True"]),
    ],
    "06-encryption": [
        (["32"], ["'32'"]),
        ([], ["b''"]),
        (["13, 14"], ["14, 13"]),
        ([], ["b''"]),
    ],
    "09-why-is-this-query-slow": [
        (["(2, 3)"], ["[2]"]),
        (["'price > 497.50'"], ["'price > 497'"]),
        (
            ["{'c00009': 8, 'c00010': 6, 'c00013': 3}"],
            ["{'c00009': 8, 'c00010': 6, 'c00011': 3}"],
        ),
        (
            ["lambda table, path: pqexplore.write(table, path, pqexplore.WriteOptions(row_group_rows=2_000))"],
            ["lambda table, path: pqexplore.write(table.slice(0, 30_000), path)"],
        ),
        (["['spark', 'duckdb']"], ["{'duckdb'}"]),
    ],
    "10-make-it-smaller": [
        (
            ["{'order_id', 'placed', 'email'}", "['email', 'order_id', 'placed']"],
            [
                "{'order_id'}",
                "{'order_id', 'placed'}",
                "{'order_id', 'placed', 'email', 'weight'}",
                "{'order_id', 'placed', 'email', 'day'}",
                "{'order_id', 'placed', 'tags.list.element'}",
                "'email'",
                "set()",
                "3",
            ],
        ),
        (
            ["sum(4 + len(text) for text in set(orders['email'].to_pylist()))"],
            [
                "1 << 20",
                "16 << 20",
                "sum(len(text) for text in set(orders['email'].to_pylist()))",
                "sum(4 + len(text) for text in set(orders['email'].to_pylist())) - 1",
                "sum(4 + len(text) for text in set(orders['email'].to_pylist())) + 1",
                "float(sum(4 + len(text) for text in set(orders['email'].to_pylist())))",
                "True",
            ],
        ),
        (
            ["{'encoding': 'DELTA_BINARY_PACKED', 'codec': 'ZSTD'}", "{'encoding': 'DELTA_BINARY_PACKED', 'codec': 'UNCOMPRESSED'}"],
            [
                "{'encoding': 'DELTA_BINARY_PACKED', 'codec': 'BROTLI'}",
                "{'encoding': 'BYTE_STREAM_SPLIT', 'codec': 'SNAPPY'}",
                "{'encoding': 'PLAIN', 'codec': 'ZSTD'}",
                "{'encoding': 'RLE_DICTIONARY', 'codec': 'ZSTD'}",
                "{'encoding': 'DELTA_BYTE_ARRAY', 'codec': 'ZSTD'}",
                "{'codec': 'ZSTD'}",
                "'DELTA_BINARY_PACKED'",
            ],
        ),
        (
            ["{'count': pa.int32(), 'arrived': pa.date32(), 'half': pa.float32()}"],
            [
                "{'count': pa.int32(), 'arrived': pa.date32()}",
                "{'count': pa.int32(), 'arrived': pa.date32(), 'half': pa.float32(), 'tenth': pa.float32()}",
                "{'count': pa.int32(), 'arrived': pa.date32(), 'half': pa.float32(), 'zip': pa.int32()}",
                "{'count': pa.int32(), 'arrived': pa.date32(), 'half': pa.float32(), 'serial': pa.int32()}",
                "{'count': pa.int32(), 'arrived': pa.date32(), 'half': pa.float32(), 'due': pa.date32()}",
                "{'count': pa.int32(), 'arrived': pa.date32(), 'half': pa.int32()}",
                "{'count': pa.float32(), 'arrived': pa.date32(), 'half': pa.float32()}",
                "{'count': pa.int64(), 'arrived': pa.string(), 'half': pa.float64()}",
                "['count', 'arrived', 'half']",
                "{}",
            ],
        ),
        (["'shop'"], ["'city'", "'region'", "'visitor'", "'street'", "['region', 'city']", "0"]),
        (
            ["10_000", "8_000"],
            ["40_000", "20_000", "2_000", "1_000", "1", "0", "-10_000", "True", "'10_000'"],
        ),
        (
            [
                "lambda one, two: pq.write_table(pq.read_table(one).sort_by('at'), two, use_dictionary=['device', 'level', 'value'], "
                "column_encoding={'at': 'DELTA_BINARY_PACKED'}, compression='zstd')"
            ],
            [
                "lambda one, two: pqexplore.rewrite(one, two)",
                "lambda one, two: pq.write_table(pq.read_table(one).slice(0, 9_000), two)",
                "lambda one, two: pq.write_table(pq.read_table(one).drop_columns(['at']), two)",
                "lambda one, two: pq.write_table(pq.read_table(one, columns=['at', 'level']), two)",
                "lambda one, two: pq.write_table(pq.read_table(one).set_column(3, 'value', pa.nulls(20_000, pa.float64())).sort_by('at'), two)",
                "lambda one, two: pq.write_table(pq.read_table(one).set_column(1, 'device', pa.array(['device-00000'] * 20_000)).sort_by('at'), two)",
                "lambda one, two: None",
                "'events.parquet'",
            ],
        ),
    ],
}  # fmt: skip

CLAIMS = {
    # notebook: words of its text, and an expression that is true after its last cell if they are
    "10-make-it-smaller": [
        ("four columns that take most", "set(explorer.to_frame('overview')['column'][:4]) == set(large)"),
        ("is nearly the same, for the same choices", "abs(steps[0][2] / FIRST - 1) < 0.03"),
        ("ours adds a page index and checksums", "pqexplore.open('same.parquet').row_groups[0].columns[0].column_index is not None and f.row_groups[0].columns[0].column_index is None"),
        ("ours adds a page index and checksums", "pqexplore.open('same.parquet').row_groups[0].columns[0].pages[0].header.crc is not None and f.row_groups[0].columns[0].pages[0].header.crc is None"),
        ("`order_id`, where every value is different", "len(orders['order_id'].unique()) == rows"),
        ("here 1 MiB", "1 << 20 <= sum(4 + len(text) for text in f.row_groups[0].columns['order_id'].dictionary.to_pylist()) < 1.1 * (1 << 20)"),
        ("many customers order more than once", "len(np.unique(who)) < 0.6 * rows"),
        ("no dictionary where hardly a value repeats", "all(len(orders[name].unique()) > 0.99 * rows for name in ('order_id', 'placed', 'weight'))"),
        ("only the last two can be compressed", "min(shares[:6]) > 0.99 and max(shares[6:]) < 0.85"),
        ("saves nothing by itself", "len({pqexplore.plan(orders.select(['weight']), pqexplore.WriteOptions(encoding=one)).columns[0].values for one in ('PLAIN', 'BYTE_STREAM_SPLIT')}) == 1"),
        ("a good deal smaller than Snappy", "by_codec['ZSTD', 1] < 0.85 * by_codec['SNAPPY', None]"),
        ("Level 9 adds little", "0.93 * by_codec['ZSTD', 1] < by_codec['ZSTD', 9] <= by_codec['ZSTD', 1]"),
        ("numbers below eight million", "max(who) + 7_000_000 < 8_000_000"),
        ("stores the decimals of `price` as bytes", "f.schema.leaf('price').physical_type == 7"),
        ("Only `placed` becomes smaller", "[name for name in orders.column_names if name != 'tags' and taken('types.parquet', name) < 0.99 * taken('codec.parquet', name)] == ['placed']"),
        ("The others stay as they are", "all(abs(taken('types.parquet', name) / taken('codec.parquet', name) - 1) < 0.05 for name in ('day', 'customer', 'price'))"),
        ("almost every value would be another one", "np.mean(orders['weight'].to_numpy().astype('f4') != orders['weight'].to_numpy()) > 0.99"),
        ("`order_id` and `day` are sorted, too", "h.read(['day'])['day'].equals(h.read(['day']).sort_by('day')['day']) and np.mean(np.diff(h.read(['order_id']).column(0).cast('string').to_pandas().str[9:].astype(int)) > 0) > 0.99"),
        ("are better off without a dictionary", "all(one.best.dictionary_bytes is None for one in again.columns if one.path in ('customer', 'price'))"),
        ("all customers lie within 50,000", "max(who) - min(who) < 50_000"),
        ("most of that is `email`", "2 * (sizes[10_000, 20_000][1] - sizes[60_000, 20_000][1]) > sizes[10_000, 20_000][0] - sizes[60_000, 20_000][0]"),
        ("This step makes the file larger", "steps[-1][2] > steps[-2][2]"),
        ("a few percent fewer bytes", "0.9 < costs['brotli'][0] / costs['zstd'][0] < 1"),
        ("for many times the time", "costs['brotli'][1] > 10 * costs['zstd'][1]"),
        ("where the rows are sorted, the bounds answer it already", "with_filters > 1.1 * predicted.size"),
        ("there these engines do not read it in BYTE_STREAM_SPLIT", "any(row['encoding'] == 'BYTE_STREAM_SPLIT' and {'DuckDB', 'polars'} <= set(row['unread_by']) for row in decimals.to_dict('records'))"),
        ("After step 4 it is INT32", "h.schema.leaf('price').physical_type == 1 and not any(row['unread_by'] for row in again.table.to_pylist() if row['column'] == 'price' and row['encoding'] == 'BYTE_STREAM_SPLIT' and row['codec'] == 'ZSTD')"),
        ("Predict, write, compare", "all(abs(size / written - 1) < 0.02 for _, size, written in steps)"),
        ("The way from the first file", "steps[-1][2] <= FIRST / 2"),
        ("as near as each can express them", "abs(by_pyarrow / again.code['pyarrow'].bytes - 1) < 0.1"),
        ("finds the same rows in another order", "'in another order' in difference.sentence and not any(one.what == 'values' for one in difference.differences)"),
    ],
}  # fmt: skip


def taken(path, name):
    """The bytes of a column in a file of one row group."""
    import pqexplore

    with pqexplore.open(path) as file:
        return len(file.row_groups[0].columns[name].span)


@pytest.mark.parametrize("name", EXERCISES)
def test_right_answers_pass_and_wrong_ones_get_a_hint(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with contextlib.redirect_stdout(io.StringIO()):
        answers = ANSWERS.get(name) or [([], [])] * sum(
            map(bool, map(OPEN.search, EXERCISES[name]))
        )
        *tried, space = run(name, [[WRONG, *wrong, *right] for right, wrong in answers])
    for number, answer, hint in tried:
        right, _ = answers[number]
        assert (hint is None) == (answer in right), f"exercise {number + 1}: {answer}"
        assert hint is None or len(hint) > 20
    cells = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    for words, expression in CLAIMS.get(name, ()):
        assert words in " ".join(text.split())
        assert eval(expression, space | {"taken": taken}), words


def test_each_exercise_of_the_newest_notebook_has_five_wrong_answers():
    wrong = [wrong for _, wrong in ANSWERS["10-make-it-smaller"]]
    assert len(wrong) >= 6 and min(map(len, wrong)) >= 5
