"""Clinics: somebody else's program with one slip, beside the stages that count."""

import difflib

import pytest
from hearts_course.course import find_course
from hearts_course.release.bundle import released_stages
from hearts_course.submissions.find import find_submissions

COURSE = find_course()
MAX_LINES = 3
CLINICS = [stage for stage in COURSE.stages if stage.clinic]


def names(stages):
    return [stage.name for stage in stages]


@pytest.mark.parametrize("clinic", CLINICS, ids=names(CLINICS))
def test_one_slip_is_all_that_is_wrong_with_the_program_that_students_get(clinic):
    given = clinic.starter()
    (theirs,) = (name for name, text in given.items() if "NotImplementedError" not in text)
    right = clinic.reference()[theirs].split("\n")
    compared = difflib.ndiff(
        [line for line in right if "# %%" not in line], given[theirs].split("\n")
    )
    assert len([line for line in compared if line[:1] == "+" and line[1:].strip()]) <= MAX_LINES
    assert "\n".join(right) != given[theirs]


def test_a_number_means_the_stage_and_not_its_clinic():
    assert COURSE.stage("02").name == "02-legal-moves"
    assert names(COURSE.stages)[1:3] == ["02-legal-moves", "02-clinic"]
    assert COURSE.after(COURSE.stage("02")).name == "03-uva-181"


@pytest.mark.parametrize(
    ("asked", "clinics"), [("02", []), ("03", ["02-clinic"]), ("02-clinic", ["02-clinic"])]
)
def test_a_clinic_comes_with_the_next_stage(asked, clinics):
    assert [name for name in names(released_stages(COURSE, [asked])) if "clinic" in name] == clinics


def test_a_clinic_counts_only_if_it_is_named(tmp_path):
    for stage in ("01-cards", "02-clinic"):
        (tmp_path / "ada" / stage).mkdir(parents=True)
    layout = find_submissions(tmp_path, COURSE)
    assert names(layout.stages) == ["01-cards"]
    assert layout.warnings == ("02-clinic counts only if you name it: --stage 02-clinic",)
    assert names(find_submissions(tmp_path, COURSE, ["02-clinic"]).stages) == ["02-clinic"]
