"""No module imports itself by a detour, not even inside a function or for a type only."""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

FACADES = {
    "pqexplore": "the public names",
    "pqexplore.engine.file.file": "ParquetFile: its methods reach the tree, the checks, salvage and the answers of insight",
    "pqexplore.engine.file.row_group": "RowGroup: a handle of the file",
    "pqexplore.engine.file.column_chunk": "ColumnChunk: a handle of the row group",
    "pqexplore.engine.file.chunk_bytes": "ColumnChunk: its bytes",
    "pqexplore.engine.file.page": "Page: a handle of the column chunk",
    "pqexplore.insight.answer": "Answer: its methods reach its texts and charts",
    "pqexplore.insight.ask.plan": "Plan: its methods reach its words, causes and the values",
    "pqexplore.lake.spark.ask_spark": "ScanPlan: what a scan of Spark reads",
    "pqexplore.lake.lake": "Lake: its methods reach views, queries and Delta",
    "pqexplore.lake.metadatastore.store": "Store: its methods reach evaluation, findings and refresh",
}
"""The handles that a user holds. Their methods import, when they are called, what is built on the handle: these late
imports do not count. Neither do imports that only name a handle as a type, such as a page's column chunk."""


def modules() -> dict[str, Path]:
    found = {}
    for path in (ROOT / "pqexplore").rglob("*.py"):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = path
    return found


def imports(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    found: set[str] = set()

    def visit(node: ast.AST, late: bool, for_types: bool) -> None:
        targets: set[str] = set()
        if isinstance(node, ast.ImportFrom) and node.module:
            whole = {f"{node.module}.{alias.name}" for alias in node.names}
            targets = {full if full in known else node.module for full in whole}
        elif isinstance(node, ast.Import):
            targets = {alias.name for alias in node.names}
        if name not in FACADES or not (late or for_types):
            found.update(targets - FACADES.keys() if for_types else targets)
        for_types = for_types or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        late = late or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.iter_child_nodes(node):
            visit(child, late, for_types)

    visit(ast.parse(path.read_text()), False, False)
    return (found & known.keys()) - {name}


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """Groups of modules that import one another (Tarjan's strongly connected components)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in graph[name]:
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            group = stack[stack.index(name) :]
            del stack[stack.index(name) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in graph:
        if name not in index:
            visit(name)
    return found


def test_circles_are_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


def test_no_module_imports_itself_by_a_detour():
    known = modules()
    graph = {name: imports(name, path, known) for name, path in known.items()}
    assert circles(graph) == []
