"""A process that reads files for `local`: options on its first line of input, then one task in each line. It answers
each task with one line.

It is a separate program, not a fork: forking a kernel with threads is unsafe, and `multiprocessing` would import a
script that has no `main` guard.
"""

from __future__ import annotations

import json
import os
import sys

from pqexplore.engine import ending
from pqexplore.lake.listed_files import Entry, Options
from pqexplore.lake.scanning import subprocess_isolation
from pqexplore.lake.store.run_lock import Pulse


def main() -> None:
    """Answer tasks until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # other prints must not mix with the answers
    first = json.loads(sys.stdin.readline())
    options, root = Options.from_json(first["options"]), first["root"]
    pulse = Pulse(first["pulse"])
    ending.end_with_parent()
    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        entries = [Entry(*fields) for fields in json.loads(line)]
        answers.write(subprocess_isolation.answer(entries, options, root, pulse) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
