sold = 1
