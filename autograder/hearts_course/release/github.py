"""A template for students' repositories: the workspace, and a workflow that checks each push.

template   its files
"""

from pathlib import Path

from hearts_course.release.files import Files

WORKFLOW = Path(__file__).with_name("workflow.yml")
PLACE = ".github/workflows/hearts.yml"
IGNORED = (".venv/", "__pycache__/", ".ipynb_checkpoints/", "submissions/", "result.json")


def template(bundle: Files) -> Files:
    """The files of a student's workspace, and what makes them a repository that checks itself."""
    ignored = "".join(f"{line}\n" for line in IGNORED).encode()
    return {**bundle, PLACE: WORKFLOW.read_bytes(), ".gitignore": ignored}
