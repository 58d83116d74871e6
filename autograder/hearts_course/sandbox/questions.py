"""Put a test's questions to a program, limit the size of all answers, and remember some answers."""

from hearts_course.sandbox.conversation import Conversation
from hearts_course.sandbox.worker.protocol import MAX_ANSWERS_BYTES

NAME = b'{"value":{"handle":"'  # the beginning of an answer that refers to an object by name
MAX_NAME_BYTES = 1000  # a longer answer with a name is not remembered
# A question that begins like this may change what a name means.
CHANGES = (b'{"do":"set"', b'{"do":"del"')
TOO_MUCH = f"answered with more than {MAX_ANSWERS_BYTES // 2**20} MiB in one test"


class Questions:
    """The questions that tests put to the processes of one program."""

    def __init__(self, conversation: Conversation) -> None:
        self._conversation = conversation
        self._names: dict[bytes, bytes] = {}
        self._answers_left = MAX_ANSWERS_BYTES  # how many bytes of answers this test may still get
        self.has_assigned = False  # whether a test has changed a name of the present process

    def forget_names(self) -> None:
        """Forget the answers that refer to objects by name; a new process has other objects."""
        self._names.clear()
        self.has_assigned = False

    def allow_answers(self) -> None:
        """Allow the full number of bytes of answers again, because another test begins.

        The test may begin in a new process, or in the process of the test before it.
        """
        self._answers_left = MAX_ANSWERS_BYTES

    def put(self, question: bytes) -> bytes:
        """Send a question and return its answer; both are JSON texts without a message number.

        The conversation adds the number that matches an answer to its question. An answer that
        refers to an object by name is remembered, and the same question is not sent again to the
        same process. A question that may change what names mean clears this memory. Raise
        SubmissionStopped if there is no answer, or if the test's answers take too many bytes
        together.
        """
        if question in self._names:
            return self._names[question]
        answer = self._conversation.receive(self._conversation.send(question))
        self._answers_left -= len(answer)
        if self._answers_left < 0:
            raise self._conversation.stop("crashed", TOO_MUCH)
        if answer.startswith(NAME) and len(answer) <= MAX_NAME_BYTES:
            self._names[question] = answer
        elif question.startswith(CHANGES):
            self._names.clear()
            self.has_assigned = True
        return answer
