"""One module an encoding, each with decode, trace and encode."""
