"""The author's side: build, prove and scaffold stages; nothing here ships to students."""
