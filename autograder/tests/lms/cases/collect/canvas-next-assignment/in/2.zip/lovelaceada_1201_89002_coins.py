fixed = 1
