import pytest
from hearts_course.text import (
    MAX_NAME,
    safe_block,
    safe_line,
    safe_name,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain: é ♠ 名", "plain: é ♠ 名"),
        ("\x1b]0;owned\x07", "\\x1b]0;owned\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("abc\u202edcba", "abc\\u202edcba"),
        ("lone \ud800 half", "lone \\ud800 half"),
        ("back\rover", "back\\rover"),
        ("a\r\nb\n\tc", "a\nb\n\tc"),
        ("\0", "\\x00"),
    ],
)
def test_terminal_control_characters_are_escaped(text, shown):
    assert safe_block(text) == shown


def test_a_line_is_one_short_line():
    assert safe_line("one\ntwo\t\tthree  four") == "one two three four"
    assert safe_line("x" * 400, 10) == "xxxxxxxxx…"


@pytest.mark.parametrize(
    ("folder", "student"),
    [
        ("ada", "ada"),
        ("Müller, Ada (2)", "Müller, Ada (2)"),
        ("-rf", "%2Drf"),
        ("--out=x", "%2D-out=x"),
        ("a\nb", "a%0Ab"),
        ("\x1b[2J", "%1B[2J"),
        ("100%", "100%25"),
        ("a\\b", "a%5Cb"),
        ("a/b", "a%2Fb"),
        ("..", "%2E."),
        ("~root", "%7Eroot"),
        ("ada ", "ada%20"),
        ("caf\udce9", "caf%E9"),
        ('<a b="c">', "%3Ca b=%22c%22%3E"),
        (" ada", "%20ada"),
    ],
)
def test_a_folder_name_becomes_a_safe_student_name(folder, student):
    assert safe_name(folder) == student


def test_long_names_are_shortened_and_stay_different():
    one = safe_name("\x01" * 200 + "a")
    other = safe_name("\x01" * 200 + "b")
    assert one != other
    assert len(one.encode()) <= MAX_NAME
    assert len(safe_name("é" * 120).encode()) <= MAX_NAME
    assert safe_name("é" * 70) == "é" * 70
