"""The process of one call: runs a command with --json, and prints its documents, cut to a length.

It reads one line, the words of the command and whether the answer is a full one, and writes one line, a `Reply`. What a
hostile file does to this process, it does to one call only.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pqexplore.cli import run
from pqexplore.cli.mcp.shortening import SHORT, shortened
from pqexplore.cli.out import Out
from pqexplore.engine import ending
from pqexplore.engine.text import clip
from pqexplore.insight.terminal import WHOLE

if TYPE_CHECKING:
    from pqexplore.insight.json_values import Json

REMARKS = 20
"""Sentences beside an answer that are shown."""

_PROGRAM = re.compile(r"(?m)^pqexplore: ")
_WRONG_USE = re.compile(r"(?ms)^usage: .*?^pqexplore[ \w-]*: error: ")
"""What argparse prints before the sentence about a wrong argument."""


@dataclasses.dataclass(frozen=True)
class Reply:
    """The text of an answer, which is JSON, or the sentence that says why there is none."""

    text: str
    failed: bool = False


def answer(words: Sequence[str], full: bool) -> Reply:
    """Run a command; what it prints as JSON, or what it says is wrong."""
    documents, troubles = io.StringIO(), io.StringIO()
    # SystemExit is for wrong arguments: what is wrong with them is among the troubles.
    with contextlib.redirect_stderr(troubles), contextlib.suppress(SystemExit):
        run([*words], Out(WHOLE, documents, troubles))
    said = _PROGRAM.sub("", _WRONG_USE.sub("", troubles.getvalue())).splitlines()
    try:
        return _replied([json.loads(line) for line in documents.getvalue().splitlines()], said, full)
    except RecursionError:
        return Reply("the values are nested too deeply for JSON", failed=True)


def _replied(made: Sequence[dict[str, Json]], said: Sequence[str], full: bool) -> Reply:
    """The reply of what was printed: documents, and sentences."""
    if all(one["kind"] == "error" for one in made):
        return Reply(clip("\n".join(said) or "there is no answer", SHORT), failed=True)
    whole: dict[str, Json] = made[0] if len(made) == 1 else {"documents": [*made]}
    if said:
        remarks: list[Json] = [
            *said[:REMARKS],
            *([f"… and {len(said) - REMARKS:,} more"] if len(said) > REMARKS else []),
        ]
        whole = {"remarks": remarks, **whole}
    return Reply(json.dumps(shortened(whole, full)))


def main() -> None:
    """Answer the call that is on standard input."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # other prints must not mix with the answer
    asked = json.loads(sys.stdin.readline())
    ending.end_with_parent()
    with ending.heeding():
        reply = answer(asked["words"], asked["full"])
    answers.write(json.dumps(dataclasses.asdict(reply)))
    answers.flush()


if __name__ == "__main__":
    main()
