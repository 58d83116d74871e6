"""Each form of `hearts export` takes only its own options."""

from pathlib import Path

import pytest
from hearts_course.errors import UsageError
from hearts_grader.cli.exporting import FORMS, refuse_wrong_options

USERS = {
    "--into": {"canvas", "moodle", "canvas-comments", "moodle-feedback"},
    "--column": {"canvas", "moodle"},
    "--missing-as-zero": {"canvas", "moodle"},
    "--anonymous": {"csv"},
    "--for": {"manual"},
    "--out": {*FORMS} - {"manual"},
}
ABSENT = dict.fromkeys(USERS, "")


@pytest.mark.parametrize("option", USERS)
@pytest.mark.parametrize("form", FORMS)
def test_an_option_of_another_form_is_refused(form: str, option: str) -> None:
    given = ABSENT | {option: "given"}
    if FORMS[form].download:
        given["--into"] = "downloaded.csv"
    if form in USERS[option]:
        refuse_wrong_options(form, given)
    else:
        with pytest.raises(UsageError, match=option):
            refuse_wrong_options(form, given)


@pytest.mark.parametrize("form", sorted(USERS["--into"]))
def test_a_form_that_needs_a_download_says_so(form: str) -> None:
    with pytest.raises(UsageError, match=f"--to {form} needs --into FILE"):
        refuse_wrong_options(form, ABSENT)
    refuse_wrong_options(form, ABSENT | {"--into": Path("downloaded.csv")})
