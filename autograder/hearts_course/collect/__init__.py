"""What students handed in elsewhere, brought to `submissions/<student>/<stage>/`.

crate      an archive that an instructor downloaded, or a folder: its files, none unpacked
handed     one student's files of one attempt, as they lie in a crate
layouts/   how Canvas, Moodle, Gradescope and nbgrader lay out a crate
stages     which stage a file belongs to
names      what a student's folder is called
reading    a student's files, read
sorting    a crate's files by student and stage, and a line for what has no place
plans      what is to be placed
attempts   a student's files for a stage
placing    putting them there; what was there is kept
"""
