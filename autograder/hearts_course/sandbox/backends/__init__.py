"""The sandbox backends, in order of preference, and the choice between them."""
