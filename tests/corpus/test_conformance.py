"""Files by other writers, read and compared with what is known of each, by the tool that comes with the corpus.

The tool reads every file in a process of its own and prints what failed; here its verdicts are counted by class of
file. `PASSED` is what was reached; a change may raise a number, none may fall.
"""

from __future__ import annotations

import collections
import json
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
    "valid": 883,
}

pytestmark = pytest.mark.xdist_group("corpus")

PROGRAM = """
import runpy, sys
import pandas, pyarrow.compute, pyarrow.parquet
import pqexplore.engine.file.file, pqexplore.engine.tree, pqexplore.engine.file.table_reader
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Imports first what each of the tool's processes needs, so that they inherit it; pandas, because pyarrow imports it
when it makes its first array."""


@pytest.fixture(scope="module")
def results(corpus, tmp_path_factory):
    tool = corpus.parent / "tools" / "conformance.py"
    if not tool.exists():
        pytest.skip("the corpus is there, its conformance.py is not")
    found = _judged(tool, tmp_path_factory.mktemp("conformance"), "--jobs", "2")
    for i, one in enumerate(found):
        if one["message"] == "timed out":  # beside others, on a busy machine: once more alone
            folder = tmp_path_factory.mktemp("alone")
            [found[i]] = _judged(tool, folder, "--jobs", "1", "--match", one["path"])
    return found


def _judged(tool, folder, *words):
    """The tool's verdicts, a dictionary a file."""
    out = folder / "results.json"
    words = [str(tool), "--corpus", str(tool.parents[1] / "corpus"), "--json", str(out), *words]
    program = PROGRAM.replace("import runpy, sys\n", f"import runpy, sys\nsys.argv = {words!r}\n")
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=900
    )
    assert out.exists(), run.stdout[-2000:] + run.stderr[-2000:]
    return json.loads(out.read_text())


def test_nothing_crashes(results):
    crashed = [f"{one['path']}: {one['message']}" for one in results if one["status"] == "crash"]
    assert not crashed, "\n".join(crashed)


@pytest.mark.parametrize("klass", PASSED)
def test_no_class_falls_behind(results, klass):
    verdicts = [one for one in results if one["klass"] == klass]
    failed = [f"{one['path']}: {one['message']}" for one in verdicts if one["status"] != "pass"]
    passed = len(verdicts) - len(failed)
    assert passed >= PASSED[klass], (
        f"{passed} of {len(verdicts)} pass, {PASSED[klass]} did\n" + "\n".join(failed)
    )


def test_every_class_is_counted(results, record_property):
    by_class = collections.Counter(one["klass"] for one in results)
    passed = collections.Counter(one["klass"] for one in results if one["status"] == "pass")
    counts = [f"{klass} {passed[klass]}/{by_class[klass]}" for klass in sorted(by_class)]
    share = sum(passed.values()) / len(results)
    record_property(
        "stated",
        f"conformance: {sum(passed.values())} of {len(results)} files pass, {share:.2%}: {', '.join(counts)}",
    )
    assert set(by_class) == set(PASSED)
