"""URLs of web servers: the one form in which they are compared, and the names that they stand for.

A server may write the same name in several ways (`g=a`, `g%3Da`). Names are decoded and encoded here and nowhere else.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

WEB = ("http", "https")

_PLAIN = "=:@!$&'()+,;~"
"""Characters besides letters, digits and `_.-` that a URL's path needs no percent sign for."""
_ENCODED = re.compile("%([0-9A-Fa-f]{2})")
_STRAY = re.compile("%(?![0-9A-Fa-f]{2})")


def same_form(text: str) -> str:
    """A URL in the one form that is compared: percent signs only for what needs one. A URL with a query stays as it is."""
    if "?" in text or "#" in text:  # its path may be signed
        return text

    def plain_letter(match: re.Match[str]) -> str:
        letter = chr(int(match[1], 16))
        as_is = letter.isascii() and (letter.isalnum() or letter in f"_.-{_PLAIN}")
        return letter if as_is else match[0].upper()

    text = _ENCODED.sub(plain_letter, _STRAY.sub("%25", text))
    return quote(text, safe=f"/%*[]{_PLAIN}", errors="surrogateescape")


def encoded(name: str) -> str:
    """A name as a part of a URL's path."""
    return quote(name, safe=_PLAIN, errors="surrogateescape")


def decoded(path: str) -> str:
    """A path of a URL as names with slashes; a slash in a name stays encoded."""
    parts = (unquote(one, errors="surrogateescape") for one in path.split("/"))
    return "/".join(one.replace("/", "%2F") for one in parts)


def names_of(path: str) -> str:
    """A path, or the URL of a web server with its names decoded."""
    return decoded(path) if path.startswith(tuple(f"{scheme}://" for scheme in WEB)) else path
