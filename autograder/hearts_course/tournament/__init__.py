"""A tournament's rules, apart from where its players live: in a browser all of this runs as well.

schedule     who sits with whom, and where
table        deals, asks each seat in turn, and notes what was played
seats        the course's players, and players of this process
standings    means, paired differences, and which players can be told apart
pages        the report, with deals to replay
here         a small tournament in this process
"""
