"""The author's side: build, prove, sample and scaffold stages. Students do not get it."""
