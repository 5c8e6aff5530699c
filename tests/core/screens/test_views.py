"""The frame that all screens share: its languages, and the facts around a page."""

from django.test import RequestFactory

from core.screens.views import around, languages


def test_catalan_comes_first_in_the_switch() -> None:
    answer = languages(RequestFactory().get("/", {"wall": "1"}))
    assert [each["code"] for each in answer] == ["ca", "es", "en"]
    assert answer[0]["href"] == "?wall=1&lang=ca"


def test_what_stands_around_a_page_asks_nothing_of_the_database() -> None:
    facts = around()  # no fixture lets it ask
    assert facts["version"] and set(facts["organiser"]) == {"name", "contact"}
