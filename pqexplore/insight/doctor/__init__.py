"""The doctor: what is wrong with a file, what it costs, and what to do.

A rule (`rules`) looks for one thing and yields a `Finding` for each place where the file's own evidence supports it.
What `check()` finds becomes diagnoses too (`checked`), so that there is one vocabulary and one list. `diagnose` runs the
rules of a level and puts the worst first.
"""
