"""Answers about many files as pictures: the lake explorer."""
