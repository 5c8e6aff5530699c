"""Print the day's record of the public log."""

from typing import Any

import pytest

from core.proofs import log
from core.proofs.models import LogEntry
from core.receipts.output import Output
from tests.support import factories, rounds
from tests.support.api import Api, refused

pytestmark = pytest.mark.django_db


@pytest.mark.article("14.III.1.5")
def test_it_has_every_entry_of_the_day_with_its_digest() -> None:
    factories.time_to(rounds.NOON)
    contest = rounds.contest(rounds.rules(**rounds.TWO_LEGS), [(1, 2, 3)] * 2)
    rounds.sell(contest, factories.point(), [(1, 1), (3, 1)])
    factories.contest_closed(contest)
    entry = LogEntry.objects.get(kind="lototrot.seal")
    log.publish(kind="test.fact", subject="same day", document={})
    factories.time_pass(days=1)
    log.publish(kind="test.fact", subject="next day", document={})
    answer = Api().get("log/record.txt", day="2030-03-02", lang="en")
    text = " ".join(answer.content.decode().split())
    digits = bytes(entry.digest).hex()
    assert all(digits[at : at + 8] in text for at in range(0, 64, 8))
    assert all(entry.document["root"][at : at + 8] in text for at in range(0, 64, 8))
    assert "€3.00" in text and "same day" in text and "next day" not in text
    for output in Output:
        assert Api().get(f"log/record.{output}", day="2030-03-03").status_code == 200
    assert b"Nothing" in Api().get("log/record.txt", day="2030-03-05", lang="en").content
    refused(Api().get("log/record.pdf"), 422, "fields_invalid")


def test_it_is_kept_by_caches_for_a_moment_and_never_out_of_date() -> None:
    factories.time_to(rounds.NOON)

    def ask(subject: str) -> Any:
        log.publish(kind="test.fact", subject=subject, document={})
        return Api().get("log/record.txt", day="2030-03-02", lang="en")

    first = ask("one thing")
    assert set(first.headers["Cache-Control"].split(", ")) == {"public", "max-age=5"}
    tagged = Api(**{"If-None-Match": first.headers["ETag"]})
    again = tagged.get("log/record.txt", day="2030-03-02", lang="en")
    assert (again.status_code, again.content) == (304, b"")
    later = ask("another thing")
    assert b"one thing" in later.content and b"another thing" in later.content
