"""The class tournament: everybody's player at one table.

A stage that has the file which `entries` names has a tournament. That file is put beside a
student's program in its sandbox, and answers for it. The table runs the stage's reference; it,
standings and pages are those of `hearts_course.tournament`.

    entries      who plays: a submission that has a function `enter`, or a player of the course
    seats        asks a player one question at a time, and says what went wrong
    rounds       one round played, and all rounds on many processors
    cluster      rounds on a scheduler's workers
    event        a tournament in its folder
"""
