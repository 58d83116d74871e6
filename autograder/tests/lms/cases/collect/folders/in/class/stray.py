nobody = 1
