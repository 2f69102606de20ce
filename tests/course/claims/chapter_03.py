"""What the text of chapter 03 claims of its files."""

CLAIMS = [
    ("All five are read as lists", "len({str(lists.read([name])[name].to_pylist()) for name in ('standard', 'array', 'tuple', 'bag', 'repeated')}) == 1"),
]  # fmt: skip
