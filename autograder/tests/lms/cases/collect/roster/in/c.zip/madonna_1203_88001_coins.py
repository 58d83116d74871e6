madonna = 1
