"""The trust boundary: the suite asks on the near side, the submission answers on the far side.

farside/   all that enters the sandbox: the wire format and the server (standard library only)
near       what a suite holds: proxies, and the errors that a far side can cause
program    one submission's process, its limits, its restarts
sandbox    what keeps the far side in: sandlock, bwrap, or nothing
"""
