"""Settings for all tests of the tool."""

import os
import signal

import pytest
from machine import SKIPPED, reason_without_sandbox


def pytest_configure():
    """Handle interrupts, which a shell turns off for processes in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_xdist_auto_num_workers():
    """Return one worker more than there are processors, because many tests wait for a timeout."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items):
    """Skip the tests that are marked with `needs_sandbox` on a machine without one."""
    if reason_without_sandbox():
        for item in items:
            if item.get_closest_marker("needs_sandbox"):
                item.add_marker(pytest.mark.skip(reason=SKIPPED))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session):
    """Say in the first line that tests are skipped, and why."""
    if not is_xdist_worker(session) and (reason := reason_without_sandbox()):
        say(
            session,
            f"tests that need a sandbox are skipped, and counted in the last line: {reason}",
        )


@pytest.hookimpl(tryfirst=True, wrapper=True)
def pytest_sessionfinish(session):
    """Say in the last line how many tests were skipped, and why."""
    result = yield
    if not is_xdist_worker(session) and (reason := reason_without_sandbox()):
        reporter = session.config.pluginmanager.get_plugin("terminalreporter")
        reports = reporter.stats.get("skipped", []) if reporter else []
        count = sum(str(report.longrepr[2]).endswith(SKIPPED) for report in reports)
        say(session, f"{count} tests were skipped because they need a sandbox: {reason}")
    return result


def is_xdist_worker(session):
    return hasattr(session.config, "workerinput")


def say(session, line):
    if reporter := session.config.pluginmanager.get_plugin("terminalreporter"):
        reporter.ensure_newline()
        reporter.write_line(line)
