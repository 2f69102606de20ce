"""The format's structs: declared once, decoded fast, or read with the bytes of every field."""
