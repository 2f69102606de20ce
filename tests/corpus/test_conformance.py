"""Files by other writers, read and compared with what is known of each, by the tool that comes with the corpus.

The tool reads every file in a process of its own and prints what failed; here its verdicts are counted by class of
file. `PASSED` is what was reached; a change may raise a number, none may fall.

Each run reads some 180 of the files: all that are not ordinary, and for each feature of the format the smallest that has
it. `make test-full` reads all.
"""

from __future__ import annotations

import collections
import csv
import json
import os
import subprocess
import sys

import pytest

PASSED = {
    "bomb": 1,
    "crc": 1,
    "deep": 1,
    "encrypted": 13,
    "hostile": 32,
    "hostile-variant": 4,
    "metadata-only": 1,
    "quirk": 22,
    "valid": 884,
}

MOST_PAGES = 5_000
"""A file with more is read with the slow tests."""

PROGRAM = """
import runpy, sys
import pandas, pyarrow.compute, pyarrow.parquet
import pqexplore.engine.file.file, pqexplore.engine.tree, pqexplore.engine.file.table_reader
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Imports first what each of the tool's processes needs, so that they inherit it; pandas, because pyarrow imports it
when it makes its first array."""


def some_of(corpus, folder):
    """A corpus in `folder` with all its files, and a catalog of those that each run reads."""
    for entry in os.scandir(corpus):
        if entry.name != "catalog.csv":
            (folder / entry.name).symlink_to(entry.path)
    with open(corpus / "catalog.csv", newline="") as lines:
        rows = list(csv.DictReader(lines))
    chosen = {row["path"]: row for row in rows if row["klass"] != "valid"}
    featured = set()
    for row in sorted(rows, key=lambda row: int(row["size"] or 0)):
        features = set(row["features"].split())
        if int(row["pages"] or 0) <= MOST_PAGES and not features <= featured:
            chosen[row["path"]] = row
            featured |= features
    with open(folder / "catalog.csv", "w", newline="") as out:
        written = csv.DictWriter(out, rows[0])
        written.writeheader()
        written.writerows(chosen.values())
    return folder


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=pytest.mark.full)])
def results(request, corpus, tmp_path_factory):
    tool = corpus.parent / "tools" / "conformance.py"
    if not tool.exists():
        pytest.skip("the corpus is there, its conformance.py is not")
    if request.param == "some":
        corpus = some_of(corpus, tmp_path_factory.mktemp("some"))
    found = _judged(tool, corpus, tmp_path_factory.mktemp("conformance"), "--jobs", "2")
    for i, one in enumerate(found):
        if one["message"] == "timed out":  # beside others, on a busy machine: once more alone
            folder = tmp_path_factory.mktemp("alone")
            [found[i]] = _judged(tool, corpus, folder, "--jobs", "1", "--match", one["path"])
    return found


def _judged(tool, corpus, folder, *words):
    """The tool's verdicts, a dictionary a file."""
    out = folder / "results.json"
    words = [str(tool), "--corpus", str(corpus), "--json", str(out), *words]
    program = PROGRAM.replace("import runpy, sys\n", f"import runpy, sys\nsys.argv = {words!r}\n")
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=900)
    assert out.exists(), run.stdout[-2000:] + run.stderr[-2000:]
    return json.loads(out.read_text())


def test_nothing_crashes(results):
    crashed = [f"{one['path']}: {one['message']}" for one in results if one["status"] == "crash"]
    assert not crashed, "\n".join(crashed)


@pytest.mark.parametrize("klass", PASSED)
def test_no_class_falls_behind(results, klass):
    verdicts = [one for one in results if one["klass"] == klass]
    failed = [f"{one['path']}: {one['message']}" for one in verdicts if one["status"] != "pass"]
    passed, expected = len(verdicts) - len(failed), min(PASSED[klass], len(verdicts))
    assert passed >= expected, f"{passed} pass, {expected} did\n" + "\n".join(failed)


def test_every_class_is_counted(results, record_property):
    by_class = collections.Counter(one["klass"] for one in results)
    passed = collections.Counter(one["klass"] for one in results if one["status"] == "pass")
    counts = [f"{klass} {passed[klass]}/{by_class[klass]}" for klass in sorted(by_class)]
    share = sum(passed.values()) / len(results)
    record_property(
        "stated", f"conformance: {sum(passed.values())} of {len(results)} files pass, {share:.2%}: {', '.join(counts)}"
    )
    assert set(by_class) == set(PASSED)
