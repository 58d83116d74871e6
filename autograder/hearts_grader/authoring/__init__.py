"""The author's side: build, prove, sample and scaffold stages. Students have none of it."""
