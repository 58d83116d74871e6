"""Results in the forms that other systems read; nothing here computes a score.

marks         the results in an output folder, by stage and student
sheet         a table that an instructor downloaded, read and written back as it was
people        which row of a table is which student
filling       a stage's scores put into a column of a table
canvas        Canvas's gradebook
moodle        Moodle's grading worksheet, and its gradebook
table         one row a student, for a spreadsheet
lines         a result as the lines that other graders show: one for each topic of a task
gradescope, junit, classroom50, exercism
              one result as the document that the system takes
"""
