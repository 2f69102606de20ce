"""The report of a lake as one HTML page: no script, nothing loaded, all text escaped."""

from __future__ import annotations

from collections.abc import Iterator

from pqexplore.engine.text import clip, markup, plural, printable_lines
from pqexplore.insight.html_table import policy
from pqexplore.lake.report.actions import Action
from pqexplore.lake.report.advice import Advice

PATHS = 1_000
"""Files that are listed of an action."""
TEXT = 2_000
"""Characters of a text from a file."""

STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
pre { overflow-x: auto; padding: .6rem; border: 1px solid #8886; border-radius: 4px }
table { border-collapse: collapse } td, th { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top }
.severity { border: 1px solid; border-radius: 4px; padding: 0 .4rem; font-size: .8rem; font-weight: normal }
li { overflow-wrap: anywhere } .how { opacity: .8 }
"""


def page(report: Advice) -> str:
    """The page."""
    title = f"{markup(clip(report.name, TEXT))}: report"
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy([], [STYLE])}">'
        '<meta name="viewport" content="width=device-width">'
        f"<style>{STYLE}</style></head><body><main>{fragment(report)}</main></body></html>"
    )


def fragment(report: Advice) -> str:
    """The content of the page, for a notebook."""
    return "".join(_parts(report))


def _parts(report: Advice) -> Iterator[str]:
    yield f"<h1>{markup(clip(report.name, TEXT))}</h1><p>{markup(report.sentence)}</p>"
    if report.actions:
        yield "<p>" + markup(f"{report.diagnosis.what}.") + "</p>"
    paths: dict[str, list[tuple[str, str]]] = {}
    for row in report.files.to_pylist():
        paths.setdefault(row["action"], []).append((row["path"], row["rule"]))
    for number, one in enumerate(report.actions, 1):
        yield from _action(number, one, paths.get(one.name, []))
    if report.unlisted:
        yield f"<p>{report.unlisted:,} more rows of files are not listed.</p>"


def _action(number: int, action: Action, files: list[tuple[str, str]]) -> Iterator[str]:
    yield (
        f'<section><h2>{number}. {markup(action.title)} <span class="severity">{markup(action.severity.value)}</span></h2>'
    )
    yield "<ul>"
    for one in action.findings:
        to_do = f"<br>{markup(clip(one.fix, TEXT))}" if one.fix else ""
        yield f"<li>{markup(clip(one.sentence, TEXT))} <code>{markup(one.rule)}</code>{to_do}</li>"
    yield "</ul>"
    if action.saves.text:
        yield f'<p>Saves {markup(action.saves.text)}. <span class="how">{markup(action.saves.how)}.</span></p>'
    if action.breaks:
        rows = "".join(
            f"<tr><th>{markup(engine)}</th><td>{markup(clip(text, TEXT))}</td></tr>"
            for engine, text in action.breaks.items()
        )
        yield f"<p>If nothing is done:</p><table>{rows}</table>"
    for title, code in action.commands.items():
        text = printable_lines(code).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        yield f"<details><summary>{markup(title)}</summary><pre>{text}</pre></details>"
    listed = "".join(f"<li>{markup(clip(path, TEXT))} <code>{markup(rule)}</code></li>" for path, rule in files[:PATHS])
    more = f"<li>and {len(files) - PATHS:,} more</li>" if len(files) > PATHS else ""
    if files:
        yield f"<details><summary>{plural(len(files), 'row')} of files</summary><ul>{listed}{more}</ul></details>"
    yield "</section>"
