"""Attacks on the protocol of the sandbox, byte by byte.

In a sandbox, a server answers the grader's questions about the program. A program that contains the
code `FAR` changes this server in the test's process. A program that contains the code `ALONE`
replaces the server: from its import on, the program reads and writes the two pipes itself. The
server sends the message `late` when the time is nearly over.
"""

from hostile.attack import ALL, HURRIED, NO_ERROR, NONE, ONE, SHOWN, Attack, beside

FAR = """
import json, os, sys, time
SERVER, FIRST = sys.modules["sandbox_worker.server"], []
ANSWER, SEND = SERVER.Server.answer, SERVER.Channel.send
def listen_in(name):
    original = getattr(SERVER.Channel, name)
    def receive(channel):
        FIRST[:1] = [channel]
        question = original(channel)
        if question["do"] == "begin":
            FIRST[1:] = [question["id"]]
        return question
    setattr(SERVER.Channel, name, receive)
listen_in("receive")
listen_in("receive_next")
def write(some):
    while some:
        some = some[os.write(FIRST[0]._out, some):]
def raw(body):
    write(len(body).to_bytes(4, "big") + body)
def everywhere(function):
    SERVER.Server.answer = function
def once(function):
    def answer(server, question):
        label = question["do"] == "call" and any(type(given) is str for given in question["args"])
        return (function if label else ANSWER)(server, question)
    everywhere(answer)
def where_an_error_is_due(function):
    def answer(server, question):
        answered = ANSWER(server, question)
        return function(question, answered["error"]) if "error" in answered else answered
    everywhere(answer)
def value(question, body):
    raw(b'{"id": %d, "value": %s}' % (question["id"], body))
"""
ALONE = """
import json, os, sys
def above(name):
    frame = sys._getframe()
    while name not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals[name]
IN, OUT = above("channel")._in, above("channel")._out
def exactly(size):
    got = b""
    while len(got) < size:
        got += os.read(IN, size - len(got)) or os._exit(0)
    return got
def hear():
    return json.loads(exactly(int.from_bytes(exactly(4), "big")))
def say(message):
    body = json.dumps(message, separators=(",", ":")).encode()
    os.write(OUT, len(body).to_bytes(4, "big") + body)
def converse(answer):
    say({"id": above("begin")["id"], "value": None})
    while (question := hear())["do"] != "end":
        if question["do"] != "go_on":
            answer(question)
    os._exit(0)
"""

OUTLIVES = """
import sys
BEGUN = []
def number():
    frame = sys._getframe()
    while "begin" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["begin"]["id"]
def converse(channel, server):
    while True:
        question = channel.receive_next()
        if question["do"] == "begin":
            BEGUN.append(question)
            channel.send({"id": question["id"], "value": None})
        elif question["do"] == "end":
            channel.send({"id": number(), "ended": "", "cpu_seconds": 0})
        elif question["do"] != "go_on":
            channel.send(server.answer(question))
sys.modules["sandbox_worker.server"].converse = converse
def label(text):
    return "remembers" if BEGUN else text[::-1]
"""


def always(expression):
    """Return a program that runs the expression instead of giving any answer."""
    return beside(f"{FAR}everywhere(lambda server, question: {expression})")


def once(expression):
    """Return a program that runs the expression instead of one answer; all others are honest."""
    return beside(f"{FAR}once(lambda server, question: {expression})")


def instead_of_an_error(expression):
    """Return a program that runs the expression instead of each error; other answers are honest."""
    return beside(f"{FAR}where_an_error_is_due(lambda question, error: {expression})")


def says(body):
    """Return a program that sends these bytes as the value of one answer."""
    return once(f"value(question, {body})")


def alone(*lines):
    """Return a program that replaces the server, and runs these lines for each answer."""
    body = "\n".join(f"    {line}" for line in lines)
    return f"{ALONE}\ndef answer(question):\n{body}\nconverse(answer)\n"


ATTACKS = [
    Attack("answers True to everything", always("{'id': question['id'], 'value': True}"), NONE),
    Attack("answers with an object that cannot exist", always(
        "{'id': question['id'], 'value': {'handle': -10**50, 'class': '<b>' * 9999}}"), NONE),
    Attack("answers with a list instead of an answer", once("[1]"), ONE),
    Attack("answers with a value and an error at once", once(
        "{'id': question['id'], 'value': 7, 'error': {}}"), ONE),
    Attack("answers with an error that passes, and with a value", instead_of_an_error(
        "{'id': question['id'], 'value': None, 'error': error}"), NO_ERROR),
    Attack("answers with the right value, and with more than that", once(
        "ANSWER(server, question) | {'note': 1}"), ONE),
    Attack("sends what is not JSON where an error is due", instead_of_an_error(
        "raw(b'{\"id\":%d,!' % question['id'])"), NO_ERROR),
    Attack("sends half an error where an error is due", instead_of_an_error(
        "{'id': question['id'], 'error': {'base': error['base'], 'text': error['text']}}"),
        NO_ERROR),
    Attack("answers with a number that only equals the question's", once(
        "{'id': float(question['id']), 'value': 7}"), ONE),
    Attack("answers with a number too large for its kind", says("b'1e999'"), ONE),
    Attack("answers with half a character", says("""b'"\\\\ud800"'"""), ONE),
    Attack("answers with a little too many values", says(
        """b'{"list": [%s]}' % b','.join([b'1'] * 20_001)"""), ONE),
    Attack("answers 4 MB to every question", always(
        "{'id': question['id'], 'value': 'x' * 4_000_000}"), NONE),
    Attack("claims an answer of 2 GiB", once("write(b'\\x7f\\xff\\xff\\xff')"), ONE),
    Attack("answers half a frame and waits", once("(write(b'\\0\\0\\0\\x09{'), time.sleep(9))"),
        "ppp ppp.p", limits=HURRIED),  # times out; or `late` completes the half frame
    Attack("answers a byte at a time, for ever", once(
        "[(write(byte), time.sleep(0.05)) for byte in [b'\\0', b'\\1', *[b' '] * 999]]"),
        "ppp ppptp", limits=HURRIED),
    Attack("answers a question twice", once(
        "(SEND(FIRST[0], ANSWER(server, question)), ANSWER(server, question))[1]"), ALL),
    Attack("answers when its time is over", once(
        "(time.sleep(4), ANSWER(server, question))[1]"), "ppp ppptp", limits=HURRIED),
    Attack("answers ahead", once(
        "[SEND(FIRST[0], {'id': question['id'] + n, 'value': 7}) for n in range(9)]"), ONE),
    Attack("answers the next test's question at the end of one", alone(
        "say({'id': question['id'], 'value': 7})",
        "[say({'id': question['id'] + n, 'value': 7}) for n in range(1, 9)]"), NONE),
    Attack("asks back", alone(
        "say({'id': question['id'], 'do': 'call', 'on': {'handle': 0}, 'args': []})",
        "say({'id': 1, 'do': 'import', 'name': 'os'})"), NONE),
    Attack("says that the test has ended before it was asked", alone(
        "say({'id': question['id'], 'ended': ''})"), NONE),
    Attack("reports how its test ended in its own words", once(
        "{'id': FIRST[1], 'ended': 'LEAK ' + str(question)}"), ONE),
    Attack("says that its test ran out of time or memory", once(
        "{'id': FIRST[1], 'ended': 'signal 24'}"), ONE),
    Attack("reports an uncountable processor time", once(
        "{'id': FIRST[1], 'ended': 'signal 24', 'cpu_seconds': 10**400}"), ONE),
    Attack("reports nothing about how a test ended", beside(FAR + """
import io, mmap
try:
    SILENT = mmap.mmap(-1, 1)
except OSError:
    SILENT = bytearray(1)
def answer(server, question):
    SILENT[0] = question.get("name") == "label"
    return ANSWER(server, question)
def send(channel, answer):
    if "ended" not in answer or not SILENT[0]:
        SEND(channel, answer)
SERVER.Channel.send = send
everywhere(answer)
""")),
    Attack("tells hidden inputs by where its JSON breaks", once(
        "raw(b' ' * len(str(question)) + b'!')"), ONE),
    Attack("raises an error that describes none", once(
        "{'id': question['id'], 'error': {'type': 5, 'base': [], 'text': None}}"), ONE),
    Attack("raises an error that only the grader may raise", once(
        "{'id': question['id'], 'error': {'type': 'Skipped', 'base': 'KeyboardInterrupt',"
        " 'text': 'empty', 'where': None}}"), ONE),
    Attack("raises an error from a file of the grader's", once(
        "{'id': question['id'], 'error': {'type': 'x' * 10**6, 'base': 'ValueError', 'text':"
        " 'y' * 10**6, 'where': [AT['suite'], 10**9, 'z' * 10**6]}}"), ONE),
    Attack("raises an error that takes more to build than a text", once(
        "{'id': question['id'], 'error': {'type': 'E', 'base': 'UnicodeDecodeError',"
        " 'text': 'empty', 'where': None}}"), ONE),
    Attack("stalls the grader with a set of colliding numbers",
        says("""b'{"set": [' + b",".join(b"%d" % (n * (2**61 - 1)) for n in range(1, 40_000))"""
        """ + b']}'"""), ONE),
    Attack("lacks an attribute, then hangs when looked at", beside(f"""{FAR}
def answer(server, question):
    if question.get("name") in ("__dict__", "__doc__", "__name__", "__class__"):
        time.sleep(60)
    return ANSWER(server, question)
everywhere(answer)
del Bag.total
"""), "ppf ppppp"),
    Attack("fakes the end of its import, and leaves", beside(f"""{FAR}
import gc
FIRST += [thing for thing in gc.get_objects() if isinstance(thing, SERVER.Channel)]
raw(b'{{"id":1,"value":null}}')
os._exit(0)
"""), NONE),
    Attack("goes on when its test has ended, to serve the next", beside(OUTLIVES)),
    Attack("raises errors at lines that no file has", beside("""
def hostile(*args):
    raise SyntaxError("x", ("safe.py", LINES.pop(), 1, "x"))
LINES = [10**4000, -5, 10**6, 1.5, "1", True]
Token.__str__ = label = hostile
"""), SHOWN),
    Attack("names a class by what is no text", always(
        "{'id': question['id'], 'value': {'handle': 1, 'class': ['module']}}"), NONE),
    Attack("answers with a key that cannot be one", says("""b'{"dict": [[{"list": []}, 1]]}'"""),
        ONE),
    Attack("answers with brackets without end", says("b'[' * 3_900_000"), ONE),
    Attack("answers, and takes half of the next question with it", beside(f"""{FAR}
def answer(server, question):
    answered = ANSWER(server, question)
    if question.get("name") == "label":
        SEND(FIRST[0], answered)
        os.read(FIRST[0]._in, 3)
        os._exit(0)
    return answered
everywhere(answer)
"""), ONE),
    Attack("has a traceback without end", beside("""
from types import SimpleNamespace as Thing
frame = Thing(f_code=Thing(co_filename="x"))
step = Thing(tb_frame=frame)
step.tb_next = step
class Endless(Exception):
    __traceback__ = step
def label(text):
    raise Endless
"""), "ppp ppptp", limits=HURRIED),
    Attack("answers as an honest server would, by itself", alone(
        "shown = (question['do'], question.get('name')) == ('operate', 'str')",
        "say({'id': question['id'], 'value': 'T7' if shown else {'handle': 1, 'class': 'T'}})"),
        "p.. ....."),
]  # fmt: skip
