"""The trust boundary: the suite asks on the near side, the submission answers on the far side.

farside/   all that enters the sandbox: the wire format and the server (standard library only)
near       asking: questions about one program, across the boundary or in this process
proxy      one of the submission's objects, as a suite holds it
answers    what comes back instead of a value: what it raised, or that it no longer answers
program    one submission's process, its limits, its restarts
sandbox    what keeps the far side in: sandlock, bwrap, or nothing
process    a process in one of them; sandlocked, bubblewrapped: how each of them starts it
escapes    whether it does: a program tries to get out (attempts) at what lies outside (bait)
"""
