"""What each kind of node shows; js/src/lenses has the other half of each, by the same name."""
