"""What the tests cost: seconds of CPU by folder, with those of the processes that they start; written into CONTRIBUTING.md.

    make costs

Each worker of pytest adds up the CPU of itself and of its children (Chromium, JVMs, interpreters) at the end of each module.
Linux only: the figures of children that still run are in /proc.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "CONTRIBUTING.md"
BEGIN, END = "<!-- costs: written by `make costs` -->", "<!-- end of costs -->"
TICK = os.sysconf("SC_CLK_TCK")


def tree_seconds(root: int) -> float:
    """Seconds of CPU that a process and its descendants used so far, those that ended included."""
    times, parents = {}, {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                stat = (
                    pathlib.Path("/proc", entry, "stat").read_text("utf-8", errors="replace").rpartition(")")[2].split()
                )
            except OSError:  # it ended meanwhile
                continue
            parents[int(entry)] = int(stat[1])
            times[int(entry)] = sum(map(int, stat[11:15])) / TICK
    total = 0.0
    for pid, seconds in times.items():
        above = pid
        while above not in (root, 0) and above in parents:
            above = parents[above]
        total += seconds if above == root else 0.0
    return total


class Costs:
    """The plugin of pytest, in each worker."""

    def __init__(self, folder: str) -> None:
        self.path = pathlib.Path(folder, f"{os.getpid()}.json")
        self.modules: dict[str, dict[str, float]] = collections.defaultdict(
            lambda: {"tests": 0, "seconds": 0.0, "own": 0.0, "started": 0}
        )
        self.module = "collection"
        self.at = self.own = 0.0
        self.started = 0
        sys.addaudithook(self._audit)

    def _audit(self, event: str, _arguments: Any) -> None:
        if event in ("subprocess.Popen", "os.posix_spawn", "os.fork"):
            self.started += 1

    def turn(self, module: str) -> None:
        """Charge what was used since the last turn to the module that ends."""
        seconds, own = tree_seconds(os.getpid()), sum(os.times()[:2])
        row = self.modules[self.module]
        row["seconds"] += seconds - self.at
        row["own"] += own - self.own
        row["started"] += self.started
        self.at, self.own, self.started, self.module = seconds, own, 0, module

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Count a test, and charge the module before it."""
        module = nodeid.partition("::")[0]
        if module != self.module:
            self.turn(module)
        self.modules[module]["tests"] += 1

    def pytest_sessionfinish(self) -> None:
        """Write what this worker counted."""
        self.turn("end")
        self.path.write_text(json.dumps(self.modules), "utf-8")


def pytest_configure(config: Any) -> None:
    """Measure in workers, and in a run without workers."""
    if hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None):
        config.pluginmanager.register(Costs(os.environ["PQEXPLORE_COSTS"]))


def measured(python: str, arguments: list[str]) -> tuple[dict[str, dict[str, float]], int]:
    """The costs of a run of pytest by module, of all its workers, and how many there were."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "PQEXPLORE_COSTS": folder, "PYTHONPATH": str(ROOT / "tools")}
        subprocess.run(
            [python, "-m", "pytest", "-q", "-p", "costs", *arguments], cwd=ROOT, env=environment, check=False
        )
        parts = [json.loads(path.read_text("utf-8")) for path in pathlib.Path(folder).iterdir()]
    total: dict[str, dict[str, float]] = collections.defaultdict(lambda: collections.defaultdict(float))
    for part in parts:
        for module, row in part.items():
            for name, value in row.items():
                total[module][name] += value
    return total, len(parts)


def folder_of(module: str) -> str:
    """The folder below tests/ that a module lies in, two levels deep in the large ones."""
    parts = module.split("/")
    if len(parts) < 3:
        return "collection" if module == "collection" else "end" if module == "end" else "tests"
    return "/".join(parts[:3] if parts[1] in ("engine", "insight") and len(parts) > 3 else parts[:2])


def table(modules: dict[str, dict[str, float]], workers: int) -> list[str]:
    """The rows of CONTRIBUTING's table, the dearest folder first."""
    folders: dict[str, dict[str, float]] = collections.defaultdict(lambda: collections.defaultdict(float))
    dearest: dict[str, tuple[float, str]] = {}
    for module, row in modules.items():
        folder = folder_of(module)
        for name, value in row.items():
            folders[folder][name] += value
        dearest[folder] = max(dearest.get(folder, (0.0, "")), (row["seconds"], module))
    total = sum(row["seconds"] for row in folders.values())
    rows = [
        "| where | tests | CPU | in processes that they start | processes | dearest module |",
        "|---|--:|--:|--:|--:|---|",
    ]
    for folder, row in sorted(folders.items(), key=lambda item: -item[1]["seconds"]):
        if row["seconds"] >= 1:
            seconds, module = dearest[folder]
            name = f"collection, {workers} workers" if folder == "collection" else folder
            most = f"{module.rpartition('/')[2]} {seconds:.0f} s" if row["tests"] else ""
            rows.append(
                f"| {name} | {row['tests']:,.0f} | {row['seconds']:.0f} s | {row['seconds'] - row['own']:.0f} s "
                f"| {row['started']:,.0f} | {most} |"
            )
    tests = sum(row["tests"] for row in folders.values())
    return [*rows, f"| all | {tests:,.0f} | {total:.0f} s | | | |"]


def main() -> None:
    """Measure, print, and write the table into CONTRIBUTING.md."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--spark", action="store_true", help="the tests on Spark, too")
    parser.add_argument("--print", action="store_true", help="print the table, and leave the page as it is")
    asked, chosen = parser.parse_known_args()
    spread = ["-n", str(asked.workers), "--dist", "loadfile", "--no-loadscope-reorder"]
    modules, workers = measured(sys.executable, [*spread, "-m", "not full and not spark", *chosen])
    if asked.spark:
        on_spark, _ = measured(str(ROOT / ".venv/spark/bin/python"), ["-m", "spark and not full", "tests/spark"])
        modules.update({name: row for name, row in on_spark.items() if name not in ("collection", "end")})
    rows = table(modules, workers)
    print("\n".join(rows))
    text = PAGE.read_text("utf-8")
    if not asked.print and BEGIN in text:
        before, after = text.partition(BEGIN)[0], text.partition(END)[2]
        PAGE.write_text("\n".join([before + BEGIN, "", *rows, "", END]) + after, "utf-8")


if __name__ == "__main__":
    main()
