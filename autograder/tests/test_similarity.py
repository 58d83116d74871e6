"""`hearts similar` shows only what two programs share beyond the starter and the reference."""

import csv
import json
import time
from types import SimpleNamespace

import pytest
from commands import hearts
from hearts_grader.similarity import (
    RUN,
    Alphabet,
    SimilarPair,
    SimilarPairs,
    common_runs,
    recurring_pairs,
    runs,
    shared,
    similar_page,
    similar_text,
)
from tiny_class import CELLS, STAGE, course_with_starter, notebook, put
from tiny_course import REFERENCE

OWN = '''
def change(amount, coins):
    """Text."""
    given = []
    for coin in sorted(coins, reverse=True):
        while amount >= coin and coin > 0:
            given.append(coin)
            amount -= coin
        if amount == 0:
            break
    else:
        raise ValueError(f"no {amount} in {coins}")
    return {"given": given, "left": amount % 2}
'''
RENAMED = (
    OWN.replace("given", "out").replace("coin", "c").replace("Text", "Other").replace("% 2", "% 7")
)
PUBLISHED = ("the reference", "alternative third")
EVIL = "\x1b[2J\u202e</pre><script>alert(1)</script>"


@pytest.fixture
def place(tmp_path, monkeypatch):
    course_with_starter(tmp_path / "course")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hand_in(place, **texts):
    for student, text in texts.items():
        put(place / "class" / student / STAGE, {"coins.py": text})


def pairs(place, *options, published=False):
    assert hearts("similar", "class", "--out", "out", *options) == 0
    rows = csv.DictReader((place / "out/similar.csv").read_text().splitlines())
    found = {(row["student"], row["other"]): row for row in rows}
    return {two: row for two, row in found.items() if (two[1] in PUBLISHED) == published}


def test_names_numbers_texts_and_comments_do_not_count():
    alphabet = Alphabet()
    one, other = (alphabet.row({"m": text}).symbols[:-1] for text in (OWN, RENAMED + "# more\n"))
    assert one == other
    assert alphabet.row({"m": "a = len(b)"}).symbols[:-1] != alphabet.row({"m": "a = c(b)"}).symbols


def test_blank_lines_neither_count_nor_take_minutes():
    started = time.process_time()
    whole = Alphabet().row({"m": "\n \t" * 15_000 + OWN + "\n \n" * 15_000})
    assert time.process_time() - started < 10
    plain = Alphabet().row({"m": OWN})
    assert whole.symbols == plain.symbols
    assert whole.places[0] == ("m", 15_000 + plain.places[0][1])


@pytest.mark.parametrize("line", ["'\\N{" * 25_000, f"match {' ' * 100_000}x"])
def test_a_line_without_end_does_not_take_minutes(line):
    started = time.process_time()
    symbols = Alphabet().row({"m": f"{OWN}\n{line}"}).symbols
    assert time.process_time() - started < 5
    assert symbols.startswith(Alphabet().row({"m": OWN}).symbols[:-1])


def test_moved_passages_are_found_once_each():
    first = "abcdefghijklmnopqrstuvwxyz"
    second = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    both = shared(first + "!" + second, second + "?" + first, set())
    assert [(p.first, p.second, p.length) for p in both.passages] == [(0, 37, 26), (27, 0, 36)]
    assert (both.symbols, both.own) == (62, (63, 63))
    assert shared(first, first, set(runs(first))).symbols == 0
    assert shared(first, first, set(runs(first[:-1]))).symbols == 1
    assert shared(first[: RUN - 1], first[: RUN - 1], set()).passages == ()


def test_runs_of_many_programs_are_common():
    assert common_runs([{"a", "b"}] * 6 + [{"a"}]) == {"a"}


def test_a_pair_is_found_though_all_names_differ(place, capsys):
    hand_in(place, ada=REFERENCE + OWN, bob=RENAMED + REFERENCE, cyd=REFERENCE, eli=REFERENCE)
    found = pairs(place)
    assert list(found) == [("ada", "bob")]
    row = found["ada", "bob"]
    assert int(row["symbols"]) > 60
    assert row["percent_of_students_own"] == row["percent_of_others_own"] == "99"
    assert "4 programs, 1 pair worth a look, 4 like a published program" in capsys.readouterr().out
    text = (place / "out/similar.txt").read_text()
    assert "A match is a reason to look, not proof of copying." in text
    assert "while amount >= coin" in text
    assert "while amount >= c " in text


def test_members_of_a_group_are_never_compared(place):
    hand_in(place, ada=REFERENCE + OWN, bob=RENAMED + REFERENCE, cyd=OWN + REFERENCE)
    put(place / "class", {"groups.csv": "group,student\np1,ada\np1,bob\n"})
    assert list(pairs(place)) == [("ada and bob", "cyd")]


def test_starter_and_reference_explain_what_is_shared(place):
    hand_in(place, ada=REFERENCE, bob=REFERENCE.replace("face", "side"))
    assert pairs(place) == {}


def test_a_copy_of_a_published_program_is_named(place):
    own = "".join(f"n{k} = [{'x, ' * k}(y if z else {k})]\n" for k in range(9))
    folder = place / "course/autograder/stages" / STAGE / "alternatives/third"
    put(folder, {"coins.py": REFERENCE + OWN})
    hand_in(place, ada=REFERENCE, bob=RENAMED + REFERENCE, cyd=own + OWN)
    found = pairs(place, published=True)
    assert list(found) == [("bob", "alternative third"), ("ada", "the reference")]
    assert [row["percent_of_students_own"] for row in found.values()] == ["100", "99"]
    assert pairs(place) == {}
    assert "ada and the reference" in (place / "out/similar.html").read_text()


def test_earlier_terms_are_compared_with_this_one_but_not_with_each_other(place):
    hand_in(place, ada=REFERENCE + OWN)
    for term, name in (("2024", "bob"), ("2025", "cyd"), ("2025", "dee")):
        put(place / "terms" / term / name / STAGE, {"coins.py": RENAMED + REFERENCE})
    found = pairs(place, "--with", "terms/2024", "--with", "terms/2025")
    assert list(found) == [("ada", "2024/bob"), ("ada", "2025/cyd"), ("ada", "2025/dee")]


def test_notebooks_and_files_are_compared_with_each_other(place):
    cells = {name.replace("-", "_"): text for name, text in CELLS.items()}
    cells["coins_purse"] += OWN
    put(place / "class/nora" / STAGE, {f"{STAGE}.ipynb": notebook(**cells)})
    hand_in(place, ada=OWN + REFERENCE)
    assert list(pairs(place)) == [("ada", "nora")]
    page = (place / "out/similar.html").read_text()
    first = 1 + cells["coins_purse"].split("\n").index("def change(amount, coins):")
    assert f"nora, the cell of class Purse, lines {first} to" in page
    assert "ada, coins.py, lines 2 to" in page
    json.loads((place / f"class/nora/{STAGE}/{STAGE}.ipynb").read_text())


def test_unreadable_programs_are_left_out_and_no_program_steers_a_terminal_or_page(place, capsys):
    evil = OWN.replace('"left"', f'"{EVIL}"')
    hand_in(place, ada=evil, bob="def (" + evil, cyd="")
    (place / "class/dan").mkdir()
    assert list(pairs(place)) == [("ada", "bob")]
    for name in ("similar.html", "similar.txt", "similar.csv"):
        text = (place / "out" / name).read_text()
        assert all(character.isprintable() or character == "\n" for character in text)
        assert "<script" not in text or name == "similar.txt"


@pytest.mark.parametrize(
    ("out", "message"), [("class/out", "is inside class"), ("out", "nothing to grade")]
)
def test_a_folder_that_cannot_be_compared_is_misuse(place, capsys, out, message):
    (place / "class").mkdir()
    if out == "class/out":
        hand_in(place, ada=REFERENCE)
    assert hearts("similar", "class", "--out", out) == 2
    assert message in capsys.readouterr().err


def test_pairs_that_recur_over_stages_are_listed_first():
    def pairs(stage, *found):
        made = [SimilarPair(stage, students, symbols, (90, 90), ()) for students, symbols in found]
        return SimilarPairs(SimpleNamespace(name=stage, title=""), 4, tuple(made))

    found = [
        pairs("01-a", (("ada", "bob"), 50), (("cyd", "dan"), 90)),
        pairs("02-b", (("bob", "ada"), 60)),
        pairs("03-c", (("ada", "bob"), 70), (("cyd", "dan"), 40), (("cyd", "eve"), 45)),
    ]
    said = ["ada and bob: 01-a, 02-b and 03-c, 180 symbols in all"]
    said.append("cyd and dan: 01-a and 03-c, 130 symbols in all")
    assert [pair.words for pair in recurring_pairs(found)] == said
    lines = similar_text(found).splitlines()
    assert lines.index(f"- {said[0]}") < lines.index("01-a")
    for words in said:
        assert words in similar_page(found)
