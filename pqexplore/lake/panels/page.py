"""The first screen of a lake as one HTML page, for where there is no kernel: no script, nothing loaded, all text escaped."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pqexplore.engine.text import clip, markup, plural, printable_lines
from pqexplore.insight.html_table import html_table, policy
from pqexplore.insight.wording import size
from pqexplore.lake.panels import answer_of, drift, header, today
from pqexplore.lake.panels.filters import Filters
from pqexplore.lake.panels.today import Folder, Picture, Todo

if TYPE_CHECKING:
    from pqexplore.insight.answer import Answer
    from pqexplore.lake.doctor.lake_report import LakeReport
    from pqexplore.lake.lake import Lake

BUDGET = 256 << 10
"""Bytes of a page: what does not fit is counted, the smallest folders and the last of what differs first."""
TEXT, CODE = 2_000, 4_000
"""Characters of a text, and of a code, from a file."""
CELL = 400
"""Characters of a cell."""
WIDTH, HEIGHT = 200, 12
"""Of the bar of a folder, in pixels."""

STYLE = """
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin-top: 2rem }
ol { padding-left: 1.5rem } ol > li { margin-bottom: 1rem } p { margin: .3rem 0 }
.severity { border: 1px solid; border-radius: 4px; padding: 0 .4rem; font-size: .8rem }
.facts, .fix { color: light-dark(#555, #b5b5b5) }
pre { overflow-x: auto; padding: .6rem; border: 1px solid #8886; border-radius: 4px }
.wide { overflow-x: auto } table { border-collapse: collapse }
td, th { text-align: left; padding: .2rem .8rem .2rem 0; vertical-align: top }
td { overflow-wrap: break-word } .wide th { overflow-wrap: normal; min-width: 6rem }
svg { display: block; margin-top: .4rem }
@media (max-width: 600px) { svg { width: 80px } } rect { fill: light-dark(#0b6fa4, #5ab4e5) }
"""


def page(lake: Lake, filters: str = "", report: LakeReport | None = None) -> str:
    """The first screen of the files that pass the filters (JSON), as a page of at most `BUDGET` bytes.

    A `report` is the diagnosis of all files, where that was made already.
    """
    if report is None:
        made = answer_of(lake, today.PANEL.name, filters)
    else:
        made = today.answer_by(lake, report, 0, Filters.parse(filters))
    differs = answer_of(lake, drift.PANEL.name, filters)
    picture = made.picture
    assert isinstance(picture, Picture)
    about = header.about(lake)
    title = markup(clip(about.name, TEXT))
    head = (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} – pqexplore</title>'
        f'<meta http-equiv="Content-Security-Policy" content="{policy([], [STYLE])}">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">'
        f"<style>{STYLE}</style></head><body><main><h1>{title}</h1>"
        f'<p class="facts">{markup(clip(", ".join(about.facts), TEXT))}</p>'
    )
    end = "</main></body></html>"
    room = BUDGET - len((head + end).encode())
    parts = []
    whole = list(_todo(picture, made.sentence))
    for one in (*whole, _drift(differs), _folders(picture, room)):
        took = len(one.encode())
        if took <= room:
            parts.append(one)
            room -= took
    if len(parts) > len(whole):  # the folders stand before what differs
        parts[len(whole) :] = reversed(parts[len(whole) :])
    return head + "".join(parts) + end


def _todo(picture: Picture, sentence: str) -> Iterator[str]:
    if not picture.todo:
        yield f"<p>{markup(clip(sentence, TEXT))}</p>"
        return
    by = f' <span class="facts">by the tables of the scan: {plural(picture.waiting, "file")} not diagnosed</span>'
    items = "".join(f"<li>{_item(one)}</li>" for one in picture.todo)
    yield f"<h2>To do today{by * bool(picture.waiting)}</h2><ol>{items}</ol>"
    if picture.more:
        yield f"<p>and {plural(picture.more, 'more thing')} to do</p>"


def _item(one: Todo) -> str:
    codes = "".join(
        f"<details><summary>{markup(remedy.writer)}</summary><pre>{_code(remedy.code)}</pre></details>"
        for remedy in one.remedies
    )
    file = f"<p>The first: <code>{markup(clip(one.file, TEXT))}</code></p>" if one.file else ""
    return (
        f'<span class="severity">{markup(one.severity)}</span><p>{markup(clip(one.sentence, TEXT))}</p>'
        f'<p class="fix">{markup(clip(one.fix, TEXT))}</p>{file}{codes}'
    )


def _code(text: str) -> str:
    return html.escape(clip(printable_lines(text), CODE))


def _drift(made: Answer) -> str:
    """The schemas, as the panel has them: how many files, when, and what differs from the most common."""
    said = f"<h2>Schemas</h2><p>{markup(clip(made.sentence, TEXT))}</p>"
    picture = made.picture
    if not isinstance(picture, drift.Picture) or not any(one.changes for one in picture.schemas):
        return said
    several = len({one.table for one in picture.schemas}) > 1
    rows = [
        (*([_last(one.table)] if several else []), f"{one.files:,} of {one.of:,}", one.dates, drift.words(one))
        for one in picture.schemas
    ]
    head = (*(["table"] if several else []), "files", "when", "differs from the most common")
    left = f"<p>and {plural(picture.more_schemas, 'more schema')}</p>" * (picture.more_schemas > 0)
    return f'{said}<div class="wide" tabindex="0" role="region" aria-label="Schemas">{html_table(head, rows, CELL)}</div>{left}'


def _last(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _folders(picture: Picture, room: int) -> str:
    """The folders with a bar for their size, as many as there is room for."""
    if not picture.folders:
        return ""
    largest = max(1, *(one.bytes for one in picture.folders))
    title = f"In {clip(picture.base.rstrip('/'), TEXT)}" if picture.base else "Folders"
    begin = f'<h2>{markup(title)}</h2><div class="wide" tabindex="0" role="region" aria-label="Folders"><table><tbody>'
    rows: list[str] = []
    room -= len(begin.encode()) + 100  # and for the end
    for one in picture.folders:
        row = _row(one, largest)
        room -= len(row.encode())
        if room < 0:
            break
        rows.append(row)
    more = picture.more_folders + len(picture.folders) - len(rows)
    return f"{begin}{''.join(rows)}</tbody></table></div>" + f"<p>and {more:,} more</p>" * (more > 0)


def _row(one: Folder, largest: int) -> str:
    bar = f'<svg width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><rect height="{HEIGHT}" width="{max(1, WIDTH * one.bytes // largest)}"/></svg>'
    said = [size(one.bytes), "" if one.is_file else plural(one.files, "file"), plural(one.rows, "row")]
    said += [plural(one.schemas, "schema")] * (one.schemas > 1) + [f"{one.format} table"] * bool(one.format)
    name = markup(clip(one.name, TEXT)) + "/" * (not one.is_file)
    return f'<tr><th scope="row">{name}</th><td>{bar}</td><td>{markup(", ".join(filter(None, said)))}</td></tr>'
