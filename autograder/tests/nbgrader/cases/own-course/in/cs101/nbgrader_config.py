c = get_config()
c.CourseDirectory.course_id = "cs101"
