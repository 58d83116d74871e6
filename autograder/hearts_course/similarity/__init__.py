"""Find submissions that share more than starter and reference explain: a reason to look."""
