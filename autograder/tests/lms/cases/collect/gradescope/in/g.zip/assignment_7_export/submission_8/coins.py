whose = 1
