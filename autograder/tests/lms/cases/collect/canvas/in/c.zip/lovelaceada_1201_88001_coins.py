ada = 1
