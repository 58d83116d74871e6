"""Try the attacks: `python -m hostile SANDBOX [AIM ...]`, in the folder of the tool's tests.

An attack's aim is the line of text that names the attack. This module runs as a separate process,
because some attacks try to harm the process that grades them. It prints a line of JSON for each
attack: the aim, and a list of what went wrong. If the only argument after SANDBOX is `-`, the aims
are read from standard input, one a line.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from hostile import ATTACKS
from hostile.scene import faults, set_up

ALL = {attack.aim: attack for attack in ATTACKS}


def main(sandbox, *aims):
    """Try the attacks with these aims, or all attacks if no aim is given."""
    asked = os.fdopen(os.dup(0))
    report = os.fdopen(os.dup(1), "w", buffering=1)
    wanted = map(str.rstrip, asked) if aims == ("-",) else aims or ALL
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as terminal:
        for stream in (0, 1, 2):
            os.dup2(terminal.fileno(), stream)
        with set_up(Path(folder), sandbox) as scene:
            os.environ["HOME"] = str(scene.home)
            os.chdir(scene.root / "work")
            for aim in wanted:
                found = faults(scene, ALL[aim])
                terminal.seek(0)
                if shown := terminal.read():
                    found.append(f"the grader's terminal showed {shown!r}")
                    terminal.truncate(0)
                print(json.dumps([aim, found]), file=report)
        os.chdir("/")


main(*sys.argv[1:])
