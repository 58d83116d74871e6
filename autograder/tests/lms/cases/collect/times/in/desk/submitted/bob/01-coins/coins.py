bob = 1
