"""The course's own card table in a real browser: a hand by clicking, tricks from the keyboard."""

import re

import pytest

MINE = ".hc-hand button"
FREE = f"{MINE}[aria-disabled=false]"
CHOSEN = f"{MINE}[aria-pressed=true]"
PASS = "[data-click=pass]"
NEXT = "[data-click=next]"


def phase(page):
    return page.locator("[data-phase]").get_attribute("data-phase")


def wait_for_turn(page):
    """Until the user is to play, or the deal is over."""
    page.wait_for_function(
        "document.querySelector('.hc-hand button[aria-disabled=false]')"
        " || document.querySelector('[data-phase=scored], [data-phase=finished]')"
    )


def pass_three(page):
    for _ in range(3):
        page.locator(f"{FREE}:not([aria-pressed=true])").last.click()
    page.locator(PASS).click()


def play_on(page):
    """Play the lowest card that may be played whenever it is the user's turn, to the end."""
    plays = 0
    wait_for_turn(page)
    while phase(page) == "playing":
        count = page.locator(MINE).count()
        page.locator(FREE).first.click()
        page.wait_for_function(f"document.querySelectorAll('{MINE}').length < {count}")
        plays += 1
        wait_for_turn(page)
    return plays


@pytest.mark.parametrize("width", [1280, 800])
def test_a_whole_hand_is_played_by_clicking(table, shot, width):
    page, _ = table(width=width)
    shot(page, f"{width}-1-dealt")
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


def test_a_full_trick_is_shown_before_it_is_taken(table, shot):
    page, _ = table(motion=True)
    page.wait_for_timeout(900)
    pass_three(page)
    wait_for_turn(page)
    if page.locator(".hc-play").count() < 4:
        page.locator(FREE).first.click()
    page.locator(".hc-play").nth(3).wait_for()
    page.wait_for_timeout(350)
    shot(page, "1280-6-full-trick")
    assert page.locator(".hc-best").count() == 1
    assert page.locator(".hc-took").count() == 1
    page.wait_for_function("document.querySelectorAll('.hc-play').length < 4")


def test_tricks_are_played_from_the_keyboard(table, shot):
    page, _ = table()
    page.locator(".hc-book").last.focus()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.parentElement.className") == "hc-buttons"
    page.keyboard.press("Tab")
    seen = [page.evaluate("document.activeElement.dataset.card")]
    for key in ("Enter", "ArrowRight", "Space", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    page.locator(CHOSEN).nth(2).wait_for()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")  # round the corner
    assert page.evaluate("document.activeElement.dataset.card") == seen[0]
    page.keyboard.press("Shift+Tab")
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
    other = page.locator(".hc-book:not([aria-current])").first
    name = other.get_attribute("data-book")
    other.click()
    page.wait_for_selector(f".hc-book[aria-current][data-book={name}]")
    assert [book["new"] for book in widget.view["books"] if book["chosen"]] == [name]
    assert page.evaluate("document.activeElement.dataset.book") == name


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
    pairs = [(".hc-book[aria-current]", "color", ".hc-book[aria-current]", "backgroundColor")]
    for state in ("true", "false"):
        for suit in ("clubs", "diamonds", "hearts", "spades"):
            card = f"{MINE}[aria-disabled={state}] .hc-{suit}"
            if page.locator(card).count():
                pairs.append((card, "fill", f"{card} .hc-paper", "fill"))
    assert len(pairs) > 4
    assert min(page.evaluate(LUMINANCE, pairs)) >= 4.5
