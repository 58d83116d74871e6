"""A tournament's rules, wherever its players run; all of this also works in a browser.

In each round, everybody plays the same deal from every seat of a table.

schedule     who sits with whom, and where
table        deals, asks each seat in turn, and notes what was played
seats        the course's players, and players of this process
times        how long players took for their answers
standings    means, paired differences, and which players can be told apart
pages        the report, with deals to replay
here         a small tournament in this process
"""
