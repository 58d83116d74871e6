"""A tournament's pages in a browser: accessibility, and deals replayed card by card."""

import json

import pytest
from hearts_course.tournament.pages import Results, all_pages, slowest_page
from hearts_course.tournament.times import Decision, Timed
from hearts_grader.tournament.entries import find_entries
from hearts_grader.tournament.rounds import RoundPlayer
from tiny_class import opened, put
from tournaments import COURSE, setup_for

WIDTHS = {"light": 1280, "dark": 390}
NAMES = ("report.html", "players/002-cautious.html", "deals/000001.html", "slowest.html")
LONG = "A name that is very long"


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    """The folder with the pages of a tournament between the course's players.

    Its report links to pages with all deals, because there are more than three deals.
    """
    entries, _ = find_entries(["cautious", "counter", "random", "sampler", "random"], COURSE)
    player = RoundPlayer(setup_for(entries, "none"))
    rounds = []
    for number in (1, 2):
        played = json.loads(player.play(number).text.replace("random (2)", LONG))
        played["tables"][0]["deals"][0]["faults"] = [[0, 7, "slow"]]
        played["again"] = {"counter": True, LONG: False}
        rounds.append(played)
    slowest = slowest_page([Timed(LONG, 1, 2, 3, Decision(4, 0.5, 0.75))])
    texts = all_pages(Results.of(rounds, "ESTELL"), most=3)
    folder = tmp_path_factory.mktemp("cup")
    return put(folder, {**texts, "slowest.html": slowest})


@pytest.mark.parametrize("scheme", WIDTHS)
def test_the_pages_can_be_read_by_everybody(cup, new_page, axe, shot, scheme):
    page = new_page(width=WIDTHS[scheme], color_scheme=scheme, bypass_csp=True)
    for name in NAMES:
        opened(page, cup, name)
        if name != "slowest.html":
            page.get_by_role("button", name="Next card").click()
        assert axe(page) == [], name
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        shot(page, f"tournament-{name.partition('/')[0].split('.')[0]}-{scheme}")


def test_every_link_of_the_report_leads_to_a_page(cup, new_page):
    page = opened(new_page(), cup)
    links = [link.get_attribute("href") for link in page.get_by_role("link").all()]
    assert {*NAMES[1:]} < {*links}
    assert len(links) == 7
    for link in links:
        opened(page, cup, link)
        page.get_by_role("link", name="Tournament").click()
        assert page.get_by_role("heading", level=1).inner_text() == "Tournament of 5 players"


def test_a_deal_is_replayed_with_what_a_player_knew(cup, new_page):
    page = opened(new_page(), cup, "deals/000001.html")
    deal = json.loads(page.locator("#deals").text_content())[0]
    assert deal["direction"] == "LEFT"
    names = deal["names"]
    rows = page.locator("#seats tr")

    def hands():
        return [row.locator("td").first.inner_text() for row in rows.all()]

    page.get_by_label("Show").select_option("all cards")
    assert all(len(hand.split()) == 13 for hand in hands())
    page.get_by_label("Show").select_option(f"what {names[1]} knew")
    assert [hand.startswith("13 cards") for hand in hands()] == [True, False, True, True]
    page.get_by_role("button", name="Next card").click()
    assert page.locator("#happened").inner_text() == "passed left"
    assert "of them" in hands()[2], "whoever passes knows where the cards are"
    assert hands()[0] == hands()[3] == "13 cards"
    for _ in range(52):
        page.get_by_role("button", name="Next card").click()
    assert page.get_by_role("button", name="Next card").is_disabled()
    taken = [int(row.locator("td").last.inner_text()) for row in rows.all()]
    assert sum(taken) == 26
    if 26 not in taken:  # nobody shot the moon
        assert taken == deal["scores"]


def test_without_scripts_and_on_paper_the_results_are_all_there(cup, new_page):
    page = opened(new_page(java_script_enabled=False), cup)
    assert not page.locator("#replay").is_visible()
    assert page.locator("tbody").first.locator("tr").count() == 5
    page.emulate_media(media="print")
    assert page.get_by_role("heading", name="Each player against each other").is_visible()
    assert page.get_by_text("A name that is very long").first.is_visible()
    assert page.get_by_text("slow in").first.is_visible()
