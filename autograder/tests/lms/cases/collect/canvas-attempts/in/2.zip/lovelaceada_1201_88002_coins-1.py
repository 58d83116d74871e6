later = 1
