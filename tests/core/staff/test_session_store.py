"""Check that rows of browser sessions open no session and tell nothing."""

import pytest
from django.conf import LazySettings
from django.contrib.sessions.models import Session

from core.staff.session_store import SessionStore, row_key

pytestmark = pytest.mark.django_db


def begun() -> SessionStore:
    store = SessionStore()
    store["second_factor_shown"] = "JBSWY3DPEHPK3PXP"
    store.save()
    return store


def test_a_session_is_found_by_its_cookie_only() -> None:
    store, row = begun(), Session.objects.get()
    assert store.session_key and row.session_key == row_key(store.session_key)
    assert SessionStore(store.session_key)["second_factor_shown"] == "JBSWY3DPEHPK3PXP"
    assert SessionStore(row.session_key).load() == {}  # the key in the table opens nothing
    assert SessionStore().exists(store.session_key) and not SessionStore().exists(row.session_key)


def test_the_row_says_nothing_and_cannot_be_moved() -> None:
    store, other = begun(), begun()
    assert store.session_key and other.session_key
    row = Session.objects.get(session_key=row_key(store.session_key))
    assert "JBSWY" not in row.session_data and "second" not in row.session_data
    Session.objects.filter(session_key=row_key(other.session_key)).update(
        session_data=row.session_data
    )
    assert SessionStore(other.session_key).load() == {}


def test_it_is_changed_given_a_new_cookie_and_ended() -> None:
    store = begun()
    first = store.session_key
    store["language"] = "ca"
    store.save()
    store.cycle_key()
    assert store.session_key != first and Session.objects.count() == 1
    again = SessionStore(store.session_key)
    assert (again["language"], again["second_factor_shown"]) == ("ca", "JBSWY3DPEHPK3PXP")
    again.flush()
    assert not Session.objects.exists() and SessionStore(store.session_key).load() == {}


def test_a_session_over_or_of_a_key_that_is_gone_is_none(settings: LazySettings) -> None:
    store = begun()
    store.set_expiry(-1)
    store.save()
    assert SessionStore(store.session_key).load() == {}
    kept = begun()
    settings.TOKEN_KEYS = ("2", {"2": bytes(32)})
    assert SessionStore(kept.session_key).load() == {}
