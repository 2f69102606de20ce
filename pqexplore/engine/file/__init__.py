"""One open file: its source, its footer, and the handles of its row groups, chunks and pages."""
