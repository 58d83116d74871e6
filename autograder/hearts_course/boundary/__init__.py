"""The trust boundary: the suite asks on the near side, the submission answers on the far side.

farside/   all that enters the sandbox: the wire format and the server (standard library only)
near       asking: questions about one program, across the boundary or in this process
each       many questions of one kind at once
proxy      one of the submission's objects, as a suite holds it
answers    what comes back instead of a value: what it raised, or that it no longer answers
program    one submission's process, its limits, its restarts
pipes      the three pipes of that process; no wait for them is unbounded
sandbox    what keeps the far side in: bwrap, sandlock, another user, or by name only nothing
process    a process in one of them; bubblewrapped, sandlocked, otheruser: how each starts it
users      users that nobody is: root makes each program one of its own
escapes    whether that holds: a program tries to get out (attempts) at what lies outside (bait)
"""
