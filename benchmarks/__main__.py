"""`python -m benchmarks [--quick] [--only footers,pages] [--no-write]`: run, print tables, renew those in RESULTS.md."""

from __future__ import annotations

import argparse
import datetime
import importlib
import os
import platform
from importlib.metadata import version
from pathlib import Path

os.environ["POLARS_MAX_THREADS"] = "1"  # read when polars is imported

PARTS = (
    "footers",
    "processes",
    "decoders",
    "reading",
    "pages",
    "stores",
    "blooms",
    "variants",
    "writer",
    "saved",
    "browser",
    "stage",
    "notebook",
    "app",
    "lake",
    "ask",
    "doctor",
    "diff",
    "what_if",
)
PEERS = ("pyarrow", "duckdb", "polars", "fastparquet")
RESULTS = Path(__file__).with_name("RESULTS.md")
HEADINGS = {
    "footers": "Opening",
    "processes": "Whole processes",
    "decoders": "Our own decoders",
    "reading": "read() of a column chunk",
    "pages": "One page",
    "stores": "Files of a store",
    "blooms": "Bloom filters",
    "variants": "Variant",
    "saved": "Saved pages",
    "browser": "The explorer in Chromium",
    "stage": "The explorer on large files",
    "notebook": "The explorer in JupyterLab",
    "app": "The app",
    "lake": "Lakes",
    "ask": "What a query reads",
    "doctor": "The doctor",
    "diff": "What differs between two files",
    "what_if": "What if",
    "writer": "Writing",
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--quick", action="store_true", help="smaller files; nothing is written")
    parser.add_argument("--only", default=",".join(PARTS), help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--no-write", action="store_true", help="leave RESULTS.md as it is")
    asked = parser.parse_args()
    import pyarrow

    from benchmarks.files import Files

    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    files = Files(quick=asked.quick)
    parts = asked.only.split(",")
    made: dict[str, str] = {}
    print(_head(asked.quick))
    missed = 0
    for part in parts:
        text = [f"{HEADINGS[part]}\n\n{_when()}\n\n{_table_head()}"]
        print(f"\n## {text[0]}")
        for row in importlib.import_module(f"benchmarks.{part}").rows(files):
            text.append(_line(row))
            missed += row.met is False
            print(text[-1], flush=True)
        made[HEADINGS[part]] = "\n".join(text)
    print(f"\n{missed} targets missed")
    if not asked.quick and not asked.no_write:
        _write(made)


def _write(made: dict[str, str]) -> None:
    """Renew the sections that were run; the others stay, each with its own date."""
    sections = {}
    if RESULTS.exists():
        for section in RESULTS.read_text().split("\n## ")[1:]:
            sections[section.partition("\n")[0]] = section.rstrip()
    sections |= made
    known = [sections[heading] for heading in HEADINGS.values() if heading in sections]
    RESULTS.write_text("\n\n## ".join([_head(False), *known]) + "\n")


def _when() -> str:
    load = os.getloadavg()[0]
    return f"_{datetime.date.today():%d %B %Y}, {_processor()}, load {load:.0f} at the start._"


def _head(quick: bool) -> str:
    peers = ", ".join(f"{name} {version(name)}" for name in ("numpy", *PEERS, "cramjam"))
    return f"""# What was measured

{platform.machine()}, {os.cpu_count()} cores shared with other work, Python {platform.python_version()}; {peers}{"; quick, small files" if quick else ""}.

Made by `python -m benchmarks`. Times are medians of CPU time in milliseconds unless a line says otherwise, single
thread, contenders interleaved. The ratio is ours to pyarrow's unless the line names another; read it as ±20 %. Each
section has its own date and processor. `read()` hands large flat pages to Arrow's decoder (see
`pqexplore/engine/file/arrow_fast_path.py`); "our own decoders" never do."""


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(": ")[2] for line in lines if line.startswith("model name")), "")


def _table_head() -> str:
    names = " | ".join(("what", "ours", *PEERS, "ratio", "target", ""))
    return f"| {names} |\n|---|" + "---:|" * (len(PEERS) + 3) + "---|"


def _line(row: object) -> str:
    from benchmarks.measure import Row

    assert isinstance(row, Row)
    cells = [f"{row.times[n] * 1e3:,.2f}" if n in row.times else "" for n in ("ours", *PEERS)]
    others = [f"{n} {t * 1e3:,.2f}" for n, t in row.times.items() if n not in ("ours", *PEERS)]
    against = f" of {row.against}" if row.against not in ("", "pyarrow") else ""
    sign = "≥" if row.at_least else "≤"
    if row.against:
        ratio, target = f"{row.ratio:.3g} ×{against}", f"{sign} {row.limit} ×"
    elif row.at_least:
        ratio, target = f"{row.ratio:,.0f}", f"{sign} {row.limit:,}"
    else:
        ratio, target = "", f"{sign} {(row.limit or 0) * 1e3:g} ms"
    if row.limit is None:
        target = ""
    verdict = {True: "met", False: "**missed**", None: ""}[row.met]
    notes = ", ".join((*others, *([row.note] if row.note else []), *(["MB"] if row.unit == "MB" else [])))
    what = f"{row.what} ({notes})" if notes else row.what
    return "| " + " | ".join((what, *cells, ratio, target, verdict)) + " |"


if __name__ == "__main__":
    main()
