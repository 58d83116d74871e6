dee = 1
