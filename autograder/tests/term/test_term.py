"""A whole term with every platform: `make test-term` and `make test-all` run it."""

import csv

import pytest
from every_score import different_scores
from hearts_course.course import find_course
from term import STAGES, Term, author, hands_in_twice, is_late, kind, replay

CANVAS, MOODLE, CLONES, GRADESCOPE, EXCHANGE = STAGES


def table(path):
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def lateness(student, stage, ill):
    """Return the expected remark about lateness, or "".

    Moodle and cloned repositories report no time. In nbgrader's exchange, the students of the
    evening section have another deadline.
    """
    late = {CANVAS: "marked late by Canvas", GRADESCOPE: "12 hours late", EXCHANGE: "12 hours late"}
    excused = (stage == GRADESCOPE and student == ill) or (stage == EXCHANGE and student.is_evening)
    return late.get(stage, "") if is_late(student) and not excused else ""


@pytest.mark.timeout(3 * 3600)
@pytest.mark.exhaustive
@pytest.mark.parametrize("size", [8, 60])
def test_a_term_ends_with_everybody_s_grades(tmp_path, size):
    term = Term(find_course(), tmp_path, size)
    said = {}
    replay(term, said.__setitem__)
    ill = next(filter(is_late, term.students))
    grades = {(row["student"], row["stage"]): row for row in table(tmp_path / "grades/grades.csv")}
    assert len(grades) == 5 * size
    for student in term.students:
        for stage in term.stages:
            row = grades[student.address, stage.name]
            raw = float(row["raw_score"])
            points = stage.points
            several = hands_in_twice(student) and stage.name in (CANVAS, EXCHANGE)
            if stage.name == GRADESCOPE:  # students work in pairs
                several = hands_in_twice(student) or hands_in_twice(
                    term.students[student.number ^ 1]
                )
                student = term.students[author(student)]
            unreadable = kind(student) == "unreadable"
            assert row["status"] == ("unreadable" if unreadable else "graded")
            match kind(student):
                case "right":
                    assert raw == points, row
                case "mistaken":
                    assert 0 < raw < points, row
                case _:
                    assert raw == 0, row
            assert row["late"] == lateness(student, stage.name, ill), row
            assert float(row["penalty"]) == (round(raw / 10, 2) if row["late"] else 0), row
            assert row["attempt"] == ("attempt 2 of 2, the latest" if several else ""), row

    assert "cards_final.py has all 5 definitions of cards.py; it was taken as" in said["canvas"]
    assert "2 pages made again: dates or manual points changed" in said["extension"]
    assert "to grade" not in said["extension"]
    assert f"nothing to grade: {5 * size} results up to date already" in said["unchanged"]
    gradebook = f"sqlite:///{tmp_path}/grades/gradebook.db"
    assert different_scores(tmp_path / "grades", term.hearts, gradebook) == []
    (filled,) = (tmp_path / "grades/export/canvas").glob("canvas.csv")
    assert table(filled)[1][f"{CLONES} (472)"] == str(term.stages[2].points)

    pages = tmp_path / "grades/report"
    assert ">CIT 590, autumn 2026<" in (tmp_path / "grades/report.html").read_text()
    assert len([*pages.glob("*.html")]) == (5 if size > 40 else 0)
    assert {row["student"] for row in table(pages / "students.csv") if row["mistakes"]} >= {
        student.address for student in term.students if kind(student) == "mistaken"
    }
    assert {row["address"] for row in table(pages / "unreadable.csv")} == {
        student.address for student in term.students if kind(student) == "unreadable"
    }
