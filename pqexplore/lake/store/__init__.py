"""The stored tables of a lake: their runs, manifests and parts, on this machine or at a URL."""
