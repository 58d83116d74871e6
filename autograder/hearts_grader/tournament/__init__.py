"""The class tournament: everybody's player at one table.

A stage has a tournament if its hidden folder has the file SEAT of `entries`. This file is put
beside a student's program in the program's sandbox, and answers the questions to the player. The
table runs the stage's reference. Table, standings and pages are made by `hearts_course.tournament`.

    entries      who plays: a submission that has a function `enter`, or a player of the course
    seats        asks a player one question at a time, and says what went wrong
    rounds       one round played, and all rounds on many processors
    cluster      rounds on a scheduler's workers
    event        a tournament in its folder
"""
