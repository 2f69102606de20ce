"""A process that reads files for `local`: options on its first line of input, then a task a line, an answer a line.

A program of its own rather than a fork: a kernel with threads does not fork well, and a script without a `main` guard
does not like to be imported.
"""

from __future__ import annotations

import json
import os
import sys

from pqexplore.lake.entries import Entry, Options
from pqexplore.lake.parts import inspect


def main() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else prints must not speak in between
    first = json.loads(sys.stdin.readline())
    options, root = Options.from_json(first["options"]), first["root"]
    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        entries = [Entry(*fields) for fields in json.loads(line)]
        answers.write(inspect(entries, options, root).to_json() + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
