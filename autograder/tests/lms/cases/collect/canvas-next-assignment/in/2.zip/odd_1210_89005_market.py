sold = 3
