"""A scan of a lake: its settings, progress and runs, by processes of this machine that may die."""
