"""What instructors and authors of the course run; students have `hearts_course` alone."""
