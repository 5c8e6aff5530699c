"""Hand the texts of scripts to a page: merged, translated, and each key once."""

import pytest
from django.utils.translation import override

from core.contributions import ContributedTwice
from core.screens import panels, texts
from tests.support.contributing import contributed


@pytest.fixture
def two_apps() -> tuple[panels.Screens, panels.Screens]:
    bets = texts.ngettext_noop("{n} bet", "{n} bets")
    return (
        panels.Screens(texts={"sale": {"sell": "Sell", "bets": bets}}),
        panels.Screens(texts={"desk": {"sell": "Sell", "close": "Close"}}),
    )


def test_catalogues_are_merged_and_a_plural_is_a_pair(
    two_apps: tuple[panels.Screens, panels.Screens],
) -> None:
    with contributed("screens", "SCREENS", *two_apps), override("en"):
        assert texts.names() == ("desk", "sale")
        assert texts.keys("sale") == {"sell", "bets"}
        assert texts.catalogue("sale", "desk") == {
            "sell": "Sell",
            "bets": ["{n} bet", "{n} bets"],
            "close": "Close",
        }


def test_a_catalogue_that_no_app_has_is_an_error() -> None:
    with pytest.raises(KeyError, match="nowhere"):
        texts.catalogue("base", "nowhere")


def test_two_apps_may_not_have_one_catalogue() -> None:
    parts = [panels.Screens(texts={"sale": {key: key}}) for key in ("one", "two")]
    with contributed("screens", "SCREENS", *parts), pytest.raises(ContributedTwice, match="sale"):
        texts.catalogues()


def test_two_catalogues_agree_on_a_key() -> None:
    of_test = panels.Screens(texts={"one of the test": {"close": "Otherwise"}})
    with (
        contributed("screens", "SCREENS", *panels.parts(), of_test),
        pytest.raises(ValueError, match="close"),
    ):
        texts.catalogue("base", "one of the test")
