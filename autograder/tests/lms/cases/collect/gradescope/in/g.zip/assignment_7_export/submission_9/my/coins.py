pair = 1
