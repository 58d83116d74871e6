new = 1
