"""The student's side: a workspace, its checks, hints, progress and what is handed in.

    workspace   where a student works, and finding it
    layout      what `hearts start` writes
    memory      what the course remembers between two commands
    work        a stage's program as it is now, from the .py files or from the notebook
    program     it together with the earlier stages that it builds on
    checks      running the visible tests of it
    untouched   which tasks a student has not begun
    report      what a check tells the student
    hints       the ladder of hints
    standing    how far a student is, and what is next
    submit      packing a stage for handing it in
    text, page  checks and hints for a terminal, and for a notebook page
    screens     the rest for a terminal
    jupyter     `check` and `hint` inside a notebook

Nothing here needs a sandbox, `fork` or a POSIX system.
"""
