"""Structures to answers."""
