"""What one file gives to the tables of a lake: its footer, column chunks, keys, pages and schema as rows."""
