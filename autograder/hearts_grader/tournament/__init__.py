"""The class tournament: everybody's player at one table.

A stage has a tournament if its hidden folder has the module that `entries.SEAT` names. This module
runs together with a student's program in a sandbox, and passes the table's questions to the player.
The table runs the stage's reference solution. `hearts_course.tournament` makes table, standings and
pages.

    entries      who plays: a submission that has a function `enter`, or a player of the course
    seats        asks a player one question at a time, and says what went wrong
    rounds       one round played, and all rounds on many processors
    cluster      rounds on a scheduler's workers
    event        a tournament in its folder
"""
