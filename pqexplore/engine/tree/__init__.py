"""The file as one tree of byte spans: its nodes, made on first use, and its layout."""
