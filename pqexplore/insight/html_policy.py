"""The Content-Security-Policy of a page that carries all its scripts and style sheets."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence


def policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """A Content-Security-Policy that allows these scripts and style sheets, and nothing else."""
    script = f"script-src {_hashes(scripts)}; " if scripts else ""
    return f"default-src 'none'; {script}style-src {_hashes(styles)}; base-uri 'none'; form-action 'none'"


def _hashes(texts: Sequence[str]) -> str:
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in texts)
    return " ".join(f"'sha256-{digest}'" for digest in digests)
