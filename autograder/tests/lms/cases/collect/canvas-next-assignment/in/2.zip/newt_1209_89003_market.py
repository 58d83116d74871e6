sold = 2
