"""What `check` and `doctor` do with what they find: which rules count, how findings are printed, which of them fail.

The options say it, or the table `[tool.pqexplore]` of the nearest pyproject.toml, above the current folder; an option comes
before a key of the same name.
"""

from __future__ import annotations

import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pqexplore.cli.out import DONE, FOUND, Out, Refused

if TYPE_CHECKING:
    from pqexplore.insight.doctor.formats import Findings
    from pqexplore.insight.doctor.selection import Judged, Selection

TEXT, JSON, GITHUB, SARIF, JUNIT = FORMATS = ("text", "json", "github", "sarif", "junit")
KEYS: dict[str, type] = {"select": list, "ignore": list, "fail-on": list, "output-format": str}
"""The keys of `[tool.pqexplore]`, and the types of their values."""


class _Explain(argparse.Action):
    """Explains a rule and ends the command, as --help does."""

    def __call__(self, parser: argparse.ArgumentParser, _asked: object, rule: Any, _option: str | None = None) -> None:
        from pqexplore.engine.errors import UsageError
        from pqexplore.insight.doctor.rule_text import rule_lines

        try:
            Out().lines(rule_lines(rule, Out().room))
        except UsageError as error:
            parser.error(str(error))
        parser.exit()


def add_options(parser: argparse.ArgumentParser, strict: str) -> None:
    """Add the options; `strict` says what --strict adds."""
    parser.add_argument(
        "--select", type=rule_list, action="extend", metavar="RULE[,RULE]", help="only these rules; * is any text"
    )
    parser.add_argument("--ignore", type=rule_list, action="extend", metavar="RULE[,RULE]", help="not these rules")
    parser.add_argument(
        "--fail-on",
        type=rule_list,
        action="extend",
        metavar="NAME[,NAME]",
        help="exit status 1 from this severity on (damage, wrong, portability, wasteful, slow, note; error is wrong, "
        "warning is slow), or for this rule; wrong if it is not given",
    )
    parser.add_argument("--strict", action="store_true", help=strict)
    parser.add_argument("--explain", action=_Explain, metavar="RULE", help="explain a rule, and read no file")
    parser.add_argument(
        "--output-format",
        choices=FORMATS,
        help="text; json, as --json; for GitHub's workflows, SARIF 2.1.0, or JUnit's XML",
    )


def rule_list(text: str) -> list[str]:
    """The names of an option that takes several."""
    return [one.strip() for one in text.split(",") if one.strip()]


@dataclasses.dataclass
class Linting:
    """How findings are selected and printed. `reports` and `unread` are what the formats for all files together say."""

    selection: Selection
    form: str
    reports: list[Findings] = dataclasses.field(default_factory=list)
    unread: list[tuple[str, str]] = dataclasses.field(default_factory=list)

    def report(self, out: Out, made: Findings) -> None:
        """Print a report, or keep it for the end; text and JSON are the caller's."""
        from pqexplore.insight.doctor.formats import github

        if self.form == GITHUB:
            out.lines(github(made))
        else:
            self.reports.append(made)

    def finish(self, out: Out) -> None:
        """Print what is said of all files together."""
        from pqexplore import __version__
        from pqexplore.insight.doctor import formats

        if self.form == SARIF:
            out.record(formats.sarif(self.reports, __version__))
        elif self.form == JUNIT:
            out.write(formats.junit(self.reports, self.unread, self.selection) + "\n")

    def fail(self, out: Out, name: str, error: Exception) -> int:
        """Say that a file cannot be read. Returns the exit status."""
        self.unread.append((name, str(error)))
        return out.fail(name, error, self.form == JSON)

    def status(self, findings: Sequence[Judged]) -> int:
        """The exit status for these findings."""
        return FOUND if self.selection.failures(findings) else DONE


def others_line(others: Mapping[str, int], findings: Sequence[Judged]) -> str:
    """How many findings are not listed since their rules do not count, and how bad the worst is; "" if there are none."""
    from pqexplore.engine.text import listing, plural

    if not others:
        return ""
    worst = min((one.severity for one in findings if one.rule in others), key=lambda one: one.rank)
    count = sum(others.values())
    what = f"{plural(count, 'finding')} of {listing([*others])} {'is' if count == 1 else 'are'} not listed"
    return f"{what}, as --select, --ignore or [tool.pqexplore] has it. The worst is: {worst.value}."


def linting(asked: argparse.Namespace) -> Linting:
    """What the options and pyproject.toml say. Refused if options do not go together, UsageError for wrong names."""
    form = getattr(asked, "output_format", None)
    for name, wanted in ((JSON, asked.json), (SARIF, getattr(asked, "sarif", False))):
        if wanted and form not in (None, name):
            raise Refused(f"--{name} and --output-format {form} do not go together")
        form = name if wanted else form
    form = form or _settings(Path.cwd()).get("output-format", TEXT)
    asked.json = form == JSON
    return Linting(selection(asked), form)


def selection(asked: argparse.Namespace) -> Selection:
    """Which rules count, and which findings fail; old names of rules are remarked on. UsageError for wrong names."""
    from pqexplore.engine.deprecation import RENAMED_RULES
    from pqexplore.insight.doctor.selection import Selection

    settings = _settings(Path.cwd())
    given = {name: getattr(asked, name.replace("-", "_"), None) or settings.get(name) for name in KEYS}
    for name in {one for names in given.values() if isinstance(names, list) for one in names} & RENAMED_RULES.keys():
        Out().remark(f"the rule {name} is called {RENAMED_RULES[name]} since 1.0")
    return Selection(
        select=given["select"] or [],
        ignore=given["ignore"] or [],
        fail_on=["slow"] if getattr(asked, "strict", False) else given["fail-on"] or ["wrong"],
    ).checked(rules)


def rules() -> frozenset[str]:
    """The names of all rules, those of many files among them."""
    from pqexplore.insight.doctor.selection import rule_names
    from pqexplore.lake.doctor.rules import NAMES

    return rule_names() | NAMES


def _settings(folder: Path) -> dict[str, Any]:
    """The table `[tool.pqexplore]` of the nearest pyproject.toml that has one. UsageError for one that is wrong."""
    import tomllib

    from pqexplore.engine.errors import UsageError

    for path in (one / "pyproject.toml" for one in (folder, *folder.parents)):
        try:
            table = tomllib.loads(path.read_text("utf-8")).get("tool", {}).get("pqexplore")
        except (FileNotFoundError, NotADirectoryError, PermissionError):
            continue
        except (OSError, ValueError, AttributeError) as error:
            raise UsageError(f"{path} cannot be read: {error}") from None
        if table is not None:
            return _checked(table, path)
    return {}


def _checked(table: Any, path: Path) -> dict[str, Any]:
    from pqexplore.engine.errors import UsageError

    if not isinstance(table, dict):
        raise UsageError(f"{path}: tool.pqexplore is no table")
    made = dict(table)
    for key, value in table.items():
        if key not in KEYS:
            raise UsageError(f"{path}: [tool.pqexplore] has the key {key!r}; there are {', '.join(KEYS)}")
        if key == "fail-on" and isinstance(value, str):
            made[key] = [value]
        elif not (isinstance(value, str) if KEYS[key] is str else _is_list_of_names(value)):
            said = "a name" if KEYS[key] is str else "a list of names"
            raise UsageError(f"{path}: {key} of [tool.pqexplore] is {said}")
    if made.get("output-format", TEXT) not in FORMATS:
        raise UsageError(f"{path}: output-format of [tool.pqexplore] is one of {', '.join(FORMATS)}")
    return made


def _is_list_of_names(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
