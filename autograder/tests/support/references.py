"""Import reference solutions into this process, for tests that play games of Hearts."""

import importlib.util
import sys
from contextlib import contextmanager

from hearts_course.sandbox.worker.script import ProgramFinder


@contextmanager
def loaded(course, stage):
    """Import the references of the stage and of all stages that it needs.

    Yield the modules by name, and remove them at the end.
    """
    with imported(course.whole_reference(stage)) as modules:
        yield modules


@contextmanager
def imported(sources):
    """Import modules from these texts, yield the modules by name, and remove them at the end.

    Meanwhile, modules that already have these names are set aside. Cards of an old module `cards`
    would not equal cards of the new one, because their classes differ.
    """
    finder = ProgramFinder(sources)
    set_aside = {name: sys.modules.pop(name) for name in sources if name in sys.modules}
    sys.meta_path.insert(0, finder)
    try:
        yield {name: importlib.import_module(name) for name in sources}
    finally:
        sys.meta_path.remove(finder)
        for name in sources:
            sys.modules.pop(name, None)
        sys.modules.update(set_aside)


def module_at(path):
    """Return a module from a file that no `import` finds, such as a stage's referee."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
