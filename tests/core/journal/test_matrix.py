"""Do every line of docs/proofs/tampering.md in SQL as the owner of the database, and undo it."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from pytest_django import DjangoDbBlocker

from core.journal import rules
from tests.support import databases
from tests.support.journaling import as_owner, execute, touched
from tests.support.tampering.day import Day, build
from tests.support.tampering.matrix import MATRIX, Tampering, refusals, touches
from tests.support.tampering.verifiers import VERIFIERS, journal_findings, tables_used
from tests.support.verifying.forging import quick_signatures

# Of these kinds nothing happened that day.
NOT_THAT_DAY = {
    "draws_draw.state_abandoned",
    "draws_draw.state_called_off",
    "draws_outcome.confirmed",
    "enrolment_code_to_who_acted",
    "lineage_by_command",
    "lototrot_classification.in_force_false",
    "lototrot_gameend.posted",
    "lototrot_settlement.in_force_false",
    "name_erased_as_published",
    "payoffice_cashsession.closed",
    "payoffice_cheque.cashed",
    "payoffice_cheque.reissue_id.confirmed",
    "payoffice_cheque.state_presented",
    "payoffice_cheque.state_voided",
    "payoffice_claim.state_early",
    "payoffice_claim.state_exchanged",
    "payoffice_claim.state_granted",
    "payoffice_claim.state_no_prize",
    "payoffice_claim.state_presented",
    "payoffice_claim.state_refused",
    "promotrot_emission.state_abandoned",
    "promotrot_emission.state_stopped",
    "promotrot_voucher.with_draws_drawcertificate",
    "staff_proposal.balls_published",
    "statements_remittance.confirmed",
}
# Of no moved row, but of what it says: the matrix above, test_rules.py, test_journal_rules.py and
# tests/core/statements/test_guarantee.py, tests/core/periods (test_nightly.py, test_retiring.py).
BY_HAND = {
    "authorisation_only_shortened",
    "cash_up_counts_the_shift",
    "clock_forward",
    "decided_with_its_decision",
    "decider_is_who_acted",
    "ledger_transfer.there",
    "limit_held_in_the_sale",
    "lototrot_displayacknowledgement.there",
    "lototrot_printconfirmation.there",
    "lototrot_prize.there",
    "lototrot_racedeclaration.one_result",
    "lototrot_salesstop.signalled",
    "lototrot_ticket.there",
    "nights_jobrun.over",
    "nothing_late_in_a_closed_period",
    "payoffice_cashsession.count_stands",
    "payoffice_cashsession.counted",
    "payoffice_claim.owed_by_lototrot",
    "payoffice_claim.owed_by_promotrot",
    "payoffice_payment.large_by_two",
    "payoffice_payment.second_there",
    "payoffice_payment.there",
    "power_by_two",
    "promotrot_emission.abandoned_in_public",
    "promotrot_playact.there",
    "promotrot_playticket.there",
    "promotrot_voucher.as_drawn",
    "promotrot_voucher.of_play",
    "promotrot_voucher.there",
    "promotrot_voucherhandover.not_paid_by_same",
    "premises_operatorsession.there",
    "proposal_not_lapsed",
    "proposer_is_who_acted",
    "retired_as_published",
    "roles_by_another",
    "second_person_waited",
    "statements_remittance.of_its_movement",
    "statements_remittance.there",
    "statements_statement.there",
    "terminal_back_by_enrolment",
    "tills_hold_the_debt",
    "two_persons",
}


@pytest.fixture(autouse=True)
def _signatures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the same log a hundred times with the faster library."""
    quick_signatures(monkeypatch)


@pytest.fixture(scope="module")
def day(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Day]:
    with django_db_blocker.unblock(), databases.clone() as server:
        built = build()
        with as_owner(server):
            yield built


@pytest.fixture(scope="module")
def asked(
    day: Day, tmp_path_factory: pytest.TempPathFactory
) -> tuple[dict[str, set[str]], set[str]]:
    """Ask each verifier about the day as it was: the tables that it reads, and who refuses."""
    tables_read, refused, folder = {}, set[str](), tmp_path_factory.mktemp("reads")
    with touched():
        for name, refuses in VERIFIERS.items():
            with tables_used() as used:
                refused |= {name} if refuses(day, folder) else set()
            tables_read[name] = used
    return tables_read, refused


@pytest.fixture(scope="module")
def reads(asked: tuple[dict[str, set[str]], set[str]]) -> dict[str, set[str]]:
    """The tables that each verifier reads of the day as it was.

    If none of them is another, it reads the same again and says the same, and need not be asked.
    `verify/journal.py` gets the entries as every row gives them again, and so refuses whatever was
    sealed and touched: the page says it of all lines at once, and `tests/verify/test_journal.py`
    proves it. It is asked here about the journal's own tables.
    """
    tables_read, _ = asked
    of_journal = {t for t in tables_read["verify/journal.py"] if t.startswith("journal_")}
    return tables_read | {"verify/journal.py": of_journal}


def test_nobody_refuses_the_day_as_it_was(asked: tuple[dict[str, set[str]], set[str]]) -> None:
    assert journal_findings(()) == set()
    _, refused = asked
    assert refused == set()


def test_every_verifier_is_seen_to_read_and_none_reads_all(reads: dict[str, set[str]]) -> None:
    assert reads.keys() == VERIFIERS.keys()
    assert all(reads.values())
    assert "lototrot_ticket" in reads["verify/settlement.py"]
    assert "lototrot_ticket" not in reads["verify/emission.py"]


@pytest.mark.article("14.III.1.5", "15.III.3")
@pytest.mark.parametrize("touch", MATRIX, ids=lambda touch: touch.fact)
def test_who_says_so(
    day: Day, reads: dict[str, set[str]], tmp_path: Path, touch: Tampering
) -> None:
    with touched(*touch.tables):
        with tables_used() as used:
            for statement in touch.statements:
                assert execute(statement) > 0, "nothing to touch"
        assert used >= touch.tables
        findings = journal_findings(touch.looked_at)
        asked = {name: each for name, each in VERIFIERS.items() if used & reads[name]}
        refused = [name for name, refuses in asked.items() if refuses(day, tmp_path)]
    assert sorted({code for code, *_ in findings}) == touch.journal
    assert refused == touch.others
    named = {table for _, table, *_ in findings} | {"journal_batch", "journal_block"}
    assert touch.tables <= named


def test_the_matrix_is_read_from_its_page() -> None:
    assert len(MATRIX) > 140
    assert len(refusals()) > 90
    assert refusals().keys() <= touches().keys()
    assert {name for touch in MATRIX for name in touch.others} == set(VERIFIERS)


def test_a_row_of_another_act_breaks_every_rule_of_its_table(day: Day) -> None:
    """Move rows, or changes, to the last act, which came days later and wrote something else."""

    def broken(by_moved: str, of: Iterable[rules.Rule]) -> set[str]:
        """Return the rules that are broken while all rows of a table are of the last act."""
        last = "(SELECT max(journal_xid) FROM journal_act)"
        with touched(by_moved):
            execute(f"UPDATE {by_moved} SET journal_xid = {last}")
            return {rule.name for rule in of if list(rules.broken(rule))}

    by_table: dict[str, list[rules.Rule]] = {}
    for rule in rules.rules():
        if rule.table != "journal_act":  # of acts themselves: test_doors.py
            by_table.setdefault(rule.table, []).append(rule)
    held = set[str]()
    for table, of_table in by_table.items():
        if execute(f"SELECT FROM {table} LIMIT 1"):
            held |= {rule.name for rule in of_table} - broken(table, of_table)
    waiting = [rule for of_table in by_table.values() for rule in of_table if rule.name in held]
    unseen = held - broken("journal_change", waiting)
    unseen -= {
        name for name in held if name.endswith(".as_named")
    }  # tests/core/staff/test_named.py
    assert unseen == NOT_THAT_DAY | BY_HAND, "see *A journal rule* in docs/recipes.md"


@pytest.mark.parametrize(
    ("table", "columns"),
    [
        ("lototrot_displayacknowledgement", ("contest_id", "terminal_id", "operator_id")),
        (
            "payoffice_payment",
            ("claim_id", "premises_id", "terminal_id", "operator_id", "session_id"),
        ),
        ("premises_operatorsession", ("terminal_id", "operator_id")),
        ("statements_remittance", ("premises_id", "statement_id")),
        ("statements_statement", ("premises_id",)),
    ],
)
def test_a_row_that_names_one_which_is_not_there_is_named(
    day: Day, table: str, columns: tuple[str, ...]
) -> None:
    """The triggers refuse it when it is written; no foreign key does."""
    (rule,) = (rule for rule in rules.rules() if rule.name == f"{table}.there")
    some = f"WHERE id = (SELECT min(id) FROM {table} WHERE {columns[-1]} IS NOT NULL)"
    assert list(rules.broken(rule)) == []
    for column in columns:
        with touched(table):
            assert execute(f"UPDATE {table} SET {column} = 987654321 {some}") == 1
            assert len(list(rules.broken(rule))) == 1
