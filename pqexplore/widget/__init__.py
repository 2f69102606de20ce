"""Answers to pictures: the explorer in a notebook cell."""
