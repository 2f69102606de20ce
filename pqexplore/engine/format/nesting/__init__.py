"""Repetition and definition levels to nested records and back (Dremel)."""
