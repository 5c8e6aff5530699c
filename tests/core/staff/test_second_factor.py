"""The second factor: without it nothing can be done, and a code is good once."""

import threading

import pytest
from django.contrib.auth.hashers import make_password
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import override_settings

from core.staff import powers, second_factor, services, two_persons
from core.staff.accounts import OwnAccount
from core.staff.actor import SecondFactorNotSet, StaffActor
from core.staff.devices import CONSOLE, Origin, device_token
from core.staff.models import SecondFactor, User
from core.staff.powers import Role
from core.staff.services import actor_of, session_start, sign_on_check, user_create
from core.traffic.limits import Throttled
from tests.support import factories
from tests.support.api import Api, refused

PASSWORD = "drei-hengste-im-regen"
OWN = PASSWORD[::-1]


def person(*roles: Role) -> User:
    return factories.account("ana", "Ana", *roles or [Role.AUDITOR], stored=make_password(PASSWORD))


def fresh(user: User) -> StaffActor:
    return actor_of(session_start(user=user)[0])


def sign_on(code: str) -> bool:
    return sign_on_check(username="ana", password=PASSWORD, code=code, origin=CONSOLE)[1]


@pytest.mark.django_db
class TestServices:
    def test_a_session_without_it_has_no_power(self) -> None:
        by = fresh(person(Role.ADMINISTRATOR))
        assert not by.may(powers.MANAGE_ACCOUNTS)
        with pytest.raises(SecondFactorNotSet):
            by.need(powers.MANAGE_ACCOUNTS)

    def test_it_is_set_up_by_its_first_code_and_then_needed(self) -> None:
        user = person(Role.ADMINISTRATOR)
        session, _token = session_start(user=user)
        by = actor_of(session)
        assert not sign_on("")  # none yet: one signs on to set one up
        secret = second_factor.factor_begin(by=by).secret
        with pytest.raises(second_factor.OneTimeCodeWrong):
            second_factor.factor_confirm(by=by, code="000000")
        second_factor.factor_confirm(by=by, code=factories.one_time_code(secret))
        second_factor.factor_confirm(by=by, code="")  # again: nothing changes
        session.refresh_from_db()
        actor_of(session).need(powers.MANAGE_ACCOUNTS)
        with pytest.raises(services.SecondFactorNeeded):
            sign_on("")
        factories.time_pass(seconds=30)
        assert sign_on(factories.one_time_code(secret))

    def test_a_code_is_good_once_and_for_half_a_minute_to_each_side(self) -> None:
        secret = factories.second_factor(person())
        code = factories.one_time_code(secret)
        assert sign_on(code)
        with pytest.raises(services.SignOnRefused):
            sign_on(code)
        coming = factories.one_time_code(secret)
        factories.time_pass(seconds=90)
        late = factories.one_time_code(secret)
        factories.time_pass(seconds=61)
        for old in (coming, late):
            with pytest.raises(services.SignOnRefused):
                sign_on(old)

    def test_who_has_the_password_has_few_tries_of_the_code(self) -> None:
        user = person()
        secret = factories.second_factor(user)
        for _ in range(10):
            with pytest.raises(services.SignOnRefused):
                sign_on("000000")
        with pytest.raises(Throttled):
            sign_on(factories.one_time_code(secret))
        home = Origin("192.0.2.1", device_token(user))
        code = factories.one_time_code(secret)
        credentials = {"username": "ana", "password": PASSWORD, "code": code, "origin": home}
        assert sign_on_check(**credentials) == (user, True)

    def test_the_secret_is_not_in_the_database(self) -> None:
        secret = factories.second_factor(person())
        kept = bytes(SecondFactor.objects.get().secret)
        assert secret.encode() not in kept
        assert len(kept) > len(secret)

    def test_beginning_anew_ends_what_was_begun_but_not_what_stands(self) -> None:
        by = fresh(person())
        with pytest.raises(second_factor.SecondFactorUnknown):
            second_factor.factor_confirm(by=by, code="000000")
        first = second_factor.factor_begin(by=by).secret
        second = second_factor.factor_begin(by=by).secret
        with pytest.raises(second_factor.OneTimeCodeWrong):
            second_factor.factor_confirm(by=by, code=factories.one_time_code(first))
        second_factor.factor_confirm(by=by, code=factories.one_time_code(second))
        with pytest.raises(second_factor.SecondFactorStands):
            second_factor.factor_begin(by=by)

    def test_two_other_administrators_end_it_and_the_sessions_with_it(self) -> None:
        user = person(Role.ADMINISTRATOR)
        factories.second_factor(user)
        session, _token = session_start(user=user, verified=True)
        with pytest.raises(OwnAccount):
            second_factor.factor_end_propose(by=actor_of(session), user_id=user.pk)
        first, second = factories.staff(Role.ADMINISTRATOR), factories.staff(Role.ADMINISTRATOR)
        proposal = second_factor.factor_end_propose(by=first, user_id=user.pk)
        actor_of(session)
        two_persons.confirm(proposal=proposal.uuid, by=second)
        session.refresh_from_db()
        with pytest.raises(services.SessionExpired):
            actor_of(session)
        assert not sign_on("")

    def test_the_code_of_a_demonstration(self, capsys: pytest.CaptureFixture[str]) -> None:
        secret = factories.second_factor(person())
        call_command("staff_code", "ana")
        assert capsys.readouterr().out.strip() == factories.one_time_code(secret)
        with pytest.raises(CommandError, match="no such account"):
            call_command("staff_code", "nobody")
        with override_settings(PRODUCTION=True), pytest.raises(CommandError, match="device"):
            call_command("staff_code", "ana")


@pytest.mark.django_db
class TestApi:
    def test_a_new_person_can_do_nothing_but_set_it_up(self) -> None:
        anybody = Api()
        user_create(
            username="ana", full_name="Joan Mas", password=PASSWORD, roles=["administrator"]
        )
        signed_on = anybody.post("staff/sessions", {"username": "ana", "password": PASSWORD}).json()
        assert signed_on["verified"] is False
        api = Api(Authorization=f"Bearer {signed_on['token']}")
        refused(api.get("staff"), 403, "password_not_own")
        changed = api.post("staff/password", {"current": PASSWORD, "new": OWN})
        assert changed.status_code == 204
        refused(api.get("staff"), 403, "second_factor_not_set")
        again = {"current": OWN, "new": PASSWORD}
        refused(api.post("staff/password", again), 403, "second_factor_not_set")
        refused(api.get("premises"), 403, "second_factor_not_set")
        begun = api.post("staff/second-factor").json()
        assert begun["uri"].startswith("otpauth://totp/Lototrot:ana?secret=" + begun["secret"])
        confirmation = "staff/second-factor/confirmation"
        refused(api.post(confirmation, {"code": "000000"}), 422, "one_time_code_wrong")
        code = factories.one_time_code(begun["secret"])
        assert api.post(confirmation, {"code": code}).status_code == 204
        assert api.get("staff").status_code == 200
        refused(api.post("staff/second-factor"), 409, "second_factor_stands")
        body = {"username": "ana", "password": OWN}
        refused(anybody.post("staff/sessions", body), 401, "second_factor_needed")
        refused(anybody.post("staff/sessions", {**body, "code": code}), 401, "sign_on_refused")


def test_a_code_cannot_be_spent_twice_at_once(own_database: object) -> None:
    secret = factories.second_factor(person())
    code, gate, came = factories.one_time_code(secret), threading.Barrier(4), []

    def attempt() -> None:
        gate.wait()
        try:
            came.append(sign_on(code))
        except services.SignOnRefused:
            came.append(False)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=attempt) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(came)[-2:] == [False, True]
