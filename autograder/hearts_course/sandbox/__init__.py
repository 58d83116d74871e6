"""The sandbox: a trusted client asks, an untrusted program answers in its own process."""
