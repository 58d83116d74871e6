cy = 1
