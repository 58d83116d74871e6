FACES = ()
