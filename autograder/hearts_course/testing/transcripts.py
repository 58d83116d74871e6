"""What programs answered in tests that they passed, so that the tests need not be run for others.

A test sees nothing of a program but its answers. So a program that gives the same answers as an
earlier program that passed will also pass. The program is asked every question of the test, but the
test's own code need not run. After the first new answer, the test itself is run. The test gets the
answers that the program has given so far, and then asks on.
"""

from collections.abc import Collection
from typing import Any

from hearts_course.sandbox.answers import RemoteError, read_answer, remote_error
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.protocol import ProtocolError, to_json

MAX_BYTES = 8 * 2**20  # of the questions and answers of a suite
MAX_TRANSCRIPTS = 20  # of a test; each is another way to answer it


class OutOfStep(BaseException):
    """A test asks otherwise than it did before, after the same answers."""


class Exchange:
    """A test's questions to a program and its answers, which are repeated for the test itself."""

    def __init__(self, program: SubmissionProcess) -> None:
        self._program = program
        self._repeated = 0
        self.questions: list[bytes] = []
        self.answers: list[bytes] = []
        self.errors: dict[int, RemoteError] = {}  # errors that the test got, by question

    def put(self, question: bytes) -> bytes:
        """Return the program's answer; raise SubmissionStopped if there is none."""
        answer = self._program.questions.put(question)
        self.questions.append(question)
        self.answers.append(answer)
        return answer

    def ask(self, question: dict[str, Any]) -> Any:
        """Return the value of the program's answer, which it may have given already.

        Raise what the program raised, SubmissionStopped or OutOfStep.
        """
        text = to_json(question)
        number = self._repeated
        if number == len(self.answers):
            self.put(text)
        elif self.questions[number] != text:
            raise OutOfStep
        self._repeated += 1
        try:
            return self._program.read(self.answers[number])
        except RemoteError as error:
            self.errors[number] = error
            raise


class Transcript:
    """What a program was asked in a test that it passed, and what it answered."""

    def __init__(self, exchange: Exchange, texts: dict[bytes, bytes]) -> None:
        """`texts` has the texts of other transcripts, so that equal texts are stored once."""
        self.questions = [texts.setdefault(text, text) for text in exchange.questions]
        self._answers = [texts.setdefault(text, text) for text in exchange.answers]
        self._seen = {number: tuple(error.seen) for number, error in exchange.errors.items()}
        self._told = {n: _told(self._answers[n], seen) for n, seen in self._seen.items()}

    def allows(self, number: int, answer: bytes) -> bool:
        """Return whether the test goes on in the same way after this answer to that question.

        An error need only be equal in what the test looked at. An unreadable answer is for the test
        itself to judge.
        """
        if answer == self._answers[number]:
            return True
        if number not in self._told:
            return False
        try:
            return _told(answer, self._seen[number]) == self._told[number]
        except ProtocolError:
            return False


def _told(answer: bytes, names: Collection[str]) -> tuple[type, list[Any]]:
    """Return the class of the error that is the answer, and these parts of the error.

    Raise ProtocolError for any other answer.
    """
    return remote_error(read_answer(answer).get("error")).told(names)


class Transcripts:
    """The transcripts of all tests of a suite."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        """Keep no more bytes of questions and answers than that."""
        self._max_bytes = max_bytes
        self._of: dict[str, list[Transcript]] = {}
        self._texts: dict[bytes, bytes] = {}
        self._bytes = 0

    def passes(self, test: str, exchange: Exchange) -> bool:
        """Ask the program what the test asks; return whether a program with its answers passed.

        Raise SubmissionStopped if the program stops.
        """
        alike = self._of.get(test, [])
        while alike:
            # After the same answers a test asks the same, so any of these transcripts will do.
            questions = alike[0].questions
            number = len(exchange.answers)
            if number >= len(questions):
                return True
            answer = exchange.put(questions[number])
            alike = [transcript for transcript in alike if transcript.allows(number, answer)]
        return False

    def keep(self, test: str, exchange: Exchange) -> None:
        """Keep what was said in a test that passed, unless that would take too much memory."""
        transcripts = self._of.setdefault(test, [])
        size = sum(map(len, (*exchange.questions, *exchange.answers)))
        if self._bytes + size <= self._max_bytes and len(transcripts) < MAX_TRANSCRIPTS:
            self._bytes += size
            transcripts.append(Transcript(exchange, self._texts))
