canvas = 1
