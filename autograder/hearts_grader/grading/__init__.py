"""Grade submissions: choose attempts, run programs, compute scores and store the results."""
