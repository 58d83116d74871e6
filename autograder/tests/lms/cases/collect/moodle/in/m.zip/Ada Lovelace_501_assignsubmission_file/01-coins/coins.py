both = 1
