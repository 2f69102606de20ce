"""Runs a long check, and writes into docs/runs.md when it ran, how it ended, and with which versions.

    python tools/recorded.py NAME PYTHON pytest ARGUMENTS…

NAME is the row of the page; PYTHON the interpreter that runs pytest, whose packages are named. Ends as pytest ends.
"""

from __future__ import annotations

import datetime
import pathlib
import re
import subprocess
import sys
import time

PAGE = pathlib.Path(__file__).resolve().parents[1] / "docs" / "runs.md"
HEAD = """# What was run, and when

`make test` runs for every change. The checks below take longer, or need other versions. The command that runs one writes
its row.

| check | day | result | minutes | versions |
|---|---|---|--:|---|
"""
PACKAGES = (
    "pyarrow",
    "numpy",
    "pandas",
    "ipywidgets",
    "anywidget",
    "thrift",
    "cryptography",
    "pyspark",
    "polars",
    "duckdb",
    "deltalake",
    "pyiceberg",
)
VERSIONS = f"""import importlib.metadata as m, platform
print("Python", platform.python_version(), end="")
for name in {PACKAGES}:
    try:
        print(",", name, m.version(name), end="")
    except m.PackageNotFoundError:
        pass
"""


def main() -> int:
    """Run pytest, and write the row."""
    name, python, *arguments = sys.argv[1:]
    begun = time.monotonic()
    lines: list[str] = []
    with subprocess.Popen([python, "-m", *arguments], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        for line in run.stdout:
            print(line, end="", flush=True)
            lines = [*lines[-40:], line]
    minutes = (time.monotonic() - begun) / 60
    summary = next((found for line in reversed(lines) if (found := _summary(line))), "no test ran")
    versions = subprocess.run([python, "-c", VERSIONS], capture_output=True, text=True, check=True).stdout
    result = summary if run.returncode == 0 else f"**failed**: {summary}"
    _write(name, f"| {name} | {datetime.date.today():%Y-%m-%d} | {result} | {minutes:.0f} | {versions} |")
    return run.returncode


def _summary(line: str) -> str:
    """The closing line of pytest without its time, "" of another line."""
    found = re.search(r"((?:\d+ [a-z]+, )*\d+ (?:passed|failed|errors?)(?:, \d+ [a-z]+)*) in ", line)
    return found[1] if found else ""


def _write(name: str, row: str) -> None:
    rows = PAGE.read_text("utf-8").splitlines() if PAGE.exists() else []
    own = [line for line in rows if line.startswith("| ") and not line.startswith(("| check |", f"| {name} |"))]
    PAGE.write_text(HEAD + "\n".join(sorted([*own, row])) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
