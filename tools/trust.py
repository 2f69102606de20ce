"""Writes docs/trust.md: how we know that what pqexplore says is true, as figures of tests that run for it.

`make trust` runs it, in some minutes; `SECONDS=600` says how long files are broken at random. Each claim has the tests that
hold it. The page has how many of them passed, on which day, with which versions.
"""

from __future__ import annotations

import argparse
import collections
import csv
import dataclasses
import datetime
import importlib.metadata
import pathlib
import platform
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "trust.md"
CORPUS = ROOT.parent / "shared" / "corpus" / "catalog.csv"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

READERS = ("pyarrow", "duckdb", "polars", "datafusion", "fastparquet")
"""Packages that the tests hold us against."""

CLASSES = {
    "valid": "as the specification has it",
    "quirk": "old or odd writers, which others read",
    "encrypted": "encrypted, with their keys",
    "hostile": "broken, from reports of other readers' bugs",
    "hostile-variant": "Variants that are broken",
    "crc": "a wrong checksum",
    "bomb": "small, and huge when decompressed",
    "deep": "nested deeper than readers go",
    "metadata-only": "a footer alone",
}
"""The classes of the files by other writers."""

HEAD = """\
# How do we know?

A claim about bytes is worth what it was held against. Each claim below names the tests that hold it, and how many of them passed
when `make trust` wrote this page: on {date}, with pqexplore {version}, Python {python}, {system},
{versions}.
[The implementation status](status.md) has what each reader and writer does, [what was run](runs.md) the checks that take longer.
"""

TAIL = """\
## What is not known

- Engines are asked in the versions above, and Spark in that of [what was run](runs.md). What is said of Trino, Impala and
  parquet-go is from their source, and each sentence about them says so.
- Databricks, Azure and Google Cloud were not there: versions of Databricks' packages are tested, its clusters are not. The tests
  of object stores run against emulators.
- No file by a writer that nobody gave us is in the tests. A writer's version that [the page of writers](writers.md) does not name
  may have faults that no rule looks for.
- The claims rest on tests that the project wrote for itself. `make mutants` plants faults in the code, and says how many of them a
  test notices; a review from outside is not recorded here.
- Speed is measured (`make bench`), on one machine, and not promised.
"""


@dataclasses.dataclass(frozen=True)
class Claim:
    """What is claimed, on what it rests, and the tests that hold it."""

    title: str
    says: Callable[[], str]
    tests: tuple[str, ...]
    options: tuple[str, ...] = ("-m", "not full and not spark and not browser")


def corpus() -> str:
    """The files by other writers, by class and by writer."""
    with CORPUS.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    sources = len({row["source"] for row in rows})
    writers = collections.Counter(_writer(row["created_by"]) for row in rows)
    named = ", ".join(f"{name} {count}" for name, count in writers.most_common(8) if name)
    by_class = collections.Counter(row["klass"] for row in rows)
    table = [f"| {CLASSES[name]} | {count} |" for name, count in by_class.most_common()]
    return (
        f"{len(rows)} files of {sources} public projects are read, value by value, and compared with what is known of each, in a "
        f"process of its own. By who wrote them: {named}, and {len(writers) - 8} others.\n\n"
        "| files | |\n|---|--:|\n" + "\n".join(table)
    )


def _writer(created_by: str) -> str:
    """The name of a writer, without its version."""
    return re.split(r" version| \(build| v?\d|/v\d", created_by)[0].removeprefix("https://").removeprefix("github.com/")


def violations() -> str:
    """The planted violations of the specification."""
    from engine.check.test_violations import ROWS

    rules = {row.rule for row in ROWS.values()}
    near = sum(row.near is not None for row in ROWS.values())
    return (
        f"{len(ROWS)} files break the format in one way each; `check()` must find the rule, at its place, and nothing else. For "
        f"{near} of them a near miss stands beside, in which it must find nothing. They break {len(rules)} rules."
    )


def diagnoses() -> str:
    """The cases of the doctor's rules."""
    from insight.doctor.cases import CASES

    return (
        f"{len(CASES)} pairs of a file that a rule of the doctor is about, and one that it is not, for {len({one.rule for one in CASES})} "
        "rules. [The rules](rules.md) say how they are made."
    )


def engines() -> str:
    """The grid of engines."""
    from insight.ask.grid_cases import CONDITIONS, FILES

    return (
        f"{len(FILES)} files of five writers, with {sum(map(len, CONDITIONS.values()))} conditions about their columns, are asked of pyarrow, "
        "DuckDB, polars and DataFusion themselves: what each counts must be what the plan says, or the plan says that it does not know. "
        "The same files are asked of Spark by `make spark-grid` ([what was run](runs.md))."
    )


def questions() -> str:
    """The questions of engineers."""
    from cli.questions import QUESTIONS

    return (
        f"{len(QUESTIONS)} questions that engineers ask about Parquet files were written before their answers. Each is answered by "
        "one command or call, whose output must have the answer."
    )


def encodings() -> str:
    """The encodings."""
    from pqexplore.engine.format.encodings import REGISTRY

    return (
        f"Each of {len(REGISTRY)} encodings is decoded twice: by the vectorised decoder, and by a short one that reads as the "
        "specification reads. Random values, and the specification's examples, go through both; what we write, pyarrow and others read."
    )


def predictions() -> str:
    """The sizes that are predicted."""
    from insight.what_if.prediction_cases import FILES, OPTIONS

    return (
        f"{len(FILES)} files are written with {len(OPTIONS)} sets of options. The size that `what-if` predicts from all values must "
        "be that of the file, to the byte; from a sample it may be 5 % off, and of a file that another writer makes with the "
        "proposed code 10 %. Each run takes four of the files, `make test-slow` the others."
    )


CLAIMS = (
    Claim("Files of other writers are read correctly", corpus, ("tests/corpus/test_conformance.py",), ("-m", "full")),
    Claim("What breaks the specification is found", violations, ("tests/engine/check/test_violations.py",)),
    Claim("A diagnosis is about the file", diagnoses, ("tests/insight/doctor/test_rules.py",)),
    Claim(
        "What an engine reads is what the engine reads",
        engines,
        ("tests/insight/ask/test_engine_grid.py", "tests/insight/ask/test_duckdb_profile.py"),
    ),
    Claim(
        "Bits become values as the specification has it",
        encodings,
        ("tests/engine/format/encodings/test_every_encoding.py", "tests/engine/writer/test_round_trip.py"),
    ),
    Claim("A prediction of a size comes true", predictions, ("tests/insight/what_if/test_predictions.py",)),
    Claim("Questions are answered", questions, ("tests/cli/test_questions.py",)),
)


def run(claim: Claim) -> str:
    """Run the tests of a claim. Returns how they ended."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *claim.options, *claim.tests]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    found = (re.search(r"((?:\d+ [a-z]+, )*\d+ (?:passed|failed)(?:, \d+ skipped)?)", line) for line in reversed(lines))
    return next((one[1] for one in found if one), "no test ran")


def fuzzed(seconds: int) -> str:
    """Break files at random for some time. Returns how many files were broken, and how many of them failed."""
    command = [sys.executable, ROOT / "tools" / "fuzz.py", "--seconds", str(seconds)]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    first = next(line for line in lines if "mutants of" in line)
    failed = next(found[1] for line in lines if (found := re.search(r"kinds of failure, (\d+) mutants", line)))
    return f"{first}, {failed} failed"


def versions() -> Iterator[str]:
    """The readers that are installed, with their versions."""
    for name in READERS:
        try:
            yield f"{name} {importlib.metadata.version(name)}"
        except importlib.metadata.PackageNotFoundError:
            continue


def page(results: dict[str, str], fuzz: str) -> str:
    """The page; `results` has by claim how its tests ended."""
    import pqexplore

    today = datetime.datetime.now(datetime.UTC).date()
    parts = [
        HEAD.format(
            date=f"{today.day} {today:%B %Y}", version=pqexplore.__version__, versions=", ".join(versions()),
            python=platform.python_version(), system=f"{platform.system()} ({platform.machine()})",
        )
    ]  # fmt: skip
    for one in CLAIMS:
        tests = ", ".join(f"`{test}`" for test in one.tests)
        said, *table = one.says().split("\n\n")
        said = "\n\n".join([textwrap.fill(said, 120, break_on_hyphens=False), *table])
        parts.append(f"## {one.title}\n\n{said}\n\n**{results[one.title]}**: {tests}\n")
    parts.append(
        "## Damage does no harm\n\nFiles are broken in many ways, most of them after decompression and decryption, and encoded again. "
        "Whatever is asked of such a file must end with an answer or a `ParquetError`, within 10 s and 1 GiB.\n\n"
        f"**{fuzz}**: `make fuzz`\n"
    )
    return "\n".join([*parts, TAIL])


def main() -> int:
    """Run all tests of the claims, and write the page. The exit status is 1 if some fail."""
    parser = argparse.ArgumentParser(description="Write docs/trust.md.")
    parser.add_argument("--seconds", type=int, default=60, help="how long files are broken at random")
    asked = parser.parse_args()
    results = {}
    for one in CLAIMS:
        results[one.title] = run(one)
        print(f"{results[one.title]}: {one.title}", flush=True)
    fuzz = fuzzed(asked.seconds)
    PAGE.write_text(page(results, fuzz), "utf-8")
    return any("failed" in one or "no test" in one for one in results.values()) or ", 0 failed" not in fuzz


if __name__ == "__main__":
    sys.exit(main())
