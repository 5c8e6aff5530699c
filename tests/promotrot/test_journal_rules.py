"""Hold every table of Promotrot to the acts that write it, and find a row that no act wrote."""

import pytest
from django.apps import apps

from core.database import clock
from core.journal.acting import acting
from core.journal.journal_rules import NOBODY
from core.journal.models import Act
from core.journal.rules import broken
from core.kernel.days import add_days, natural_day
from core.longwork.services import work_do
from core.nights.long_work import night_ask
from core.payoffice.services.paying import PayRequest
from core.premises.requests import new_uuid
from core.staff.powers import Role
from promotrot import journal_rules
from promotrot.models.play import PlayEnd, PlayTicket
from promotrot.models.voucher import Voucher, VoucherHandover
from promotrot.services.debts.ending import game_end_propose
from promotrot.services.unfinished import play_end_unfinished, plays_end_unfinished
from tests.support import emitting, factories, paying
from tests.support.databases import Database
from tests.support.journaling import as_owner, execute, touched


def test_every_rule_has_a_name_and_a_table_of_promotrot() -> None:
    """Each table has a rule: docs/recipes.md, *A journal rule*."""
    names = [rule.name for rule in journal_rules.RULES]
    assert len(names) == len(set(names))
    tables = {model._meta.db_table for model in apps.get_app_config("promotrot").get_models()}
    assert {rule.table for rule in journal_rules.RULES} <= tables | {
        "payoffice_claim",
        "payoffice_exchange",
    }
    assert tables - {rule.table for rule in journal_rules.RULES} == set()


def test_a_voucher_that_another_act_wrote_is_found(own_database: Database) -> None:
    emission = emitting.opened(emitting.small())
    emitting.sold_and_played(emission, 40)
    assert list(broken(journal_rules.VOUCHER)) == []
    voucher = Voucher.objects.order_by("pk")[0]
    with as_owner(own_database), touched("promotrot_voucher"):
        execute("UPDATE promotrot_voucher SET journal_xid = 3 WHERE id = %s", [voucher.pk])
        breaches = list(broken(journal_rules.VOUCHER))
    assert [(table, row) for table, row, _ in breaches] == [("promotrot_voucher", voucher.pk)]


@pytest.mark.article("15.III.6.3")
@pytest.mark.parametrize("night", ["command:night", "task:core.nights.tasks.night"])
def test_a_play_that_a_night_ends_is_ended_by_that_night(
    own_database: Database, night: str
) -> None:
    """On 32eca755 nobody had ended it, and each audit of the journal failed from then on [P11]."""
    emitting.sold(emitting.opened(emitting.small()), 2)
    factories.time_pass(days=1, hours=2)
    with acting(night):
        plays_end_unfinished(add_days(natural_day(clock.now()), -1))
    assert PlayEnd.objects.count() == 2
    assert list(broken(NOBODY)) == []
    assert Act.objects.filter(source__name=night).count() == 2


def test_a_play_that_a_night_ends_for_a_person_is_ended_by_that_person(
    own_database: Database,
) -> None:
    emitting.sold(emitting.opened(emitting.small()), 1)
    factories.time_pass(days=1, hours=2)
    organiser = factories.staff(Role.ORGANISER)
    assert work_do(night_ask(by=organiser).pk)
    (ended,) = PlayEnd.objects.values_list("ended_at", flat=True)
    acts = Act.objects.filter(at__gte=ended).order_by("at")
    assert (acts[0].source.name, acts[0].user_id) == ("longwork:nights.run", organiser.user_id)
    assert list(broken(NOBODY)) == []


def test_an_emission_left_unsold_and_not_published_as_such_is_found(
    own_database: Database,
) -> None:
    game = emitting.approved(emitting.small())
    emission = emitting.committed(emitting.planned(game))
    emitting.both(game_end_propose(by=factories.staff(Role.ORGANISER), game=game))
    assert list(broken(journal_rules.ABANDONED)) == []
    with as_owner(own_database), touched("proofs_logentry"):
        execute("UPDATE proofs_logentry SET kind = 'other' WHERE kind = 'promotrot.abandoned'")
        breaches = list(broken(journal_rules.ABANDONED))
    assert [(table, row) for table, row, _ in breaches] == [("promotrot_emission", emission.pk)]


def test_a_voucher_handed_over_and_paid_by_one_person_is_found(own_database: Database) -> None:
    emission, office = emitting.opened(emitting.small()), paying.cashier()
    while not Voucher.objects.exists():
        play_end_unfinished(PlayTicket.objects.get(uuid=emitting.sold(emission, 1)[0]))
    voucher = Voucher.objects.get()
    code = paying.handed_over(office, voucher.uuid).code
    assert code is not None
    request = PayRequest(new_uuid(), voucher.amount_cents, intact=True, code=code.grouped)
    paying.paid_alone(paying.cashier(), request)
    assert list(broken(journal_rules.PAYER)) == []
    handover = VoucherHandover.objects.get()
    decided_by = handover.proposal.decision.decided_by_id
    for person in (office.user_id, decided_by):
        with as_owner(own_database), touched("payoffice_payment"):
            execute("UPDATE payoffice_payment SET staff_id = %s", [person])
            breaches = list(broken(journal_rules.PAYER))
        assert [(table, row) for table, row, _ in breaches] == [
            ("promotrot_voucherhandover", handover.pk)
        ]


def test_a_payment_of_another_sum_than_the_vouchers_or_too_late_is_found(
    own_database: Database,
) -> None:
    (won, _other) = paying.bicycles()
    paying.paid_alone(paying.cashier(), won.request())
    assert list(broken(journal_rules.OWED)) == []
    for change in (
        "document_id = 0",
        "amount_cents = 401",
        "opened_at = opened_at + interval '31 days'",
    ):
        with as_owner(own_database), touched("payoffice_claim"):
            execute(f"UPDATE payoffice_claim SET {change}")
            assert [table for table, *_ in broken(journal_rules.OWED)] == ["payoffice_claim"]
