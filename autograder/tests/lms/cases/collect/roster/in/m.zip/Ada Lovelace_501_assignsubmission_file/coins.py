moodle = 1
