eve = 1
