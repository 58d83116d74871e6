"""House rules: each student's rule book can be played, and few students have the same book."""

from random import Random

import pytest
from hearts_course.course import find_course
from hearts_course.reports.feedback import as_markdown, feedback
from hearts_course.results import score_stage
from hearts_course.view.rules_of_thumb import card_to_play
from references import loaded

COURSE = find_course()
FULL_HEARTS = next(stage for stage in COURSE.stages if "match" in stage.modules)
STAGES = [pytest.param(stage, id=stage.name) for stage in COURSE.stages if stage.variants]
CLASS = [f"student{number:02}" for number in range(60)]


@pytest.mark.parametrize("stage", STAGES)
def test_hardly_two_of_sixty_students_have_the_same_book(stage):
    books = {stage.variants.of(student) for student in CLASS}
    assert len(books) >= 55
    assert books == {stage.variants.of(f" {student.upper()}") for student in CLASS}
    assert len(books & {stage.variants.of(student, "spring") for student in CLASS}) < 10
    assert min(len(book.sentences) for book in stage.variants.books) == 2


@pytest.mark.parametrize("stage", STAGES)
def test_the_feedback_shows_the_students_book(stage):
    page = as_markdown(feedback(score_stage(stage, "ada", {}, sandbox="none"), stage))
    assert f"which the end of the brief asks for: {stage.variants.of('ada').python}\n" in page


@pytest.mark.proof
@pytest.mark.parametrize("stage", STAGES)
def test_every_book_is_played_to_the_end_by_computer_players(stage):
    """If a student's variant is a `Rules`, one deal is played; if it is a `Book`, a whole match."""
    with loaded(COURSE, FULL_HEARTS) as program:
        names = {name: thing for module in program.values() for name, thing in vars(module).items()}
        pack = list(names["Deck"]())
        for student in CLASS:
            book = eval(stage.variants.of(student).python, names)
            rng = Random(student)
            whole = isinstance(book, names["Book"])
            match = names["Match"](book if whole else names["Book"](play=book))
            while not match.is_over():
                deal = match.start_shuffled(rng)
                play_deal(deal, rng)
                all_points = names["costs"]([pack], match.book.play)
                assert sum(deal.costs()) == sum(all_points)
                if not whole:
                    break
                match.finish()


def play_deal(deal, rng):
    for seat in deal.still_to_pass:
        deal.give(seat, rng.sample(deal.hand(seat), 3))
    while deal.turn is not None:
        legal = {str(card): card for card in deal.legal_plays()}
        deal.play(legal[card_to_play([*legal], [str(card) for card in deal.trick])])
