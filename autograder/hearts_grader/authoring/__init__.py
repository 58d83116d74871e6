"""Build, verify and scaffold stages, and make sample classes; students do not get this package."""
