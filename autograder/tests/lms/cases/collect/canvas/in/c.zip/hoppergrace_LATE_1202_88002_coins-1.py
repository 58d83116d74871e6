grace = 1
