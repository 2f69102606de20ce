"""Finds the scans of Parquet files in a physical plan, as `DataFrame.explain("formatted")` prints it.

The text is what every session gives: classic, Spark Connect, serverless. A plan has a tree of numbered nodes, and a
paragraph for each node with its fields. The conditions of a scan are those of the Filter nodes above it, up to the first
node that makes other rows of them, such as a join.
"""

from __future__ import annotations

import dataclasses
import io
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from pqexplore.engine.file.source import local_path
from pqexplore.lake.spark.catalyst_expressions import Column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_NODE = re.compile(r"^([ :|+*\-]*?)(?:\* )?([A-Za-z].*?)\s+\((\d+)\)\s*$")
_PARAGRAPH = re.compile(r"^\((\d+)\) (.*)$")
_FIELD = re.compile(r"^([A-Z][A-Za-z ]*?)(?: \[\d+\])?\s?: (.*)$")
_PASSES = re.compile(
    r"^(Filter|Project|ColumnarToRow|RowToColumnar|BatchEvalPython|ArrowEvalPython|Photon(Filter|Project|Scan).*|.*Filter)\b"
)
"""Nodes that give the rows of a scan on, some of them left out or with other columns."""
_ATTRIBUTE = re.compile(r"(.+?)#(\d+)L?(?:, |$)")


@dataclasses.dataclass(frozen=True)
class Scan:
    """A scan of Parquet files.

    - `number`: of its node; `name`: what the plan calls it, such as `Scan parquet spark_catalog.default.events`.
    - `roots`: the paths that it reads from, as far as the plan names them; `all_roots` is whether these are all.
    - `partition_filters`, `pushed_filters`: the lists as they are printed; `conditions`: those of the filters above it.
    - `columns`: its columns by id; `types`: the types of the columns that it reads from files, of fields in structs too,
      by lower-cased dotted name; `read`: the paths of these columns, without list and map wrappers.
    - `calls`: the calls of Python functions above the scan, by the name of the result, such as `pythonUDF0`.
    """

    number: int
    name: str
    roots: tuple[str, ...]
    all_roots: bool
    partition_filters: str
    pushed_filters: str
    conditions: tuple[str, ...]
    columns: Mapping[str, Column]
    types: Mapping[str, str]
    read: tuple[tuple[str, ...], ...]
    calls: Mapping[str, str]


_PRINTING = threading.Lock()
"""`explain` prints, and standard output is the process's: one plan at a time."""


def explained(df: DataFrame) -> str:
    """The formatted plan of a DataFrame, classic or of Spark Connect."""
    text = io.StringIO()
    with _PRINTING, redirect_stdout(text):
        df.explain("formatted")
    return text.getvalue()


def scans(plan: str) -> list[Scan]:
    """The scans of Parquet files in a formatted plan, in the order of the tree."""
    main = plan.split("===== Subqueries =====")[0]
    tree = _tree(main)
    fields = dict(_paragraphs(main))
    found = []
    for number, (name, above) in tree.items():
        own = fields.get(number, {})
        is_scan = re.search(r"\bScan parquet\b|\bPhotonScan parquet\b", name) is not None
        if is_scan or (name.startswith("BatchScan") and own.get("Format", "").lower() == "parquet"):
            found.append(_scan(number, name, above, tree, fields))
    return found


def _tree(text: str) -> dict[int, tuple[str, int | None]]:
    """The nodes of the first tree: number → (name, number of the node above). Of adaptive plans, the final one."""
    nodes: dict[int, tuple[str, int | None]] = {}
    stack: list[tuple[int, int]] = []
    for line in text.splitlines():
        if "== Initial Plan ==" in line or _PARAGRAPH.match(line):
            break
        match = _NODE.match(line)
        if match is None:
            continue
        indent, number = len(match[1]), int(match[3])
        while stack and stack[-1][0] >= indent:
            stack.pop()
        nodes[number] = (match[2], stack[-1][1] if stack else None)
        stack.append((indent, number))
    return nodes


def _paragraphs(text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The paragraphs below the tree: a node's number, and its fields. A field's value may go over several lines."""
    number: int | None = None
    fields: dict[str, str] = {}
    last = ""
    for line in text.splitlines():
        start = _PARAGRAPH.match(line)
        if start is not None:
            if number is not None:
                yield number, fields
            number, fields, last = int(start[1]), {}, ""
            continue
        field = _FIELD.match(line)
        if field is not None:
            last = field[1]
            fields[last] = field[2]
        elif last and line.strip():
            fields[last] += "\n" + line
    if number is not None:
        yield number, fields


def _scan(
    number: int,
    name: str,
    above: int | None,
    tree: Mapping[int, tuple[str, int | None]],
    fields: Mapping[int, Mapping[str, str]],
) -> Scan:
    own = fields.get(number, {})
    conditions = []
    calls: dict[str, str] = {}
    while above is not None and _PASSES.match(tree[above][0]):
        condition = fields.get(above, {}).get("Condition")
        if condition is not None:
            conditions.append(condition)
        calls.update(_calls(fields.get(above, {}).get("Arguments", "")))
        above = tree[above][1]
    kind = own.get("ReadSchema", "struct<>")
    types = dict(_types(kind, ()))
    output = own.get("Output", "[]")[1:-1]
    columns = {match[2]: Column((match[1],), types.get(match[1].lower(), "")) for match in _ATTRIBUTE.finditer(output)}
    partitions = own.get("PartitionFilters", "[]")
    if "more field" in output:  # Spark prints 25 columns
        columns = {**_mentioned(kind, [partitions, *conditions]), **columns}
    roots, complete = _roots(own.get("Location", ""))
    return Scan(
        number,
        name.strip(),
        roots,
        complete,
        partitions,
        own.get("PushedFilters", "[]"),
        tuple(conditions),
        columns,
        types,
        tuple(_leaves(kind, ())),
        calls,
    )


def _mentioned(kind: str, texts: Sequence[str]) -> dict[str, Column]:
    """The columns that conditions name, by id: those of a ReadSchema, and of partitions, whose names must be plain."""
    found: dict[str, Column] = {}
    text = "\n".join(texts)
    for name, inner in sorted(struct_fields(kind), key=lambda field: -len(field[0])):
        for number in re.findall(rf"(?i){re.escape(name)}#(\d+)", text):
            found.setdefault(number, Column((name,), inner))
    for name, number in re.findall(r"([A-Za-z_]\w*)#(\d+)", texts[0]):
        found.setdefault(number, Column((name,)))
    return found


def _calls(arguments: str) -> Iterator[tuple[str, str]]:
    """Results and calls in `[f(s#1)#5, g(i#2)#6], [pythonUDF0#7, pythonUDF1#8], 101`."""
    match = re.match(r"\[(.*)\], \[(pythonUDF[^\]]*)\]", arguments)
    if match is not None:
        results = re.findall(r"(pythonUDF\d+)#", match[2])
        calls = re.findall(r"(.+?\))#\d+L?(?:, |$)", match[1])
        if len(results) == len(calls):
            yield from ((one, re.sub(r"#\d+L?", "", call)) for one, call in zip(results, calls, strict=True))


def _roots(location: str) -> tuple[tuple[str, ...], bool]:
    """The paths in `InMemoryFileIndex [file:/a, file:/b]`, and whether none is left out."""
    inside = location[location.find("[") + 1 : location.rfind("]")] if "[" in location else ""
    parts = [part.strip() for part in inside.split(", ") if part.strip()]
    shown = tuple(part for part in parts if not part.startswith("...") and not part.endswith("..."))
    return shown, len(shown) == len(parts) and bool(shown)


def below(path: str, root: str) -> bool:
    """Whether a file's path or URL is at or below another, however both are written."""
    place, top = (local_path(one) or one for one in (path, root))
    return place == top or place.startswith(top.rstrip("/") + "/")


def struct_fields(kind: str) -> list[tuple[str, str]]:
    """The fields of `struct<a:int,b:struct<c:int>>`: names and types; empty for other types."""
    if not kind.startswith("struct<") or not kind.endswith(">"):
        return []
    parts, depth, start = [], 0, 7
    for i in range(7, len(kind)):
        if kind[i] in "<(":
            depth += 1
        elif kind[i] in ">)":
            depth -= 1
        named = ":" in kind[start:i]  # a name may have commas
        if (kind[i] == "," and depth == 0 and named) or (i == len(kind) - 1):
            parts.append(kind[start:i])
            start = i + 1
    pairs = (part.partition(":") for part in parts if part)
    return [(name, inner) for name, colon, inner in pairs if colon]


def _types(kind: str, path: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for name, inner in struct_fields(kind):
        here = (*path, name)
        yield ".".join(here).lower(), inner
        yield from _types(inner, here)


def _leaves(kind: str, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The paths of the columns below a type: fields of structs, also of those in lists and maps."""
    if kind.startswith("array<"):
        yield from _leaves(kind[6:-1], path)
        return
    fields = struct_fields(kind)
    if not fields and path:
        yield path
    for name, inner in fields:
        yield from _leaves(inner, (*path, name))
