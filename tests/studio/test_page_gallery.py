"""How one begins: an empty page, the gallery of examples, and the address of a shared mechanism."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pages import eventually
from studio_page import Studio, served

import structkin as sk
from structkin.errors import InputError
from structkin.examples import names, path
from structkin.studio import gallery, share


def transforms(studio: Studio, card: Any) -> list[str]:
    found: list[str] = card.locator(".sk-shapes > *").evaluate_all("all => all.map(e => e.getAttribute('transform'))")
    return found


def test_every_example_is_in_the_gallery_once_with_a_sentence():
    found = gallery.cards()
    assert sorted(card["name"] for card in found) == list(names())
    assert all(card["words"] and card["title"] == sk.load(path(card["name"])).title for card in found)
    with pytest.raises(InputError, match="is not an example"):
        gallery.document("crank_roker")


@pytest.mark.full
def test_an_empty_page_says_how_to_begin_and_is_drawn_on(browser: Any, tmp_path: Path):
    with served(tmp_path / "new.toml") as address:
        studio = Studio(browser, address)
        begin = studio.page.locator(".st-begin")
        begin.get_by_text("Draw your mechanism here").wait_for()
        studio.press("Draw a link")
        box = begin.bounding_box()
        # what it says lets the pointer through
        studio.pull((box["x"] + 8, box["y"] + 8), (box["x"] + 200, box["y"] + box["height"] + 60))
        studio.page.locator("circle[data-point='B']").wait_for()
        assert not begin.count() and not studio.errors


def test_an_example_is_found_by_need_and_words_moves_and_opens(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.press("New")
        studio.press("Take an example")
        cards = studio.page.locator(".st-card")
        cards.first.wait_for()
        assert cards.count() == len(names())
        studio.page.get_by_role("button", name="walking", exact=True).click()
        assert cards.count() == 2
        studio.press("all")
        studio.page.get_by_label("Search examples").fill("holy strand")
        studio.page.get_by_text("No example has these words").wait_for()
        studio.page.get_by_label("Search examples").fill("leg jansen")
        assert eventually(studio.page, lambda: cards.count() == 1)
        cards.locator("svg").wait_for()
        before = transforms(studio, cards)
        assert eventually(studio.page, lambda: transforms(studio, cards) != before)
        cards.click()
        studio.see("groups", "4. f + foot: RRR dyad")
        assert studio.page.title() == "● Theo Jansen's leg – structkin studio"
        assert not studio.page.locator(".st-gallery").count()
        studio.press("Undo")
        studio.see("status", "Nothing drawn yet")
        assert not studio.errors


@pytest.mark.full
def test_the_gallery_is_closed_by_a_key_and_edits_nothing_meanwhile(browser: Any):
    with served() as address:
        studio = Studio(browser, address)
        studio.page.mouse.click(*studio.place("P"))
        studio.press("Examples")
        studio.page.locator(".st-card").first.focus()
        studio.page.keyboard.press("Delete")
        studio.page.keyboard.press("Escape")
        studio.page.locator(".st-gallery").wait_for(state="detached")
        assert not studio.page.locator(".st-dirty").count() and not studio.errors


@pytest.mark.full
def test_the_address_of_a_shared_mechanism_opens_it(browser: Any):
    fragment = share.fragment(gallery.document("klann_leg"))
    with served() as address:
        studio = Studio(browser, address + fragment)
        studio.page.wait_for_function("() => document.title.includes('Klann')")
        assert "#" not in studio.page.url
        studio.page.evaluate("text => { location.hash = text; }", fragment[:-9])  # not all of it was copied
        studio.page.get_by_text("the shared text does not contain a mechanism").wait_for()
        studio.page.evaluate("text => { location.hash = text; }", share.fragment(gallery.document("geneva")))
        studio.page.wait_for_function("() => document.title.includes('Geneva')")
        assert not studio.errors
        page = browser.new_context().new_page()  # without the token nothing opens
        page.goto(address.partition("?")[0] + fragment)
        page.get_by_text("This address holds a shared mechanism").wait_for()
