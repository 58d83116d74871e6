"""What a check shows in a notebook, in Jupyter's own light and dark colours."""

import sys
from pathlib import Path

import pytest
from hearts_course.results import Outcome, TestResult, score_stage
from hearts_course.student.page import report_html
from hearts_course.student.report import NOTEBOOK, report_on
from tiny_course import write_stage

THEMES = Path(sys.prefix, "share/jupyter/lab/themes/@jupyterlab")
SHOWN = '<style>body {{ background: var(--jp-layout-color1); }}</style><main lang="en">{}</main>'


@pytest.fixture(scope="module")
def html(tmp_path_factory):
    """A report with a task that passes, one that fails, and one that was not reached."""
    stage = write_stage(tmp_path_factory.mktemp("course"))
    message = 'Coin("dime").worth\n  came back 5\n  expected  10\nWhy it matters: ten cents.'
    outcomes = [Outcome.PASSED, Outcome.FAILED, Outcome.NOT_REACHED]
    tests = {
        task.id: [TestResult(task.id, "A dime is worth ten.", False, outcome, message)]
        for task, outcome in zip(stage.tasks, outcomes, strict=True)
    }
    result = score_stage(stage, "", tests, sandbox="none")
    return report_html(report_on(stage, result, where="coins.py", commands=NOTEBOOK))


@pytest.mark.parametrize("theme", ["light", "dark", "dark-high-contrast"])
def test_every_word_can_be_told_from_what_is_behind_it(html, new_page, axe, shot, theme):
    style = THEMES / f"theme-{theme}-extension/index.css"
    if not style.is_file():
        pytest.skip("JupyterLab is not installed here")
    page = new_page()
    page.set_content(SHOWN.format(html))
    page.add_style_tag(path=style)
    shot(page, f"check-{theme}")
    assert "color-contrast" not in axe(page)
