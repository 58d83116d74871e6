"""The course's card table in a real browser: a deal with the mouse, tricks with the keyboard."""

import re

import pytest

TABLE = "#table"
MINE = ".hc-hand button"
FREE = f"{MINE}[aria-disabled=false]"
CHOSEN = f"{MINE}[aria-pressed=true]"
PASS = "[data-click=pass]"
NEXT = "[data-click=next]"


BOTTOM = (
    "Math.max(...[...document.querySelectorAll('.hc-mine')].map("
    "(card) => card.getBoundingClientRect().bottom))"
)

# Finds cards that a click near their upper left corner does not reach, and seats that overlap.
COVERED = """(() => {
  const place = (node) => node.getBoundingClientRect();
  const cards = [...document.querySelectorAll('.hc-mine')].filter((card) => {
    const { left, top } = place(card);
    return !card.contains(document.elementFromPoint(left + 16, top + 20));
  });
  const seats = [...document.querySelectorAll('.hc-plate')].filter((one) =>
    [...document.querySelectorAll('.hc-plate')].some((other) => other !== one
      && place(one).left < place(other).right && place(other).left < place(one).right
      && place(one).top < place(other).bottom && place(other).top < place(one).bottom));
  return [...cards, ...seats].map((node) => node.textContent);
})()"""


# Notes when a full trick came and went, and how many cards had the marks "best" and "took".
LOOK = """() => {
  const trick = document.querySelector('.hc-trick');
  window.look = { seen: [], since: 0, gone: 0 };
  new MutationObserver(() => {
    const full = trick.querySelectorAll('.hc-play').length === 4;
    if (full && !look.since) {
      look.since = performance.now();
      look.seen = ['.hc-best', '.hc-took'].map((s) => document.querySelectorAll(s).length);
    }
    if (!full && look.since && !look.gone) look.gone = performance.now();
  }).observe(trick, { childList: true });
}"""


def phase(page):
    return page.locator("[data-phase]").get_attribute("data-phase")


def wait_for_turn(page):
    """Wait until it is the user's turn, or the deal is over."""
    page.wait_for_function(
        "document.querySelector('.hc-hand button[aria-disabled=false]')"
        " || document.querySelector('[data-phase=scored], [data-phase=finished]')"
    )


def pass_three(page):
    for _ in range(3):
        page.locator(f"{FREE}:not([aria-pressed=true])").last.click()
    page.locator(PASS).click()


def play_on(page):
    """Play the user's first legal card in every turn of a deal; return the number of turns."""
    plays = 0
    wait_for_turn(page)
    while phase(page) == "playing":
        count = page.locator(MINE).count()
        page.locator(FREE).first.click()
        page.wait_for_function(f"document.querySelectorAll('{MINE}').length < {count}")
        plays += 1
        wait_for_turn(page)
    return plays


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (800, 600), (390, 844), (340, 640)])
def test_the_hand_is_on_the_screen_and_nothing_covers_it(table, shot, width, height):
    page, _ = table(width=width, height=height)
    page.locator(MINE).nth(12).wait_for()
    shot(page, f"{width}-1-dealt")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(BOTTOM) <= height
    assert page.evaluate(COVERED) == []


def test_a_table_with_cards_on_it_can_be_read_by_everybody(table, axe):
    page, _ = table(bypass_csp=True)
    page.locator(MINE).nth(12).wait_for()
    assert axe(page, TABLE) == []
    pass_three(page)
    wait_for_turn(page)
    assert axe(page, TABLE) == []


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_a_whole_deal_is_played_by_clicking(table, shot, width, height):
    page, _ = table(width=width, height=height)
    assert [phase(page), page.locator(MINE).count()] == ["passing", 13]
    for _ in range(3):
        page.locator(f"{FREE}:not([aria-pressed=true])").last.click()
    page.locator(FREE).nth(2).wait_for()
    shot(page, f"{width}-2-passing")
    assert [page.locator(CHOSEN).count(), page.locator(FREE).count()] == [3, 3]
    page.locator(PASS).click()
    page.locator(".hc-received").first.wait_for()
    wait_for_turn(page)
    shot(page, f"{width}-3-first-turn")
    for _ in range(4):
        count = page.locator(MINE).count()
        page.locator(FREE).last.click()
        page.wait_for_function(f"document.querySelectorAll('{MINE}').length < {count}")
        wait_for_turn(page)
    refused = page.locator(f"{MINE}[aria-disabled=true]")
    if refused.count():
        refused.first.hover()
    shot(page, f"{width}-4-trick")
    assert play_on(page) == 9
    shot(page, f"{width}-5-scored")
    assert phase(page) == "scored"
    row = [int(cell) for cell in page.locator(".hc-side tbody td").all_inner_texts()]
    assert sum(row) in (26, 78, -26, -52)
    page.locator(NEXT).click()
    page.wait_for_function(f"document.querySelectorAll('{MINE}').length == 13")
    assert phase(page) == "passing"


@pytest.mark.parametrize("motion", [True, False])
def test_a_full_trick_is_shown_before_it_is_taken(table, shot, motion):
    """The trick stays just as long for a person who prefers less motion."""
    page, _ = table(motion=motion, hurry=False)
    page.evaluate(LOOK)
    pass_three(page)
    page.wait_for_function(f"document.querySelector('{FREE}') || look.seen.length")
    if page.locator(FREE).count():
        page.locator(FREE).first.click()
    page.wait_for_function("look.seen.length")
    shot(page, f"1280-6-full-trick-{motion}")
    page.wait_for_function("look.gone")
    assert page.evaluate("look.seen") == [1, 1]
    assert page.evaluate("look.gone - look.since") > 1400
    assert page.locator(".hc-last .hc-card").count() == 4
    assert "The last trick: " in page.locator(".hc-last").inner_text()


def test_a_trick_waits_for_a_click_if_that_is_wanted(table):
    page, _ = table()
    page.locator(".hc-pace").select_option("trick")
    page.reload()
    page.locator(MINE).first.wait_for()
    assert page.locator(".hc-pace").input_value() == "trick"  # the browser remembers the choice
    pass_three(page)
    page.wait_for_function(f"document.querySelector('{FREE}, .hc-took')")
    if page.locator(".hc-play").count() < 4:
        page.locator(FREE).first.click()
    page.locator(".hc-play").nth(3).wait_for()
    page.wait_for_timeout(500)
    assert page.locator(".hc-play").count() == 4
    page.locator(".hc-play").first.click()
    page.wait_for_function("document.querySelectorAll('.hc-play').length < 4")


def test_the_reason_on_the_screen_is_that_of_the_moment(table):
    page, _ = table()
    page.locator(".hc-pace").select_option("card")
    pass_three(page)
    page.locator(MINE).first.focus()
    reasons = []
    while not page.locator(FREE).count():
        reasons.append(page.locator(".hc-why").inner_text())
        assert reasons[-1] == page.locator(f"{MINE}:focus").get_attribute("aria-description")
        prompt = page.locator(".hc-prompt").inner_text()
        page.evaluate(f"document.querySelector('{NEXT}').click()")
        page.wait_for_function(f"document.querySelector('.hc-prompt').innerText != '{prompt}'")
    assert reasons
    assert page.locator(".hc-why").inner_text() not in reasons


def test_tricks_are_played_from_the_keyboard(table, shot):
    page, _ = table()
    page.locator(".hc-pace").focus()
    page.keyboard.press("Tab")
    seen = [page.evaluate("document.activeElement.dataset.card")]
    for key in ("Enter", "ArrowRight", "Space", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.locator(CHOSEN).nth(2).wait_for()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")  # moves from the last card to the first
    assert page.evaluate("document.activeElement.dataset.card") == seen[0]
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.dataset.click") == "pass"
    page.keyboard.press("Enter")
    page.wait_for_selector("[data-phase=playing]")
    for _ in range(3):
        wait_for_turn(page)
        count = page.locator(MINE).count()
        page.locator(f"{MINE}[tabindex='0']").focus()
        for _ in range(count):
            if page.evaluate("document.activeElement.getAttribute('aria-disabled')") == "false":
                break
            page.keyboard.press("ArrowRight")
        shot(page, "1280-7-keyboard")
        page.keyboard.press("Space")
        page.wait_for_function(f"document.querySelectorAll('{MINE}').length < {count}")
        assert page.evaluate("document.activeElement.closest('.hc-hand') !== null")


def test_everything_can_be_heard(table):
    page, _ = table()
    pass_three(page)
    wait_for_turn(page)
    log = page.locator(".hc-said")
    assert log.get_attribute("aria-live") == "polite"
    assert " leads the 2 of Clubs." in log.inner_text()
    labels = [button.get_attribute("aria-label") for button in page.locator(MINE).all()]
    assert all(
        re.match(r"(\d+|Jack|Queen|King|Ace) of (Clubs|Diamonds|Hearts|Spades)", label)
        for label in labels
    )
    refused = page.locator(f"{MINE}[aria-disabled=true]").all()
    assert refused
    for button in refused:
        reason = button.get_attribute("aria-description")
        assert reason
        assert reason == button.get_attribute("title")


def test_a_refused_card_stays_and_says_why(table):
    page, widget = table()
    pass_three(page)
    wait_for_turn(page)
    before = widget.view
    refused = page.locator(f"{MINE}[aria-disabled=true]").first
    refused.click(force=True)
    assert page.locator(".hc-why").inner_text() == refused.get_attribute("title")
    assert widget.view == before


def test_a_new_game_by_another_rule_book(table):
    page, widget = table()
    assert page.locator(".hc-book option").count() == len(widget.view["books"]) > 2
    page.locator(".hc-book").select_option("ESTELL")
    page.locator(".hc-start").click()  # no question is asked, because no card was played
    page.wait_for_function("document.querySelector('.hc-book option[selected]').value == 'ESTELL'")
    assert [book["new"] for book in widget.view["books"] if book["chosen"]] == ["ESTELL"]


def test_other_computer_players_sit_down_in_the_middle_of_a_deal(table):
    page, widget = table()
    pass_three(page)
    page.wait_for_selector("[data-phase=playing]")
    hand = widget.view["hand"]
    page.locator(".hc-opponent").select_option("counter")
    page.wait_for_function(
        "document.querySelector('.hc-opponent option[selected]').value == 'counter'"
    )
    chosen = [kind["opponent"] for kind in widget.view["opponents"] if kind["chosen"]]
    assert (chosen, widget.view["hand"]) == (["counter"], hand)
    wait_for_turn(page)


def test_a_running_game_is_not_given_up_without_a_question(table, shot):
    page, widget = table()
    pass_three(page)
    page.wait_for_selector("[data-phase=playing]")
    page.locator(".hc-book").select_option("NEW HEART")
    for answer in ("Escape", "Enter"):
        page.locator(".hc-start").click()
        before = widget.view
        shot(page, "1280-8-question")
        assert "Give up this game" in page.locator(".hc-prompt").inner_text()
        page.wait_for_timeout(300)
        page.keyboard.press(answer)  # Enter presses the button that continues the game
        assert page.locator(".hc-book").input_value() == "NEW HEART"
        assert widget.view["phase"] == "playing"
        assert before["hand"] == widget.view["hand"]
        assert "Give up" not in page.locator(".hc-prompt").inner_text()
    page.locator(".hc-start").click()
    page.locator(".hc-button", has_text="New game").click()
    page.wait_for_selector("[data-phase=passing]")
    assert [book["new"] for book in widget.view["books"] if book["chosen"]] == ["NEW HEART"]


def test_after_the_last_deal_a_button_starts_another_game(table, program, shot):
    def new_table(book, chance):
        match = program.Match(program.BOOKS[book])
        for _ in range(4):
            match.sheet.enter([0, 26, 0, 0])
        return program.Table(match)

    page, _ = table(names=vars(program) | {"new_table": new_table})
    assert phase(page) == "finished"
    shot(page, "1280-9-finished")
    page.locator(".hc-button", has_text="New game").click()
    page.wait_for_selector("[data-phase=passing]")


def test_a_deal_is_called_a_deal(table):
    page, _ = table()
    words = page.locator(".hc").inner_text().lower().split()
    assert "deal" in words
    assert "hand" not in words


def test_an_error_of_the_program_is_shown_and_the_table_stays(table, program):
    def click(table, event, chance):
        return 1 / 0

    page, _ = table(names=vars(program) | {"click": click})
    page.locator(FREE).first.click()
    page.wait_for_selector(".hc-fault:not([hidden])")
    assert "ZeroDivisionError" in page.locator(".hc-fault").inner_text()
    assert page.locator(MINE).count() == 13


LUMINANCE = """(selectors) => {
  const channel = (v) => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = (css) => {
    const [r, g, b] = css.match(/[\\d.]+/g).map(Number).map(channel);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  return selectors.map(([ink, inkOf, paper, paperOf]) => {
    const pair = [getComputedStyle(document.querySelector(ink))[inkOf],
                  getComputedStyle(document.querySelector(paper))[paperOf]].map(light).sort();
    return (Math.max(...pair) + .05) / (Math.min(...pair) + .05);
  });
}"""


def test_cards_and_words_stand_out(table):
    page, _ = table()
    for _ in range(3):
        page.locator(f"{FREE}:not([aria-pressed=true])").last.click()
    page.locator(f"{MINE}[aria-disabled=true]").first.wait_for()
    pairs = [(c, "color", c, "backgroundColor") for c in (".hc-book", ".hc-start", ".hc-pace")]
    for state in ("true", "false"):
        for suit in ("clubs", "diamonds", "hearts", "spades"):
            card = f"{MINE}[aria-disabled={state}] .hc-{suit}"
            if page.locator(card).count():
                pairs.append((card, "fill", f"{card} .hc-paper", "fill"))
    assert len(pairs) > 6
    assert min(page.evaluate(LUMINANCE, pairs)) >= 4.5
