a_student_called_anon = 1
