maria = 1
