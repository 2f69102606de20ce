"""Structures → answers: what a file is, what it lacks, and what that means for its readers."""
