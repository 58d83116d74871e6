"""The gradebook's tables are nbgrader's own."""

import pytest
from hearts_course.errors import CourseError, UsageError
from hearts_course.nbgrader.tables import REVISION, TABLES, opened
from sqlalchemy import text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateTable


@pytest.mark.parametrize("dialect", [sqlite.dialect(), postgresql.dialect()])
def test_they_are_those_that_nbgrader_would_make(dialect):
    from nbgrader.api import Base

    def made(tables):
        return {
            name: sorted(str(CreateTable(table).compile(dialect=dialect)).replace(",", "").split())
            for name, table in tables.items()
        }

    assert made(TABLES.tables) == made(Base.metadata.tables)


def test_their_shape_has_nbgraders_name():
    from alembic.script import ScriptDirectory
    from nbgrader.dbutil import ALEMBIC_DIR

    assert ScriptDirectory(ALEMBIC_DIR).get_current_head() == REVISION


@pytest.mark.parametrize("url", ["gradebook.db", "nonsense://x"])
def test_what_is_no_gradebook(url, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="no gradebook's URL"):
        opened(url)


def test_one_that_cannot_be_reached_is_said_without_its_password(tmp_path):
    with pytest.raises(CourseError, match="unable to open") as fault:
        opened(f"sqlite:///{tmp_path}/no/folder/gradebook.db")
    assert "\n" not in str(fault.value)
    for whose in ("hearts:secret@127.0.0.1:1/x?", "127.0.0.1:1/x?password=secret&"):
        with pytest.raises(CourseError, match=r":\*\*\*@127") as fault:
            opened(f"postgresql+psycopg://{whose}connect_timeout=2")
        assert "secret" not in str(fault.value)


def test_a_gradebook_is_made_whole_or_not_at_all(tmp_path, monkeypatch):
    url = f"sqlite:///{tmp_path}/gradebook.db"
    with monkeypatch.context() as patch:
        patch.setattr("hearts_course.nbgrader.tables.REVISION", "it's cut short")
        with pytest.raises(CourseError, match="syntax error"):
            opened(url)
    made = opened(url)
    with made.connect() as connection:
        assert connection.execute(text("SELECT * FROM alembic_version")).scalar() == REVISION
    made.dispose()
