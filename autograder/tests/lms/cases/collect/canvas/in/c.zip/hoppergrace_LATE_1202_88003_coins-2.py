grace = 2
