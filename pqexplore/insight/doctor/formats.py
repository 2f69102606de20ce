"""Findings for other tools: SARIF (OASIS), JUnit's XML, and the messages of GitHub's workflows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, Protocol
from urllib.parse import quote
from xml.etree import ElementTree

from pqexplore.engine.finding import Finding
from pqexplore.engine.rule import RULES
from pqexplore.engine.text import printable
from pqexplore.insight.doctor.selection import Selection
from pqexplore.insight.json_values import plain


class Findings(Protocol):
    """The name of a file, and what is wrong with it, the worst first."""

    @property
    def name(self) -> str:
        """The file's."""

    @property
    def findings(self) -> Sequence[Finding]:
        """What is wrong."""


def sarif(reports: Sequence[Findings], version: str) -> dict[str, Any]:
    """Reports in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS standard)."""
    examples = {one.rule: one for report in reports for one in report.findings}
    names = sorted(examples)
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "pqexplore",
                        "version": version,
                        "rules": [_sarif_rule(examples[name]) for name in names],
                    }
                },
                "results": [
                    _sarif_result(report, one, names.index(one.rule)) for report in reports for one in report.findings
                ],
            }
        ],
    }


def _sarif_rule(one: Finding) -> dict[str, Any]:
    rule = RULES[one.rule]
    made: dict[str, Any] = {
        "id": one.rule,
        "shortDescription": {"text": rule.title},
        "defaultConfiguration": {"level": one.severity.level},
    }
    if rule.why or rule.specification:
        made["fullDescription"] = {"text": rule.why or rule.specification}
    if one.source is not None:
        made["helpUri"] = one.source.url
    return made


def _sarif_result(report: Findings, one: Finding, index: int) -> dict[str, Any]:
    return {
        "ruleId": one.rule,
        "ruleIndex": index,
        "level": one.severity.level,
        "message": {"text": " ".join(filter(None, (one.sentence, one.fix)))},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": _uri(report.name)}},
                "logicalLocations": [{"fullyQualifiedName": plain(one.address) or "file"}],
            }
        ],
        "properties": {"severity": one.severity.value},
    }


def _uri(name: str) -> str:
    """The name of a file as a URI reference (RFC 3986)."""
    safe = "/:?#[]@!$&'()*+,;=%" if "://" in name else "/"
    return quote(name, safe, errors="backslashreplace")


def github(report: Findings) -> Iterator[str]:
    """A line for each finding that GitHub shows at the file: `::error file=…,title=…::…`.

    https://docs.github.com/actions/reference/workflow-commands-for-github-actions
    """
    for one in report.findings:
        level = "notice" if one.severity.level == "note" else one.severity.level
        title, file = _property(f"{one.severity.value} [{one.rule}]"), _property(printable(report.name))
        place = "" if one.violation else f" At {one.address or 'file'}."
        said = " ".join(filter(None, (one.sentence + place, one.fix)))
        yield f"::{level} file={file},title={title}::{_data(printable(said))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def junit(reports: Sequence[Findings], unread: Sequence[tuple[str, str]], selection: Selection) -> str:
    """Reports as JUnit's XML, which build servers read: a suite for each file, with a case for each finding.

    A finding that is a failure by the selection is a failed case; another one passes, with its words as its output. A file
    without findings has one case that passes. `unread` are the files that could not be read, and why: cases in error.
    """
    root = ElementTree.Element("testsuites", name="pqexplore")
    for report in reports:
        failed = set(selection.failures(report.findings))
        suite = ElementTree.SubElement(root, "testsuite", name=printable(report.name))
        for one in report.findings:
            case = _case(suite, f"{one.rule} at {printable(one.address) or 'file'}")
            said = printable(" ".join(filter(None, (one.sentence, one.cost.text, one.fix))))
            if one.rule in failed:
                message = {"type": one.severity.value, "message": printable(one.sentence)}
                ElementTree.SubElement(case, "failure", message).text = said
            else:
                ElementTree.SubElement(case, "system-out").text = f"{one.severity.value}: {said}"
        if not report.findings:
            _case(suite, "no findings")
        _count(suite, tests=len(suite), failures=sum(one.find("failure") is not None for one in suite), errors=0)
    for name, why in unread:
        suite = ElementTree.SubElement(root, "testsuite", name=printable(name))
        message = {"type": "unread", "message": printable(why)}
        ElementTree.SubElement(_case(suite, "the file can be read"), "error", message)
        _count(suite, tests=1, failures=0, errors=1)
    _count(root, **{key: sum(int(one.get(key, 0)) for one in root) for key in ("tests", "failures", "errors")})
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(root, "unicode")


def _case(suite: ElementTree.Element, name: str) -> ElementTree.Element:
    """A case whose class is its file's name without the folder, as build servers group them."""
    return ElementTree.SubElement(suite, "testcase", classname=os.path.basename(suite.get("name", "")), name=name)


def _count(element: ElementTree.Element, **counts: int) -> None:
    for name, count in counts.items():
        element.set(name, str(count))
