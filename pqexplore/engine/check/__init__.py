"""Checks a file against the rules of the specification.

A rule is a small function that yields findings; each module checks one part of the file. `file_check.check` walks through the
file once, chunk by chunk and page by page, and yields findings as it goes, so memory holds one page and a few counts.
`footer.of_footer` needs the footer only, and does not import what reads values. Damage is a finding, never an exception:
a file that is wrong in ten places is checked in all ten.

Severities: an *error* is what the specification forbids, or what contradicts the data, so that some reader fails or reads
wrong values; a *warning* is doubtful or risky; a *note* is good to know: every reader copes with it.
"""
