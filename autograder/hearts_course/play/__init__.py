"""Playing what a stage builds: the student's own program in their workspace, or else the reference.

game     which program is played, and whose it is
run      running it in this terminal, as Python runs a script
table    opening a notebook with its card table
faults   what is said when it cannot be run, or breaks off
"""
