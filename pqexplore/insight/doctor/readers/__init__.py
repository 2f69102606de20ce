"""Who can read a file: predicted by its features and what is known of the readers, or seen in a run of them."""
