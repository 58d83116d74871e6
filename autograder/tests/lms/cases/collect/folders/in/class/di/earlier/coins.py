total = 3
