"""The version of pqexplore, said once: pyproject.toml reads it here."""

__version__ = "1.0.0rc1"
