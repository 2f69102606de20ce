"""Masks the secrets in URLs."""

from __future__ import annotations

import re

_USER = re.compile(r"(?<=://)[^/?#\s]*@")
_PARAMETER = re.compile(r"([?&;])([^=&;#\s]*)=([^&;#\s]*)")
SECRET_NAME = re.compile(
    r"sig|token|key|secret|pass|pwd|cred|auth|session|policy|code|jwt|headers|cookies|connection_string", re.I
)
"""Part of the name of a parameter or storage option that may be secret."""
_SECRET_LENGTH = 24
"""Characters from which on the value of a parameter counts as a secret, whatever its name."""


def masked(text: str) -> str:
    """A text with `***` for the secrets in its URLs: user and password, signatures, tokens."""
    if "://" not in text:
        return text

    def parameter(match: re.Match[str]) -> str:
        secret = SECRET_NAME.search(match[2]) or len(match[3]) >= _SECRET_LENGTH
        return f"{match[1]}{match[2]}={'***' if secret else match[3]}"

    return _PARAMETER.sub(parameter, _USER.sub("***@", text))
