"""Hidden checks of stage 09: what fits, and worlds that are drawn fairly.

The checks draw worlds with fixed seeds, and compare how often each of them comes by chi-square. A
fair program exceeds a limit once in ten million times: autograder/tests/stages/test_sampler_laws.py
proves it. The deals are played by lot here, and the worlds are listed here, from codes.
"""

from random import Random

import pytest
from hearts_course import each

RANKS = "23456789TJQKA"
PACK = [f"{rank}{suit}" for suit in "CDHS" for rank in RANKS]
PASSES = {1: "LEFT", 2: "ACROSS", 3: "RIGHT"}
# For this many worlds, chi-square exceeds the limit once in ten million times.
LIMITS = {6: 40.9, 9: 48.0, 12: 54.4, 18: 66.2, 30: 87.2}
DEVIATIONS = 6  # a share that is further away from its mean comes less than once in ten million


class Situation:
    """A deal by lot that stops before a seat plays: what this seat knows, as codes."""

    def __init__(self, seed, left, on_table):
        """Play until each seat has had `left` cards and then `on_table` of them lie there."""
        rng = Random(seed)
        pack = rng.sample(PACK, len(PACK))
        hands = [pack[seat::4] for seat in range(4)]
        passed = [rng.sample(hand, 3) for hand in hands]
        shift = rng.choice(sorted(PASSES))
        for seat in range(4):
            kept = [card for card in hands[seat] if card not in passed[seat]]
            hands[seat] = kept + passed[(seat - shift) % 4]
        self.direction = PASSES[shift]
        self.tricks, self.trick, self.hands = [], [], hands
        leader = next(seat for seat in range(4) if "2C" in hands[seat])
        while len(self.tricks) < 13 - left or len(self.trick) < on_table:
            seat = (leader + len(self.trick)) % 4
            card = rng.choice(legal(hands[seat], self.trick, self.played))
            hands[seat].remove(card)
            self.trick.append(card)
            if len(self.trick) == 4:
                self.tricks.append((leader, self.trick))
                leader, self.trick = taker(leader, self.trick), []
        self.seat = (leader + len(self.trick)) % 4
        self.leader = leader
        self.gave = passed[self.seat]
        self.received = passed[(self.seat - shift) % 4]
        self.receiver = (self.seat + shift) % 4
        self.sizes = [len(hand) for hand in hands]
        self.homes = {card: self.homes_of(card) for card in PACK if self.is_unseen(card)}

    @property
    def played(self):
        """The codes of all cards played so far."""
        return [card for _, cards in self.tricks for card in cards] + self.trick

    def is_unseen(self, card):
        """Return whether the card is in another hand."""
        return card not in self.played and card not in self.hands[self.seat]

    def homes_of(self, card):
        """Return the sorted seats that can hold an unseen card."""
        if card in self.gave:
            return [self.receiver]
        homes = {0, 1, 2, 3} - {self.seat}
        for leader, cards in [*self.tricks, (self.leader, self.trick)]:
            for place, other in enumerate(cards):
                if cards[0][1] == card[1] != other[1]:
                    homes.discard((leader + place) % 4)
        return sorted(homes)

    def worlds(self):
        """Return all worlds that fit, each a list of four texts."""
        found = [[[], [], [], []]]
        for card, homes in self.homes.items():
            found = [
                [[*hand, card] if seat == home else hand for seat, hand in enumerate(world)]
                for world in found
                for home in homes
                if len(world[home]) < self.sizes[home]
            ]
        for world in found:
            world[self.seat] = self.hands[self.seat]
        return sorted(shown(world) for world in found)

    def number(self, **fixed):
        """Return how many worlds fit, if some cards are known to be with a seat."""
        rooms = {tuple(self.sizes): 1}
        for card, homes in self.homes.items():
            grown = {}
            for room, ways in rooms.items():
                for home in fixed.get(card, homes):
                    rest = tuple(size - (seat == home) for seat, size in enumerate(room))
                    if min(rest) >= 0:
                        grown[rest] = grown.get(rest, 0) + ways
            rooms = grown
        return sum(rooms.values())


def legal(hand, trick, played):
    """Return the codes that may be played, by Estell's rules."""
    costly = [card for card in hand if card[1] == "H" or card == "QS"]
    if not trick and not played:
        return ["2C"]
    if trick:
        allowed = [card for card in hand if card[1] == trick[0][1]] or hand
        first = len(played) < 4
        return [card for card in allowed if not (first and card in costly)] or allowed
    if any(card[1] == "H" or card == "QS" for card in played):
        return hand
    return [card for card in hand if card[1] != "H"] or hand


def taker(leader, trick):
    """Return the seat that takes the full trick."""
    following = [card for card in trick if card[1] == trick[0][1]]
    best = max(following, key=lambda card: RANKS.index(card[0]))
    return (leader + trick.index(best)) % 4


def shown(world):
    """Return the hands as sorted texts."""
    return [" ".join(sorted(hand)) for hand in world]


def chi_square(counts, number):
    """Return how far the counts are from equal ones, for this many possible results."""
    expected = sum(counts) / number
    missing = number - len(counts)
    return sum((count - expected) ** 2 for count in counts) / expected + missing * expected


@pytest.fixture
def hold(cards):
    """Make a tuple of cards from their codes."""
    return lambda codes: tuple(each(cards.Card.parse, codes))


@pytest.fixture
def see(match, rulebook, players, hold):
    """Make the view of a situation."""

    def make(situation):
        return players.View(
            seat=situation.seat,
            hand=hold(situation.hands[situation.seat]),
            trick=hold(situation.trick),
            tricks=tuple(match.Trick(leader, hold(codes)) for leader, codes in situation.tricks),
            book=rulebook.ESTELL_BOOK,
            direction=getattr(rulebook.Pass, situation.direction),
            gave=hold(situation.gave),
            received=hold(situation.received),
        )

    return make


@pytest.fixture
def clues_of(sampler, see):
    """Make the clues of a situation."""
    return lambda *situation: sampler.Clues(see(Situation(*situation)))


RIGHT = """
def fits(world):
    return [" ".join(sorted(map(str, hand))) for hand in world] in worlds
clues = Clues(view)
homes = {card: set(seats) for card, seats in zip(unseen, seats_of_each)}
for name, value in {"sizes": sizes, "homes": homes, "fits": fits}.items():
    try:
        setattr(clues, name, value)
    except AttributeError:
        pass
clues
"""


@pytest.fixture
def right_clues_of(sampler, see, typed, hold):
    """Make the program's clues, with the right answers put in: a slip there costs points once."""

    def make(*which):
        situation = Situation(*which)
        return typed(
            RIGHT,
            sampler,
            view=see(situation),
            unseen=list(hold(situation.homes)),
            seats_of_each=list(situation.homes.values()),
            sizes=situation.sizes,
            worlds=situation.worlds() if which[1] <= 2 else [],
        )

    return make


@pytest.fixture
def world_from(hold):
    """Make a world from texts."""
    return lambda hands: tuple(hold(hand.split()) for hand in hands)


DRAW = """
counts = {}
for _ in range(number):
    world = draw(*arguments)
    key = tuple(" ".join(sorted(map(str, hand))) for hand in world)
    counts[key] = counts.get(key, 0) + 1
counts
"""


@pytest.fixture
def drawn(typed):
    """Draw worlds, and return how often each one came."""
    return lambda number, draw, *arguments: typed(
        DRAW, number=number, draw=draw, arguments=arguments
    )


@pytest.mark.task("what-fits")
@pytest.mark.parametrize("on_table", range(4))
def test_sizes_of_hands(clues_of, on_table):
    """The seats that have played to the trick on the table hold one card less than the others.

    Try:
        from dataclasses import replace
        Clues(replace(ann, trick=())).sizes
        Clues(replace(ann, trick=hold("TD"))).sizes
        Clues(replace(ann, trick=hold("TD AD AC"))).sizes
    """
    for seed, left in ((11, 5), (12, 2), (13, 9)):
        sizes = clues_of(seed, left, on_table).sizes
        assert sizes == Situation(seed, left, on_table).sizes


HOMES = """
clues = Clues(view)
{str(card): sorted(seats) for card, seats in clues.homes.items()}
"""


@pytest.mark.task("what-fits")
@pytest.mark.parametrize("left", [12, 8, 5, 3, 2])
def test_homes_of_unseen_cards(sampler, see, typed, left):
    """A card can be with every other seat that has not shown a void in its suit.

    Try:
        diamonds = full(0, "2C 3C 4C 5C, 6D 7D 8C 9D")
        clues = Clues(View(seat=3, hand=hold("KC KD"), tricks=diamonds, book=ESTELL_BOOK))
        [sorted(clues.homes[card]) for card in hold("AC AD")]
        len(clues.homes)
    """
    for seed in range(20, 26):
        situation = Situation(seed, left, seed % 4)
        kept = {
            card: homes for card, homes in situation.homes.items() if card not in situation.gave
        }
        homes = typed(HOMES, sampler, view=see(situation))
        assert sorted(homes) == sorted(situation.homes)
        assert {card: homes[card] for card in kept} == kept


@pytest.mark.task("what-fits")
@pytest.mark.parametrize("left", [12, 9, 6, 3])
def test_homes_of_passed_cards(sampler, see, typed, left):
    """A card that the seat has passed is with the receiver, until it is played.

    Try:
        from dataclasses import replace
        [Clues(replace(ann, direction=way)).homes[hold("KH")[0]] for way in (Pass.LEFT, Pass.RIGHT)]
        Clues(replace(ann, gave=(), direction=Pass.HOLD)).homes[hold("KH")[0]]
        hold("AS")[0] in Clues(ann).homes
    """
    for seed in range(30, 36):
        situation = Situation(seed, left, seed % 4)
        passed = {card: homes for card, homes in situation.homes.items() if card in situation.gave}
        homes = typed(HOMES, sampler, view=see(situation))
        assert {card: homes.get(card) for card in passed} == passed
        assert [card for card in situation.played if card in homes] == []


@pytest.mark.task("what-fits")
def test_worlds_that_fit(clues_of, world_from):
    """Every world that agrees with all clues fits, whatever the order of its cards.

    Try: [Clues(ann).fits(tuple(hold(hand) for hand in world)) for world in (
    ("5H 3H", "KH AC", "4H", "QS"), ("3H 5H", "AC KH", "QS", "4H"))]
    """
    for seed in (41, 43, 44):
        clues = clues_of(seed, 2, 0)
        for world in Situation(seed, 2, 0).worlds()[:12]:
            assert clues.fits(world_from(world)) is True
            assert clues.fits(world_from([" ".join(hand.split()[::-1]) for hand in world])) is True


@pytest.mark.task("what-fits")
def test_a_card_in_a_wrong_hand(clues_of, world_from):
    """A world in which an unseen card is with a seat that cannot hold it does not fit.

    Try:
        from dataclasses import replace
        far = Clues(replace(ann, gave=hold("AC"), direction=Pass.ACROSS))
        far.fits(tuple(map(hold, ("3H 5H", "4H KH", "AC", "QS"))))

    Try: [Clues(ann).fits(tuple(hold(hand) for hand in world)) for world in (
    ("3H 5H", "4H KH", "QS", "AC"), ("3H 5H", "AC QS", "KH", "4H"),
    ("5H 3H", "QS KH", "AC", "4H"))]
    """
    for seed in (41, 43, 45, 47):
        situation, clues = Situation(seed, 3, 0), clues_of(seed, 3, 0)
        fitting, rng = situation.worlds(), Random(seed)
        for _ in range(12):
            cards = rng.sample(sorted(situation.homes), len(situation.homes))
            world = [
                situation.hands[seat]
                if seat == situation.seat
                else [cards.pop() for _ in range(size)]
                for seat, size in enumerate(situation.sizes)
            ]
            assert clues.fits(world_from(shown(world))) is (shown(world) in fitting)


@pytest.mark.task("what-fits")
def test_each_card_once(clues_of, world_from):
    """A world fits only with the seat's own hand, the right sizes, and each unseen card once.

    Try: [Clues(ann).fits(tuple(hold(hand) for hand in world)) for world in (
    ("5H 3H", "AC KH", "4H", "QS"), ("3H 2C", "AC KH", "4H", "QS"),
    ("3H 5H", "AC KH 4H", "", "QS"), ("3H 4H", "AC KH", "5H", "QS"), ("3H 5H", "AC KH", "AC", "QS"),
    ("3H 5H", "AC KH", "", "QS"), ("3H", "AC KH", "4H", "QS"), ("3H 5H", "KH", "4H", "QS"))]
    """
    situation, clues = Situation(50, 3, 0), clues_of(50, 3, 0)
    world = next(iter(situation.worlds()))
    assert clues.fits(world_from(world)) is True
    others = [seat for seat in range(4) if seat != situation.seat]
    free = [
        (giver, taker, card)
        for giver in others
        for taker in others
        for card in world[giver].split()
        if giver != taker and taker in situation.homes[card]
    ]
    for giver, receiver, card in free[:3] + free[-3:]:
        moved = list(world)
        moved[giver] = " ".join(other for other in world[giver].split() if other != card)
        missing = list(moved)
        moved[receiver] += f" {card}"
        doubled = list(world)
        doubled[receiver] = " ".join([card, *world[receiver].split()[1:]])
        for wrong in (moved, missing, doubled):
            assert clues.fits(world_from(wrong)) is False
    own = world[situation.seat].split()
    shorter = list(world)
    shorter[situation.seat] = " ".join(own[1:])
    wrong_hands = [shorter]
    for other in (min(situation.played, key=PACK.index), max(situation.played, key=PACK.index)):
        swapped = list(world)
        swapped[situation.seat] = " ".join([other, *own[1:]])
        wrong_hands.append(swapped)
    for wrong in wrong_hands:
        assert clues.fits(world_from(wrong)) is False


@pytest.mark.task("guess-and-reject")
def test_a_guess_has_the_right_sizes(right_clues_of, drawn, sampler, stdlib):
    """A guess keeps the seat's hand, and gives each unseen card to one of the others, by size.

    Try:
        worlds = [guess(Clues(ann), Random(seed)) for seed in range(20)]
        {tuple(len(hand) for hand in world) for world in worlds}
        {codes(card for hand in world for card in hand) for world in worlds}
        {codes(world[0]) for world in worlds}
    """
    for seed, left, on_table in ((51, 11, 1), (52, 4, 3), (53, 6, 0)):
        situation = Situation(seed, left, on_table)
        rng = stdlib("random").Random(seed)
        for world in drawn(40, sampler.guess, right_clues_of(seed, left, on_table), rng):
            assert [len(hand.split()) for hand in world] == situation.sizes
            assert world[situation.seat] == shown(situation.hands)[situation.seat]
            unseen = [
                card
                for seat, hand in enumerate(world)
                for card in hand.split()
                if seat != situation.seat
            ]
            assert sorted(unseen) == sorted(situation.homes)


@pytest.mark.task("guess-and-reject")
def test_guesses_are_fair(right_clues_of, drawn, sampler, stdlib):
    """All worlds with hands of the right sizes are equally likely guesses.

    Try:
        rng = Random(5)
        worlds = [tuple(show(guess(Clues(ann), rng))) for _ in range(1200)]
        len(set(worlds)), all(60 < worlds.count(world) < 140 for world in set(worlds))
    """
    for seed, left, on_table, number in ((54, 1, 0, 6), (55, 2, 2, 12), (56, 2, 1, 30)):
        rng = stdlib("random").Random(seed)
        counts = drawn(1500, sampler.guess, right_clues_of(seed, left, on_table), rng)
        assert len(counts) == number
        assert chi_square(counts.values(), number) < LIMITS[number]


@pytest.mark.task("guess-and-reject")
@pytest.mark.parametrize("situation", [(47, 2, 1), (64, 2, 0)])
def test_rejection_is_fair(right_clues_of, drawn, sampler, stdlib, situation):
    """By rejection, only worlds that fit come, and all of them are equally likely.

    Try:
        rng = Random(6)
        worlds = [tuple(show(by_rejection(Clues(ann), rng, 500))) for _ in range(400)]
        len(set(worlds)), all(60 < worlds.count(world) < 140 for world in set(worlds))
        all(Clues(ann).fits(by_rejection(Clues(ann), rng, 500)) for _ in range(100))
    """
    worlds = Situation(*situation).worlds()
    rng = stdlib("random").Random(7)
    counts = drawn(900, sampler.by_rejection, right_clues_of(*situation), rng, 10_000)
    assert sorted(map(list, counts)) == worlds
    assert chi_square(counts.values(), len(worlds)) < LIMITS[len(worlds)]


FOUND = "sum(by_rejection(clues, rng, tries) is not None for _ in range(number))"


@pytest.mark.task("guess-and-reject")
def test_at_most_so_many_tries(sampler, right_clues_of, typed, stdlib):
    """After as many guesses as `tries` says, rejection gives up and returns None.

    Try:
        rng = Random(7)
        [by_rejection(Clues(ann), rng, 0) for _ in range(3)]
        80 < sum(by_rejection(Clues(ann), rng, 1) is None for _ in range(150)) < 120
        30 < sum(by_rejection(Clues(ann), rng, 3) is None for _ in range(150)) < 60
    """
    situation = Situation(135, 2, 1)
    one_try = len(situation.worlds()) / 30  # five cards for hands of 2, 2 and 1: 30 guesses
    clues, rng, number = right_clues_of(135, 2, 1), stdlib("random").Random(8), 900
    for tries in (0, 1, 2, 4):
        share = 1 - (1 - one_try) ** tries
        deviation = (number * share * (1 - share)) ** 0.5
        found = typed(FOUND, sampler, clues=clues, rng=rng, tries=tries, number=number)
        assert abs(found - number * share) <= DEVIATIONS * deviation


@pytest.mark.task("count-and-deal")
@pytest.mark.parametrize("left", [1, 2, 3])
def test_the_number_of_worlds_of_an_ending(sampler, right_clues_of, left):
    """`number` is how many worlds fit, in endings in which they can be listed.

    Try:
        from dataclasses import replace
        Dealer(Clues(replace(ann, gave=(), direction=Pass.HOLD))).number
        Dealer(Clues(replace(ann, direction=Pass.RIGHT))).number
    """
    for seed in range(70, 78):
        worlds = Situation(seed, left, seed % 4).worlds()
        assert sampler.Dealer(right_clues_of(seed, left, seed % 4)).number == len(worlds)


@pytest.mark.task("count-and-deal")
@pytest.mark.parametrize("left", [12, 10, 7])
def test_the_number_of_worlds_of_a_deal(sampler, right_clues_of, left):
    """Early in a deal, the worlds are counted as exactly, without making them.

    Try:
        from dataclasses import replace
        Dealer(Clues(replace(early, trick=hold("6C 7C")))).number
        Dealer(Clues(replace(early, gave=hold("AD AS AH"), direction=Pass.LEFT))).number
    """
    for seed in (80, 81):
        situation = Situation(seed, left, seed % 4)
        assert sampler.Dealer(right_clues_of(seed, left, seed % 4)).number == situation.number()


@pytest.mark.task("count-and-deal")
def test_what_is_dealt_fits(sampler, right_clues_of, drawn, stdlib):
    """Every world that a dealer deals agrees with all clues, also where few guesses would.

    Try:
        from dataclasses import replace
        hard = Clues(replace(early, gave=hold("AD AS AH"), direction=Pass.LEFT))
        dealer = Dealer(hard)
        all(hard.fits(dealer.deal(Random(seed))) for seed in range(50))
        len({tuple(show(dealer.deal(Random(seed)))) for seed in range(50)}) > 1
    """
    for seed, left, on_table in ((82, 11, 2), (83, 7, 0), (84, 5, 3)):
        situation = Situation(seed, left, on_table)
        rng = stdlib("random").Random(seed)
        dealer = sampler.Dealer(right_clues_of(seed, left, on_table))
        counts = drawn(60, dealer.deal, rng)
        assert len(counts) > 1
        for world in counts:
            assert [len(hand.split()) for hand in world] == situation.sizes
            assert world[situation.seat] == shown(situation.hands)[situation.seat]
            seats = {card: seat for seat, hand in enumerate(world) for card in hand.split()}
            assert [card for card in situation.homes if card not in seats] == []
            assert [c for c, homes in situation.homes.items() if seats[c] not in homes] == []


@pytest.mark.task("count-and-deal")
@pytest.mark.parametrize("situation", [(74, 2, 1), (82, 2, 0), (64, 2, 0)])
def test_a_dealer_is_fair(sampler, right_clues_of, drawn, stdlib, situation):
    """All worlds that fit are dealt, and all of them are equally likely.

    Try:
        from dataclasses import replace
        rng = Random(8)
        dealer = Dealer(Clues(replace(ann, gave=(), direction=Pass.HOLD)))
        worlds = [tuple(show(dealer.deal(rng))) for _ in range(1800)]
        len(set(worlds)), all(145 < worlds.count(world) < 255 for world in set(worlds))
        dealer.number

    Try:
        from dataclasses import replace
        rng = Random(8)
        dealer = Dealer(Clues(replace(ann, gave=hold("QS"))))
        worlds = [tuple(show(dealer.deal(rng))) for _ in range(800)]
        all(145 < worlds.count(world) < 255 for world in set(worlds))
    """
    worlds = Situation(*situation).worlds()
    dealer = sampler.Dealer(right_clues_of(*situation))
    counts = drawn(1800, dealer.deal, stdlib("random").Random(9))
    assert sorted(map(list, counts)) == worlds
    assert chi_square(counts.values(), len(worlds)) < LIMITS[len(worlds)]
    assert dealer.number == len(worlds)


@pytest.mark.task("count-and-deal")
def test_a_dealer_is_fair_early_in_a_deal(sampler, right_clues_of, drawn, stdlib):
    """In a large deal, a card is with a seat as often as the numbers of worlds say.

    Try:
        from dataclasses import replace
        minor = hold("6C 8C TC QC KC AC 2D 4D 6D 8D TD QD")
        dealer = Dealer(Clues(replace(early, hand=minor, trick=hold("6S 7D"))))
        rng = Random(9)
        160 < sum(Card.parse("7C") in dealer.deal(rng)[0] for _ in range(400)) < 240
        dealer.number
    """
    number = 400
    for seed, left, on_table in ((85, 8, 1), (86, 6, 2)):
        situation = Situation(seed, left, on_table)
        dealer = sampler.Dealer(right_clues_of(seed, left, on_table))
        counts = drawn(number, dealer.deal, stdlib("random").Random(seed))
        for card, homes in situation.homes.items():
            for home in homes:
                share = situation.number(**{card: [home]}) / situation.number()
                deviation = (number * share * (1 - share)) ** 0.5
                times = sum(count for world, count in counts.items() if card in world[home].split())
                assert abs(times - number * share) <= DEVIATIONS * deviation + 1
