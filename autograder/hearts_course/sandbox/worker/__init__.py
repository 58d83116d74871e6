"""All of the tool that enters the sandbox; it imports nothing but the standard library."""
