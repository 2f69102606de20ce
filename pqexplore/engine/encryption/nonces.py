"""Nonces: each may encrypt once under a key.

Two modules with the same key and the same nonce share their keystream: who has both learns the XOR of their
plaintexts, and can forge GCM tags (NIST SP 800-38D, 8; specification, "Nonces and IVs"). GCM and CTR count their
blocks from the same nonce, so a nonce is used up for both. `NonceAudit` is shown the modules of a file and keeps
account.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable

from pqexplore.engine.encryption.keys import Buffer
from pqexplore.engine.encryption.modules import INVOCATION_LIMIT, NONCE_BYTES, Frame, nonce_of
from pqexplore.engine.tree import Finding

_SPECIFICATION = (
    "if even one IV is ever repeated, then the implementation may be vulnerable … Compliance with this requirement "
    "is crucial to the security of GCM"
)


@dataclasses.dataclass(frozen=True, slots=True)
class RepeatedNonce:
    """A nonce that two modules under one key share: their addresses, and the nonce in hexadecimal (no secret)."""

    nonce: str
    first: str
    second: str


class NonceAudit:
    """Counts the nonces that each key has used, and finds those used twice.

    Keys that are equal count as one, wherever they came from. Of a key that is not at hand anything that stands for it
    will do: modules of one column have the same. Up to `remember` nonces are kept in memory (some
    100 bytes each); those beyond are counted, and not compared.
    """

    def __init__(self, remember: int = 1_000_000) -> None:
        self._remember = remember
        self._seen: dict[Hashable, dict[bytes, str]] = {}
        self._kept = 0
        self.counts: dict[Hashable, int] = {}
        self.repeated: list[RepeatedNonce] = []
        self.compared_all = True

    def add(self, key: Hashable, nonce: bytes, address: str) -> RepeatedNonce | None:
        """Take account of the module at `address`; the repetition, where its nonce was met under `key` before."""
        if len(nonce) != NONCE_BYTES:
            raise ValueError(f"a nonce has {NONCE_BYTES} bytes, this one {len(nonce)}")
        self.counts[key] = self.counts.get(key, 0) + 1
        seen = self._seen.setdefault(key, {})
        first = seen.get(nonce)
        if first is not None:
            found = RepeatedNonce(nonce.hex(), first, address)
            self.repeated.append(found)
            return found
        if self._kept >= self._remember:
            self.compared_all = False
        else:
            seen[nonce] = address
            self._kept += 1
        return None

    def add_frame(
        self, key: Hashable, buffer: Buffer, frame: Frame, address: str
    ) -> RepeatedNonce | None:
        """`add` for a module by its frame."""
        return self.add(key, nonce_of(buffer, frame), address)

    def findings(self) -> list[Finding]:
        """What is wrong: nonces met twice, and keys used beyond the invocation limit."""
        found = [
            Finding(
                "repeated-nonce",
                "error",
                repeat.second,
                f"the nonce of this module was used before under the same key, at {repeat.first}; "
                "their contents are no longer secret from each other",
                {"nonce": repeat.nonce, "first": repeat.first},
                _SPECIFICATION,
            )
            for repeat in self.repeated
        ]
        found += [
            Finding(
                "invocation-limit",
                "error",
                "",
                f"one key encrypts {count:,} modules; a key may be used {INVOCATION_LIMIT:,} times",
                {"modules": count},
                "The total number of invocations of the authenticated encryption function shall not exceed 2^32",
            )
            for count in self.counts.values()
            if count > INVOCATION_LIMIT
        ]
        return found
