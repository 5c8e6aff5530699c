"""Check contributions by file name: they come in app order, and a repeated name is refused."""

from types import SimpleNamespace

import pytest
from django.apps import apps

from core.contributions import (
    ContributedTwice,
    contributed_by_name,
    contributed_entries,
    contributed_items,
    contributions,
    contributions_by_app,
)
from tests.support.contributing import contribute, contributed


def test_every_app_with_the_module_contributes_in_app_order() -> None:
    names = [app.name for app in contributions_by_app("journal_rules", "RULES")]
    assert {"core.journal", "lototrot", "promotrot"} <= set(names)
    assert names == [app.name for app in apps.get_app_configs() if app.name in names]


def test_a_module_without_the_constant_is_an_error() -> None:
    with pytest.raises(AttributeError, match="NO_SUCH_CONSTANT"):
        contributions("journal_rules", "NO_SUCH_CONSTANT")


def test_nothing_is_contributed_under_an_unknown_file_name() -> None:
    assert contributions("no_such_module", "ANYTHING") == ()


def test_items_of_all_apps_come_one_after_the_other() -> None:
    with contributed("of_test", "ITEMS", (1, 2), (), (3,)):
        assert contributed_items("of_test", "ITEMS") == (1, 2, 3)
    assert contributed_items("of_test", "ITEMS") == ()


def test_a_name_is_contributed_once() -> None:
    one, two = SimpleNamespace(name="one"), SimpleNamespace(name="two")
    with contributed("of_test", "ITEMS", (one,), (two,)):
        assert contributed_by_name("of_test", "ITEMS") == {"one": one, "two": two}
    with (
        contributed("of_test", "ITEMS", (one,), (two, one)),
        pytest.raises(ContributedTwice, match="'one' is contributed twice as ITEMS of of_test"),
    ):
        contributed_by_name("of_test", "ITEMS")


def test_a_key_is_contributed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    contribute(monkeypatch, "of_test", "ENTRIES", {"a": 1}, {"b": 2})
    assert contributed_entries("of_test", "ENTRIES") == {"a": 1, "b": 2}
    contribute(monkeypatch, "of_test", "ENTRIES", {"a": 1}, {"a": 1})
    with pytest.raises(ContributedTwice, match="'a' is contributed twice"):
        contributed_entries("of_test", "ENTRIES")
