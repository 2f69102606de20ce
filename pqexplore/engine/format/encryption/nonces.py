"""Finds nonces that were used twice with the same key.

Two modules with the same key and the same nonce share their keystream: both together give the XOR of their plaintexts,
and allow to forge GCM tags (NIST SP 800-38D, 8; specification, "Nonces and IVs"). GCM and CTR count their blocks from the
same nonce, so a nonce may be used once for both. `NonceAudit` is given the modules of a file, one by one.

Specification: https://github.com/apache/parquet-format/blob/master/Encryption.md
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable

from pqexplore.engine.finding import Finding
from pqexplore.engine.format.encryption.modules import INVOCATION_LIMIT, NONCE_BYTES
from pqexplore.engine.text import plural

LISTED = 20
"""Pairs of modules in the evidence."""


@dataclasses.dataclass(frozen=True, slots=True)
class RepeatedNonce:
    """A nonce that two modules with one key share: their addresses, and the nonce in hexadecimal (it is not secret)."""

    nonce: str
    first: str
    second: str


class NonceAudit:
    """Counts the nonces that each key has used, and finds those used twice.

    Equal keys count as one. For a key that is not known any hashable object can stand, the same for all modules of a
    column. Up to `remember` nonces are kept in memory (about 100 bytes each); others are counted, but not compared, and
    `compared_all` is false.
    """

    def __init__(self, remember: int = 1_000_000) -> None:
        self._remember = remember
        self._seen: dict[Hashable, dict[bytes, str]] = {}
        self._kept = 0
        self.counts: dict[Hashable, int] = {}
        self.repeated: list[RepeatedNonce] = []
        self.compared_all = True

    def add(self, key: Hashable, nonce: bytes, address: str) -> RepeatedNonce | None:
        """Add the module at `address`. Returns the repetition if its nonce was used with `key` before, else None."""
        if len(nonce) != NONCE_BYTES:
            raise ValueError(f"a nonce has {NONCE_BYTES} bytes, this one {len(nonce)}")
        self.counts[key] = self.counts.get(key, 0) + 1
        seen = self._seen.setdefault(key, {})
        first = seen.get(nonce)
        if first is not None:
            repeat = RepeatedNonce(nonce.hex(), first, address)
            self.repeated.append(repeat)
            return repeat
        if self._kept >= self._remember:
            self.compared_all = False
        else:
            seen[nonce] = address
            self._kept += 1
        return None

    def findings(self) -> list[Finding]:
        """Findings: nonces used twice, and keys used more often than the invocation limit."""
        findings = []
        if self.repeated:
            first, count = self.repeated[0], len(self.repeated)
            pairs = [[one.first, one.second] for one in self.repeated[:LISTED]]
            findings.append(
                Finding(
                    "nonce-reused",
                    first.second,
                    f"{plural(count, 'module')} {'use' if count > 1 else 'uses'} a nonce that another module used under the "
                    f"same key: the first is {first.second}, after {first.first}",
                    {"nonce": first.nonce, "first": first.first, "modules": count, "pairs": pairs},
                )
            )
        findings += [
            Finding(
                "invocation-limit",
                "",
                f"one key encrypts {count:,} modules; a key may be used {INVOCATION_LIMIT:,} times",
                {"modules": count},
            )
            for count in self.counts.values()
            if count > INVOCATION_LIMIT
        ]
        return findings
