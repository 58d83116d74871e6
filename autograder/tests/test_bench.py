"""The benchmarks can run on every stage, and end if a command fails or a result is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from bench_peers import ONLY_NAMED_PLUGINS, plain_pytest
from bench_scale import machine, refuse_missing_results
from hearts_course.course import find_course

FAILING = """
import sys, bench
bench.measure(lambda: [[sys.executable, "-c", "raise SystemExit('the peer is broken')"]])
"""


def test_an_error_in_a_measured_command_ends_the_benchmark():
    done = subprocess.run(
        [sys.executable, "-c", FAILING],
        cwd=Path(__file__).parent / "bench",
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert "the peer is broken" in done.stderr


@pytest.mark.proof
@pytest.mark.parametrize("stage", find_course().counted, ids=lambda stage: stage.name)
def test_plain_pytest_can_collect_every_suite(stage, tmp_path):
    (command,) = plain_pytest(stage, tmp_path, [stage.reference()])()
    done = subprocess.run(
        [*command, "--collect-only"],
        env=os.environ | ONLY_NAMED_PLUGINS,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    for test in (*stage.visible_tests, *stage.hidden_tests):
        assert test.name in done.stdout


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_the_time_of_each_part_can_be_measured():
    program = Path(__file__).parent / "bench" / "bench_parts.py"
    done = subprocess.run(
        [sys.executable, str(program), "--stage", "02-clinic", "--rounds", "1"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "a process for tests" in done.stdout


def test_a_figure_of_a_term_needs_every_result_and_names_the_machine(tmp_path):
    stages = find_course().counted[:2]
    table = tmp_path / "grades.csv"
    titles = "student,stage,score,max_score,status\n"
    row = "ada,{},1,2,{},\n"
    whole = [row.format(stage.name, "graded") for stage in stages]
    table.write_text(titles + "".join(whole))
    refuse_missing_results(tmp_path, 1, stages)
    for rows in (whole[:1], [whole[0], row.format(stages[1].name, "grader-error")]):
        table.write_text(titles + "".join(rows))
        with pytest.raises(SystemExit, match="of 2 results"):
            refuse_missing_results(tmp_path, 1, stages)
    assert f"{os.cpu_count()} processors" in machine()


@pytest.mark.proof
@pytest.mark.needs_sandbox
def test_what_sandboxes_tell_each_other_can_be_measured():
    command = [sys.executable, str(Path(__file__).parent / "bench/bench_channels.py"), "--bits=8"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert "bits a second" in done.stdout
