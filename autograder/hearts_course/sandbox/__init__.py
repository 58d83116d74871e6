"""The sandbox: a trusted client asks, an untrusted program answers in a process of its own."""
