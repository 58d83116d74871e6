import os

import pytest
from hearts_course.errors import UsageError
from hearts_course.submissions.find import find_submissions
from tiny_class import STAGE, put
from tiny_course import STAGE_TOML, write_course

PY = {"coins.py": "x = 1\n"}


@pytest.fixture
def course(tmp_path):
    second = tmp_path / "course/assignments/02-banks/stage.toml"
    second.parent.mkdir(parents=True)
    second.write_text(STAGE_TOML.replace('"worth"', '"rate"').replace("coins.py", "banks.py"))
    return write_course(tmp_path / "course")


@pytest.fixture
def root(tmp_path):
    return tmp_path / "class"


def slots(layout, root):
    return [
        (s.student, s.stage.name, s.path and str(s.path.relative_to(root))) for s in layout.paths
    ]


def test_folders_and_zips_are_found_by_student_and_stage(course, root):
    put(root / "bob" / STAGE, PY)
    put(root / "ada", {f"{STAGE}.zip": b"PK"})
    layout = find_submissions(root, course)
    assert slots(layout, root) == [
        ("ada", STAGE, f"ada/{STAGE}.zip"),
        ("bob", STAGE, f"bob/{STAGE}"),
    ]
    assert layout.warnings == ()


@pytest.mark.parametrize("above", [False, True])
def test_nbgrader_s_layout_is_found_from_either_folder(course, root, above):
    put(root / "submitted/ada" / STAGE, PY | {"timestamp.txt": "2026-01-01"})
    put(root / "source", {"x.ipynb": "{}"})
    layout = find_submissions(root if above else root / "submitted", course)
    assert slots(layout, root) == [("ada", STAGE, f"submitted/ada/{STAGE}")]
    assert layout.warnings == ()


def test_a_student_may_be_called_submitted(course, root):
    put(root / "submitted" / STAGE, PY)
    put(root / "ada" / STAGE, PY)
    assert [slot.student for slot in find_submissions(root, course).paths] == ["ada", "submitted"]


def test_a_stage_that_one_student_has_is_graded_for_all(course, root):
    put(root / "ada" / STAGE, PY)
    put(root / "bob/02-banks", PY)
    layout = find_submissions(root, course)
    assert [stage.name for stage in layout.stages] == [STAGE, "02-banks"]
    assert [slot.problem for slot in layout.paths] == [
        "",
        "nothing was handed in for 02-banks; expected banks.py or 02-banks.ipynb",
        f"nothing was handed in for {STAGE}; expected coins.py or {STAGE}.ipynb",
        "",
    ]


def test_stages_can_be_chosen_by_name_or_number(course, root):
    put(root / "ada" / STAGE, PY)
    put(root / "ada/02-banks", PY)
    assert slots(find_submissions(root, course, ["2"]), root) == [
        ("ada", "02-banks", "ada/02-banks")
    ]
    with pytest.raises(UsageError, match="no stage is called '02-bank'; did you mean 02-banks"):
        find_submissions(root, course, ["02-bank"])


def test_a_similar_stage_is_suggested_for_an_unknown_folder(course, root):
    put(root / "ada/1-coins", PY)
    put(root / "bob" / STAGE, PY)
    put(root / "bob/holidays", {"me.jpg": ""})
    layout = find_submissions(root, course)
    assert layout.warnings == (
        "1-coins of ada is not a stage; did you mean 01-coins?",
        "holidays of bob is not a stage; there are: 01-coins, 02-banks",
    )
    assert layout.paths[0].problem == "there is no 01-coins, but 1-coins; rename it to 01-coins"


def test_a_file_outside_its_folder_gets_advice(course, root):
    put(root / "ada", PY)
    put(root / "bob" / STAGE, PY)
    first = find_submissions(root, course).paths[0]
    assert (first.path, first.problem) == (
        None,
        "coins.py lies outside the folder 01-coins; put it in there",
    )


def test_clutter_is_ignored_and_loose_files_are_reported(course, root):
    put(root / "ada" / STAGE, PY)
    put(root / "ada/__MACOSX", {"x": ""})
    put(root / "ada/.ipynb_checkpoints", {"x": ""})
    put(root, {".DS_Store": "", "grades.xlsx": "", ".hidden/x": ""})
    layout = find_submissions(root, course)
    assert len(layout.paths) == 1
    assert layout.warnings == ("grades.xlsx is not a student's folder and was left out",)


def test_a_folder_counts_before_a_zip(course, root):
    put(root / "ada" / STAGE, PY)
    put(root / "ada", {f"{STAGE}.zip": b"PK"})
    layout = find_submissions(root, course)
    assert slots(layout, root) == [("ada", STAGE, f"ada/{STAGE}")]
    assert layout.warnings == ("01-coins.zip of ada was left out: there is a folder of that stage",)


def test_a_linked_student_is_not_followed(course, root):
    put(root / "ada" / STAGE, PY)
    (root / "eve").symlink_to("ada")
    eve = find_submissions(root, course).paths[1]
    assert (eve.student, eve.path) == ("eve", None)
    assert "symbolic link" in eve.problem


def test_a_student_s_closed_folder_is_reported(course, root, monkeypatch):
    put(root / "ada" / STAGE, PY)
    put(root / "bob" / STAGE, PY)
    whole = type(root).iterdir

    def iterdir(folder):
        if folder.name == "ada":
            raise PermissionError(13, "Permission denied")
        return whole(folder)

    monkeypatch.setattr(type(root), "iterdir", iterdir)
    ada, bob = find_submissions(root, course).paths
    assert "may not be opened (Permission denied)" in ada.problem
    assert bob.problem == ""


@pytest.mark.parametrize(
    ("name", "student"),
    [("a\nb", "a%0Ab"), ("-x", "%2Dx"), ("\x1b[31m", "%1B[31m"), ("=1+1", "=1+1")],
)
def test_control_characters_in_names_are_escaped(course, root, name, student):
    put(root / name / STAGE, PY)
    (slot,) = find_submissions(root, course).paths
    assert slot.student == student
    assert (slot.path / "coins.py").exists()


def test_a_name_that_is_not_text_is_escaped(course, root):
    put(root / os.fsdecode(b"caf\xe9") / STAGE, PY)
    assert [slot.student for slot in find_submissions(root, course).paths] == ["caf%E9"]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (None, "class: No such file or directory; <student>/<stage>/ is expected in a folder"),
        ({}, "class: nothing to grade; <student>/<stage>/ is expected"),
        (
            {"ada/1-coins/coins.py": ""},
            "class: nothing to grade; 1-coins of ada is not a stage; did",
        ),
        ({"01-coins/coins.py": ""}, "class: holds 01-coins itself; name the folder above"),
    ],
)
def test_a_folder_without_submissions_is_misuse(course, root, files, message):
    if files is not None:
        put(root, files)
    with pytest.raises(UsageError) as fault:
        find_submissions(root, course)
    assert message in str(fault.value)
