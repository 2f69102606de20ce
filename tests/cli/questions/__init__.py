"""Questions that engineers ask about Parquet files, and what answers them. They were written before the answers."""

from cli.questions import (
    about_columns,
    about_contents,
    about_files,
    about_foreign_contents,
    about_foreign_layout,
    about_python,
    about_queries,
    at_night,
)

QUESTIONS = (
    *about_files.QUESTIONS,
    *about_columns.QUESTIONS,
    *about_queries.QUESTIONS,
    *about_contents.QUESTIONS,
    *about_python.QUESTIONS,
    *about_foreign_layout.QUESTIONS,
    *about_foreign_contents.QUESTIONS,
    *at_night.QUESTIONS,
)
"""All questions."""
