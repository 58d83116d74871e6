"""A result takes its place: in the history, as the student's page, and as the result itself.

publish   all three, in an order in which a crash between any two costs nothing
changes   what putting held back results in their places would change
"""

from collections.abc import Iterable

from hearts_course.grading import history
from hearts_course.grading.changes import Change, compare
from hearts_course.grading.disk import write
from hearts_course.grading.plan import Item
from hearts_course.grading.records import Record
from hearts_course.grading.store import Store


def publish(record: Record, page: str, store: Store) -> None:
    """Keep the record and the student's page; raises CourseError.

    The result comes last: where it is, the two others are, and where it is not, all three are made
    again, and come out the same.
    """
    before = store.results.read(*record.name)
    tests = compare(before.result, record.result).tests if before else ()
    history.add(store.told(*record.name), record, tests)
    write(store.page(*record.name), page)
    store.results.save(record)


def changes(items: Iterable[Item], store: Store) -> list[Change]:
    """What the results that are held back would change; nothing is written."""
    found = []
    for item in items:
        before, after = store.results.read(*item.name), store.pending.read(*item.name)
        if before is not None and after is not None:
            found.append(compare(before.result, after.result, item.why))
    return found
