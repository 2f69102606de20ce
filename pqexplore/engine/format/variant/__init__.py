"""The Variant type: its binary encoding and its shredding."""
