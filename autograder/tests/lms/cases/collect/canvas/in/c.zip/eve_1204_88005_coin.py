misnamed = 1
