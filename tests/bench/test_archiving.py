"""The benchmark tells what a ticket takes, and retires what is finished and nothing else."""

from pathlib import Path

from core.journal.models import Block
from lototrot.models.tickets import PrintConfirmation, Ticket
from tests.bench import archiving
from tests.core.periods.archive.conftest import give_codes_again
from tests.core.periods.conftest import march_ended
from tests.support import factories
from tests.support.databases import Database
from tests.support.history import weeks


def test_finished_months_are_retired_and_the_others_stay(
    own_database: Database, tmp_path: Path
) -> None:
    march_ended(batches=True)
    factories.contest()  # of May, which is not finished
    assert archiving.months_retired(9, tmp_path) == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2030-03", "2030-04"]
    assert not PrintConfirmation.objects.exists()
    assert not Ticket.objects.exists()  # two prizes lapsed
    assert Block.objects.filter(entries=None).exists()
    stays = {table for table, size in archiving.stays_of_tickets().items() if size}
    assert stays == set(archiving.SUMS_OF_TICKETS) - {"payoffice_retiredpayments"}
    assert archiving.freed_by(9, tmp_path) is None


def test_what_stays_of_a_retired_ticket_is_told_by_table(
    own_database: Database, tmp_path: Path
) -> None:
    """Two tickets whose code was given again stay, with their prizes and acts."""
    march_ended(batches=True)
    give_codes_again()
    freed = archiving.freed_by(9, tmp_path)
    assert freed is not None
    stays = {table for table, size in freed.stays.items() if size}
    named = {"lototrot_ticket", "lototrot_prize", "journal_act"}
    assert stays == named | {"lototrot_retiredsales", "lototrot_retiredmarks"} | {
        "ledger_openingbalance"
    }


def test_a_ticket_sold_and_printed_takes_at_most_a_kilobyte_or_so(own_database: Database) -> None:
    history = weeks.begin(premises=10, tickets=20)
    history.grow(1)
    size = archiving.sold_and_printed(history, 1_000)
    assert PrintConfirmation.objects.count() == Ticket.objects.count() >= 1_020
    assert 600 < size < 1_400  # of few tickets, pages that are not full are up to a quarter
