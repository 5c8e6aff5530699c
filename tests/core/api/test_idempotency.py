"""One act for one key: replays, reuse, races on real connections, secrets shown once."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, connections

from core.api.models import FirstAnswer
from core.staff.models import Proposal, User
from core.staff.powers import Role
from tests.support.api import Api, refused, staff_api
from tests.support.databases import Database

BAR = {
    "code": "P-0001",
    "name": "Bar Central",
    "kind": "establishment",
    "address": "Major 1",
    "municipality": "Manacor",
}
PREMISES: dict[str, object] = {"premises": [BAR]}
KEY = "d3f0a3d2-5b8e-4d36-9c1a-000000000001"


def _post(api: Api, body: dict[str, object], key: str = KEY, path: str = "premises") -> Any:
    return api.post(path, body, Idempotency_Key=key)


@pytest.mark.django_db
class TestOneAfterTheOther:
    def test_a_retry_gets_the_first_answer(self, organiser: Api) -> None:
        first, second = _post(organiser, PREMISES), _post(organiser, PREMISES)
        assert (first.status_code, second.status_code) == (201, 201)
        assert first.content == second.content
        assert "Idempotent-Replay" not in first.headers
        assert second.headers["Idempotent-Replay"] == "true"
        assert Proposal.objects.count() == 1

    def test_the_order_of_names_does_not_matter(self, organiser: Api) -> None:
        _post(organiser, PREMISES)
        turned = {"premises": [dict(reversed(BAR.items()))]}
        assert _post(organiser, turned).headers["Idempotent-Replay"] == "true"

    def test_other_content_or_another_address_under_the_same_key(self, organiser: Api) -> None:
        _post(organiser, PREMISES)
        other = _post(organiser, {"premises": [{**BAR, "name": "Another"}]})
        refused(other, 409, "idempotency_key_reused")
        elsewhere = _post(organiser, {"reason": "Storm"}, path="suspensions")
        refused(elsewhere, 409, "idempotency_key_reused")
        assert Proposal.objects.count() == 1

    def test_keys_belong_to_people(self, organiser: Api) -> None:
        _post(organiser, PREMISES)
        colleague = staff_api(Role.ORGANISER)
        refused(_post(colleague, PREMISES), 409, "proposal_pending")

    def test_refusals_are_not_remembered(self, organiser: Api) -> None:
        refused(_post(organiser, {"premises": [{**BAR, "kind": "casino"}]}), 422, "fields_invalid")
        assert _post(organiser, PREMISES).status_code == 201
        refused(_post(organiser, PREMISES, "another-key"), 409, "proposal_pending")
        assert FirstAnswer.objects.count() == 1
        assert (
            _post(organiser, {"premises": [{**BAR, "code": "P-2"}]}, "another-key").status_code
            == 201
        )

    @pytest.mark.parametrize("key", ["", "short", "x" * 129, "tab\tinside", "ñandúes-y-más"])
    def test_keys_that_are_none(self, organiser: Api, key: str) -> None:
        refused(_post(organiser, PREMISES, key), 422, "idempotency_key_invalid")
        assert not Proposal.objects.exists()

    def test_nothing_kept_tells_the_key_or_the_body(self, administrator: Api) -> None:
        body = {
            "username": "or-17",
            "full_name": "Maria Riera",
            "roles": ["cashier"],
            "password": "correct horse battery",
        }
        _post(administrator, body, path="staff")
        kept = FirstAnswer.objects.get()
        row = b"|".join([bytes(kept.key_digest), bytes(kept.request_digest), kept.body.encode()])
        assert b"correct horse" not in row
        assert KEY.encode() not in row


def _at_once(acts: list[Callable[[], Any]]) -> list[Any]:
    """The results of the acts, each on a connection of its own, begun together."""
    results: list[Any] = [None] * len(acts)
    begin = threading.Barrier(len(acts))

    def run(index: int) -> None:
        try:
            begin.wait(timeout=30)
            results[index] = acts[index]()
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run, args=[index]) for index in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert all(result is not None for result in results)
    return results


def test_eight_retries_at_once_do_it_once(own_database: Database) -> None:
    api = staff_api(Role.ORGANISER)
    for round_ in range(5):
        body = {"premises": [{**BAR, "code": f"P-{round_}"}]}
        acts = [lambda body=body, key=f"key-{round_}-xx": _post(api, body, key) for _ in range(8)]
        answers = _at_once(acts)
        assert {answer.status_code for answer in answers} == {201}
        assert len({answer.content for answer in answers}) == 1
        assert sum("Idempotent-Replay" not in answer.headers for answer in answers) == 1
    assert Proposal.objects.count() == FirstAnswer.objects.count() == 5


def test_two_contents_at_once_under_one_key(own_database: Database) -> None:
    api = staff_api(Role.ORGANISER)
    acts = [lambda n=n: _post(api, {"premises": [{**BAR, "code": f"P-{n % 2}"}]}) for n in range(6)]
    answers = _at_once(acts)
    done = [answer for answer in answers if answer.status_code == 201]
    for answer in answers:
        if answer not in done:
            refused(answer, 409, "idempotency_key_reused")
    assert done
    assert Proposal.objects.count() == 1


def test_without_keys_the_harness_does_it_more_than_once(own_database: Database) -> None:
    """The twin of the races above: they would show a second act, were there no key."""
    api = staff_api(Role.ORGANISER)
    answers = _at_once([lambda: api.post("suspensions", {"reason": "x"}) for _ in range(4)])
    assert len({answer.json()["id"] for answer in answers}) == 4


def test_the_row_and_the_act_are_one_transaction(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = staff_api(Role.ORGANISER)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as patched:
        patched.setattr(FirstAnswer.objects, "create", broken)
        refused(_post(api, PREMISES), 500, "internal_error")
    assert not Proposal.objects.exists()
    assert _post(api, PREMISES).status_code == 201


def test_the_application_cannot_change_or_remove_a_first_answer(own_database: Database) -> None:
    api = staff_api(Role.ORGANISER)
    _post(api, PREMISES)
    for statement in (
        "UPDATE api_firstanswer SET body = '{}'",
        "DELETE FROM api_firstanswer",
        "TRUNCATE api_firstanswer",
        "ALTER TABLE api_firstanswer DROP COLUMN body",
    ):
        for alias in ("default", "owner"):
            if alias == "owner" and statement.startswith("ALTER"):
                continue
            with pytest.raises(Exception, match=r"append-only|permission denied|must be owner"):
                connections[alias].cursor().execute(statement)
    assert FirstAnswer.objects.count() == 1
    assert connection.settings_dict["USER"] != connections["owner"].settings_dict["USER"]
    assert User.objects.count() == 1
