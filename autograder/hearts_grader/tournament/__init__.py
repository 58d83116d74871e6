"""The class tournament: everybody's player at one table.

A stage with the two files that `entries` names has a tournament. One is the table, which runs the
stage's reference; the other is put beside a student's program in its sandbox, and answers for it.

    entries      who plays: a submission that has a function `enter`, or a player of the course
    seats        asks a player one question at a time, and says what went wrong
    rounds       which tables a round has, one round played, and all rounds on many processors
    standings    means, paired differences, and which players can be told apart
    pages        the report, with deals to replay
"""
