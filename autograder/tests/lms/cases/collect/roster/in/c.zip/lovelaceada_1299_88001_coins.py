another_number = 1
