"""Nonces: each once under a key."""

import pytest

from pqexplore.engine.format.encryption import modules, nonces
from pqexplore.engine.format.encryption.keys import Key
from pqexplore.engine.format.encryption.nonces import NonceAudit

KEY, SAME, OTHER = Key(b"k" * 16), Key(b"k" * 16), Key(b"o" * 16)


def test_a_repeated_nonce_is_found():
    audit = NonceAudit()
    assert audit.add(KEY, b"a" * 12, "pages/0") is None
    assert audit.add(KEY, b"b" * 12, "pages/1") is None
    found = audit.add(SAME, b"a" * 12, "pages/2")
    assert (found.first, found.second, found.nonce) == ("pages/0", "pages/2", "61" * 12)
    [finding] = audit.findings()
    assert (finding.rule, finding.severity.level, finding.address) == ("nonce-reused", "error", "pages/2")
    assert "after pages/0" in finding.message
    assert audit.counts == {KEY: 3}


def test_another_key_may_use_the_same_nonce():
    audit = NonceAudit()
    audit.add(KEY, b"a" * 12, "x")
    audit.add(OTHER, b"a" * 12, "y")
    assert audit.findings() == []


def test_gcm_and_ctr_share_their_nonces():
    audit = NonceAudit()
    gcm = modules.encrypt_gcm(KEY, b"header", b"", lambda: b"n" * 12)
    ctr = modules.encrypt_ctr(KEY, b"page", lambda: b"n" * 12)
    audit.add(KEY, modules.nonce_of(gcm, modules.split(gcm, ctr=False)), "header")
    assert audit.add(KEY, modules.nonce_of(ctr, modules.split(ctr, ctr=True)), "page").first == "header"


def test_memory_is_bounded_and_it_says_so():
    audit = NonceAudit(remember=2)
    for number in range(4):
        audit.add(KEY, bytes([number]) * 12, str(number))
    assert audit.counts[KEY] == 4
    assert not audit.compared_all
    assert audit.add(KEY, b"\x00" * 12, "again") is not None
    assert audit.add(KEY, b"\x03" * 12, "again") is None


def test_the_invocation_limit(monkeypatch):
    monkeypatch.setattr(nonces, "INVOCATION_LIMIT", 2)
    audit = NonceAudit()
    for number in range(3):
        audit.add(KEY, bytes([number]) * 12, str(number))
    [finding] = audit.findings()
    assert finding.rule == "invocation-limit"
    assert finding.evidence == {"modules": 3}


def test_a_nonce_has_twelve_bytes():
    with pytest.raises(ValueError, match="12 bytes, this one 3"):
        NonceAudit().add(KEY, b"abc", "x")
