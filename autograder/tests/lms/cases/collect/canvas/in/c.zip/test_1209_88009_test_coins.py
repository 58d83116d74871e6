# only a test of the course
