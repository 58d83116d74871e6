"""What programs answered in tests that they passed, so that the tests need not be run for others.

A test sees nothing of a program but its answers, so its verdict follows from them. A program that
gives the same answers as one that passed will pass, too. It is asked every question as ever; what
is spared is the test's own work. After the first answer that is new, the test is run. It gets the
answers that the program has given so far, and then asks on.
"""

from typing import Any

from hearts_course.sandbox.answers import RemoteError
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.protocol import from_json, to_json

MAX_BYTES = 4 * 2**20  # of all questions and answers of a suite
STEP_BYTES = 400  # what a step takes beside its texts


class OutOfStep(BaseException):
    """A test asks otherwise than it did before, after the same answers."""


class Exchange:
    """A test's questions to a program, and its answers, which are repeated for the test itself."""

    def __init__(self, program: SubmissionProcess) -> None:
        self._program = program
        self.said: list[tuple[bytes, bytes]] = []  # questions and answers
        self.errors: dict[int, RemoteError] = {}  # by the number of the question
        self._repeated = 0

    def put(self, question: bytes) -> bytes:
        """Return the program's answer; raise SubmissionStopped if there is none."""
        answer = self._program.put(question)
        self.said.append((question, answer))
        return answer

    def ask(self, question: dict[str, Any]) -> Any:
        """Return the value of the program's answer, which it may have given already.

        Raise what the program raised, SubmissionStopped or OutOfStep.
        """
        text, number = to_json(question), self._repeated
        if number == len(self.said):
            self.put(text)
        self._repeated += 1
        asked, answer = self.said[number]
        if asked != text:
            raise OutOfStep
        try:
            return self._program.read(answer)
        except RemoteError as error:
            self.errors[number] = error
            raise


class Step:
    """The question that a test asks next, and the step after each of its answers.

    The last step has no question: the test has passed.
    """

    __slots__ = ("_answers", "_errors", "question")

    def __init__(self, question: bytes) -> None:
        self.question = question
        self._answers: dict[bytes, Step] = {}
        self._errors: list[tuple[dict[str, Any], Step]] = []

    def after(self, answer: bytes) -> "Step | None":
        """Return the step after this answer, or None if it is new.

        An error need only be the same in what the test looked at.
        """
        step = self._answers.get(answer)
        if step is None and self._errors:
            told = from_json(answer).get("error")
            for parts, after in self._errors:
                if isinstance(told, dict) and told | parts == told:
                    return after
        return step

    def lead_to(self, answer: bytes, error: RemoteError | None, question: bytes) -> "Step":
        """Return the step after this answer, a new one if necessary."""
        step = self.after(answer) or Step(question)
        if error is None:
            self._answers[answer] = step
        elif self.after(answer) is None:
            told = from_json(answer)["error"]
            self._errors.append(({name: told[name] for name in ("base", *error.seen)}, step))
        return step


class Transcripts:
    """The exchanges of all passed tests of a suite."""

    def __init__(self) -> None:
        self._first: dict[str, Step] = {}
        self._bytes = 0

    def passes(self, test: str, exchange: Exchange) -> bool:
        """Ask the program what the test asks; return whether a program passed with its answers.

        Raise SubmissionStopped if the program stops.
        """
        step = self._first.get(test)
        while step is not None and step.question:
            step = step.after(exchange.put(step.question))
        return step is not None

    def keep(self, test: str, exchange: Exchange) -> None:
        """Remember what was said, in a test that passed."""
        if self._bytes > MAX_BYTES:
            return
        questions = [*(question for question, _ in exchange.said), b""]
        step = self._first.setdefault(test, Step(questions[0]))
        for number, (question, answer) in enumerate(exchange.said):
            if step.question != question:
                return
            self._bytes += len(question) + len(answer) + STEP_BYTES
            step = step.lead_to(answer, exchange.errors.get(number), questions[number + 1])
