"""Read the public log over HTTP, in pages that caches may keep, at addresses that stay."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from core.proofs import keys, log
from tests.support.api import Api, refused
from tests.support.verifying.load import verifier

pytestmark = pytest.mark.django_db


def publish(*subjects: str) -> None:
    for subject in subjects:
        log.publish(kind="test.fact", subject=subject, document={"is": subject})


def test_reading_it_all_page_by_page_gives_a_whole_log() -> None:
    refused(Api().get("log/head"), 404, "entry_unknown")
    publish("a", "b", "c", "d")
    first = Api().get("log", limit=3)
    second = Api().get("log", limit=3, cursor=first.json()["next"])
    entries = first.json()["items"] + second.json()["items"]
    assert verifier("public_log").log_holds(entries, [keys.current_public()]).startswith("WHOLE: 5")
    assert second.json()["next"] is None
    assert Api().get("log/head").json() == entries[-1] == Api().get("log/5").json()
    only = Api().get("log", kind="test.fact", subject="b").json()["items"]
    assert only == [entries[2]]
    refused(Api().get("log/6"), 404, "entry_unknown")
    refused(Api().get("log/99999999999999999999"), 404, "route_unknown")


def test_what_cannot_change_is_kept_for_ever_and_the_rest_shortly() -> None:
    publish("a", "b")
    for path, query, kept in (
        ("log/2", {}, "public, max-age=31536000, immutable"),
        ("log", {"limit": "2"}, "public, max-age=31536000, immutable"),
        ("log", {}, "public, max-age=5"),
        ("log/head", {}, "public, max-age=5"),
        ("log/keys", {}, "public, max-age=5"),
    ):
        answer = Api().get(path, **query)
        assert set(answer.headers["Cache-Control"].split(", ")) == set(kept.split(", "))
        again = Api(**{"If-None-Match": answer.headers["ETag"]}).get(path, **query)
        assert (again.status_code, again.content) == (304, b"")
        other = Api(**{"If-None-Match": '"other"'}).get(path, **query)
        assert (other.status_code, other.content) == (200, answer.content)


@pytest.mark.usefixtures("facts_stay")
def test_a_page_is_made_once_until_the_log_grows(
    django_assert_num_queries: Callable[[int], AbstractContextManager[object]],
) -> None:
    publish("a", "b")
    first = Api().get("log")
    with django_assert_num_queries(1):
        assert Api().get("log").content == first.content
    publish("c")
    grown = Api().get("log").json()["items"]
    assert [entry["subject"] for entry in grown[-3:]] == ["a", "b", "c"]
    assert Api().get("log", subject="c").json()["items"] == grown[-1:]


def test_the_keys_and_since_when() -> None:
    publish("a")
    (key,) = Api().get("log/keys").json()["items"]
    assert key["public_key"] == keys.current_public().hex()
    assert (key["first_sequence"], key["until_sequence"], key["in_force"]) == (1, None, True)
