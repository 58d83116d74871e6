"""What an instructor hands out, made from the course in a checkout.

files        a set of files, as a folder and as a zip
wheel        the tool with only some stages in it, to be installed by students
bundle       a student's workspace, with all that installs the tool
github       the same as a template for repositories, which checks itself
gradescope   an autograder for Gradescope; for instructors, since the hidden tests are in it
"""
