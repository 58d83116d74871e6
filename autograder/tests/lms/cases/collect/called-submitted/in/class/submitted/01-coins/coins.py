mal = 1
