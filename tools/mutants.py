"""How many faults do the tests see: plant small faults in engine, insight and lake, and count those that a test notices.

    python tools/mutants.py --number 400 --tests tests --work .cache/mutants

A mutant is one changed expression (`<` for `<=`, `+` for `-`, a condition negated, a number by one more). All mutants are
written into one copy of the package, each behind a switch, so that a process that has imported everything once is forked for
each mutant. First all tests run without a fault, and which mutants each test reaches is recorded. Then each mutant is
switched on in a fork, which runs the tests that reach it, the quickest first, until one fails.

The choice depends only on the seed and on the package, so another folder of tests (`--tests`) meets the same mutants.
Tests of a browser, of Spark, of notebooks and of documents take no part. The result is `.cache/mutants/result.json`.
"""

from __future__ import annotations

import argparse
import ast
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

ROOT = pathlib.Path(__file__).resolve().parents[1]
STAGES = ("engine", "insight", "lake")
SWITCH = '''"""Which mutant is switched on, and which were reached."""

active = 0
reached: set[int] = set()


def mutant(number: int) -> bool:
    reached.add(number)
    return number == active
'''
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
SECONDS_A_MUTANT = 90
NOT_RUN = ("browser", "spark", "course", "environments")
NO_TESTS = ("test_docs.py", "test_notebooks.py", "test_site.py", "test_release.py", "test_types.py", "test_import.py")


def changed(node: ast.expr) -> ast.expr | None:
    """The expression with a fault; None if this kind of expression gets none."""
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            return ast.Compare(node.left, [COMPARISONS[type(op)]()], node.comparators)
        case ast.BinOp() if type(node.op) in OPERATORS and not any(map(_is_text, (node.left, node.right))):
            return ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
        case ast.BoolOp():
            return ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        case ast.UnaryOp(op=ast.Not()):
            return node.operand
        case ast.Constant(value=bool()):
            return ast.Constant(not node.value)
        case ast.Constant(value=int()):
            return ast.Constant(node.value + 1)
        case ast.IfExp():
            return ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    return None


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _sites(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Where expressions stand that may be changed: in bodies of functions, outside annotations, patterns and f-strings."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and not function.name.startswith("__"):
            for statement in function.body:
                yield from _below(statement)


def _below(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda | ast.JoinedStr | ast.Raise | ast.pattern):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "slice") and not isinstance(value, ast.Slice):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.expr) and changed(child) is not None and not _keeps_state(child):
                yield node, name, index
            yield from _below(child)


def _keeps_state(node: ast.expr) -> bool:
    return any(isinstance(one, ast.Yield | ast.YieldFrom | ast.NamedExpr | ast.Await) for one in ast.walk(node))


def choose(number: int, seed: int) -> list[dict[str, Any]]:
    """`number` mutants, as many in each stage as its share of the package's sites has it."""
    sites = []
    for stage in STAGES:
        for path in sorted((ROOT / "pqexplore" / stage).rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            for index, _ in enumerate(_sites(tree)):
                sites.append({"path": str(path.relative_to(ROOT)), "site": index})
    picked = random.Random(seed).sample(range(len(sites)), number)
    return [{"number": i + 1, **sites[site]} for i, site in enumerate(sorted(picked))]


def plant(mutants: list[dict[str, Any]], folder: pathlib.Path, tests: pathlib.Path) -> None:
    """Write a copy of the project with all mutants, switched off, and with the folder of tests."""
    shutil.rmtree(folder, ignore_errors=True)
    leave_out = shutil.ignore_patterns(".venv", ".cache", ".git", "node_modules", "__pycache__", "tests")
    shutil.copytree(ROOT, folder, ignore=leave_out)
    shutil.copytree(tests, folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    beside = ROOT.parent / "shared"
    if beside.exists() and not (folder.parent / "shared").exists():
        (folder.parent / "shared").symlink_to(beside)  # where the tests look for files of others
    (folder / "pqexplore" / "_mutants.py").write_text(SWITCH, "utf-8")
    by_path: dict[str, list[dict[str, Any]]] = collections.defaultdict(list)
    for one in mutants:
        by_path[one["path"]].append(one)
    for name, group in by_path.items():
        tree = ast.parse((ROOT / name).read_text("utf-8"))
        sites = list(_sites(tree))
        for one in sorted(group, key=lambda one: -int(one["site"])):  # the inner ones first
            parent, field, index = sites[one["site"]]
            held = getattr(parent, field)
            node = held if index is None else held[index]
            fault = changed(node)
            assert fault is not None
            one["line"], one["was"], one["is"] = node.lineno, ast.unparse(node), ast.unparse(fault)
            asked = ast.Call(ast.Name("_pqx_mutant", ast.Load()), [ast.Constant(one["number"])], [])
            switch = ast.IfExp(asked, fault, node)
            if index is None:
                setattr(parent, field, switch)
            else:
                held[index] = switch
        after = 1 + max(i for i, s in enumerate(tree.body[:2]) if i == 0 or isinstance(s, ast.ImportFrom))
        brought = ast.ImportFrom("pqexplore._mutants", [ast.alias("mutant", "_pqx_mutant")], 0)
        tree.body.insert(after, brought)
        (folder / name).write_text(ast.unparse(ast.fix_missing_locations(tree)), "utf-8")


def run(folder: pathlib.Path, step: str, workers: int, chosen: list[str]) -> None:
    """Run pytest in the copy, with this file as its plugin."""
    ignored = [f"--ignore=tests/{name}" for name in (*NOT_RUN, *NO_TESTS)]
    quiet = ["-q", "-m", "not full and not browser", "--tb=no", "-r", ""]
    spread = ["-n", str(workers), "--dist", "loadfile"] if step == "reach" else ["-p", "no:xdist"]
    environment = {**os.environ, "PYTHONPATH": f"{folder}:{ROOT / 'tools'}", "PQX_MUTANTS": f"{step}:{workers}"}
    subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "mutants", "-p", "no:cacheprovider", *quiet, *spread, *ignored, *chosen],
        cwd=folder,
        env=environment,
        check=False,
    )


def main() -> None:
    """Plant, run, count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--number", type=int, default=400, help="how many mutants")
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--tests", type=pathlib.Path, default=ROOT / "tests", help="the folder of tests")
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / ".cache" / "mutants")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--again", action="store_true", help="use the copy and the record of an earlier run")
    parser.add_argument("chosen", nargs="*", default=[], help="tests to run, of the folder tests/; all")
    asked = parser.parse_args()
    folder = asked.work.resolve() / "main"
    if not asked.again:
        mutants = choose(asked.number, asked.seed)
        plant(mutants, folder, asked.tests.resolve())
        (folder / "mutants.json").write_text(json.dumps(mutants, indent=1), "utf-8")
        run(folder, "reach", asked.workers, asked.chosen)
    run(folder, "kill", asked.workers, asked.chosen)
    mutants = json.loads((folder / "mutants.json").read_text("utf-8"))
    result = json.loads((folder / "result.json").read_text("utf-8"))
    shutil.copy(folder / "result.json", asked.work / "result.json")
    for stage in (*STAGES, ""):
        own = [one for one in mutants if one["path"].startswith(f"pqexplore/{stage}")]
        ends = collections.Counter(result[str(one["number"])]["end"] for one in own)
        print(f"{stage or 'all':8} {len(own):4} mutants, {ends['killed'] / max(1, len(own)):.1%} killed; {dict(ends)}")


# The plugin of pytest.

_step, _, _workers = os.environ.get("PQX_MUTANTS", "").partition(":")


def _seconds() -> float:
    """CPU time of this process and of those that it started and that ended."""
    return sum(os.times()[:4])


class _Reach:
    """Records for each test that passes how long it takes and which mutants it reaches, its fixtures' included."""

    def __init__(self) -> None:
        from pqexplore import _mutants

        self.switch = _mutants
        self.out = open(f"reach-{os.environ.get('PYTEST_XDIST_WORKER', 'main')}.jsonl", "w", encoding="utf-8")  # noqa: SIM115
        self.shared: set[int] = set()
        self.module = ""
        self.begun = 0.0

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.switch.reached.clear()
        self.begun = _seconds()

    def pytest_runtest_logreport(self, report: Any) -> None:
        path = report.nodeid.partition("::")[0]
        if path != self.module:
            self.module, self.shared = path, set()
        if report.when == "setup":  # fixtures of the module serve the tests that follow
            self.shared |= self.switch.reached
        if report.when == "call":
            took = round(_seconds() - self.begun, 3)
            line = [report.nodeid, took, report.passed, sorted(self.switch.reached | self.shared)]
            self.out.write(json.dumps(line) + "\n")
            self.out.flush()


class _Kill:
    """Switches each mutant on in a fork, which runs the tests that reach it."""

    def pytest_runtestloop(self, session: Any) -> bool:
        mutants = json.loads(pathlib.Path("mutants.json").read_text("utf-8"))
        reaching: dict[int, list[tuple[float, str]]] = collections.defaultdict(list)
        for path in pathlib.Path().glob("reach-*.jsonl"):
            for line in path.read_text("utf-8").splitlines():
                name, took, passed, reached = json.loads(line)
                for number in reached if passed else ():
                    reaching[number].append((took, name))
        items = {item.nodeid: item for item in session.items}
        result: dict[str, Any] = {}
        under_way: dict[int, tuple[int, float]] = {}
        waiting = [one["number"] for one in mutants]
        while waiting or under_way:
            while waiting and len(under_way) < int(_workers):
                number = waiting.pop(0)
                chosen = [items[name] for _, name in sorted(reaching[number]) if name in items]
                if not chosen:
                    result[str(number)] = {"end": "not reached"}
                    continue
                sys.stdout.flush()
                pid = os.fork()
                if pid == 0:
                    os.setpgid(0, 0)
                    _child(number, chosen)
                under_way[pid] = number, time.monotonic()
            for pid, (number, begun) in list(under_way.items()):
                late = time.monotonic() - begun > SECONDS_A_MUTANT
                if late:
                    os.killpg(pid, signal.SIGKILL)
                done, status = os.waitpid(pid, 0 if late else os.WNOHANG)
                if done:
                    del under_way[pid]
                    note = pathlib.Path(f"killer-{number}.txt")
                    by = note.read_text("utf-8") if note.exists() else ""
                    end = "survived" if status == 0 else "out of time" if late else "killed"
                    result[str(number)] = {"end": end, "by": by, "tests": len(reaching[number])}
                    print(number, end, by, flush=True)
            time.sleep(0.02)
        pathlib.Path("result.json").write_text(json.dumps(result, indent=1), "utf-8")
        return True


def _child(number: int, chosen: list[Any]) -> None:
    from pqexplore import _mutants

    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    _mutants.active = number
    code = 3
    try:
        seen: list[str] = []

        class Watch:
            def pytest_runtest_logreport(self, report: Any) -> None:
                if report.failed:
                    seen.append(report.nodeid)

        chosen[0].config.pluginmanager.register(Watch())
        code = 0
        for at, item in enumerate(chosen):
            following = chosen[at + 1] if at + 1 < len(chosen) else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if seen:
                pathlib.Path(item.config.rootpath / f"killer-{number}.txt").write_text(seen[0], "utf-8")
                code = 1
                break
    finally:
        os._exit(code)


def pytest_configure(config: Any) -> None:
    """Take part in a run of pytest that `run` begins."""
    if _step == "reach" and (hasattr(config, "workerinput") or not getattr(config.option, "numprocesses", None)):
        config.pluginmanager.register(_Reach())
    if _step == "kill":
        config.pluginmanager.register(_Kill())


if __name__ == "__main__":
    main()
