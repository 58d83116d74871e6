"""The author's side: build, prove, sample and scaffold stages. Students lack these modules."""
