"""The tools of the course's instructors and authors; students get `hearts_course` only."""
