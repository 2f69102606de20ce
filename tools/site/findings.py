"""The catalogue of what `check()` finds: rules, each with a finding of a file that was made to break it.

The files are those of `tests/engine/check/violations`, where a test holds that each rule sees its file, and not the near
miss beside it.
"""

from __future__ import annotations

import importlib
import pathlib
import pkgutil
import sys
from collections.abc import Iterator

import pqexplore
from pqexplore.engine.finding import Finding

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"

HEAD = """\
# What check() finds

`f.check()`, `pqexplore check FILE` and the doctor at level `data` look at every byte, and hold it against the specification.
A rule stands here with a file that was made to break it: what is said of that file, and the words of the specification
that the rule rests on. Rules without such a file are not here: those about deprecated encodings, and about what check()
left out (`limit`), among them. [The rules of the doctor](../rules.md) are others, and
[what is said about broken files](../errors.md) is what opening and reading them raises.
"""


def page() -> str:
    """The page, as Markdown."""
    first: dict[tuple[str, str], tuple[str, Finding]] = {}
    for name, finding in _found():
        first.setdefault((finding.severity.level, finding.rule), (name, finding))
    parts = [HEAD]
    for severity in ("error", "warning", "note"):
        parts.append(f"## {severity.capitalize()}s\n")
        parts.append("| rule | a file that breaks it | what is said, and the specification |\n|---|---|---|")
        for level, rule in sorted(first):
            if level != severity:
                continue
            name, finding = first[level, rule]
            words = f"<br>*{_cell(finding.specification)}*" if finding.specification else ""
            parts.append(f"| `{rule}` | {_cell(name)} | {_cell(finding.message)}{words} |")
        parts.append("")
    return "\n".join(parts)


def _found() -> Iterator[tuple[str, Finding]]:
    """The name of each planted violation, and the finding of its rule."""
    sys.path.insert(0, str(TESTS))
    violations = importlib.import_module("engine.check.violations")
    for module in pkgutil.iter_modules(violations.__path__):
        for row in importlib.import_module(f"{violations.__name__}.{module.name}").VIOLATIONS:
            keys = None if row.keys is None else pqexplore.Decryption(**row.keys)
            with pqexplore.open(row.make(), decryption=keys) as file:
                found = [one for one in file.check() if one.rule == row.rule]
            yield from ((row.name, one) for one in found[:1])


def _cell(text: str) -> str:
    """Text in a cell of a table: nothing of it is markup."""
    for sign in "\\`*_[]<>|$":
        text = text.replace(sign, f"\\{sign}")
    return " ".join(text.split())
