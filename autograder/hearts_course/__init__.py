"""Hearts: a course in object-oriented Python around one card game, and its grader.

In a notebook:

    from hearts_course import check, hint, predict, work_on

    work_on("01-cards")      # the stage whose program is in the cells of this notebook
    predict("read-a-card")   # asks you what some code will show, before you write the task
    check("read-a-card")     # runs the visible tests against the notebook's own code
    hint("read-a-card")      # shows the next hint
    explain("01-cards")      # asks you up to two questions about this program
    explain("01-cards", "ba")    # says whether b and a are the right answers
    compare("read-a-card")   # shows this program beside the solution, once the solution is out
    reset("read-a-card")     # shows the starter's cells; paste them to begin again
    progress()               # shows the stage at a glance
    variant("ada")           # shows ada's house rules, in stages whose rules differ by student
    show_hand(hand)          # shows the faces of the hand's cards
    show_table()             # shows the card table, in the stage that builds one
    hold_tournament(enter, "counter")    # lets players compete, in the stage that builds them
    submit("01-cards")       # packs this notebook to hand it in
    save_work()              # packs all work; load_work() unpacks it, also on another machine

In a stage's tests, the student's program runs in another process, and each call of its functions is
a question to that process. `each` puts a single question for many calls:

    from hearts_course import each

    each(str, hand)          # gives [str(card) for card in hand], but with a single question
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hearts_course.sandbox.client import each
    from hearts_course.student.jupyter import (
        catch,
        check,
        compare,
        explain,
        hint,
        hold_tournament,
        load_work,
        predict,
        progress,
        reset,
        save_work,
        show_hand,
        show_table,
        submit,
        variant,
        work_on,
    )

__version__ = "0.1.0"
__all__ = [
    "__version__",
    "catch",
    "check",
    "compare",
    "each",
    "explain",
    "hint",
    "hold_tournament",
    "load_work",
    "predict",
    "progress",
    "reset",
    "save_work",
    "show_hand",
    "show_table",
    "submit",
    "variant",
    "work_on",
]


def __getattr__(name: str) -> Any:
    """Return the object that `__all__` lists as `name`. Its module is imported only now.

    Every command imports this package, so the package itself must be quick to import.
    """
    if name == "each":
        from hearts_course.sandbox.client import each

        return each
    if name in __all__:
        from hearts_course.student import jupyter

        return getattr(jupyter, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
