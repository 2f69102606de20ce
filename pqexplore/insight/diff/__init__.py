"""What differs between two files: schema, layout, sizes with their causes, values."""
