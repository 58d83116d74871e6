"""Settings for all tests of the packages `hearts_course` and `hearts_grader`."""

import os
import signal
import tempfile
from pathlib import Path

import pytest
from machine import SKIPPED, reason_without_sandbox

COUNT_FILE = "file_for_count_of_skipped"  # key in `workerinput`: the path of a worker's file
SAID = pytest.StashKey()  # key in the stash: True after the first line was printed


def pytest_configure():
    """Let Ctrl-C interrupt the tests, although a shell turns it off for background processes."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers():
    """Return two more than the number of processors, because many tests wait for a timeout."""
    return (os.cpu_count() or 1) + 2


@pytest.hookimpl(tryfirst=True)  # run before pytest selects tests by marks
def pytest_collection_modifyitems(items):
    """Skip tests that need a sandbox on a machine without one, and mark exhaustive cases.

    A case with two marks `proof` varies two parameters at once. It gets the mark `exhaustive`,
    because cases with a single mark `proof` vary each parameter alone.
    """
    for item in items:
        if len(list(item.iter_markers("proof"))) > 1:
            item.add_marker(pytest.mark.exhaustive)
    if reason_without_sandbox():
        for item in items:
            if item.get_closest_marker("needs_sandbox"):
                item.add_marker(pytest.mark.skip(reason=SKIPPED))


@pytest.hookimpl(tryfirst=True)  # a worker of xdist counts before it reports what it collected
def pytest_collection_finish(session):
    """Say before the first test how many tests are skipped, and why."""
    if not reason_without_sandbox():
        return
    skipped = [item for item in session.items if SKIPPED in reasons_to_skip(item)]
    if is_xdist_worker(session):
        Path(session.config.workerinput[COUNT_FILE]).write_text(str(len(skipped)))
    else:
        say_in_first_line(session.config, len(skipped))


def reasons_to_skip(item):
    return [mark.kwargs.get("reason") for mark in item.iter_markers("skip")]


@pytest.hookimpl(optionalhook=True)  # with `-p no:xdist`, no plugin defines this hook
def pytest_configure_node(node):
    """Give each xdist worker a file for its count, because only the main process can print."""
    folder = tempfile.TemporaryDirectory(prefix="hearts-tests-")
    node.config.add_cleanup(folder.cleanup)
    node.workerinput[COUNT_FILE] = str(Path(folder.name, "skipped"))


def pytest_xdist_node_collection_finished(node):
    """Print before the first test how many are skipped; the fastest worker has counted them."""
    config = node.config
    if reason_without_sandbox() and not config.stash.get(SAID, False):
        config.stash[SAID] = True
        say_in_first_line(config, int(Path(node.workerinput[COUNT_FILE]).read_text()))


def say_in_first_line(config, count):
    reason = reason_without_sandbox()
    say(config, f"{count} tests are skipped because they need a sandbox: {reason}")


@pytest.hookimpl(tryfirst=True, wrapper=True)
def pytest_sessionfinish(session):
    """Say in the last line how many tests were skipped, and why."""
    result = yield
    if not is_xdist_worker(session) and (reason := reason_without_sandbox()):
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        reports = reporter.stats.get("skipped", []) if reporter else []
        count = sum(str(report.longrepr[2]).endswith(SKIPPED) for report in reports)
        say(session.config, f"{count} tests were skipped because they need a sandbox: {reason}")
    return result


def is_xdist_worker(session):
    return hasattr(session.config, "workerinput")


def say(config, line):
    if reporter := config.pluginmanager.get_plugin("terminalreporter"):
        reporter.ensure_newline()
        reporter.write_line(line)
