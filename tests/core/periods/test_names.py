"""Names of who left long ago are erased by two persons; digests and verifiers stay clean."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from core.database import clock
from core.journal import acting
from core.journal.export import export
from core.journal.services import checkpoint_publish, last_batch
from core.journal.verifying import verify
from core.kernel.canonical import canonical_bytes
from core.kernel.days import natural_day
from core.periods import names, nightly
from core.periods.models import ClosedPeriod
from core.periods.names import NameStillKept, NothingToErase, names_over, names_propose
from core.premises.models import Operator
from core.premises.operators import operator_deactivate
from core.proofs.models import LogEntry
from core.staff import accounts, two_persons
from core.staff.actor import PowerMissing
from core.staff.devices import CONSOLE
from core.staff.models import User
from core.staff.powers import Role
from core.staff.services import SignOnRefused, password_check
from core.staff.two_persons import ProposalDecided, SamePerson
from tests.support import factories
from tests.support.admin_desk import Desk, confirm_pending, row_url
from tests.support.api import refused, staff_api
from tests.support.databases import Database
from tests.support.journaling import seal_all
from tests.support.verifying.forging import public_key, published_log, written
from tests.support.verifying.load import verifier

NAME, OPERATOR = "Margalida Bibiloni", "Llorenç Quetgles"
TEN_YEARS = {"days": 3654}


class Left:
    """A member of staff and an operator who left."""

    def __init__(self) -> None:
        self.user = factories.account("or-9", NAME, Role.ORGANISER)
        point = factories.point()
        place, number = point.premises, point.operator.number % 90 + 1  # another one than there is
        operator = Operator(
            premises=place,
            number=number,
            pin="!",
            created_at=clock.now(),
            created_by=self.user,
        )
        operator.name = OPERATOR
        operator.save()
        self.operator = operator
        by = factories.staff(Role.ADMINISTRATOR)
        accounts.user_deactivate(by=by, user_id=self.user.pk)
        organiser = factories.staff(Role.ORGANISER)
        operator_deactivate(by=organiser, premises=place.code, number=number)

    def named(self) -> tuple[str, str]:
        user = User.objects.get(pk=self.user.pk)
        return user.full_name, Operator.objects.get(pk=self.operator.pk).name

    def is_erased(self) -> bool:
        day = natural_day(clock.now()).isoformat()
        return all(each.endswith(day) for each in self.named())


def over() -> dict[str, list[int]]:
    return names_over(natural_day(clock.now()))


def erased() -> None:
    proposal = names_propose(by=factories.staff(Role.ORGANISER))
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))


@pytest.mark.django_db
def test_names_are_erased_after_their_time_and_not_before() -> None:
    left = Left()
    with pytest.raises(NothingToErase):
        names_propose(by=factories.staff(Role.ORGANISER))
    factories.time_pass(days=3652)
    with pytest.raises(NameStillKept):
        names_propose(by=factories.staff(Role.ORGANISER), staff=[left.user.pk])
    factories.time_pass(days=2)
    ids = {"names_of_staff": [left.user.pk], "names_of_operators": [left.operator.pk]}
    assert over() == ids
    assert dict(nightly.retention(natural_day(clock.now())).counts)["names"] == 2
    here = factories.staff(Role.STEWARDS)
    for open_or_unknown in (here.user_id, 0):
        with pytest.raises(NameStillKept):
            names_propose(by=factories.staff(Role.ORGANISER), staff=[open_or_unknown])
    erased()
    assert left.is_erased() and over() == {"names_of_staff": [], "names_of_operators": []}
    with pytest.raises(NothingToErase):  # twice
        names_propose(by=factories.staff(Role.ORGANISER))
    with pytest.raises(NameStillKept):
        names_propose(by=factories.staff(Role.ORGANISER), operators=[left.operator.pk])
    with pytest.raises(SignOnRefused):
        password_check(username="or-9", password="x" * 12, origin=CONSOLE)


@pytest.mark.django_db
def test_one_person_alone_erases_nothing() -> None:
    left = Left()
    factories.time_pass(**TEN_YEARS)
    by = factories.staff(Role.ORGANISER)
    proposal = names_propose(by=by)
    for one in (by, factories.another_session(by)):
        with pytest.raises(SamePerson if one is by else (SamePerson, PowerMissing)):
            two_persons.confirm(proposal=proposal.uuid, by=one)
    with pytest.raises(PowerMissing):
        names_propose(by=factories.staff(Role.ADMINISTRATOR))
    assert left.named() == (NAME, OPERATOR)
    two_persons.reject(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))
    with pytest.raises(ProposalDecided):
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))
    assert left.named() == (NAME, OPERATOR)


def test_who_came_back_after_the_proposal_keeps_the_name(own_database: Database) -> None:
    left = Left()
    factories.time_pass(**TEN_YEARS)
    proposal = names_propose(by=factories.staff(Role.ORGANISER))
    first, second = factories.staff(Role.ADMINISTRATOR), factories.staff(Role.ADMINISTRATOR)
    back = accounts.reactivation_propose(by=first, user_id=left.user.pk)
    two_persons.confirm(proposal=back.uuid, by=second)
    with pytest.raises(NameStillKept):
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))
    accounts.user_deactivate(by=first, user_id=left.user.pk)
    assert over()["names_of_staff"] == []  # the time begins anew
    assert left.named() == (NAME, OPERATOR)


@pytest.mark.django_db
def test_who_has_no_name_any_more_does_not_come_back() -> None:
    left = Left()
    factories.time_pass(**TEN_YEARS)
    first, second = factories.staff(Role.ADMINISTRATOR), factories.staff(Role.ADMINISTRATOR)
    waiting = accounts.reactivation_propose(by=first, user_id=left.user.pk)
    erased()
    with pytest.raises(accounts.NameErased):
        two_persons.confirm(proposal=waiting.uuid, by=second)
    two_persons.reject(proposal=waiting.uuid, by=second)
    with pytest.raises(accounts.NameErased):
        accounts.reactivation_propose(by=first, user_id=left.user.pk)


@pytest.mark.django_db
def test_a_crash_before_the_end_erases_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    left = Left()
    factories.time_pass(**TEN_YEARS)

    def crash(**_: object) -> None:
        raise OSError("the signer went away")

    proposal = names_propose(by=factories.staff(Role.ORGANISER))
    with monkeypatch.context() as broken, pytest.raises(OSError, match="signer"):
        broken.setattr(names, "publish", crash)
        two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))
    assert left.named() == (NAME, OPERATOR)
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))
    assert left.is_erased()


def test_journal_and_verifiers_stay_clean(own_database: Database, tmp_path: Path) -> None:
    left = Left()
    factories.time_pass(**TEN_YEARS)
    seal_all()
    before = exported(tmp_path / "before.jsonl")
    erased()
    seal_all()
    last = last_batch()
    assert last is not None
    checkpoint_publish(number=last.number)
    after = exported(tmp_path / "after.jsonl")
    assert after.startswith(before)
    files = (written(tmp_path, "log.jsonl", published_log()), public_key())
    verifier("public_log").check(*files)
    assert "WHOLE" in verifier("journal").check(str(tmp_path / "after.jsonl"), *files)
    for name in (NAME, OPERATOR):
        assert name not in after
    assert [each for each in verify().findings if "name" in str(each)] == []
    assert not {each.table for each in verify().findings} & {"staff_user", "premises_operator"}
    assert left.is_erased()


def exported(file: Path) -> str:
    with file.open("w") as to:
        export(to)
    return file.read_text()


def published(folder: Path) -> Path:
    """Write the public log as a receiver has it, one file for each entry."""
    folder.mkdir()
    for entry in LogEntry.objects.select_related("key").order_by("sequence"):
        file = folder / f"{entry.sequence:09d}.json"
        file.write_bytes(canonical_bytes(entry.published()) + b"\n")
    return folder


def again(log: Path) -> str:
    output = StringIO()
    with acting.acting("command:names_erase_again"):
        call_command("names_erase_again", str(log), stdout=output)
    return output.getvalue().strip()


@pytest.mark.django_db
def test_a_restored_backup_is_erased_again_by_the_published_list(tmp_path: Path) -> None:
    left = Left()
    factories.time_pass(**TEN_YEARS)
    with pytest.raises(RuntimeError, match="restored"), transaction.atomic():
        erased()
        log = published(tmp_path / "log")
        raise RuntimeError("restored")
    assert left.named() == (NAME, OPERATOR)  # the backup from before
    forged = tmp_path / "forged.jsonl"
    for file in sorted(log.iterdir()):
        entry = json.loads(file.read_text())
        if entry["kind"] == names.ENTRY:
            entry["document"]["names_of_staff"] += ["00" * 32]
        with forged.open("a") as lines:
            lines.write(json.dumps(entry) + "\n")
    with pytest.raises(CommandError, match="entry_not_signed"):
        again(forged)
    with pytest.raises(CommandError, match="cannot be read"):
        again(tmp_path / "none.jsonl")
    assert left.named() == (NAME, OPERATOR)
    assert again(log) == "1 entries, 2 names erased"
    assert left.is_erased()
    assert again(log) == "1 entries, 0 names erased"
    assert LogEntry.objects.filter(kind=names.ENTRY).count() == 1


@pytest.mark.django_db
def test_names_are_proposed_by_the_api_and_in_the_administration() -> None:
    left = Left()
    factories.time_pass(**TEN_YEARS)
    auditor = staff_api(Role.AUDITOR)
    refused(auditor.post("periods/names/proposals", {}), 403, "power_missing")
    body = {"staff": [left.user.pk]}
    response = staff_api(Role.ORGANISER).post("periods/names/proposals", body)
    assert response.json()["content"] == {
        "names_of_staff": [left.user.pk],
        "names_of_operators": [],
    }
    path = f"proposals/{response.json()['proposal']}"
    assert auditor.post(f"{path}/confirmation", {}).status_code == 200
    assert left.named()[0] != NAME and left.named()[1] == OPERATOR
    desk = Desk(Role.ORGANISER)
    desk.do(ClosedPeriod, "names")
    confirm_pending("periods.names", Role.AUDITOR)
    assert left.is_erased()
    assert OPERATOR not in Desk(Role.AUDITOR).get(row_url(left.operator))
    desk.refused(ClosedPeriod, "names", "nothing_to_erase")
