"""Builds the site: `make docs`."""
