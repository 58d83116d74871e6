"""What earlier runs have shown about a suite's tests."""

from dataclasses import dataclass, field

from hearts_course.sandbox.answers import SubmissionStopped
from hearts_course.sandbox.client import Connection
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.testing.job import Program
from hearts_course.testing.outcomes import TestOutcome
from hearts_course.testing.reference import Reference
from hearts_course.testing.suite import Suite
from hearts_course.testing.tests import Test
from hearts_course.testing.transcripts import Exchange, Transcripts

MAX_LIKELY = 2  # the next run begins with at most this many tests: those that ended recent runs


@dataclass
class Experience:
    """What is known about a suite's tests.

    `likely` are the tests that ended the latest runs, because the program failed them.
    `transcripts` are the questions and answers of tests that programs have passed.
    """

    reference: Reference
    likely: list[Test] = field(default_factory=list)
    transcripts: Transcripts = field(default_factory=Transcripts)

    def note_end(self, failed: Test) -> None:
        """Remember the test that has ended a run."""
        others = [test for test in self.likely if test is not failed]
        self.likely = [failed, *others][:MAX_LIKELY]

    def outcome_of(self, test: Test, program: Program, suite: Suite) -> TestOutcome:
        """Run the test in the program's current process, and return how it ends.

        The transcripts hold the answers of programs that passed. If this program gives the same
        answers, it passes, and the test's own code does not run.
        """
        if not (test.direct and isinstance(program, SubmissionProcess)):
            return suite.outcome_of(test, program)
        exchange = Exchange(program)
        try:
            if self.transcripts.passes(test.name, exchange):
                return TestOutcome()
        except SubmissionStopped as stopped:
            return TestOutcome(stopped)
        program.connection = Connection(exchange.ask)
        outcome = suite.outcome_of(test, program)
        if outcome.error is None:
            self.transcripts.keep(test.name, exchange)
        return outcome
