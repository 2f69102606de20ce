"""Runs an engine in a process of its own, so that a crash, a long query or its log stays outside of ours.

The process is a module of this folder. It reads a job as JSON from its standard input, and writes the outcome as JSON
to its standard output. Paths and literals are data in the job, never code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pqexplore.engine import own_processes
from pqexplore.engine.errors import UsageError

if TYPE_CHECKING:
    from pqexplore.insight.ask.plan import Plan

SECONDS = 120
"""How long a query may take."""

_ERROR_CHARACTERS = 300


def run(module: str, job: object, environment: Mapping[str, str] | None = None) -> Any:
    """The outcome of a job in `observed.MODULE`. UsageError if the process fails or takes longer than `SECONDS`."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", f"{__package__}.{module}"],
            input=json.dumps(job),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            env=own_processes.environment(**(environment or {})),
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"the query was stopped after {SECONDS} seconds") from None
    try:
        answer = json.loads(done.stdout.strip().rpartition("\n")[2]) if not done.returncode else None
    except ValueError:
        answer = None
    if answer is None:
        last = done.stderr.strip().splitlines()[-1:] or [f"it ended with code {done.returncode}"]
        raise UsageError(f"the engine failed: {last[0][:_ERROR_CHARACTERS]}")
    return answer


def local_path(plan: Plan) -> str:
    """The path of a plan's file. UsageError if it is not a local file that an engine can open."""
    path = plan.file.name
    same = plan.file.source.local and os.path.isfile(path)
    if not same or os.path.getsize(path) != plan.file.size:
        raise UsageError("an engine can be run on a local file only")
    return os.path.abspath(path)
