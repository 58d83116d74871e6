"""Keep the answers of programs that passed a test, so that the test need not run again.

A test sees only the answers of a program. So a program also passes if it gives the same answers as
an earlier program that passed. The new program is asked the test's questions, without running
the test's own code. If an answer differs from all earlier ones, the test itself runs: it first gets
the answers that the program has already given, and then asks further questions.
"""

from collections.abc import Collection
from typing import Any

from hearts_course.sandbox.answers import RemoteError, read_answer, remote_error
from hearts_course.sandbox.submission_process import SubmissionProcess
from hearts_course.sandbox.worker.protocol import ProtocolError, to_json

MAX_BYTES = 8 * 2**20  # at most this many bytes of questions and answers are kept for a suite
MAX_TRANSCRIPTS = 20  # at most this many transcripts, with different answers, are kept for a test


class OutOfStep(BaseException):
    """A test does not put the same question as before, although it got the same answers."""


class Exchange:
    """A test's questions to a program, and the program's answers.

    If the test's own code runs later, it is first given these recorded answers.
    """

    def __init__(self, program: SubmissionProcess) -> None:
        self._program = program
        self._repeated = 0
        self.questions: list[bytes] = []
        self.answers: list[bytes] = []
        self.errors: dict[int, RemoteError] = {}  # errors that the test got, by question number

    def put(self, question: bytes) -> bytes:
        """Return the program's answer; raise SubmissionStopped if there is none."""
        answer = self._program.questions.put(question)
        self.questions.append(question)
        self.answers.append(answer)
        return answer

    def ask(self, question: dict[str, Any]) -> Any:
        """Return the value of the program's answer.

        If the program has answered this question already, use that answer. Raise RemoteError if the
        program raised an error, and SubmissionStopped if it gives no answer. Raise OutOfStep if the
        test puts another question than before.
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
    """The questions of a test that a program passed, and the program's answers."""

    def __init__(self, exchange: Exchange, texts: dict[bytes, bytes]) -> None:
        """`texts` has the texts of other transcripts, so that equal texts are stored once."""
        self.questions = [texts.setdefault(text, text) for text in exchange.questions]
        self._answers = [texts.setdefault(text, text) for text in exchange.answers]
        self._seen = {number: tuple(error.seen) for number, error in exchange.errors.items()}
        self._told = {n: _told(self._answers[n], seen) for n, seen in self._seen.items()}

    def allows(self, number: int, answer: bytes) -> bool:
        """Return whether the test would go on in the same way after this answer.

        `number` is the number of the question. Errors may differ in the parts that the test did not
        look at. Return False for an unreadable answer, because the test itself has to judge it.
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
    """Return the class of the error in the answer, and the error's parts with these names.

    Raise ProtocolError for an answer without an error.
    """
    return remote_error(read_answer(answer).get("error")).told(names)


class Transcripts:
    """The transcripts of all tests of a suite."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        """Keep at most `max_bytes` of questions and answers."""
        self._max_bytes = max_bytes
        self._of: dict[str, list[Transcript]] = {}
        self._texts: dict[bytes, bytes] = {}
        self._bytes = 0

    def passes(self, test: str, exchange: Exchange) -> bool:
        """Ask the test's questions. Return whether an earlier program with the same answers passed.

        Raise SubmissionStopped if the program stops.
        """
        alike = self._of.get(test, [])
        while alike:
            # After the same answers, a test puts the same next question. So all these transcripts
            # have the same next question.
            questions = alike[0].questions
            number = len(exchange.answers)
            if number >= len(questions):
                return True
            answer = exchange.put(questions[number])
            alike = [transcript for transcript in alike if transcript.allows(number, answer)]
        return False

    def keep(self, test: str, exchange: Exchange) -> None:
        """Keep the questions and answers of a passed test, unless there are too many already."""
        transcripts = self._of.setdefault(test, [])
        size = sum(map(len, (*exchange.questions, *exchange.answers)))
        if self._bytes + size <= self._max_bytes and len(transcripts) < MAX_TRANSCRIPTS:
            self._bytes += size
            transcripts.append(Transcript(exchange, self._texts))
