c = get_config()
c.CourseDirectory.directory_structure = "{assignment_id}/{nbgrader_step}/{student_id}"
