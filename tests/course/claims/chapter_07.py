"""What the text of chapter 07 claims of its lake."""

from collections import Counter

CLAIMS = [
    ("`error` are two that cannot be read", "len(rows) == 2 and {row.error_code for row in rows} == {'not-parquet'}"),
    ("`not-read` are files of the Delta table that are not live", "sum(one['status'] == 'not-read' for one in listed(lake)) == sum(one['table_path'] is not None and one['state'] != 'live' for one in listed(lake)) == 5"),
    ("Two: the new one, and the empty one", "run['files_read'] == 2 and run['vanished'] == 1"),
    ("judges what each engine makes of the difference", "[one.columns for one in drift.differences] == [('tip',)]"),
    ("No error, no warning, and no tips", "'tip' not in spark.read.parquet(str(folder.resolve())).columns"),
    ("For `trip` it is one", "points(overlap)['trip'] == 1"),
    ("For `city` it is nearly all of them", "points(overlap)['city'] > 112"),
    ("Two files are live. Four were *removed*", "states(lake) == {'live': 2, 'removed': 4, 'orphan': 1}"),
    ("The two files that were removed yesterday are not among them yet", "sorted(path[-14:] for path in found.later['path'].to_pylist()) == ['part-2.parquet', 'part-3.parquet']"),
    ("what to do, first things first", "[one.name for one in report.actions][:3] == ['replace', 'schema', 'vacuum']"),
]  # fmt: skip


def points(overlap):
    """By column, how many files a query for one value reads."""
    return {row.column_name: row.point_files for row in overlap.collect()}


def listed(lake):
    """A row for each file."""
    return lake.dataset("files").to_table().to_pylist()


def states(lake):
    """How many files of the table each state has."""
    return Counter(one["state"] for one in listed(lake) if one["table_path"] is not None)
