"""Learning platforms: collect submissions from their downloads, and export results to them."""
