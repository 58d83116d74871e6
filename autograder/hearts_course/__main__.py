"""`python -m hearts_course` is the `hearts` command."""

from hearts_course.cli import main

if __name__ == "__main__":
    main()
