"""Learning platforms: submissions collected from their downloads, results exported to them."""
