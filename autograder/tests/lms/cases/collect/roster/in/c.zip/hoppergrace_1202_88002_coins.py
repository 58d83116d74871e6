not_in_the_roster = 1
