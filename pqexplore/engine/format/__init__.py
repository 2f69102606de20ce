"""What the format says: bytes in, values out. Nothing here opens a file."""
