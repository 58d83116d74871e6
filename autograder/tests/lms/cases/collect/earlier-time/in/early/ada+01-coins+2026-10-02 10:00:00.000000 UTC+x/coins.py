ada = 2
