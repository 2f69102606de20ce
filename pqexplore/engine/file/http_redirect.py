"""Where a web server's redirect may lead: to the same host, unless the user allows another."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import yarl


def redirected(name: str, url: yarl.URL, location: str, *, outside: bool) -> yarl.URL:
    """The target of a redirect from `url`; OSError if it must not be followed.

    `name` is for messages; `outside`: another host, or no encryption, is allowed.
    """
    import yarl

    try:
        target = url.join(yarl.URL(location, encoded="%" in location))
        place = f"{target.scheme}://{target.host}" + (f":{target.port}" if target.port else "")
    except ValueError:
        raise OSError(f"{name}: the server redirects to what is not a URL") from None
    if target.scheme not in ("http", "https") or not target.host:
        raise OSError(f"{name}: the server redirects to {place}, which is not followed")
    other = (target.host or "").lower() != (url.host or "").lower()
    if not outside and (other or (url.scheme, target.scheme) == ("https", "http")):
        what = "another host" if other else "a connection without encryption"
        raise OSError(
            f"{name}: the server redirects to {what}, {place}; if you trust it, open that URL, or follow with "
            'storage_options={"follow_outside": True}'
        )
    if url.user is not None and target.user is None and same_origin(url, target):
        target = target.with_user(url.user).with_password(url.password)
    return target


def same_origin(url: yarl.URL, target: yarl.URL) -> bool:
    """Whether a redirect stays on a server: the same scheme, host and port, or from http to https."""
    upgrade = (url.scheme, url.port, target.scheme, target.port) == ("http", 80, "https", 443)
    return url.host == target.host and (upgrade or url.origin() == target.origin())
