"""The journal names an erasure of a name that nobody decided, or that the log does not tell."""

from django.db import transaction

from core.database import clock
from core.journal import acting, rules
from core.periods.journal_rules import NAME_ERASED
from core.periods.names import ENTRY, names_propose
from core.proofs.log import publish
from core.staff import two_persons
from core.staff.models import User
from core.staff.names import digest_of
from core.staff.powers import Role
from tests.support import factories
from tests.support.databases import Database


def gone(username: str) -> User:
    user = factories.account(username, "Margalida Bibiloni", Role.STEWARDS)
    User.objects.filter(pk=user.pk).update(is_active=False)
    return user


def by_hand(user: User, *, is_published: bool) -> None:
    """Erase a name as the application's role can, under the name of the command."""
    with acting.acting("command:names_erase_again"), transaction.atomic():
        User.objects.filter(pk=user.pk).update(name_key=None, name_erased_at=clock.now())
        if is_published:
            digest = digest_of(bytes(user.name_encrypted))
            document = {"names_of_staff": [digest], "names_of_operators": []}
            publish(kind=ENTRY, subject=f"test:{user.pk}", document=document)


def broken() -> list[tuple[str, int]]:
    return [(table, row) for table, row, _ in rules.broken(NAME_ERASED)]


def test_an_erasure_is_published_and_decided_by_two_or_done_again(own_database: Database) -> None:
    erased, listed, unlisted = (gone(f"or-{number}") for number in (1, 2, 3))
    factories.time_pass(days=3654)
    proposal = names_propose(by=factories.staff(Role.ORGANISER), staff=[erased.pk])
    two_persons.confirm(proposal=proposal.uuid, by=factories.staff(Role.AUDITOR))
    assert not User.objects.filter(pk=erased.pk, name_erased_at=None).exists()
    by_hand(listed, is_published=True)
    assert broken() == []
    by_hand(unlisted, is_published=False)
    assert broken() == [("staff_user", unlisted.pk)]
