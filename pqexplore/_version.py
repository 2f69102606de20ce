"""The version of pqexplore, said once: pyproject.toml reads it here."""

__version__ = "0.1.0"
